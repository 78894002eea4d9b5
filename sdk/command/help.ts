/** The text of `orgseat <verb> --help` below the flags. */
export const helpOf = {
  preview: `
A preview sends no write to the service. It creates a stack that gets people and does not exist yet, empty. Where a guard blocks the plan, the
preview prints the reason and exits with 3. "unverifiable" counts what the preview takes from the state unchecked. Where the service
lists users and tokens (platform anaconda), --refresh names who was removed, whose seat, token, name or role was changed, and who
is in no stack; no run removes those.

  orgseat preview --exit-code            exit with 2 if there are changes, for CI
  orgseat preview --refresh              compare the states with the service
  orgseat preview --markdown > note.md   for a comment on a pull request`,
  up: `
Previews all stacks, checks the guards, shows the plan, asks you, and applies exactly that plan (without a terminal, pass --yes).
The provider refuses every change that the preview did not show, for example one that another run has caused since then.
If seats run short, leavers of all stacks go before joiners. With --refresh the run first writes into the states what the preview
has read, so that it repairs what was changed in the service.
\`up\` tries failed changes again while others succeed. It never repeats a creation whose response was lost, because that could create
a duplicate. At the end it prints each person's result: ok, gone (there was nothing to remove: check the service for the same
email under another user id), failed or skipped. After a failure or Ctrl-C, run it again: it resumes where it stopped.

The service cannot list managed users. If a run was killed, or a response was lost, during a creation, that user may exist: \`up\`
applies everything else and exits with 1. Check the service's administration, then decide:

  orgseat up --created builds=7a1f2c3d   the user exists with this id: add it to the state
  orgseat up --not-created builds        the user does not exist: create it`,
  renew: `
A token is due when the subscription runs longer than the token (raise \`subscription\` in the roster after you have renewed
it), or within the \`window\` of its row. The value stays the same. The command also removes people whose
\`access_until\` has passed, within the guards. Everything else, such as joiners and deleted rows, waits for \`up\`.`,
  rotate: `
A person has one token, so the old value is revoked before the new one is issued: deliver the new one at once
(\`orgseat token\`). The command writes the time of the rotation into the roster and prints the change: commit it. A roster
without that time, or with an earlier one, rotates nothing again. People whom you name do not count towards the removal limit;
people whom --machine-users and --all select do.

  orgseat rotate ada@acme.example
  orgseat rotate --machine-users`,
  offboard: `
First the command revokes the tokens, without waiting for a run that locks the stacks, and prints the results. Then it removes
seats and memberships in a run that waits for the locks. It adds the people to the offboarded list beside the roster, so that no later
run adds them back while the roster still has their rows, and prints the edit that removes the rows. The removal limit does not
apply; protection does. The command exits with 1 if the service does not know a user id: the same email may exist under another one.
With \`removal: release\` it revokes only the token. Remove the seat and the membership in the service.

  orgseat offboard bob@acme.example --by "ticket 4711"
  orgseat offboard bob@acme.example --yes    without a question, and without a terminal`,
  adopt: `
The command sends no write to the service. Where the service lists users and tokens (platform anaconda), it adopts all members in no
stack, with their seats and, where a person has exactly one token, with that token (\`token: adopt\`). Administrators become
protected. It sends one request per person. Rows of the roster with the email of a member get the user_id; --only-unmanaged
leaves all rows as they are.

The documented service cannot list people, so each person needs a user_id, in the roster or in a file of the same form. orgseat
adopts them with their seats. A token's value cannot be read, so people from a file get \`token: no\`. Write it for people of the
roster too, or the next \`up\` revokes the token that they have and issues a new one.

  orgseat adopt --organization <id> --subscription 2027-12-31 --on-removal release
  orgseat adopt members.csv --on-removal release`,
  "import-file": `
The file is for \`pulumi import --file\` of the Pulumi CLI 3.254 or later, which then sends no request. With --from-stack the file
has the whole state of the resources, secrets in plain text included: delete it after the import. Without --from-stack, the
command reads the service, where that lists users and tokens (platform anaconda), and writes the people of the roster as
adopted: the values of their tokens are unknown then. The command sends no write and changes no state.

  orgseat import-file --from-stack dev --out import.json             the resources of stack dev
  orgseat import-file --from-stack dev --plugin --out import.json    the same for the packaged plugin
  orgseat import-file --out import.json                              the people of the roster, from the service`,
  token: `
The command prints only to a terminal, or writes a new file with mode 0600. It refuses a pipe, because the token could end up in a log.
A sealed token is no secret: only the owner of the private key can open it (age -d -i key.txt ada.age). It needs no passphrase.`,
  report: `
The report is made from the states, the roster and the audit log. It shows for each expiry whether the service has confirmed it or
it is only declared. Where the service lists users (platform anaconda), it also shows the drift; --tokens compares the tokens too.
--last-seen names the people who have a seat and do not use it. The file has the columns email and last_seen (a date, an instant,
or empty for never); orgseat ignores other columns.

  orgseat report --last-seen seen.csv    seats without use for 30 days
  orgseat report --month 2026-11 --html report.html`,
  list: `
The list contains the people of the roster and of the states. Tokens that expire first come first.

  orgseat list --filter platform    the people of a team
  orgseat list --json               for scripts`,
  show: `
The history contains the writes that the audit log has for this user. The fingerprints after "Sealed for" are those of the
public keys that can open the token, as a preview shows them.

  orgseat show ada@acme.example`,
  validate: `
Checks each row and prints all errors with their lines. Exits with 1 if the roster has errors.

  orgseat validate --roster people.csv`,
  audit: `
Each line of the audit log names the line before it by its hash. Only the last lines can be missing without a trace: keep the head
that this command prints in another place, and pass it to a later check. Each run of CI whose log begins empty writes a log of its
own; several logs can be one after another in a file.

  orgseat audit verify                    the log beside the roster
  orgseat audit verify --head 5c1f...     and everything up to this line is there`,
  destroy: `
Removes all people of the roster's stacks, even those in the roster. With \`removal: release\` it revokes the tokens, and
all stay members with their seats. To remove more than a few people, pass the override that the command prints, which names
exactly them. The command refuses to remove protected people. Without a terminal, or with --json, pass --yes.`,
} as const;

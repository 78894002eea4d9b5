/** The help of each verb below its flags. */
import type { VerbHelp } from "./layout.ts";

/** Of a person, as the report has them: this file loads no schema. */
const JSON_FIELDS = [
  ...["access", "adopted", "email", "firstName", "inRoster", "inState", "key", "kind", "lastName"],
  ...["products", "purpose", "seat", "seatUse", "since", "stack", "team", "token", "userId", "who"],
];

export const helpOf: Readonly<Record<string, VerbHelp>> = {
  init: {
    paragraphs: [
      "Writes people.csv (or people.yaml) with the organization id, orgseat.env with the variables of the other commands (mode 0600), and .gitignore. It first says what is wrong with its flags and variables; at a terminal, it asks for what it does not know. Then it checks the setup as `orgseat doctor` does, shows the next steps, and exits with 1 if something does not work yet. It overwrites no file; to an orgseat.env that is there, it adds what that lacks.",
      "Every command reads orgseat.env beside the roster, except for the variables of an area (organization, models, state) of which the environment has any. It contains the addresses, the client ID, the place of the state, and the client secret if you type it, or agree to write that of the shell. Outside Pulumi Cloud, without a passphrase or ORGSEAT_SECRETS_PROVIDER in the environment, the file gets a new passphrase.",
    ],
    examples: [
      ["Ask for each value", "orgseat init"],
      [
        "Run without asking, with the state in a bucket",
        "orgseat init --organization <id> --backend s3://acme-state --yes",
      ],
      ["Load the variables into a shell, for commands of Pulumi", "set -a; . ./orgseat.env; set +a"],
    ],
  },
  add: {
    paragraphs: [
      "Writes one row per person, with a seat and a token, at the end of the roster. Edit the row for anything else. `orgseat preview` shows what the change means.",
    ],
    examples: [
      ["Add two people", "orgseat add ada@acme.example bob@acme.example"],
      ["Add a machine user", 'orgseat add --purpose "Linux builds" --team core'],
    ],
  },
  remove: {
    paragraphs: [
      "Deletes the rows. The next `up` removes or retains the people, within the guards. To revoke a token immediately, use `orgseat offboard`.",
    ],
    examples: [["Remove one person", "orgseat remove bob@acme.example"]],
  },
  reclaim: {
    paragraphs: [
      "The first run writes idle_notice into the rows of idle seats. A run 7 days or more after that writes no for seat and token, and withdraws the notice of people who were seen since. It leaves people who are protected, exempt (a column of the roster), not in the file, or without an email.",
    ],
    examples: [
      ["Give notice, and take what had notice", "orgseat reclaim --last-seen seen.csv --idle-days 60"],
    ],
  },
  doctor: {
    paragraphs: [
      "Sends reads and token requests only. Each finding includes the next step. The command prints no secrets, and finishes within 10 seconds. It exits with 1 if something that you configured does not work.",
    ],
    examples: [
      ["Check the roster of this folder and its stack", "orgseat doctor"],
      ["Check the configuration of one stack", "orgseat doctor --stack dev"],
      ["List how the service answers each read", "orgseat doctor --verbose"],
    ],
  },
  preview: {
    paragraphs: [
      'Makes no changes in the service. If the stack does not exist yet, the preview creates it, empty. If a guard refuses the plan, the preview prints the reason and exits with 3. "unverifiable" counts what the preview takes from the state unchecked.',
      "If the platform can list users and tokens (anaconda), --refresh lists who was removed, whose seat, token, name, or role changed, and which members are not in the stack. No run removes those members.",
    ],
    examples: [
      ["Exit with 2 if there are changes, for CI", "orgseat preview --exit-code"],
      ["Check the roster alone: print all errors with their lines", "orgseat preview --offline"],
      ["Compare the state with the service", "orgseat preview --refresh"],
      ["Write a comment for a pull request", "orgseat preview --markdown > note.md"],
    ],
  },
  up: {
    paragraphs: [
      "Makes a plan from the roster and the state, checks the guards, shows the plan, asks you, and applies exactly that plan. Without a terminal, pass --yes. The provider refuses every change that the preview did not show, for example one that another run has caused since then.",
      "If seats run short, `up` removes people before it adds others. With --refresh, the run first writes into the state what the preview has read, so that it repairs what was changed in the service.",
      "`up` tries failed changes again while others succeed. If the response to a request that creates something was lost, it does not send that request again, because that could create a duplicate. At the end it prints each person's result: ok, gone (there was nothing to remove: check the service for the same email under another user id), failed, or skipped. After a failure or Ctrl-C, run `up` again: it resumes where it stopped.",
      "If a run was killed, or a response was lost, while it created a machine user, that user may exist. Then `up` applies everything else and exits with 1 until you decide: write its id into `user_id`, or add it with the value of --approve that `preview` prints.",
    ],
    examples: [
      ["Show the plan, ask, and apply it", "orgseat up"],
      ["Apply without asking, for CI", "orgseat up --yes"],
      ["Apply exactly an approved plan", "orgseat up --plan plan.json"],
    ],
  },
  renew: {
    paragraphs: [
      "A token is due if it expires before its declared end: `expires`, or the end of the subscription (change `subscription` in the roster after you renew it). It is also due within the `window` of its row if the subscription runs longer. The value stays the same. The command also removes people whose `access_until` has passed, within the guards. Everything else, such as new and deleted rows, waits for `up`.",
    ],
    examples: [["Renew without asking, for a nightly job", "orgseat renew --yes"]],
  },
  rotate: {
    paragraphs: [
      "orgseat manages one token per person. The platform anaconda issues the new token before it revokes the old one; on basic, the old one is revoked first. Pass the new one on immediately (`orgseat token`). The command writes the time of the rotation into the roster and prints the change: commit it. A roster without that time, or with an earlier one, does not rotate the tokens again.",
      "People whom you list do not count toward the removal limit; people whom --machine-users and --all select do.",
    ],
    examples: [
      ["Rotate one token", "orgseat rotate ada@acme.example"],
      ["Rotate the tokens of all machine users", "orgseat rotate --machine-users"],
    ],
  },
  offboard: {
    paragraphs: [
      "First the command revokes the tokens, without waiting for a run that locks the stack, and prints the results. Then it removes seats and memberships in a run that waits for the lock. It adds the people to the offboarded list next to the roster, so that no later run adds them back while the roster still contains their rows, and prints the edit that removes the rows.",
      "The removal limit does not apply; protection does. The command exits with 1 if the service does not know a user id: the same email may exist under another one. It removes people even with `on_delete: retain`; with --keep-member, it revokes only the token, and an interrupted command is finished in the same way by the next run.",
    ],
    examples: [
      ["Record the request", 'orgseat offboard bob@acme.example --by "ticket 4711"'],
      ["Run without asking and without a terminal", "orgseat offboard bob@acme.example --yes"],
    ],
  },
  adopt: {
    paragraphs: [
      "Makes no changes in the service. If the platform can list users and tokens (anaconda), the command adopts all members that are not in the stack, with their seats. If a person has exactly one token, it adopts that token too (`token: adopt`). Administrators and billing managers get `protected: yes`. The command reads one list of users, and one list of tokens per user. Rows with a member's email get the user_id; --only-unmanaged changes no existing row.",
      "The platform basic cannot list people, so each person needs a user_id, in the roster or in a file of the same form. orgseat adopts them with their seats. It cannot read a token's value, so people from a file get `token: no`. Write it for people of the roster too; otherwise the next `up` revokes the token that they have and issues a new one.",
    ],
    examples: [
      ["Create a roster of all members", "orgseat adopt --organization <id> --on-delete retain"],
      ["Adopt the people of a file", "orgseat adopt members.csv --on-delete retain"],
    ],
  },
  destroy: {
    paragraphs: [
      "Removes all people in the roster's stack, even those whom the roster still lists. With `on_delete: retain`, it revokes the tokens, and all people stay members with their seats. To remove more than a few people, pass the code that the command prints, which allows exactly these removals. The command refuses to remove protected people.",
    ],
    examples: [
      ["Show who would be removed, and ask", "orgseat destroy"],
      ["Remove exactly the people of a refused run", "orgseat destroy --approve <code> --yes"],
    ],
  },
  list: {
    fields: JSON_FIELDS,
    paragraphs: [
      "Lists everybody in the roster and in the state, without a request. Tokens that expire first come first. In a pipe, it prints the columns name, in roster, seat, and expiry, separated by tabs.",
      'With an argument, it shows one person with the changes of this user in the audit log. The fingerprints after "Sealed for" are those of the public keys that can open the token, as a preview shows them.',
    ],
    examples: [
      ["List the people of a team", "orgseat list --filter platform"],
      ["Show one person", "orgseat list ada@acme.example"],
      ["Print JSON for scripts", "orgseat list --json email,seat"],
    ],
  },
  token: {
    paragraphs: [
      "Prints only to a terminal, or writes a new file with mode 0600. The command refuses a pipe, because the token could end up in a log. A sealed token isn't a secret: only the owner of the private key can open it (age -d -i key.txt ada.age). It needs no passphrase.",
    ],
    examples: [
      ["Write a token to a file", "orgseat token ada@acme.example --out ada.token"],
      ["Write all sealed tokens, to send them", "orgseat token --sealed --all --out sealed"],
    ],
  },
  report: {
    paragraphs: [
      "The report combines the state, the roster, and the audit log. For each expiry, it shows whether the service has confirmed it or you only declared it. If the platform can list users (anaconda), it also shows the drift; --tokens compares the tokens too.",
      "--last-seen lists the people who have a seat and do not use it. The file has the columns email and last_seen: a date, a timestamp, or nothing for never. orgseat ignores other columns.",
      "--due reads the state alone, without the service: the ends of tokens, accesses, and the subscription, and rotations, with those that have passed.",
    ],
    examples: [
      ["Fail with 2 if anything ends within 30 days", "orgseat report --due 30d"],
      ["List seats not used for 30 days", "orgseat report --last-seen seen.csv"],
      [
        "Write a page with everyone who joined and left",
        "orgseat report --month 2026-11 --format html --out report.html",
      ],
    ],
  },
  /** Of the command itself. */
  orgseat: {
    paragraphs: [
      "Exit codes: 0 success, even without changes; 1 failure, or you answered no; 2 changes (preview --exit-code) or due dates (report --due); 3 refused by a guard.",
    ],
    examples: [
      ["Show the plan, without changes in the service", "orgseat preview"],
      ["Apply exactly this plan", "orgseat up"],
      ["Revoke Bob's token immediately, then remove him", "orgseat offboard bob@acme.example"],
      ["List people with their seats and tokens", "orgseat list"],
    ],
    more: [
      "Use `orgseat help <command>` for the flags of a command.",
      "Read the documentation at https://github.com/orgseat/orgseat#documentation",
    ],
  },
};

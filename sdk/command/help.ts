/** What `orgseat <verb> --help` says below the flags. */
export const helpOf = {
  preview: `
Nothing is written at the service; a stack that does not exist yet is made, empty. What a guard would stop is told with the reason, and the command then
ends with 3. The service has no call that lists people, seats or tokens: "cannot be verified" says how much of the state
stands as it was written.

  orgseat preview --exit-code            2 where changes wait, for CI
  orgseat preview --markdown > note.md   for a comment on a pull request`,
  up: `
Previews all stacks, asks the guards, shows the plan, asks you, and applies exactly that plan (without a terminal, pass --yes):
the provider refuses every change that the preview did not show, such as one that another run has caused since. Where seats run
short, leavers of all stacks go before joiners.
What failed is tried again while something else goes on, but for a creation whose answer was lost: sent again, it might be
done twice. The end names each person with the result: done, already gone (there was nothing to take away: check the service
for the same email under another user id), failed or skipped. Run again after a failure or Ctrl-C, it goes on from there.

No call finds a managed user. Where a run was killed, or an answer lost, while one was created, that user may exist: \`up\`
does everything else and ends with 1. Look in the service's administration, then decide:

  orgseat up --created builds=7a1f2c3d   it exists with this id: take it into the state
  orgseat up --not-created builds        it does not exist: create it`,
  renew: `
A token is due when the subscription runs longer than the token (raise \`subscription\` in the roster after you have renewed
it), or within the \`window\` of its row. The value stays the same. Joining, leaving and everything else waits for \`up\`.`,
  rotate: `
A person has one token, so the old value stops before the new one exists: have the new one delivered at once
(\`orgseat token\`). The time of the rotation is written into the roster, and the change is printed: commit it. A roster
without it, or with an earlier one, rotates nothing again. People who are named one by one are not counted by the cap;
--managed and --all are.

  orgseat rotate ada@acme.example
  orgseat rotate --managed`,
  offboard: `
Call 9 goes out first, without waiting for a run that holds the stacks; its answer is printed. Then seats and memberships
follow as a run, which waits for its turn. The names go onto the leaver list beside the roster, so no later run lets them
back in while the roster still has their rows; the edit that takes the rows out is printed. No cap stops it; protection
does. It ends with 1 where the service does not know somebody's user id: the same email may exist under another one.
With \`removal: release\` only the token goes; seat and membership stay: end them at the service.

  orgseat offboard bob@acme.example --by "ticket 4711"
  orgseat offboard bob@acme.example --yes    without a question, and without a terminal`,
  adopt: `
Nothing is written at the service. The documented service lists nobody, so each person needs a user_id, in the roster or
in a file of the same form. They are taken over with their seats. A token's value cannot be read, so people of a file get
\`token: no\`; write it for people of the roster too, or the next \`up\` revokes the token that they have and issues a
new one.

  orgseat adopt members.csv --on-removal release`,
  token: `
Only to a terminal, or into a new file of mode 0600: never into a pipe, where it would end up in a log.`,
  report: `
From the states, the roster and the audit log; no call is made. Ends of tokens are marked as confirmed by the service or
as declared.

  orgseat report --month 2026-11 --html report.html`,
  destroy: `
Takes out everybody whom the roster's stacks manage, whatever the roster says; with \`removal: release\` tokens are revoked
and all stay members with their seats. More than a few people need the override
that it prints, which names exactly them. Protected people stop it. Without a terminal, or with
--json, pass --yes.`,
} as const;

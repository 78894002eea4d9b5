/** `node offboard.ts bob@acme.example`, for a ticket system. Revokes tokens first, without waiting for other runs. */
import { CodedError, offboard } from "orgseat/automation";

const who = process.argv.slice(2);
if (who.length === 0) {
  console.error("usage: node offboard.ts bob@acme.example ...");
  process.exit(1);
}

try {
  const { status, revoked, edit, applied } = await offboard(who, {
    roster: "people.csv",
    by: process.env.USER,
    onRevoked: (people) => {
      for (const { who, outcome } of people)
        console.log(`${new Date().toISOString()} ${who}: token ${outcome}`);
    },
  });
  console.log(`${status}: seats and memberships of ${revoked.length}`);
  // If the service does not know a user id, the person can have access under another one.
  for (const { who, status, text } of applied?.results ?? [])
    if (status !== "succeeded") console.error(`${who}: ${status}${text === undefined ? "" : `: ${text}`}`);
  if (edit !== "") console.log(`Remove the rows from the roster too:\n${edit}`);
  process.exitCode = status === "succeeded" ? 0 : 1;
} catch (error) {
  // What a user can act on, such as every error of the roster with its line. `error.code` is its code.
  if (!(error instanceof CodedError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

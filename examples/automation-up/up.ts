/** What a script around `up` looks like: it shows the plan, asks somebody, applies it, and tells who was not done. */
import { createInterface } from "node:readline/promises";
import { type Preview, planToText, RosterError, up } from "orgseat/automation";

try {
  const { status, preview, applied, rosterEdit } = await up({ roster: "people.csv", confirm });

  if (status === "blocked") console.log(planToText(preview.plan, preview.violations));
  for (const { who, status, text } of applied?.results ?? []) {
    if (status !== "succeeded") console.error(`${who}: ${status}${text === undefined ? "" : `: ${text}`}`);
  }
  // The first run writes an id into the roster, by which its stacks know it.
  if (rosterEdit) console.log(`Commit this change of the roster:\n${rosterEdit.diff}`);
  console.log(status);
  process.exitCode = { succeeded: 0, declined: process.stdin.isTTY ? 0 : 1, failed: 1, blocked: 3 }[status];
} catch (error) {
  // Its message has every fault of the file, with line and column.
  if (!(error instanceof RosterError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** Without a terminal nobody can say yes, so the command line has to. */
async function confirm({ plan }: Preview): Promise<boolean> {
  console.log(planToText(plan));
  if (process.argv.includes("--yes")) return true;
  if (!process.stdin.isTTY) {
    console.error("There is no terminal to ask on: read the plan above, then run this again with --yes.");
    return false;
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await lines.question("Go on? [yes/no] ");
  lines.close();
  return answer === "yes";
}

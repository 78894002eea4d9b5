/** A script around `up`: shows the plan, asks, applies it, and lists the people for whom it did not succeed. */
import { createInterface } from "node:readline/promises";
import { CodedError, type Preview, planToText, up } from "orgseat/automation";

try {
  const { status, preview, applied, rosterEdit } = await up({ roster: "people.csv", confirm });

  if (status === "blocked") console.log(planToText(preview.plan, preview.violations));
  for (const { who, status, text } of applied?.results ?? []) {
    if (status !== "succeeded") console.error(`${who}: ${status}${text === undefined ? "" : `: ${text}`}`);
  }
  // The first run writes an id into the roster. Its stack has the same id.
  if (rosterEdit) console.log(`Commit this roster change:\n${rosterEdit.diff}`);
  console.log(status);
  process.exitCode = { succeeded: 0, declined: process.stdin.isTTY ? 0 : 1, failed: 1, blocked: 3 }[status];
} catch (error) {
  // What a user can act on, such as every error of the roster with its line. `error.code` is its code.
  if (!(error instanceof CodedError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** Without a terminal, the flag --yes confirms. */
async function confirm({ plan }: Preview): Promise<boolean> {
  console.log(planToText(plan));
  if (process.argv.includes("--yes")) return true;
  if (!process.stdin.isTTY) {
    console.error("No terminal: check the plan above, then run the script again with --yes.");
    return false;
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await lines.question("Apply these changes? [y/N] ");
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** What a script around `up` looks like: it shows the plan, asks somebody, applies it, and tells who was not done. */
import { createInterface } from "node:readline/promises";
import { inText, type Preview, up } from "orgseat/automation";

const { status, preview, applied } = await up({ roster: "people.csv", confirm });

if (status === "stopped") console.log(inText(preview.plan, preview.stops));
for (const { who, verdict, text } of applied?.verdicts ?? []) {
  if (verdict !== "done") console.error(`${who}: ${verdict}${text === undefined ? "" : `: ${text}`}`);
}
console.log(status);
process.exitCode = { done: 0, declined: 0, failed: 1, stopped: 3 }[status];

async function confirm({ plan }: Preview): Promise<boolean> {
  console.log(inText(plan));
  if (!process.stdin.isTTY) return true;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await lines.question("Go on? [yes/no] ");
  lines.close();
  return answer === "yes";
}

/** Two administrators, each with a clone of the repository of the roster, edit it at the same time. */
import { execFileSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { newRoster } from "../../command/roster/write.ts";
import { person } from "../command/people.ts";
import { temporaryFolder } from "../setup/sandbox.ts";
import type { Months } from "./months.ts";

/**
 * Both edit another row, and git merges that. With a stale plan, the second one applies the own edit between the plan of the
 * first one and its run, which must refuse.
 */
export async function editAtOnce(months: Months, draw: () => number, isStale: boolean): Promise<undefined> {
  const { file, otherFile } = months.command;
  const newcomer = () => person(`p${++months.joined}`);
  // Both know of one who joins, and whoever applies it first changes the other one's plan.
  months.setRows([...months.roster.people, newcomer()]);
  const common = join(temporaryFolder(), "people.csv");
  copyFileSync(file, common);
  const [first, second, base] = [newcomer(), newcomer(), months.roster];
  writeFileSync(otherFile, newRoster({ ...base, people: [second, ...base.people] }, "csv"));
  months.setRows([...base.people, first]);
  if (isStale) await months.command.savePlan();
  if (isStale || draw() < 0.5) {
    const outcome = await months.command.up({}, otherFile);
    expect(outcome, outcome.text).toMatchObject({ status: "succeeded" });
    months.count("the second administrator has applied");
  }
  execFileSync("git", ["merge-file", "--quiet", file, common, otherFile]);
  if (isStale) {
    const outcome = await months.command.up({ stale: true });
    expect(outcome, outcome.text).toMatchObject({ status: "blocked", guards: ["plan-changed"] });
  }
  await months.readBack();
  const keys = months.roster.people.map(({ key }) => key);
  expect(keys).toEqual([second.key, ...base.people.map(({ key }) => key), first.key]);
  return undefined;
}

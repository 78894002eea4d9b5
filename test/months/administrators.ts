/** Two administrators, each with a clone of the repository of the roster, edit it at the same time. */
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { readRoster } from "../../command/roster/read.ts";
import { newRoster } from "../../command/roster/write.ts";
import { person } from "../command/people.ts";
import { temporaryFolder } from "../setup/sandbox.ts";
import type { Months } from "./months.ts";

const clones = new WeakMap<Months, string>();

function git(folder: string, ...args: readonly string[]): string {
  const own = [
    "-c",
    "user.name=Admin",
    "-c",
    "user.email=admin@acme.example",
    "-c",
    "init.defaultBranch=main",
  ];
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...own, ...args], { cwd: folder, encoding: "utf8", env, stdio: "pipe" });
}

function commit(folder: string): void {
  git(folder, "add", "--", "people.csv");
  git(folder, "commit", "--quiet", "--allow-empty", "--message", "Edit the roster");
}

/** The folder of the second administrator, with the roster as the first one has it. */
function clonesOf(months: Months): { readonly own: string; readonly other: string } {
  const own = dirname(months.command.file);
  const isNew = !existsSync(join(own, ".git"));
  if (isNew) git(own, "init", "--quiet");
  commit(own);
  const other = clones.get(months) ?? join(temporaryFolder(), "clone");
  clones.set(months, other);
  if (existsSync(other)) git(other, "pull", "--quiet", "--no-rebase");
  else git(own, "clone", "--quiet", own, other);
  return { own, other };
}

/**
 * Both edit another row. With a stale plan, the second one applies the own edit between the plan of the first one and its
 * run, which must refuse.
 */
export async function editAtOnce(months: Months, draw: () => number, isStale: boolean): Promise<undefined> {
  const { command } = months;
  // Both know of one who joins, and whoever applies it first changes the other one's plan.
  const third = person(`p${++months.joined}`);
  months.roster = { ...months.roster, people: [...months.roster.people, third] };
  months.write();
  const { own, other } = clonesOf(months);
  const otherFile = join(other, "people.csv");
  const first = person(`p${++months.joined}`);
  const second = person(`p${++months.joined}`);
  const base = months.roster;
  writeFileSync(otherFile, newRoster({ ...base, people: [second, ...base.people] }, "csv"));
  months.roster = { ...base, people: [...base.people, first] };
  months.write();
  commit(own);
  commit(other);
  if (isStale) await command.savePlan();
  if (isStale || draw() < 0.5) {
    const outcome = await command.up({}, otherFile);
    expect(outcome, outcome.text).toMatchObject({ status: "succeeded" });
    commit(other);
    months.count("the second administrator has applied");
  }
  git(own, "pull", "--quiet", "--no-rebase", "--no-edit", other, "main");
  if (isStale) {
    const outcome = await command.up({ stale: true });
    expect(outcome, outcome.text).toMatchObject({ status: "blocked", guards: ["plan-changed"] });
  }
  const merged = await readRoster(command.file);
  const keys = merged.people.map(({ key }) => key);
  expect(keys).toEqual([second.key, ...base.people.map(({ key }) => key), first.key]);
  months.roster = merged;
  git(own, "commit", "--quiet", "--allow-empty", "--message", "Merge");
  return undefined;
}

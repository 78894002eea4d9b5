/** Rosters that someone saved otherwise, merged badly, cut off or forged: each is refused with its place, or reads as what it says. */
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { visibleLines } from "../../../../provider/util/text.ts";
import { packageRoot } from "../../../../sandbox/pulumi/package-root.ts";
import { checkCases, checkEach, full, seed, shareOf } from "../../../setup/cases.ts";
import { temporaryFolder } from "../../../setup/temporary.ts";
import { bigFiles } from "./big.ts";
import { Draw } from "./draw.ts";
import { drawPeople, drawStyle } from "./drawn.ts";
import { type Case, expectBounds, expectClear, expectRight } from "./judge.ts";
import { classNames, mutationOf } from "./mutations.ts";
import { type Outcome, Reader } from "./reader.ts";

function drawCase(seed: number, folder: string, name: string): Case & { readonly name: string } {
  const draw = new Draw(seed);
  const { mutate, formats } = mutationOf(name);
  const style = drawStyle(draw, draw.pick(formats));
  const drawn = drawPeople(draw);
  const { bytes, worth, people = drawn } = mutate(drawn, style, draw);
  const file = join(folder, `people.${style.format}`);
  writeFileSync(file, bytes);
  return { name, file, format: style.format, text: bytes.toString(), people, worth };
}

test("a hostile roster is refused with its place, or reads as what it says, in seconds and without much memory", async () => {
  const folder = temporaryFolder();
  const reader = new Reader();
  let turn = 0;
  const results = new Map<string, Outcome[]>();
  try {
    await checkCases({ name: "hostile rosters", level: "R", cases: 5000 }, fc.nat(), async (number) => {
      // One of the classes in turn, so that each has its share.
      const one = drawCase(number, folder, classNames[turn++ % classNames.length] ?? "");
      const outcome = await reader.read(one.file);
      results.set(one.name, [...(results.get(one.name) ?? []), outcome]);
      try {
        expectRight(one, outcome);
      } catch (error) {
        throw new Error(
          `${one.name}: ${JSON.stringify(one.text.slice(0, 2000))} ${JSON.stringify(outcome)}`,
          { cause: error },
        );
      }
    });
  } finally {
    reader.end();
  }
  if (full) console.log([...results].map(([name, outcomes]) => lineOf(name, outcomes)).join("\n"));
  const all = [...results.values()].flat();
  expect(all.some(({ read }) => read) && all.some(({ refused }) => refused)).toBe(true);
});

test("a file of up to 20 MB is refused with its place, or read whole, in seconds and without much memory", async () => {
  const file = (format: string) => join(temporaryFolder(), `people.${format}`);
  const suite = { name: "big hostile rosters", level: "E", cases: bigFiles.length } as const;
  const results: string[] = [];
  await checkEach(suite, bigFiles, async ({ name, format, people, text }) => {
    const path = file(format);
    writeFileSync(path, text());
    const reader = new Reader();
    try {
      const outcome = await reader.read(path);
      results.push(lineOf(name, [outcome]));
      expectBounds(outcome);
      expect(outcome.read?.count).toBe(people);
      if (outcome.refused !== undefined) expectClear(outcome.refused, path, undefined);
    } finally {
      reader.end();
      rmSync(path);
    }
  });
  if (full) console.log(results.join("\n"));
});

test("the command says of a hostile roster what its reader says, and ends with 1", {
  tags: "ci",
}, async () => {
  const folder = temporaryFolder();
  const reader = new Reader();
  let count = 0;
  try {
    for (const name of shareOf(classNames)) {
      const { file } = drawCase(seed, folder, name);
      const { refused } = await reader.read(file);
      if (refused === undefined) continue;
      count += 1;
      const command = [join(packageRoot, "sdk/bin/orgseat.js"), "preview", "--roster", file];
      const { status, stdout, stderr } = spawnSync(process.execPath, command, {
        cwd: folder,
        encoding: "utf8",
      });
      expect({ status, stdout }, name).toEqual({ status: 1, stdout: "" });
      expect(stderr).toBe(`orgseat: ${visibleLines(refused.message)} [invalid-roster]\n`);
    }
  } finally {
    reader.end();
  }
  expect(count).toBeGreaterThan(5);
});

function lineOf(name: string, outcomes: readonly Outcome[]): string {
  const most = (value: (one: Outcome) => number): string => Math.max(...outcomes.map(value)).toFixed(2);
  const read = outcomes.filter((one) => one.read !== undefined).length;
  return `${name}: ${read} read, ${outcomes.length - read} refused, at most ${most((one) => one.seconds)} s, ${most((one) => one.megabytes)} MB`;
}

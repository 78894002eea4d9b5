/**
 * How many cases a property test runs, and under which seed. `npm test` and `npm run test:ci` run a share with a fresh
 * seed, which they print. `npm run test:full` runs all cases and records what ran. `ORGSEAT_TEST_SEED` repeats a run.
 */
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { limiter } from "../../provider/util/lists.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { run } from "./runs.ts";

/** R: the resources' own code against a service. E: engine, provider process and service. */
export type Level = "R" | "E";

export interface Suite {
  readonly name: string;
  readonly level: Level;
  /** How many cases the full run has. */
  readonly cases: number;
  /** How many cases CI has at most, where a twentieth takes too long. */
  readonly ci?: number;
  /** How many cases the quick run has at most, where those of CI take too long. */
  readonly quick?: number;
  /** How many suites share the least number of CI, because they differ in one parameter only. Default: 1. */
  readonly siblings?: number;
  /** How many of listed cases run at once, because they do nothing but wait. Default: 1. */
  readonly atOnce?: number;
}

const SHARE = 0.05;
const LEAST: Readonly<Record<Level, number>> = { R: 25, E: 4 };
const QUICK: Readonly<Record<Level, number>> = { R: Number.POSITIVE_INFINITY, E: 2 };

export const full = run === "full";
export const seed = Number(process.env.ORGSEAT_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** The cases of this run. In CI a twentieth, at least 25 (R) or 4 (E) of all siblings; in the quick run at most 2 (E). */
export function casesOf({ level, cases, ci = cases, quick = QUICK[level], siblings = 1 }: Suite): number {
  if (full) return cases;
  const least = Math.ceil(LEAST[level] / siblings);
  const share = Math.min(cases, ci, Math.max(Math.ceil(cases * SHARE), least));
  return run === "quick" ? Math.min(share, quick) : share;
}

/** Of tests of one kind: all in the full run, otherwise every second one, from a place that the seed chooses. */
export function shareOf<T>(all: readonly T[]): T[] {
  return all.filter((_, index) => full || (index + seed) % 2 === 0);
}

/** Where `npm run test:full` collects what ran, one line a suite. */
export const recordsFile = join(packageRoot, ".orgseat", "reliability.jsonl");

/** Runs the cases of a suite; a failing one is not shrunk, because the service remembers. */
export async function checkCases<T>(
  suite: Suite,
  arbitrary: fc.Arbitrary<T>,
  holds: (value: T) => Promise<void>,
): Promise<void> {
  const started = performance.now();
  const numRuns = casesOf(suite);
  let held = 0;
  console.log(`${suite.name} (${suite.level}): ${numRuns} of ${suite.cases} cases, seed ${seed}`);
  try {
    await fc.assert(
      fc.asyncProperty(arbitrary, async (value) => {
        await holds(value);
        held += 1;
      }),
      { numRuns, seed, endOnFailure: true },
    );
  } finally {
    recordSuite(suite, held, started);
  }
}

/** The same for cases that are listed, not drawn: in the share every n-th, from a place that the seed chooses. */
export async function checkEach<T>(
  suite: Suite,
  all: readonly T[],
  holds: (value: T) => Promise<void>,
): Promise<void> {
  const started = performance.now();
  const count = Math.min(all.length, casesOf(suite));
  const step = all.length / count;
  const offset = seed % Math.max(1, Math.floor(step));
  console.log(`${suite.name} (${suite.level}): ${count} of ${suite.cases} cases, seed ${seed}`);
  let [held, hasFailed] = [0, false];
  const check = async (index: number): Promise<void> => {
    const value = all[Math.min(all.length - 1, Math.floor(index * step) + offset)];
    if (hasFailed) return;
    if (value === undefined) throw new Error(`${suite.name} has no case ${index}`);
    try {
      await holds(value);
      held += 1;
    } catch (error) {
      hasFailed = true;
      throw new Error(`${suite.name}, seed ${seed}, case ${JSON.stringify(value)}`, { cause: error });
    }
  };
  try {
    const slot = limiter(suite.atOnce ?? 1);
    await Promise.all(Array.from({ length: count }, (_, index) => slot(() => check(index))));
  } finally {
    recordSuite(suite, held, started);
  }
}

/** Notes for the report what ran. @param ran how many cases passed: fewer than all if one failed */
export function recordSuite(suite: Suite, ran: number, started: number): void {
  if (!full) return;
  mkdirSync(join(recordsFile, ".."), { recursive: true });
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  appendFileSync(recordsFile, `${JSON.stringify({ ...suite, ran, seed, seconds })}\n`);
}

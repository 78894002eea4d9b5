/** The reliability report: what a full run asked for and what ran, as JSON. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

/** Where the runs leave their parts. */
export const mutantsFile = join(packageRoot, ".orgseat", "mutants.json");
export const reportFile = join(packageRoot, "docs", "internal", "reliability.json");

const commitFields = {
  commit: z.string(),
  /** Whether the files were exactly those of the commit. */
  clean: z.boolean(),
};

const mutantsSchema = z.object({
  ...commitFields,
  date: z.string(),
  rows: z.array(
    z.object({
      name: z.string(),
      file: z.string(),
      /** The first test that turned red; null if none did. */
      caughtBy: z.string().nullable(),
      seconds: z.number(),
    }),
  ),
});
export type MutantsReport = z.output<typeof mutantsSchema>;

/** One line of `.orgseat/reliability.jsonl`, as test/setup/cases.ts writes it. */
export const suiteSchema = z.object({
  name: z.string(),
  level: z.enum(["R", "E"]),
  /** How many cases a full run has. */
  cases: z.number().int(),
  ran: z.number().int(),
  seed: z.number().int(),
  seconds: z.number(),
});

export const reportSchema = z.object({
  command: z.string(),
  /** Names of test files to which the run was limited; empty: all. */
  only: z.array(z.string()),
  ...commitFields,
  date: z.string(),
  seconds: z.number(),
  seed: z.number().int(),
  node: z.string(),
  /** The version of the CLI. */
  pulumi: z.string(),
  tests: z.object({ passed: z.number().int(), failed: z.array(z.string()), skipped: z.array(z.string()) }),
  suites: z.array(suiteSchema.omit({ seed: true })),
  /** Suites that the tests declare and that did not run, as `<file>: <name>`. */
  absent: z.array(z.string()).default([]),
  mutants: mutantsSchema.nullable(),
});
export type Report = z.output<typeof reportSchema>;

export const readMutants = (text: string): MutantsReport => mutantsSchema.parse(JSON.parse(text));
export const readReport = (text: string): Report => reportSchema.parse(JSON.parse(text));

/** The commit of the files here. The report itself may differ: it is written last. */
export async function commitOf(): Promise<{ commit: string; clean: boolean }> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)("git", args, { cwd: packageRoot })).stdout.trim();
  const changes = await git("status", "--porcelain", "--", ".", ":!docs/internal/reliability.json");
  return { commit: await git("rev-parse", "HEAD"), clean: changes === "" };
}

/** What keeps the report from being a full, green run of one commit; nothing if it is one. */
export function gapsOf({ only, clean, tests, suites, absent, mutants }: Report): string[] {
  return [
    ...only.map((name) => `limited to ${name}`),
    ...(clean ? [] : ["changes that were not committed"]),
    ...tests.failed.map((name) => `failed: ${name}`),
    ...suites.filter(({ ran, cases }) => ran < cases).map(({ name }) => `short: ${name}`),
    ...absent.map((suite) => `not run: ${suite}`),
    ...(mutants?.rows ?? [])
      .filter(({ caughtBy }) => caughtBy === null)
      .map(({ name }) => `mutant caught by nobody: ${name}`),
  ];
}

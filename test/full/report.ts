/** The reliability report: what a full run asked for and what ran, as JSON, and the page that is made of it alone. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { packageRoot } from "../../sandbox/start/package-root.ts";

/** Where the runs leave their parts. */
export const mutantsFile = join(packageRoot, ".orgseat", "mutants.json");
export const reportFile = join(packageRoot, "docs", "reliability.json");
export const pageFile = join(packageRoot, "docs", "reliability.md");

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
      /** The first test that turned red; null where none did. */
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
  engines: z.object({ standIn: z.string(), real: z.string() }),
  tests: z.object({ passed: z.number().int(), failed: z.array(z.string()), skipped: z.array(z.string()) }),
  suites: z.array(suiteSchema.omit({ seed: true })),
  /** Suites that the tests declare and that did not run, as `<file>: <name>`. */
  absent: z.array(z.string()).default([]),
  mutants: mutantsSchema.nullable(),
  /** The scenarios of the engine's conformance suite, and how many of them the real CLI was seen to play the same. */
  conformance: z
    .object({ scenarios: z.number().int(), confirmed: z.number().int() })
    .nullable()
    .default(null),
});
export type Report = z.output<typeof reportSchema>;

export const readMutants = (text: string): MutantsReport => mutantsSchema.parse(JSON.parse(text));
export const readReport = (text: string): Report => reportSchema.parse(JSON.parse(text));

/** The commit of the files here. The report itself may differ: it is written last. */
export async function commitOf(): Promise<{ commit: string; clean: boolean }> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)("git", args, { cwd: packageRoot })).stdout.trim();
  const changes = await git("status", "--porcelain", "--", ".", ":!docs/reliability.*");
  return { commit: await git("rev-parse", "HEAD"), clean: changes === "" };
}

/** The page; everything on it stands in the report. */
export function pageOf(report: Report): string {
  const { tests, engines, suites, mutants, conformance } = report;
  const lines = [
    "# Reliability",
    "",
    `What the tests of this project ran in full. \`${report.command}\` made this page and \`docs/reliability.json\`; nobody edits them.`,
    "",
    ...partial(report),
    `| | |`,
    `|---|---|`,
    `| commit | \`${report.commit}\`${report.clean ? "" : ", with changes that were not committed"} |`,
    `| date | ${report.date} |`,
    `| seed | ${report.seed} (\`ORGSEAT_TEST_SEED=${report.seed} npm run test:full\` draws the same cases again) |`,
    `| Node | ${report.node} |`,
    `| stand-in engine | ${engines.standIn} |`,
    `| real Pulumi CLI | ${engines.real} |`,
    ...(conformance === null
      ? []
      : [
          `| engine scenarios | ${conformance.confirmed} of ${conformance.scenarios} confirmed on the real CLI |`,
        ]),
    `| tests | ${tests.passed} passed, ${tests.failed.length} failed, ${tests.skipped.length} skipped, in ${report.seconds} s |`,
    "",
    "## Suites",
    "",
    'R: the resources\' own code against a service over HTTP. E: engine, provider process and service. A suite is "short" where',
    "fewer cases passed than it has: it failed on the way, or was not run whole.",
    "",
    ...report.absent.map((suite) => `- **Not run:** ${suite}`),
    ...(report.absent.length > 0 ? [""] : []),
    "| suite | level | cases asked | cases run | seconds | |",
    "|---|---|---|---|---|---|",
    ...[...suites]
      .sort((a, b) => a.name.localeCompare(b.name, "en"))
      .map(
        ({ name, level, cases, ran, seconds }) =>
          `| ${cell(name)} | ${level} | ${cases} | ${ran} | ${seconds} | ${ran < cases ? "short" : "whole"} |`,
      ),
    "",
    ...listed("Failed", tests.failed, "No test failed."),
    ...listed("Skipped", tests.skipped, "No test was skipped."),
    ...(mutants === null ? [] : mutantLines(mutants)),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

function partial({ only }: Report): string[] {
  if (only.length === 0) return [];
  const names = only.map((name) => `"${name}"`).join(", ");
  return [`**Not the whole:** this run was limited to ${names}.`, ""];
}

function listed(title: string, names: readonly string[], none: string): string[] {
  return [`## ${title}`, "", ...(names.length === 0 ? [none] : names.map((name) => `- ${name}`)), ""];
}

function mutantLines({ rows, commit, clean, date }: MutantsReport): string[] {
  const caught = rows.filter(({ caughtBy }) => caughtBy !== null).length;
  return [
    "## Mutants",
    "",
    `Named breaks of the code, one at a time, each of which has to turn a test red: ${caught} of ${rows.length} did, on ${date} at commit`,
    `\`${commit}\`${clean ? "" : ", with changes that were not committed"}. \`npm run test:mutants:named\` runs them.`,
    "",
    "| mutant | file | caught by | seconds |",
    "|---|---|---|---|",
    ...rows.map(
      ({ name, file, caughtBy, seconds }) =>
        `| ${cell(name)} | \`${file}\` | ${caughtBy === null ? "**nobody**" : cell(caughtBy)} | ${seconds} |`,
    ),
    "",
  ];
}

/** A text as a cell of a table can hold it. */
function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

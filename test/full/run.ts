/**
 * `npm run test:full [-- <test files>]`: all tests with all cases under one seed (`ORGSEAT_TEST_SEED`, otherwise a fresh
 * one), then docs/internal/reliability.json. Fails if a test does; the report is written all the same.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { findOrMakeCli } from "../../sandbox/pulumi/cli.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import buildOnce from "../setup/build.ts";
import { recordsFile } from "../setup/cases.ts";
import { forgetShell } from "../setup/own-environment.ts";
import {
  commitOf,
  gapsOf,
  mutantsFile,
  type Report,
  readMutants,
  reportFile,
  suiteSchema,
} from "./report.ts";
import { declaredSuites } from "./suites.ts";
import { type RunReport, runReportSchema } from "./vitest-report.ts";

/** Runs the tests. @returns the runner's own report */
async function runTests(only: readonly string[], seed: number): Promise<RunReport> {
  const folder = mkdtempSync(join(tmpdir(), "orgseat-full-"));
  const outputFile = join(folder, "report.json");
  const vitest = join(packageRoot, "node_modules", ".bin", "vitest");
  const args = ["run", ...only, "--reporter=default", "--reporter=json", `--outputFile.json=${outputFile}`];
  const env = { ...process.env, ORGSEAT_TEST_RUN: "full", ORGSEAT_TEST_SEED: String(seed) };
  try {
    await new Promise((resolve, reject) => {
      const child = spawn(vitest, args, { cwd: packageRoot, env, stdio: "inherit" });
      child.once("error", reject);
      child.once("close", resolve);
    });
    return runReportSchema.parse(JSON.parse(readFileSync(outputFile, "utf8")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countTests({ testResults }: RunReport): Report["tests"] {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const named = (wanted: (status: string) => boolean) =>
    all.filter(({ status }) => wanted(status)).map(({ fullName }) => fullName);
  const unloaded = testResults
    .filter(({ status, assertionResults }) => status === "failed" && assertionResults.length === 0)
    .map(({ name }) => `${relative(packageRoot, name)} (does not load)`);
  return {
    passed: named((status) => status === "passed").length,
    failed: [...named((status) => status === "failed"), ...unloaded],
    skipped: named((status) => status !== "passed" && status !== "failed"),
  };
}

function readRecords(): Report["suites"] {
  if (!existsSync(recordsFile)) return [];
  return readFileSync(recordsFile, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => suiteSchema.parse(JSON.parse(line)));
}

/** Suites that no one ran, of those that the tests declare. */
function absentOf(suites: Report["suites"]): string[] {
  const absent = declaredSuites().filter(({ fits }) => !suites.some(({ name }) => fits.test(name)));
  return absent.map(({ file, written }) => `${file}: ${written}`);
}

function seedOf(text: string | undefined): number {
  if (text === undefined || text === "") return Math.floor(Math.random() * 2 ** 31);
  if (!/^\d{1,10}$/.test(text)) throw new Error(`ORGSEAT_TEST_SEED is no whole number: ${text}`);
  return Number(text);
}

const only = process.argv.slice(2);
const seed = seedOf(process.env.ORGSEAT_TEST_SEED);
const started = new Date();
rmSync(recordsFile, { force: true });
forgetShell(process.env);
buildOnce();
const [commit, cli] = await Promise.all([commitOf(), findOrMakeCli(process.env, { download: false })]);
const run = await runTests(only, seed);
const suites = readRecords();
const report: Report = {
  command: "npm run test:full",
  only,
  ...commit,
  date: started.toISOString(),
  seconds: Math.round((Date.now() - started.getTime()) / 1000),
  seed,
  node: process.versions.node,
  pulumi: cli.version,
  tests: countTests(run),
  suites,
  absent: only.length > 0 ? [] : absentOf(suites),
  mutants: existsSync(mutantsFile) ? readMutants(readFileSync(mutantsFile, "utf8")) : null,
};
writeFileSync(reportFile, `${JSON.stringify(report, null, 2)}\n`);
execFileSync(join(packageRoot, "node_modules", ".bin", "biome"), ["format", "--write", reportFile]);
console.log(`docs/internal/reliability.json says what ran (seed ${seed}).`);
for (const gap of gapsOf(report)) console.log(`- ${gap}`);
if (!run.success) process.exitCode = 1;

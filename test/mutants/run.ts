/**
 * `npm run test:mutants:named [-- <part of a name>]`: switches on one mutant at a time in a copy of the sources and runs the
 * tests that have to notice it. A whole run leaves its table in `.orgseat/mutants.json`, for the reliability report.
 */
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { commitOf, type MutantsReport, mutantsFile } from "../full/report.ts";
import { type RunReport, runReportSchema } from "../full/vitest-report.ts";
import { rowsNamedIn } from "../interface/rows.ts";
import { mutants } from "./index.ts";
import { broken, type Mutant } from "./mutant.ts";

const run = promisify(execFile);
const FAR_FUTURE = new Date("2100-01-01");
const TEST_TIMEOUT_MS = 20_000;

/** The sources as they lie here, without what git ignores, in their own folder. */
async function copySources(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "mutants-"));
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await run("git", listed, { cwd: packageRoot, maxBuffer: 2 ** 26 });
  for (const name of stdout.split("\0")) {
    const from = join(packageRoot, name);
    if (statSync(from, { throwIfNoEntry: false })?.isFile()) cpSync(from, join(folder, name));
  }
  symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"));
  // The tests here run from the sources: nothing is to be built, and a mutant need not satisfy the compiler.
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "dist", ".built"), "");
  utimesSync(join(folder, "dist", ".built"), FAR_FUTURE, FAR_FUTURE);
  return folder;
}

async function runTests(folder: string, files: readonly string[], only?: string): Promise<RunReport> {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const args = ["run", ...files, "--maxWorkers=1", `--testTimeout=${TEST_TIMEOUT_MS}`];
  if (only !== undefined) args.push("-t", only.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const command = join(packageRoot, "node_modules", ".bin", "vitest");
  const output = await run(command, [...args, "--reporter=json", `--outputFile.json=${report}`], {
    cwd: folder,
    maxBuffer: 2 ** 26,
  }).catch((error: { stdout?: string; stderr?: string }) => error);
  if (!existsSync(report)) throw new Error(`the tests did not run: ${output.stdout}${output.stderr}`);
  const parsed = runReportSchema.parse(JSON.parse(readFileSync(report, "utf8")));
  const unloaded = parsed.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  if (unloaded.length > 0) throw new Error(`a test file does not load: ${unloaded[0]?.message}`);
  return parsed;
}

function failedTests({ testResults }: Pick<RunReport, "testResults">): string[] {
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName),
  );
}

/** Without a mutant every test that is to notice one is green, or its red would say nothing. */
async function control(folder: string, chosen: readonly Mutant[]): Promise<void> {
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))];
  const { testResults } = await runTests(folder, files);
  const failed = testResults.flatMap((result) => {
    const wanted = chosen.filter(({ tests }) => tests.some((file) => result.name.endsWith(file)));
    return failedTests({ testResults: [result] }).filter((name) =>
      wanted.some(({ only }) => only === undefined || name.includes(only)),
    );
  });
  if (failed.length > 0) throw new Error(`red without a mutant: ${failed.join("; ")}`);
}

async function runMutant(folder: string, mutant: Mutant): Promise<MutantsReport["rows"][number]> {
  const path = join(folder, mutant.file);
  const text = readFileSync(path, "utf8");
  const started = performance.now();
  writeFileSync(path, broken(mutant, text));
  try {
    const failed = failedTests(await runTests(folder, mutant.tests, mutant.only));
    const noticed = new Set(failed.flatMap(rowsNamedIn));
    const unnoticed = mutant.rows?.filter((row) => !noticed.has(row)) ?? [];
    if (unnoticed.length > 0) console.log(`no red test of ${unnoticed.join("; ")}`);
    const caughtBy = unnoticed.length > 0 ? null : (failed[0] ?? null);
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    return { name: mutant.name, file: mutant.file, caughtBy, seconds };
  } finally {
    writeFileSync(path, text);
  }
}

const part = process.argv[2];
const chosen = mutants.filter(({ name }) => part === undefined || name.includes(part));
const folder = await copySources();
process.once("SIGINT", () => process.exit(130));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
await control(folder, chosen);
const rows: MutantsReport["rows"][number][] = [];
for (const mutant of chosen) {
  const row = await runMutant(folder, mutant);
  rows.push(row);
  console.log(
    `${row.caughtBy === null ? "SURVIVED" : "caught"}  ${row.name}  <- ${row.caughtBy ?? mutant.tests.join(", ")}  (${row.seconds} s)`,
  );
}
const survivors = rows.filter(({ caughtBy }) => caughtBy === null);
console.log(`${rows.length - survivors.length} of ${rows.length} mutants caught`);
if (part === undefined) {
  const report: MutantsReport = { ...(await commitOf()), date: new Date().toISOString(), rows };
  mkdirSync(dirname(mutantsFile), { recursive: true });
  writeFileSync(mutantsFile, `${JSON.stringify(report, null, 2)}\n`);
}
if (survivors.length > 0) process.exitCode = 1;

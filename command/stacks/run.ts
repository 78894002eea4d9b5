/** One run of a command: the id and the commit of its entries in the audit log. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isRunning, machineMark, processMark } from "../../provider/util/running-process.ts";
import { unwritable } from "../engine/folders.ts";

export interface Run {
  readonly id: string;
  /** The commit of the roster, if it is known. */
  readonly commit: string | undefined;
  /** Why the commit is unknown, if git has one. */
  readonly warning?: string | undefined;
}

/** How CI systems name the commit that they work on. */
const COMMIT_VARIABLES = ["ORGSEAT_COMMIT", "GITHUB_SHA", "CI_COMMIT_SHA", "BUILD_SOURCEVERSION"];

export async function startRun(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Run> {
  const named = COMMIT_VARIABLES.map((name) => environment[name]).find((value) => value);
  const id = environment.ORGSEAT_RUN_ID || randomUUID();
  return { id, ...(named === undefined ? await headOf(folder) : { commit: named }) };
}

async function headOf(folder: string): Promise<Omit<Run, "id">> {
  try {
    // In English: the error is read.
    const env = { ...process.env, LC_ALL: "C" };
    const { stdout } = await promisify(execFile)("git", ["rev-parse", "HEAD"], { cwd: folder, env });
    return { commit: stdout.trim() };
  } catch (error) {
    return { commit: undefined, warning: foreignRepository(error) };
  }
}

function foreignRepository(error: unknown): string | undefined {
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
  const [, repository] = /dubious ownership in repository at '(.*)'/.exec(stderr) ?? [];
  if (repository === undefined) return undefined;
  return `the audit log gets no commit for this run: git does not read ${repository}, which belongs to another user. If you trust it, run \`git config --global --add safe.directory ${repository}\`; or set ORGSEAT_COMMIT`;
}

/** The variables by which the provider notes its writes. */
export function auditVariables({ id, commit }: Run, file: string): Record<string, string> {
  return {
    ORGSEAT_AUDIT_LOG: file,
    ORGSEAT_RUN_ID: id,
    ...(commit !== undefined && { ORGSEAT_COMMIT: commit }),
  };
}

/**
 * Makes the folder, which only this user can read, and removes it after the work. Folders of runs that were killed go first.
 * @param rosterFolder where `.orgseat` is
 */
export async function withRunFolder<Result>(
  rosterFolder: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await runFolder(join(rosterFolder, ".orgseat", "runs")).catch((error: unknown) => {
    throw unwritable(join(rosterFolder, ".orgseat"), error);
  });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runFolder(runs: string): Promise<string> {
  await mkdir(runs, { recursive: true, mode: 0o700 });
  const own = `${machineMark()}-`;
  const left = (await readdir(runs)).filter(
    (name) => name.startsWith(own) && isOfDeadProcess(name.slice(own.length)),
  );
  await Promise.all(left.map((name) => rm(join(runs, name), { recursive: true, force: true })));
  return mkdtemp(join(runs, `${own}${processMark(process.pid)}-`));
}

/** A later process can have the same pid, but no other start. */
function isOfDeadProcess(name: string): boolean {
  const [, mark] = /^(\d+@\d*)-\w+$/.exec(name) ?? [];
  return mark !== undefined && !isRunning(mark);
}

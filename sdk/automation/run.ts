/** One run of a command: what its writes are noted under. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";

export interface Run {
  readonly id: string;
  /** The commit of the roster, where it is known. */
  readonly commit: string | undefined;
}

/** How CI systems name the commit that they work on. */
const COMMIT_VARIABLES = ["ORGSEAT_COMMIT", "GITHUB_SHA", "CI_COMMIT_SHA", "BUILD_SOURCEVERSION"];

export async function startRun(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Run> {
  const named = COMMIT_VARIABLES.map((name) => environment[name]).find((value) => value);
  return { id: environment.ORGSEAT_RUN || randomUUID(), commit: named ?? (await headOf(folder)) };
}

async function headOf(folder: string): Promise<string | undefined> {
  try {
    return (await promisify(execFile)("git", ["rev-parse", "HEAD"], { cwd: folder })).stdout.trim();
  } catch {
    return undefined;
  }
}

/** The variables by which the provider notes its writes. */
export function auditVariables({ id, commit }: Run, file: string): Record<string, string> {
  return {
    ORGSEAT_AUDIT: file,
    ORGSEAT_RUN: id,
    ...(commit !== undefined && { ORGSEAT_COMMIT: commit }),
  };
}

/**
 * Runs a command of an organization under the tracer (`tracer/`), which makes the n-th of its writes to files fail: of the
 * command, of Pulumi, or of the provider.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import type { CommandOutput, TestOrganization } from "../automation/organization.ts";
import { makeUnlessThere } from "../setup/once.ts";
import { temporaryFile } from "../setup/temporary.ts";
import { hasTool } from "../setup/tools.ts";

/** The tracer knows the system calls of Linux on x64, and Go builds it. */
export const canTrace = process.platform === "linux" && process.arch === "x64" && hasTool("go");

/** What the tracer does at a write; its own texts say more. */
export type WriteFault = "kill" | "half" | "writer" | "writer-half" | "full" | "pause";

export interface TracedWrite {
  readonly number: number;
  readonly by: "orgseat" | "pulumi" | "provider";
  readonly call: string;
  readonly bytes: number;
  /** From the folder of the organization, or of the backend. */
  readonly file: string;
}

export interface Traced extends CommandOutput {
  readonly writes: readonly TracedWrite[];
  readonly struck: boolean;
}

const sources = join(packageRoot, "test", "faults", "tracer");

/** Builds it once for all runs. @returns the executable */
export async function tracer(): Promise<string> {
  const made = join(packageRoot, ".orgseat", "tracer");
  mkdirSync(made, { recursive: true });
  const version = createHash("sha256").update(readFileSync(join(sources, "main.go")));
  const folder = await makeUnlessThere(join(made, version.digest("hex").slice(0, 16)), async (empty) => {
    const env = { ...process.env, CGO_ENABLED: "0", GOWORK: "off", GOTOOLCHAIN: "local" };
    await promisify(execFile)("go", ["build", "-trimpath", "-o", `${empty}/`, "."], { cwd: sources, env });
  });
  return join(folder, "tracer");
}

interface FaultAt {
  readonly write: number;
  readonly fault: WriteFault;
  /** What happens during a pause. */
  readonly act?: () => Promise<void>;
}

/** @param at without one, the writes are only counted */
export async function traced(
  acme: TestOrganization,
  at: FaultAt | undefined,
  ...command: string[]
): Promise<Traced> {
  const [log, resume] = [temporaryFile("writes.log", ""), temporaryFile("resume")];
  const fault = at === undefined ? [] : ["-at", String(at.write), "-fault", at.fault, "-resume", resume];
  const below = [acme.folder, acme.stateFolder];
  acme.wrapper = [await tracer(), "-log", log, "-below", below.join(":"), ...fault, "--"];
  const linesOf = () => readFileSync(log, "utf8").trimEnd().split("\n");
  const isStruck = () => linesOf().some((line) => line.startsWith("struck "));
  const running = acme.start(...command);
  acme.wrapper = [];
  if (at?.act !== undefined) {
    let hasEnded = false;
    void running.ended.then(() => {
      hasEnded = true;
    });
    while (!isStruck() && !hasEnded) await pause(20);
    if (!hasEnded) await at.act();
    writeFileSync(resume, "");
  }
  const output = await running.ended;
  return { ...output, writes: linesOf().flatMap((line) => writeIn(line, below)), struck: isStruck() };
}

function writeIn(line: string, folders: readonly string[]): TracedWrite[] {
  const [, number, by, call = "", bytes, path = ""] =
    /^(\d+) (orgseat|pulumi|provider) (\w+) (\d+) (.*)$/.exec(line) ?? [];
  if (by !== "orgseat" && by !== "pulumi" && by !== "provider") return [];
  const file = folders.reduce((rest, folder) => rest.replace(`${folder}/`, ""), path);
  return [{ number: Number(number), by, call, bytes: Number(bytes), file }];
}

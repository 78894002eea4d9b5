/** Runs the scripts of the action and of GitLab's jobs, in a folder that has the steps and a command orgseat. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Ended, findOldNode, runIn } from "../../package/install.ts";
import { folder as example, files } from "./files.ts";
import { actionOf, stepsInside } from "./workflow.ts";

/** A Node that is too old for orgseat, but not for the steps; undefined if the machine has none. */
export async function findNodeOfSteps(): Promise<string | undefined> {
  const node = await findOldNode();
  if (node === undefined) return undefined;
  const version = execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" });
  return Number.parseInt(version, 10) >= 20 ? node : undefined;
}

/**
 * Copies the steps of the example into a folder.
 * @param orgseat what the command does, in sh; without it the folder has the command already
 */
export function equip(folder: string, orgseat?: string): void {
  cpSync(join(example, "steps"), join(folder, "steps"), { recursive: true });
  if (orgseat === undefined) return;
  const bin = join(folder, "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "orgseat"), `#!/bin/sh\n${orgseat}\n`, { mode: 0o755 });
}

/** @param node by which the script finds `node` */
export function runScript(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
  node = process.execPath,
): Promise<Ended> {
  const path = [dirname(node), process.env.PATH].join(":");
  return runIn(cwd, "bash", ["-e", "-c", script], { PATH: path, ...env });
}

/**
 * Runs a step of the action with these inputs.
 * @param expressions the values of the expressions that the inputs leave, such as `github.token`
 */
export function runAction(
  name: "Run" | "Comment",
  inputs: Readonly<Record<string, string>>,
  folder: string,
  env: Readonly<Record<string, string>>,
  expressions: Readonly<Record<string, string>> = {},
  node?: string,
): Promise<Ended> {
  const step = stepsInside(actionOf(files), { with: inputs }).find((one) => one.name === name);
  if (step?.run === undefined) throw new Error(`with these inputs the action has no step ${name}`);
  const filled = (text: string) =>
    text.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_, expression: string) => expressions[expression] ?? "");
  const own = Object.entries(step.env ?? {}).map(([variable, value]) => [variable, filled(value)]);
  const github = { GITHUB_ACTIONS: "true", GITHUB_ACTION_PATH: folder };
  return runScript(step.run, folder, { ...github, ...Object.fromEntries(own), ...env }, node);
}

/** Plays a workflow as GitHub would: the jobs in their order, and of each job every step whose condition is met. */
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";
import { runIn } from "../../package/install.ts";
import { temporaryFolder } from "../../setup/temporary.ts";
import type { Job, Step, Workflow } from "./workflow.ts";

type Texts = Readonly<Record<string, string>>;

/** The host's part: what a run starts with, and what it can use. */
export interface Play {
  /** The values of expressions such as `github.ref`; what is not there is empty. */
  readonly values: Texts;
  /** What the runner's machine has. */
  readonly machine: Texts;
  /** Brings the files of the repository into a folder; the installed packages come with them. */
  readonly checkout: (folder: string) => void;
  /** Commands in place of the machine's, in sh. */
  readonly commands?: Texts;
  /** Whether the reviewers of this environment let the job start; default: yes. */
  readonly approve?: (environment: string) => boolean | Promise<boolean>;
}

interface PlayedJob {
  readonly result: "success" | "failure" | "skipped";
  /** The names of the steps that ran, those of others by their actions. */
  readonly steps: readonly string[];
  readonly log: string;
}

/** The actions that the player knows; one of the tools does nothing. */
const TOOLS = /^(actions\/setup-node|pulumi\/actions)@/;

export async function play(workflow: Workflow, given: Play): Promise<Record<string, PlayedJob>> {
  const values = { ...given.values };
  const artifacts = temporaryFolder();
  const played: Record<string, PlayedJob> = {};
  for (const [name, job] of Object.entries(workflow.jobs)) {
    const needed = [job.needs ?? []].flat().every((one) => played[one]?.result === "success");
    const starts =
      needed && isMet(job.if ?? "", values) && ((await given.approve?.(job.environment ?? "")) ?? true);
    played[name] = starts
      ? await playJob(workflow, job, { ...given, values }, artifacts)
      : { result: "skipped", steps: [], log: "" };
    for (const [output, text] of Object.entries(job.outputs ?? {}))
      values[`needs.${name}.outputs.${output}`] = filled(text, values);
  }
  return played;

  async function playJob(
    { env = {} }: Workflow,
    job: Job,
    host: Play,
    artifactFolder: string,
  ): Promise<PlayedJob> {
    const folder = temporaryFolder();
    const [steps, logs] = [[] as string[], [] as string[]];
    let result: PlayedJob["result"] = "success";
    for (const step of job.steps) {
      const always = /!cancelled\(\)|always\(\)/.test(step.if ?? "");
      if ((result === "failure" && !always) || !isMet(step.if ?? "", values)) continue;
      steps.push(step.name ?? step.run ?? step.uses?.replace(/@.*/, "") ?? "");
      if (step.uses !== undefined) useAction(step, folder, artifactFolder, host);
      // In a container the runner takes sh.
      const shell = job.container === undefined ? "bash" : "sh";
      const all = { ...env, ...job.env, ...step.env };
      const { code, log } = await runStep(step, folder, all, host, values, shell);
      logs.push(log);
      if (code !== 0) result = "failure";
    }
    return { result, steps, log: logs.join("") };
  }
}

/** @throws for an action that the player does not know */
function useAction(
  { uses = "", with: { path = "", name = "" } = {} }: Step,
  folder: string,
  artifacts: string,
  host: Play,
): void {
  if (uses.startsWith("actions/checkout@")) {
    host.checkout(folder);
    symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"));
  } else if (uses.startsWith("actions/upload-artifact@"))
    cpSync(join(folder, path), join(artifacts, name, path));
  else if (uses.startsWith("actions/download-artifact@"))
    cpSync(join(artifacts, name), folder, { recursive: true });
  else if (!TOOLS.test(uses)) throw new Error(`the player does not know the action ${uses}`);
}

/** Runs the step's script, and takes its outputs into `values`. */
async function runStep(
  { id, run }: Step,
  cwd: string,
  env: Texts,
  { machine, commands = {} }: Play,
  values: Record<string, string>,
  shell: "bash" | "sh",
): Promise<{ code: number; log: string }> {
  if (run === undefined) return { code: 0, log: "" };
  const own = temporaryFolder();
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(own, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const [output, summary] = [join(own, "output"), join(own, "summary")];
  const variables = Object.entries(env).map(([name, text]) => [name, filled(text, values)]);
  const { code, output: log } = await runIn(cwd, shell, ["-e", "-c", run], {
    ...{ ...machine, ...Object.fromEntries(variables), PATH: [own, machine.PATH].join(delimiter) },
    ...{ GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary },
    GITHUB_EVENT_NAME: values["github.event_name"] ?? "",
  });
  const lines = existsSync(output) ? readFileSync(output, "utf8").split("\n") : [];
  for (const line of lines) {
    const [, name, value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) values[`steps.${id}.outputs.${name}`] = value;
  }
  return { code, log };
}

function filled(text: string, values: Texts): string {
  return text.replaceAll(/\$\{\{ (.+?) \}\}/g, (_, whole: string) => expressionValue(whole, values));
}

/** Of a name, or of `condition && name || ''`. */
function expressionValue(whole: string, values: Texts): string {
  const [, condition = "", name = whole] = /^(.+) && ([\w.]+) \|\| ''$/.exec(whole) ?? [];
  return isMet(condition, values) ? (values[name] ?? "") : "";
}

/** Knows comparisons that `&&` or `||` join, without parentheses. @throws for others */
function isMet(condition: string, values: Texts): boolean {
  const text = condition.replace(/^\$\{\{ (.*) \}\}$/, "$1");
  if (text === "") return true;
  return text.split(" || ").some((part) => part.split(" && ").every((one) => holds(one, values)));
}

function holds(comparison: string, values: Texts): boolean {
  if (comparison === "!cancelled()") return true;
  const [, left = "", operator, right] = /^([\w.]+) ([!=]=) ('[^']*'|[\w.]+)$/.exec(comparison) ?? [];
  if (right === undefined) throw new Error(`the player does not know the condition ${comparison}`);
  const value = right.startsWith("'") ? right.slice(1, -1) : (values[right] ?? "");
  return ((values[left] ?? "") === value) === (operator === "==");
}

/** GitLab's pipeline of the example, read and checked by gitlab-ci-local. */
import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { type Ended, runIn } from "../../package/install.ts";
import { installedOnDemand } from "../../setup/on-demand.ts";
import { temporaryFolder } from "../../setup/temporary.ts";
import { folder as example, read } from "./files.ts";

const PIPELINE = "gitlab/orgseat.yml";
const PROGRAM = "gitlab/program.yml";

const scriptSchema = z.array(z.string()).default([]);
const ruleSchema = z.strictObject({ if: z.string(), when: z.string().optional() });
const texts = z.record(z.string(), z.coerce.string());
const jobSchema = z.looseObject({
  stage: z.string(),
  before_script: scriptSchema,
  script: scriptSchema,
  variables: texts.default({}),
  rules: z.array(ruleSchema),
  id_tokens: z.record(z.string(), z.unknown()).optional(),
  environment: z.string().optional(),
  resource_group: z.string().optional(),
  interruptible: z.boolean().optional(),
  artifacts: z.looseObject({ when: z.string(), access: z.string(), paths: z.array(z.string()) }).optional(),
});
export type GitLabJob = z.output<typeof jobSchema>;

/** The pipeline's text with a change, or as it is. */
export type Change = (text: string) => string;

/** @param path of the file that gets the text, inside the example */
async function gitLabCi(path: string, pipeline: string, ...args: readonly string[]): Promise<Ended> {
  const packages = await installedOnDemand("linters");
  const folder = temporaryFolder();
  cpSync(example, folder, { recursive: true, filter: (source) => !source.includes("node_modules") });
  writeFileSync(join(folder, path), pipeline);
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder });
  git("init", "--quiet", "--initial-branch=main");
  // The linter includes only files that git knows.
  git("add", "--all");
  git("-c", "user.name=test", "-c", "user.email=test@acme.example", "commit", "--quiet", "--message", "x");
  const command = join(packages, "gitlab-ci-local", "dist", "index.js");
  return runIn(folder, process.execPath, [command, ...args]);
}

/** What the linter finds; empty if it finds nothing. */
export async function lintPipeline(change: Change = (text) => text): Promise<string> {
  const { code, output } = await gitLabCi(PIPELINE, change(read(PIPELINE)), "--list-csv-all");
  return code === 0 ? "" : output;
}

/** The jobs of a pipeline, with how each starts. @param variables of the pipeline @param program takes that of a program */
export async function jobsIn(
  variables: Readonly<Record<string, string>>,
  program = false,
): Promise<Record<string, string>> {
  const given = Object.entries(variables).flatMap(([name, value]) => ["--variable", `${name}=${value}`]);
  const ignored = ["--ignore-predefined-vars", Object.keys(variables).join(",")];
  const pipeline = program ? ([".gitlab-ci.yml", PROGRAM] as const) : ([PIPELINE, PIPELINE] as const);
  const text = read(pipeline[1]);
  const { code, stdout, stderr } = await gitLabCi(pipeline[0], text, "--list-csv-all", ...given, ...ignored);
  if (code !== 0) throw new Error(stderr);
  const rows = stdout.split("\n").flatMap((line) => {
    const [, name, when] = /^([\w ]+);(?:test|deploy);(\w+);/.exec(line) ?? [];
    return name === undefined || when === undefined || when === "never" ? [] : [[name, when] as const];
  });
  return Object.fromEntries(rows);
}

/** The jobs, with all that they inherit. */
export function pipelineJobs(): Promise<Record<string, GitLabJob>> {
  known ??= changedJobs((text) => text);
  return known;
}

let known: Promise<Record<string, GitLabJob>> | undefined;

/** The same of the pipeline with a change. */
export async function changedJobs(change: Change): Promise<Record<string, GitLabJob>> {
  const { stdout: output } = await gitLabCi(PIPELINE, change(read(PIPELINE)), "--preview");
  const all = z.record(z.string(), z.unknown()).parse(parse(output.slice(output.indexOf("---\n"))));
  const jobs = Object.entries(all).filter(([name]) => name.startsWith("orgseat "));
  return Object.fromEntries(jobs.map(([name, job]) => [name, jobSchema.parse(job)]));
}

/** The commands of a job without those before. */
export async function scriptOfJob(name: string): Promise<string> {
  const job = (await pipelineJobs())[name];
  if (job === undefined) throw new Error(`there is no job ${name}`);
  return job.script.join("\n");
}

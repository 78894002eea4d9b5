/** The files of `examples/ci`, read as far as the rules about them need it. */
import { parse } from "yaml";
import { z } from "zod";

const texts = z.record(z.string(), z.coerce.string());
const permissions = z.union([z.string(), z.record(z.string(), z.string())]);

const stepSchema = z.strictObject({
  id: z.string().optional(),
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  shell: z.string().optional(),
  "working-directory": z.string().optional(),
  "continue-on-error": z.boolean().optional(),
  with: texts.optional(),
  env: texts.optional(),
});
export type Step = z.output<typeof stepSchema>;

const concurrencySchema = z.strictObject({ group: z.string(), "cancel-in-progress": z.boolean() });

/** A job that is its own workflow. */
const callSchema = z.strictObject({ permissions, uses: z.string() });

const jobSchema = z.strictObject({
  needs: z.union([z.string(), z.array(z.string())]).optional(),
  if: z.string().optional(),
  "runs-on": z.string(),
  container: z.string().optional(),
  "timeout-minutes": z.number().optional(),
  permissions: permissions.optional(),
  environment: z.string().optional(),
  concurrency: concurrencySchema.optional(),
  outputs: texts.optional(),
  env: texts.optional(),
  secrets: z.unknown().optional(),
  steps: z.array(stepSchema),
});
export type Job = z.output<typeof jobSchema>;

/** Strict: what a rule does not know it could not judge. */
const workflowSchema = z.strictObject({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions: permissions.optional(),
  concurrency: concurrencySchema.optional(),
  env: texts.optional(),
  jobs: z.record(z.string(), jobSchema),
});
/** The workflow of a pull request, which only calls another one. */
const callerSchema = workflowSchema.extend({ jobs: z.record(z.string(), callSchema) });
export type Workflow = z.output<typeof workflowSchema>;

const actionSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputs: z.record(z.string(), z.strictObject({ description: z.string(), default: z.string() })),
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({ using: z.literal("composite"), steps: z.array(stepSchema) }),
});
export type Action = z.output<typeof actionSchema>;

/** The texts of the files, by the names of the workflows; `action` is the action that they share. */
export interface Files {
  /** The workflow of a pull request, which runs `plan` as main has it. */
  readonly preview: string;
  readonly plan: string;
  readonly up: string;
  readonly nightly: string;
  readonly action: string;
  /** The one workflow of the plain way. */
  readonly plain: string;
  /** The one workflow of a program. */
  readonly program: string;
}
export type FileName = keyof Files;

export interface NamedJob {
  /** `<workflow>.<job>`. */
  readonly name: string;
  readonly workflow: Workflow;
  readonly job: Job;
  /** The job's steps, those of the shared action among them. */
  readonly steps: readonly Step[];
}

export function workflowsOf(files: Files): Record<"plan" | "up" | "nightly", Workflow> {
  return { plan: readWorkflow(files.plan), up: readWorkflow(files.up), nightly: readWorkflow(files.nightly) };
}

export function plainOf(files: Files): Workflow {
  return readWorkflow(files.plain);
}

export function programOf(files: Files): Workflow {
  return readWorkflow(files.program);
}

export function readWorkflow(text: string): Workflow {
  return workflowSchema.parse(parse(text));
}

export function callerOf(files: Files): z.output<typeof callerSchema> {
  return callerSchema.parse(parse(files.preview));
}

export function actionOf(files: Files): Action {
  return actionSchema.parse(parse(files.action));
}

const sharedAction = "./";

/** Those of the hardened workflows. */
export function jobsOf(files: Files): NamedJob[] {
  return jobsIn(workflowsOf(files), actionOf(files));
}

export function everyJobOf(files: Files): NamedJob[] {
  const single = { plain: plainOf(files), program: programOf(files) };
  return jobsIn({ ...workflowsOf(files), ...single }, actionOf(files));
}

function jobsIn(workflows: Readonly<Record<string, Workflow>>, action: Action): NamedJob[] {
  return Object.entries(workflows).flatMap(([file, workflow]) =>
    Object.entries(workflow.jobs).map(([name, job]) => ({
      name: `${file}.${name}`,
      workflow,
      job,
      steps: job.steps.flatMap((step) => (step.uses === sharedAction ? stepsInside(action, step) : [step])),
    })),
  );
}

/** The steps of the action that a step with these inputs runs, with the values of the inputs, and its variables. */
export function stepsInside({ inputs, runs }: Action, { with: given = {}, env }: Step): Step[] {
  const unknown = Object.keys(given).filter((name) => !(name in inputs));
  if (unknown.length > 0) throw new Error(`the action has no input ${unknown.join(", ")}`);
  const valueOfInput = (name: string): string => given[name] ?? inputs[name]?.default ?? "";
  const filled = (text: string) =>
    text.replaceAll(/\$\{\{ inputs\.([\w-]+)(?: \|\| env\.\w+)? \}\}/g, (_, name: string) =>
      valueOfInput(name),
    );
  const filledIn = (texts: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(
      Object.entries(texts).flatMap(([name, text]) => (filled(text) === "" ? [] : [[name, filled(text)]])),
    );
  return runs.steps
    .filter(({ if: condition }) => condition === undefined || isMet(condition, valueOfInput))
    .map((step) => ({ ...step, with: filledIn(step.with), env: { ...env, ...filledIn(step.env) } }));
}

/** @throws for a condition of another form than the action has */
function isMet(condition: string, valueOfInput: (name: string) => string): boolean {
  const parts = condition.replace(/^\$\{\{ (.*) \}\}$/, "$1").split(" && ");
  return parts.every((part) => {
    if (part === "!cancelled()") return true;
    const [, name, operator, value] = /^inputs\.([\w-]+) ([!=]=) '([^']*)'$/.exec(part) ?? [];
    if (name === undefined) throw new Error(`no rule knows the condition ${part}`);
    return (valueOfInput(name) === value) === (operator === "==");
  });
}

/** An expression as workflows write it. */
export function expression(text: string): string {
  return `$\{{ ${text} }}`;
}

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
  with: texts.optional(),
  env: texts.optional(),
});
export type Step = z.output<typeof stepSchema>;

const concurrencySchema = z.strictObject({ group: z.string(), "cancel-in-progress": z.boolean() });

const jobSchema = z.strictObject({
  needs: z.string().optional(),
  if: z.string().optional(),
  "runs-on": z.string(),
  "timeout-minutes": z.number(),
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
export type Workflow = z.output<typeof workflowSchema>;

const actionSchema = z.object({
  inputs: z.record(z.string(), z.unknown()),
  runs: z.object({ using: z.literal("composite"), steps: z.array(stepSchema) }),
});

/** The texts of the files, by the names of the workflows; `prepare` is the action that they share. */
export interface Files {
  readonly preview: string;
  readonly up: string;
  readonly nightly: string;
  readonly prepare: string;
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

export function workflowsOf(files: Files): Record<Exclude<FileName, "prepare">, Workflow> {
  const read = (text: string) => workflowSchema.parse(parse(text));
  return { preview: read(files.preview), up: read(files.up), nightly: read(files.nightly) };
}

export const sharedAction = "./.github/actions/prepare";

export function jobsOf(files: Files): NamedJob[] {
  const { runs } = actionSchema.parse(parse(files.prepare));
  return Object.entries(workflowsOf(files)).flatMap(([file, workflow]) =>
    Object.entries(workflow.jobs).map(([name, job]) => ({
      name: `${file}.${name}`,
      workflow,
      job,
      steps: job.steps.flatMap((step) => (step.uses === sharedAction ? [step, ...runs.steps] : [step])),
    })),
  );
}

/** An expression as workflows write it. */
export function expression(text: string): string {
  return `$\{{ ${text} }}`;
}

/** The workflows of this repository, read as far as the tests about them need it. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

const permissions = z.record(z.string(), z.enum(["read", "write"]));

const stepSchema = z.looseObject({
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).default({}),
});

const jobSchema = z.looseObject({
  needs: z.string().optional(),
  permissions: permissions.optional(),
  environment: z.string().optional(),
  "timeout-minutes": z.number().optional(),
  /** Another workflow, in place of steps. */
  uses: z.string().optional(),
  steps: z.array(stepSchema).default([]),
});

const workflowSchema = z.looseObject({
  on: z.record(z.string(), z.unknown()),
  permissions,
  jobs: z.record(z.string(), jobSchema),
});

const folder = join(packageRoot, ".github", "workflows");

/** Their paths. */
export const workflowFiles = globSync(join(folder, "*.yml")).toSorted();

export const workflows = Object.fromEntries(
  workflowFiles.map((file) => [
    basename(file, ".yml"),
    workflowSchema.parse(parse(readFileSync(file, "utf8"))),
  ]),
);

export const jobs = Object.entries(workflows).flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ name: `${file}.${name}`, workflow, job })),
);

export function releaseWorkflow(): z.output<typeof workflowSchema> {
  const { release } = workflows;
  if (release === undefined) throw new Error("there is no release.yml");
  return release;
}

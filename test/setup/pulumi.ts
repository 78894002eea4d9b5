/**
 * The Pulumi CLI of the tests: found on the machine, or built while the tests that need none already run. Without one the
 * run fails.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { findCli } from "../../sandbox/pulumi/cli.ts";
import { madeCli, makeCli } from "../../sandbox/pulumi/make.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The executable, which may still be under construction. */
    readonly pulumi: string;
  }
}

/** The file in the folder of the run that says why there is no CLI. */
export const FAILED = "no-pulumi";

/** Runs after the folder of the run is there. */
export default async function providePulumi(project: TestProject): Promise<void> {
  const made = madeCli(process.env);
  const found = await findCli(process.env, [made]);
  project.provide("pulumi", found?.command ?? made);
  if (found !== undefined) return console.log(`Pulumi CLI ${found.version} (${found.command})`);
  const { runFolder } = project.getProvidedContext();
  makeCli(process.env).then(
    (command) => console.log(`Pulumi CLI built: ${command}`),
    (error: Error) => {
      console.error(error.message);
      process.exitCode = 1;
      writeFileSync(join(runFolder, FAILED), error.message);
    },
  );
}

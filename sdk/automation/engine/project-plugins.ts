/**
 * A project file can make Pulumi run a program of the folder in place of its own. A folder of a roster without a module is
 * data, so that is refused.
 */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { projectFile } from "./stack-names.ts";

/** The plugin that runs orgseat for every roster. Others run for what the state has of a former module. */
const OWN_PLUGIN = "pulumi-nodejs";

const projectSchema = z.looseObject({
  plugins: z
    .looseObject({
      providers: z.array(z.looseObject({ name: z.string() })).nullish(),
      languages: z.array(z.unknown()).nullish(),
      analyzers: z.array(z.unknown()).nullish(),
    })
    .nullish(),
  packages: z.record(z.string(), z.unknown()).nullish(),
});

/** @throws Error if the project of a folder names a program that would run with the roster's credentials */
export function refusePlugins(folder: string): void {
  const file = projectFile(folder);
  if (file === undefined) return;
  const { plugins, packages } = readProject(file);
  const { providers, languages, analyzers } = plugins ?? {};
  const refused = [
    ...(languages?.length ? ["plugins.languages"] : []),
    ...(analyzers?.length ? ["plugins.analyzers"] : []),
    ...(providers?.some(({ name }) => name === OWN_PLUGIN) ? [`the plugin ${OWN_PLUGIN}`] : []),
    ...(packages && OWN_PLUGIN in packages ? [`the package ${OWN_PLUGIN}`] : []),
  ];
  if (refused.length === 0) return;
  throw new Error(
    `${file} names ${refused.join(" and ")}, which Pulumi would run. A roster without \`deliver\` runs only the code of this command. Remove it from the file, or run the command in another folder`,
  );
}

function readProject(file: string): z.output<typeof projectSchema> {
  try {
    return projectSchema.parse(parse(readFileSync(file, "utf8")) ?? {});
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new Error(`cannot read ${file}, which could name programs to run: ${reason}`);
  }
}

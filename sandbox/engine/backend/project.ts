/** Pulumi.yaml: which program to run, and how. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { messageOf, UserError } from "../errors.ts";
import { type ProjectPlugins, packagesSchema, pluginsSchema, projectPlugins } from "../plugins/packages.ts";

/** A runtime with its options, in Pulumi.yaml and PulumiPlugin.yaml. */
export const runtimeSchema = z.union([
  z.string().transform((name) => ({ name, options: {} as Record<string, unknown> })),
  z.looseObject({ name: z.string(), options: z.record(z.string(), z.unknown()).default({}) }),
]);

export type Runtime = z.infer<typeof runtimeSchema>;

const projectSchema = z.looseObject({
  name: z.string(),
  runtime: runtimeSchema,
  main: z.string().optional(),
  description: z.string().nullish(),
  config: z.record(z.string(), z.unknown()).nullish(),
  stackConfigDir: z.string().optional(),
  plugins: pluginsSchema,
  packages: packagesSchema,
  backend: z.looseObject({ url: z.string().optional() }).optional(),
});

/** A project as found on disk. */
export interface Project extends ProjectPlugins {
  name: string;
  /** The folder of Pulumi.yaml. */
  root: string;
  /** The path of Pulumi.yaml itself. */
  file: string;
  runtime: Runtime;
  main: string | undefined;
  /** Values and defaults from Pulumi.yaml. */
  config: Record<string, unknown>;
  /** The folder of the stacks' configuration files. */
  configFolder: string;
  backendUrl: string | undefined;
}

/** Finds Pulumi.yaml in the folder or above it. Throws if there is none. */
export function loadProject(from: string): Project {
  const file = findProjectFile(from);
  if (!file) {
    throw new UserError(
      `no Pulumi.yaml project file found (searching upwards from ${from}). ` +
        "Go to a folder that has one, or name it with --cwd.",
    );
  }
  const parsed = projectSchema.safeParse(parseProject(file));
  if (!parsed.success) throw new UserError(`${file} is not valid: ${z.prettifyError(parsed.error)}`);
  const { name, runtime, main, config, stackConfigDir, backend, plugins, packages } = parsed.data;
  const root = dirname(file);
  return {
    name,
    root,
    file,
    runtime,
    main,
    config: config ?? {},
    configFolder: resolve(root, stackConfigDir ?? "."),
    backendUrl: backend?.url,
    ...projectPlugins(root, plugins, packages),
  };
}

function parseProject(file: string): unknown {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UserError(`${file} is not valid YAML: ${messageOf(error)}`);
  }
}

export function findProjectFile(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    for (const name of ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"]) {
      if (existsSync(join(folder, name))) return join(folder, name);
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** @throws UserError if Pulumi.yaml names no program that the emulator can run */
export function checkProgram({ root, main, file, runtime }: Project): void {
  if (runtime.name !== "nodejs") {
    throw new UserError(
      `this emulator for the Pulumi CLI runs nodejs programs only, and ${file} asks for "${runtime.name}": ` +
        "use the real Pulumi CLI for this program",
    );
  }
  if (main === undefined || existsSync(resolve(root, main))) return;
  throw new UserError(
    `project 'main' could not be read: ${file} names ${main}, but there is no ${resolve(root, main)}`,
  );
}

/** The folder in which the program runs, and the module it loads: `main` names a file or a folder. */
export function entryPoint(project: Project): { folder: string; entry: string } {
  if (project.main === undefined) return { folder: project.root, entry: "." };
  const path = resolve(project.root, project.main);
  if (existsSync(join(path, "package.json"))) return { folder: path, entry: "." };
  return { folder: project.root, entry: project.main };
}

/**
 * Where Pulumi's provider process finds `@pulumi/pulumi` and `orgseat`: in the folder of the project, or, with a global
 * install or `npx`, in the package of this code. And which programs that project may not name.
 */

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { CodedError } from "../../provider/util/error-codes.ts";
import { messageOf } from "../../provider/util/text.ts";
import { projectFile } from "./stack-names.ts";

const manifestSchema = z.object({ version: z.string() });

const own = createRequire(import.meta.url);

const entryFile = (name: string): string =>
  join(dirname(own.resolve("orgseat/package.json")), "sdk", "entry", name);

/** The file that every Node process of a run loads first. */
export const lazyClosures = entryFile("lazy-closures.cjs");
/** Loaded before: packages in the folder of the roster, which is data, do not count. */
const ownPackages = entryFile("own-packages.cjs");

/** The default young generation takes up to 130 MB more in each process, for the same time. */
const MEMORY = "--max-semi-space-size=4";

/** The NODE_OPTIONS of a run. */
export function nodeOptionsOf(given: string | undefined): string {
  const files = [ownPackages, lazyClosures];
  return [MEMORY, given ?? "", ...files.map((file) => `--require ${JSON.stringify(file)}`)].join(" ").trim();
}

/**
 * @param folder of the project @param nodePath the NODE_PATH so far
 * @returns the NODE_PATH of the run. By Node's rule, packages of the project come first
 * @throws Error if the project has another release of orgseat
 */
export function nodePathOf(folder: string, nodePath: string | undefined): string {
  const file = own.resolve("orgseat/package.json");
  const beside = manifestBeside(folder);
  const [version, found] = [file, beside ?? file].map(versionIn);
  if (version !== found) {
    throw new CodedError(
      "version-mismatch",
      `${beside && dirname(beside)} has orgseat ${found}, but this command is orgseat ${version}. Run \`npx orgseat\` in that folder, or install orgseat ${version} there`,
    );
  }
  const pulumi = dirname(own.resolve("@pulumi/pulumi/package.json"));
  const folders = [...foldersOf(dirname(file)), dirname(dirname(pulumi))];
  return [...new Set([...(nodePath ? [nodePath] : []), ...folders])].join(delimiter);
}

/** The package.json of the orgseat that a program in this folder would load. */
function manifestBeside(folder: string): string | undefined {
  try {
    return createRequire(join(folder, "index.js")).resolve("orgseat/package.json");
  } catch {
    return undefined;
  }
}

function versionIn(file: string): string {
  return manifestSchema.parse(JSON.parse(readFileSync(file, "utf8"))).version;
}

/** The folders in which Node finds this package by its name. A checkout is among its own development packages. */
function foldersOf(root: string): string[] {
  const around = dirname(root);
  const folders = [...(basename(around) === "node_modules" ? [around] : []), join(root, "node_modules")];
  return folders.filter((folder) => existsSync(join(folder, "orgseat", "package.json")));
}

/** The plugin that runs orgseat for every roster. No roster has resources of others. */
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

/**
 * A project file can make Pulumi run a program of the folder in place of its own. The folder of a roster is data, so that is
 * refused.
 * @throws Error if the project of a folder names a program that would run with the roster's credentials
 */
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
  throw new CodedError(
    "invalid-program",
    `${file} names ${refused.join(" and ")}, which Pulumi would run. A roster runs only the code of this command. Remove it from the file, or run the command in another folder`,
  );
}

function readProject(file: string): z.output<typeof projectSchema> {
  try {
    return projectSchema.parse(parse(readFileSync(file, "utf8")) ?? {});
  } catch (error) {
    const [reason] = messageOf(error).split("\n");
    throw new CodedError(
      "invalid-program",
      `cannot read ${file}, which could name programs to run: ${reason}`,
    );
  }
}

/** The packages that a package brings along if it is installed. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

/** Of the package in a folder, by their names. */
export function dependenciesOf(folder: string): string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.keys(manifestSchema.parse(manifest).dependencies);
}

/** The folders of all packages that the one in a folder needs. @param place where its `node_modules` are looked for */
export function packagesOf(folder: string, place = folder): string[] {
  const found = new Set<string>();
  const add = (name: string, from: string): void => {
    const needed = installedFor(name, from);
    if (found.has(needed)) return;
    found.add(needed);
    for (const next of dependenciesOf(needed)) add(next, needed);
  };
  for (const name of dependenciesOf(folder)) add(name, place);
  return [...found];
}

/** The names of the packages that are in files of the package: age, and what it needs. */
export function bundledPackages(): string[] {
  const age = join(packageRoot, "node_modules", "age-encryption");
  const marker = "node_modules/";
  return [age, ...packagesOf(age)].map((folder) => folder.slice(folder.lastIndexOf(marker) + marker.length));
}

/** As Node finds it: in the nearest folder above that has it. */
function installedFor(name: string, from: string): string {
  const folder = join(from, "node_modules", name);
  if (existsSync(folder)) return folder;
  if (from === dirname(from)) throw new Error(`${name} is not installed`);
  return installedFor(name, dirname(from));
}

/** The bytes of its files; packages inside it are counted by themselves. */
export function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .map((entry) => join(folder, entry.name))
    .reduce((sum, path) => {
      const status = statSync(path);
      return sum + (status.isDirectory() ? sizeOf(path) : status.size);
    }, 0);
}

/**
 * The lock file for users: the packages of `orgseat` in the versions of this repository's lock file, which the tests run with,
 * by their checksums. `npm run docs` writes it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

const names = z.record(z.string(), z.string()).default({});
const entrySchema = z.looseObject({
  version: z.string().optional(),
  dev: z.boolean().optional(),
  devOptional: z.boolean().optional(),
  dependencies: names,
  optionalDependencies: names,
});
type Entry = z.output<typeof entrySchema>;
const lockSchema = z.looseObject({ packages: z.record(z.string(), entrySchema) });

const folder = join(packageRoot, "examples", "ci");
const file = join(folder, "package-lock.json");
const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

/** The text of the file as it has to be. */
export function userLock(): string {
  const { packages } = lockSchema.parse(read(join(packageRoot, "package-lock.json")));
  const manifest = z
    .looseObject({ name: z.string(), dependencies: names })
    .parse(read(join(folder, "package.json")));
  const own = packages[""];
  if (own === undefined) throw new Error("the lock file has no package of its own");
  const { workspaces: _, devDependencies: __, name: ___, ...orgseat } = own;
  const found = new Map<string, Entry>();
  for (const name of Object.keys(own.dependencies)) add(name, "", packages, found);
  const entries = [...found].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const { private: isPrivate, type, ...root } = manifest;
  const lock = {
    name: manifest.name,
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": root,
      ...Object.fromEntries(
        [
          ...entries.map(([path, entry]) => [path, withoutDefaults(entry)] as const),
          [
            "node_modules/orgseat",
            withoutDefaults({ ...orgseat, resolved: manifest.dependencies.orgseat }),
          ] as const,
        ].toSorted(([one], [other]) => (one < other ? -1 : 1)),
      ),
    },
  };
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}

/** Adds a package, and all that it needs, from where npm has put them. */
function add(
  name: string,
  from: string,
  packages: Readonly<Record<string, Entry>>,
  found: Map<string, Entry>,
): void {
  const path = pathOf(name, from, packages);
  const entry = path === undefined ? undefined : packages[path];
  if (path === undefined || entry === undefined)
    throw new Error(`package-lock.json has no ${name} for ${from}`);
  if (found.has(path)) return;
  found.set(path, entry);
  for (const needed of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }))
    add(needed, path, packages, found);
}

/** As Node finds it: in the nearest folder above that has it. */
function pathOf(name: string, from: string, packages: Readonly<Record<string, Entry>>): string | undefined {
  const path = join(from, "node_modules", name);
  if (path in packages) return path;
  return from === "" ? undefined : pathOf(name, parentOf(from), packages);
}

/** The folder in whose node_modules a package is. */
function parentOf(path: string): string {
  const end = path.lastIndexOf("/node_modules/");
  return end < 0 ? "" : path.slice(0, end);
}

/** What a package only is for this repository is no property of it. */
function withoutDefaults({ dev, devOptional, dependencies, optionalDependencies, ...entry }: Entry): object {
  const isEmpty = (value: object) => Object.keys(value).length === 0;
  return {
    ...entry,
    ...(!isEmpty(dependencies) && { dependencies }),
    ...(!isEmpty(optionalDependencies) && { optionalDependencies }),
  };
}

export function readUserLock(): string {
  return readFileSync(file, "utf8");
}

export function writeUserLock(): void {
  writeFileSync(file, userLock());
}

/** The plugins that Pulumi.yaml names, under `plugins.providers` and under `packages`. */
import { resolve } from "node:path";
import { z } from "zod";

/** A provider plugin of the project. */
export interface ProjectPlugin {
  /** The package whose resources it serves. */
  name: string;
  /** Its folder. */
  folder: string;
  /** Undefined for any version, as all plugins under `packages`. */
  version: string | undefined;
  /** The part of Pulumi.yaml that names it. */
  under: "plugins.providers" | "packages";
}

export interface ProjectPlugins {
  /** In the order of lookup: `plugins.providers`, then `packages`. */
  plugins: ProjectPlugin[];
  /** Sources under `packages` that are not a folder, by package. */
  downloads: ReadonlyMap<string, string>;
}

const pluginSchema = z.looseObject({
  name: z.string().min(1, "name must not be empty"),
  path: z.string(),
  version: z
    .string()
    .regex(/^\d+\.\d+\.\d+/, "a version has the form 1.2.3")
    .optional(),
});

/** A source, or a source with its details. */
const packageSchema = z.union([
  z.string().transform((source) => ({ source })),
  z.looseObject({ source: z.string() }),
]);

export const pluginsSchema = z.looseObject({ providers: z.array(pluginSchema).nullish() }).nullish();
export const packagesSchema = z.record(z.string(), packageSchema).nullish();

export function projectPlugins(
  root: string,
  plugins: z.output<typeof pluginsSchema>,
  packages: z.output<typeof packagesSchema>,
): ProjectPlugins {
  const named = Object.entries(packages ?? {}).map(([name, { source }]) => ({ name, source }));
  const local = named.filter(({ source }) => isFolder(source));
  const found: ProjectPlugin[] = [
    ...(plugins?.providers ?? []).map(({ name, path, version }) => ({
      ...{ name, version, folder: resolve(root, path) },
      under: "plugins.providers" as const,
    })),
    ...local.map(({ name, source }) => ({
      ...{ name, version: undefined, folder: resolve(root, source) },
      under: "packages" as const,
    })),
  ];
  const others = named.filter((one) => !local.includes(one));
  return { plugins: found, downloads: new Map(others.map(({ name, source }) => [name, source])) };
}

/** Whether the Pulumi CLI takes a source for a folder: it takes `a/b/c` for a name in a registry. */
function isFolder(source: string): boolean {
  return source.startsWith("./") || source.startsWith("..") || source.startsWith("/");
}

/** What spares the many short processes of the tests a part of their start. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

/** Where Node keeps the code that it has compiled: it is run, so no one else may write there. */
export const compileCache = join(packageRoot, "node_modules", ".cache", "orgseat-compiled");

const preload = (name: string): string =>
  `--require=${fileURLToPath(new URL(`${name}.cjs`, import.meta.url))}`;

/** An option of Node: what packs closures is left out. */
export const noClosures = preload("no-closures");

/** The same for the environment of an engine, which need not derive a key twice, with the options of this process. */
export const nodeOptions = [
  process.env.NODE_OPTIONS ?? "",
  JSON.stringify(noClosures),
  JSON.stringify(preload("quick-keys")),
]
  .join(" ")
  .trim();

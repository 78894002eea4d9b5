/** What spares the many short processes of the tests a part of their start. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where Node keeps the code that it has compiled. */
export const compileCache = join(tmpdir(), "orgseat-compiled");

/** An option of Node: what packs closures is left out. */
export const noClosures = `--require=${fileURLToPath(new URL("no-closures.cjs", import.meta.url))}`;

/** The same for the environment, with the options of this process. */
export const nodeOptions = [process.env.NODE_OPTIONS ?? "", JSON.stringify(noClosures)].join(" ").trim();

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the checkout, for the sources and for `dist/`. */
export const packageRoot = find(dirname(fileURLToPath(import.meta.url)));

function find(folder: string): string {
  return existsSync(join(folder, "sandbox", "package.json")) ? folder : find(dirname(folder));
}

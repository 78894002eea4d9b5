import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The provider process and the programs of the tests load the built package, so it has to match the sources. */
export default function buildOnce(): void {
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
}

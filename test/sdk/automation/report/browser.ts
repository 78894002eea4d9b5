/** A browser of this machine, as its own headless flags let a test see a page. */
import { execFile } from "node:child_process";
import { accessSync, constants, realpathSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "../../../setup/sandbox.ts";

/** Those that print a page's tree; Firefox has no flag for that. */
const names = ["google-chrome", "google-chrome-stable", "chromium"];

/** `CHROME_BIN`, else the first on the PATH; undefined where there is none. */
export const browser: string | undefined = [
  ...(process.env.CHROME_BIN ? [process.env.CHROME_BIN] : []),
  ...names.flatMap((name) => (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name))),
].find(isProgram);

/** One from a snap does not see the temporary folder. */
function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return !realpathSync(file).endsWith("/snap");
  } catch {
    return false;
  }
}

export interface Seen {
  /** The tree as the browser has it, in HTML. */
  readonly dom: string;
  /** What the console says: errors and refusals of the page's own policy among it. */
  readonly console: readonly string[];
}

/** Opens a page from a file. @param program as `browser` */
export async function open(program: string, page: string): Promise<Seen> {
  const folder = temporaryFolder();
  const file = join(folder, "report.html");
  writeFileSync(file, page);
  const { stdout, stderr } = await promisify(execFile)(
    program,
    [
      ...["--headless", "--disable-gpu", "--no-first-run", `--user-data-dir=${join(folder, "profile")}`],
      ...["--enable-logging=stderr", "--dump-dom"],
      // As root a browser starts in no other way.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      pathToFileURL(file).href,
    ],
    { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 },
  );
  return { dom: stdout, console: stderr.split("\n").filter((line) => line.includes(":CONSOLE")) };
}

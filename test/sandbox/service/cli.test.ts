import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { platformNames } from "../../../provider/api/calls/platform.ts";
import { sandboxDefaults } from "../../../sandbox/service/index.ts";
import { pulumiCommand, pulumiReady } from "../../setup/project.ts";
import { temporaryFolder } from "./harness.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const launcher = join(root, "sandbox", "bin", "orgseat-sandbox.js");

function run(args: string[], cwd: string) {
  const child = spawn(process.execPath, [launcher, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const ports = ["--port", "0", "--management-port", "0"];

/** Everything that a service prints until it is told to end. */
async function outputOf(child: ReturnType<typeof run>): Promise<string> {
  let output = "";
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes("ORGSEAT_API_KEY")) child.kill("SIGTERM");
  }
  return output;
}

describe("orgseat-sandbox service", () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    it(`prints how to use it, serves, and ends cleanly on ${signal}`, {
      tags: signal === "SIGINT" ? ["ci"] : [],
    }, async () => {
      const folder = temporaryFolder();
      const child = run(["service", "--port", "0", "--management-port", "0"], folder);
      let output = "";
      for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
        output += chunk;
        if (output.includes("ORGSEAT_ADMIN_TOKEN=")) break;
      }
      const tokenUrl = /orgseat:tokenUrl (\S+)/.exec(output)?.[1] ?? "";
      expect(output).toContain("config set --secret orgseat:password ");
      expect(output).toContain("export ORGSEAT_ORG_URL=http://127.0.0.1:");
      expect(output).toContain("export ORGSEAT_PLATFORM=basic");
      expect(output).toContain(`ORGSEAT_ADMIN_TOKEN=${sandboxDefaults.adminToken}`);
      expect(output).toContain("This is a sandbox");
      const setting = (key: string) => new RegExp(`ORGSEAT_${key}=(\\S+)`).exec(output)?.[1] ?? "";
      const forms = [
        { grant_type: "password", username: setting("USERNAME"), password: setting("PASSWORD") },
        {
          grant_type: "client_credentials",
          client_id: setting("CLIENT_ID"),
          client_secret: setting("CLIENT_SECRET"),
        },
      ];
      for (const form of forms) {
        const answer = await fetch(tokenUrl, { method: "POST", body: new URLSearchParams(form) });
        expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
      }
      child.kill(signal);
      expect(await once(child, "exit")).toEqual([0, null]);
      expect(await text(child.stderr)).toBe("");
      expect(existsSync(join(folder, ".orgseat", "sandbox", "service.db"))).toBe(true);
    });

  it("prints settings for a stack that Pulumi takes", { tags: "ci" }, async () => {
    const folder = temporaryFolder();
    const output = await outputOf(run(["service", ...ports], folder));
    const lines = output.match(/(?<=^ +pulumi )config set .+$/gm) ?? [];
    expect(lines.length).toBeGreaterThan(8);
    writeFileSync(join(folder, "Pulumi.yaml"), "name: settings\nruntime: nodejs\n");
    await pulumiReady();
    vi.stubEnv("ORGSEAT_PULUMI_PATH", pulumiCommand)
      .stubEnv("PULUMI_BACKEND_URL", `file://${folder}`)
      .stubEnv("PULUMI_CONFIG_PASSPHRASE", "sandbox-only");
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const line of ["stack init dev", ...lines]) {
      const child = run(["pulumi", ...line.split(" ")], folder);
      const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
      expect(code, `${line}: ${said}`).toBe(0);
    }
  });

  it("fills a fresh folder with --seed, and reports any other folder", { tags: "ci" }, async () => {
    const folder = temporaryFolder();
    for (const [seed, notice] of [
      [[], false],
      [["--seed", "lanternfield"], true],
    ] as const) {
      const output = await outputOf(run(["service", ...ports, ...seed], folder));
      expect(output).toContain("admin@acme.example");
      expect(output.includes("already contains data")).toBe(notice);
    }
    const seeded = await outputOf(run(["service", ...ports, "--seed", "lanternfield"], temporaryFolder()));
    expect(seeded).toContain("admin@lanternfield.example");
  });

  it("serves the calls of --platform, and prints it, also the default", {
    tags: "ci",
  }, async () => {
    const folder = temporaryFolder();
    const output = await outputOf(run(["service", ...ports, "--platform", "anaconda"], folder));
    expect(output).toContain("pulumi config set orgseat:platform anaconda\n");
    expect(output).toContain("export ORGSEAT_PLATFORM=anaconda\n");
    expect(await outputOf(run(["service", ...ports], folder))).toContain("export ORGSEAT_PLATFORM=basic\n");
  });

  it.each([
    [["--platform", "klingon"], `Allowed choices are ${platformNames.join(", ")}`],
    [["--seed", "everything"], "lanternfield"],
    [["--port", "many"], "expected a port number from 0 to 65535."],
  ])("says what can stand in place of %j", { tags: "ci" }, async (args, words) => {
    const child = run(["service", ...args], temporaryFolder());
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect([code, said]).toEqual([1, expect.stringContaining(words)]);
  });
});

describe("the launcher", { tags: "ci" }, () => {
  /** Loads the launcher from `file` in a Node that says it is of `version`. */
  async function load(file: string, version: string) {
    const script =
      `Object.defineProperty(process, "versions", { value: { ...process.versions, node: ${JSON.stringify(version)} } });` +
      `require(${JSON.stringify(file)});`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "ignore", "pipe"] });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    return { said, code };
  }

  it.each(["12.22.0", "20.19.0", "22.18.9"])(
    "prints one sentence with the required version on Node %s",
    async (version) => {
      expect(await load(launcher, version)).toEqual({
        said: `orgseat-sandbox needs Node 22.19 or newer, but this is Node ${version}; in this repository \`npm ci\` with install scripts allowed brings Node 24.\n`,
        code: 1,
      });
    },
  );

  it("ends quietly if the reader of its output closes the pipe", async () => {
    const child = spawn(process.execPath, [launcher, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect({ said, code }).toEqual({ said: "", code: 0 });
  });

  it("says how to build if nothing is built", async () => {
    const folder = join(temporaryFolder(), "sandbox", "bin");
    cpSync(join(root, "sandbox", "bin"), folder, { recursive: true });
    for (const part of ["sdk/entry", "sdk/bin"]) {
      cpSync(join(root, part), join(folder, "../..", part), { recursive: true });
    }
    expect(await load(join(folder, "orgseat-sandbox.js"), "24.0.0")).toEqual({
      said: "orgseat-sandbox is not built: run `npm run build`.\n",
      code: 1,
    });
  });
});

describe("orgseat-sandbox pulumi", { tags: "ci" }, () => {
  it("passes every argument on as it is, and the exit code back", async () => {
    const pulumi = join(temporaryFolder(), "pulumi");
    const script = `#!${process.execPath}
const args = process.argv.slice(2);
if (args[0] === "version") console.log("v3.0.0");
else console.log(JSON.stringify(args)), process.exit(42);
`;
    writeFileSync(pulumi, script, { mode: 0o755 });
    const args = ["up", "--help", "--yes", "-C", "a b", "--", "--version"];
    const child = spawn(process.execPath, [launcher, "pulumi", ...args], {
      env: { ...process.env, ORGSEAT_PULUMI_PATH: pulumi },
    });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect([JSON.parse(said), code]).toEqual([args, 42]);
  });
});

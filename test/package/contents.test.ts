/** What the tarball holds, and its commands. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../sandbox/package-root.ts";
import { type Packed, pack, projectWith, runIn } from "./install.ts";
import { javascript } from "./shapes.ts";

// Many commands in turn, on machines that may be busy.

let packed: Packed;
beforeAll(async () => {
  packed = await pack();
});

const manifestSchema = z.object({
  main: z.string(),
  types: z.string(),
  exports: z.record(z.string(), z.unknown()),
  typesVersions: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
  bin: z.record(z.string(), z.string()),
  os: z.array(z.string()),
});

/** Every text inside a value. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}

describe("the tarball", () => {
  test("holds every file that package.json names, and types for every entry", () => {
    const manifest = manifestSchema.parse(
      JSON.parse(readFileSync(join(packed.folder, "package.json"), "utf8")),
    );
    const named = texts({ ...manifest, os: [] });
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((path) => !existsSync(join(packed.folder, path)))).toEqual([]);
    const entries = Object.keys(manifest.exports).filter((name) => name !== "." && name !== "./package.json");
    expect(Object.keys(manifest.typesVersions["*"] ?? {}).sort()).toEqual(
      entries.map((name) => name.slice("./".length)).sort(),
    );
  });

  test("is for the systems that the README names, and npm refuses it elsewhere", () => {
    const { os } = manifestSchema.parse(
      JSON.parse(readFileSync(join(packed.folder, "package.json"), "utf8")),
    );
    expect(os).toEqual(["darwin", "linux"]);
    const readme = readFileSync(join(packed.folder, "README.md"), "utf8");
    expect(readme).toMatch(/Linux and macOS are supported; .*Windows/);
  });

  test("holds licence, readme and changelog, and neither sources nor tests", () => {
    expect(packed.files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md"]));
    const strangers = packed.files.filter(
      (path) =>
        /(^|\/)(test|bench|examples|node_modules|\.[^/]+)(\/|$)/.test(path) ||
        (/\.tsx?$/.test(path) && !path.endsWith(".d.ts")),
    );
    expect(strangers).toEqual([]);
  });

  test("names no folder of the machine that packed it", () => {
    const folders = [packageRoot, homedir()].filter((folder) => folder !== "/");
    const telling = packed.files.filter((path) => {
      const text = readFileSync(join(packed.folder, path), "utf8");
      return folders.some((folder) => text.includes(folder));
    });
    expect(telling).toEqual([]);
  });
});

describe("the commands of the packed package", () => {
  test("npx orgseat-sandbox pulumi is the stand-in, and a wrong verb is one sentence", async () => {
    const folder = await projectWith(javascript.compiler, javascript.files);
    const version = await runIn(folder, "npx", ["--no", "orgseat-sandbox", "pulumi", "version"]);
    expect(version).toMatchObject({ code: 0 });
    expect(version.output).toMatch(/^v3\.\d+\.\d+-orgseat$/m);
    const wrong = await runIn(folder, "npx", ["--no", "orgseat-sandbox", "serve"]);
    expect(wrong.code).not.toBe(0);
    expect(wrong.output).toMatch(/unknown command 'serve'/);
    expect(wrong.output).not.toMatch(/\n\s+at /);
  });

  test("npx orgseat-sandbox service answers until it is interrupted", async () => {
    const folder = await projectWith(javascript.compiler, javascript.files);
    const command = join(folder, "node_modules", ".bin", "orgseat-sandbox");
    const options = ["service", "--data", "data", "--port", "0", "--management-port", "0"];
    const child = spawn(process.execPath, [command, ...options], { cwd: folder });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    let output = "";
    for await (const text of child.stdout) {
      output += String(text);
      if (/ORGSEAT_SEATS=/.test(output)) break;
    }
    const [, tokenUrl = ""] = /ORGSEAT_TOKEN_URL=(\S+)/.exec(output) ?? [];
    const [, clientId = ""] = /ORGSEAT_CLIENT_ID=(\S+)/.exec(output) ?? [];
    const [, secret = ""] = /ORGSEAT_CLIENT_SECRET=(\S+)/.exec(output) ?? [];
    const answer = await fetch(tokenUrl, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: clientId,
        client_secret: secret,
      }),
    });
    expect(answer.status).toBe(200);
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
  });
});

/** Commands about stacks, configuration and state: the same answers and the same files from both engines. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { runHere } from "../../setup/run-here.ts";
import { engines, finished, type Result, Stack, standIn } from "./harness.ts";

interface Folder {
  stack: Stack;
  /** Runs a command with the stack that is selected, not one of the environment; the stand-in in this process. */
  run: (...args: string[]) => Promise<Result>;
  /** The standard output of a command that has to succeed. */
  out: (...args: string[]) => Promise<string>;
  json: (...args: string[]) => Promise<unknown>;
  /** How a command that has to fail ended, and what it said. */
  refused: (...args: string[]) => Promise<[number | null, string]>;
}

async function folderOf(bin: string, { onTestFinished }: TestContext): Promise<Folder> {
  const stack = await Stack.make(bin);
  onTestFinished(() => stack.remove());
  const run = (...args: string[]) => (bin === standIn ? here(stack, args) : there(stack, args));
  const out = async (...args: string[]) => {
    const result = await run(...args);
    if (result.code !== 0)
      throw new Error(`pulumi ${args.join(" ")} ended with ${result.code}: ${result.stderr}`);
    return result.stdout;
  };
  return {
    ...{ stack, run, out },
    json: async (...args) => JSON.parse(await out(...args)),
    refused: async (...args) => {
      const { code, stderr } = await run(...args);
      return [code, stderr.trim()];
    },
  };
}

function here(stack: Stack, args: string[]): Promise<Result> {
  return runHere(["-C", stack.folder, ...args], stack.variables());
}

function there(stack: Stack, args: string[]): Promise<Result> {
  return finished(stack.start(args, { PULUMI_STACK: undefined }));
}

const urn = (type: string, name: string) => `urn:pulumi:dev::test::${type}::${name}`;
const root = urn("pulumi:pulumi:Stack", "test-dev");
const group = urn("test:index:Group", "g");
const a = urn("test:index:Thing", "a");
const b = urn("test:index:Group$test:index:Thing", "b");

const exportSchema = z.object({ deployment: z.record(z.string(), z.unknown()) });

/** Puts resources into the state without a program: a component g, its child b, which needs a, and a protected a. */
async function fill({ stack, json, out }: Folder): Promise<void> {
  await out("stack", "select", "dev");
  const exported = exportSchema.parse(await json("stack", "export"));
  const resource = (urn: string, fields: object) => ({ urn, custom: false, type: typeOf(urn), ...fields });
  const resources = [
    resource(root, { outputs: { id: "b-1", list: ["x", { y: 1 }], last: 5, text: "it's" } }),
    resource(group, { parent: root }),
    resource(a, { parent: root, protect: true }),
    resource(b, { parent: group, dependencies: [a] }),
  ];
  const file = join(stack.folder, "filled.json");
  writeFileSync(file, JSON.stringify({ version: 3, deployment: { ...exported.deployment, resources } }));
  await out("stack", "import", "--file", file);
}

function typeOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

const names = ({ stack }: Folder) => stack.state().map(({ name }) => name.split("::").at(-1));

describe.each(engines)("$title", { concurrent: true }, ({ title, bin }) => {
  const available = test.skipIf(bin === "");

  available(`${title}: makes, chooses, lists, renames and removes stacks`, async (context) => {
    const { expect } = context;
    const folder = await folderOf(bin, context);
    const { run, out, json, refused } = folder;
    expect((await run("stack", "init", "two")).stderr).toBe("Created stack 'two'\n");
    expect(await refused("stack", "init", "two")).toEqual([
      1,
      "error: stack 'organization/test/two' already exists",
    ]);
    const list = z
      .array(z.looseObject({ lastUpdate: z.string() }))
      .parse(await json("stack", "ls", "--json"));
    expect(list.map(({ lastUpdate, ...rest }) => ({ ...rest, dated: lastUpdate.endsWith("Z") }))).toEqual([
      { name: "dev", current: false, resourceCount: 0, dated: true },
      { name: "two", current: true, resourceCount: 0, dated: true },
    ]);
    expect(await out("stack", "ls")).toMatch(
      /^NAME {2}LAST UPDATE .*\ndev {3}(now|\S.* ago) +0\ntwo\* {2}(now|\S.* ago) +0\n$/,
    );
    expect(await out("stack", "--show-name", "-Q")).toBe("organization/test/two\n");
    await out("config", "set", "k", "v");
    expect(await out("stack", "rename", "zwei")).toBe("Renamed two to zwei\n");
    expect(readFileSync(join(folder.stack.folder, "Pulumi.zwei.yaml"), "utf8")).toContain("test:k: v");
    expect((await run("stack", "unselect")).stderr).toBe("Stack was unselected\n");
    const unselected = await refused("config");
    expect(unselected).toEqual([
      1,
      "error: no stack selected; please use `pulumi stack select` or `pulumi stack init` to choose one",
    ]);
    expect(await refused("stack", "select", "two")).toEqual([6, "error: no stack named 'two' found"]);
    expect(await refused("stack", "rm", "zwei")).toEqual([
      1,
      "error: non-interactive mode requires --yes flag",
    ]);
    expect(await out("stack", "rm", "zwei", "--yes", "--remove-backups")).toBe(
      "Stack 'zwei' has been removed!\n",
    );
    expect(existsSync(join(folder.stack.folder, "Pulumi.zwei.yaml"))).toBe(false);
    expect(await json("stack", "ls", "--json", "-Q")).toMatchObject([{ name: "organization/test/dev" }]);
  });

  available(`${title}: keeps configuration by key and by path`, async (context) => {
    const { expect } = context;
    const { stack, out, json, refused } = await folderOf(bin, context);
    await out("stack", "select", "dev");
    await out("config", "set", "plain", "5");
    await out("config", "set", "other:key", "v");
    await out("config", "set", "--path", "deep.list[0]", "7");
    await out("config", "set", "--path", "deep.list[1]", "true");
    await out("config", "set", "--path", "deep.secret", "--secret", "h1dden");
    const pairs = ["--plaintext", "many=1", "--plaintext", '"with=sign"=2', "--secret", "token=t0ken"];
    await out("config", "set-all", ...pairs);
    const object = { value: '{"x":1}', objectValue: { x: 1 }, secret: false };
    await out("config", "set-all", "--json", JSON.stringify({ object, flat: { value: "f", secret: false } }));
    const shown = { value: '{"list":[7,true],"secret":"h1dden"}', secret: true };
    expect(await json("config", "--json", "--show-secrets")).toEqual({
      "other:key": { value: "v", secret: false },
      "test:deep": { ...shown, objectValue: { list: [7, true], secret: "h1dden" } },
      "test:flat": { value: "f", secret: false },
      "test:many": { value: "1", secret: false },
      "test:object": object,
      "test:plain": { value: "5", secret: false },
      "test:token": { value: "t0ken", secret: true },
      "test:with=sign": { value: "2", secret: false },
    });
    expect(await json("config", "--json")).toMatchObject({ "test:token": { secret: true } });
    expect(await out("config")).not.toMatch(/h1dden|t0ken/);
    expect(await out("config", "get", "--path", "deep.list[0]")).toBe("7\n");
    expect(await json("config", "get", "token", "--json")).toEqual({ value: "t0ken", secret: true });
    expect(await refused("config", "get", "gone")).toEqual([
      1,
      "error: configuration key 'gone' not found for stack 'dev'",
    ]);
    const [code, sentence] = await refused("config", "set", "password", "xK9mPq2vXX");
    expect([code, sentence]).toEqual([
      1,
      "error: config value for 'test:password' looks like a secret; rerun with --secret to encrypt it, or --plaintext " +
        "if you meant to store in plaintext",
    ]);
    expect(await refused("config", "set", "--path", "deep.list[9]", "x")).toEqual([
      1,
      "error: could not set config: deep.list[9]: array index out of range",
    ]);
    await out("config", "rm", "--path", "deep.list[0]");
    await out("config", "rm-all", "many", "with=sign", "never");
    const { config } = parse(readFileSync(join(stack.folder, "Pulumi.dev.yaml"), "utf8"));
    expect(Object.keys(config)).not.toContain("test:many");
    expect(config["test:deep"].list).toHaveLength(1);
  });

  available(`${title}: copies configuration to another stack and encrypts it anew`, async (context) => {
    const { expect } = context;
    const { out, json, refused } = await folderOf(bin, context);
    await out("config", "set", "--stack", "dev", "--secret", "token", "t0ken");
    await out("config", "set", "--stack", "dev", "k", "v");
    await out("stack", "init", "two", "--copy-config-from", "dev");
    const both = { "test:k": { value: "v", secret: false }, "test:token": { value: "t0ken", secret: true } };
    expect(await json("config", "--json", "--show-secrets")).toEqual(both);
    await out("config", "set", "k", "w");
    await out("config", "cp", "k", "--dest", "dev");
    expect(await out("config", "get", "k", "--stack", "dev")).toBe("w\n");
    expect(await refused("config", "cp", "--dest", "two")).toEqual([
      1,
      "error: current stack and destination stack are the same",
    ]);
  });

  available(`${title}: shows what is in a stack`, async (context) => {
    const { expect } = context;
    const folder = await folderOf(bin, context);
    const { out, json, refused } = folder;
    await fill(folder);
    const shown = z
      .looseObject({ manifest: z.record(z.string(), z.string()) })
      .parse(await json("stack", "--output", "json"));
    const part = (urn: string, type: string, name: string, parent?: string) => ({
      ...{ urn, type, name },
      ...(parent && { parent }),
    });
    const outputs = { id: "b-1", last: 5, list: ["x", { y: 1 }], text: "it's" };
    expect({ ...shown, manifest: Object.keys(shown.manifest) }).toEqual({
      ...{ project: "test", stack: "dev", backend: hostname(), tags: {} },
      manifest: ["time", "pulumiVersion"],
      resources: [
        part(root, "pulumi:pulumi:Stack", "test-dev"),
        part(group, "test:index:Group", "g", root),
        part(a, "test:index:Thing", "a", root),
        part(b, "test:index:Thing", "b", group),
      ],
      outputs,
    });
    const text = await out("stack");
    expect(text).toContain(
      [
        "Current stack resources (4):",
        "    TYPE                    NAME",
        "    pulumi:pulumi:Stack     test-dev",
        "    ├─ test:index:Group     g",
        "    │  └─ test:index:Thing  b",
        "    └─ test:index:Thing     a",
        "",
        "Current stack outputs (4):",
        "    OUTPUT  VALUE",
        "    id      b-1",
        "    last    5",
        '    list    ["x",{"y":1}]',
        "    text    it's",
        "",
        "Use `pulumi stack select` to change stack; `pulumi stack ls` lists known ones",
      ].join("\n"),
    );
    expect(await json("stack", "output", "--json")).toEqual(outputs);
    expect(await out("stack", "output", "list")).toBe('["x",{"y":1}]\n');
    expect(await out("stack", "output", "id")).toBe("b-1\n");
    expect(await refused("stack", "output", "gone")).toEqual([
      1,
      "error: current stack does not have output property 'gone'",
    ]);
    const shell = join(folder.stack.folder, "set.sh");
    writeFileSync(shell, `${await out("stack", "output", "--shell")}\nprintf '%s|%s' "$text" "$list"`);
    expect(await sh(shell)).toBe('it\'s|["x",{"y":1}]');
    expect(await refused("stack", "rm", "dev", "--yes")).toEqual([
      1,
      expect.stringContaining("error: 'dev' still has resources; removal rejected."),
    ]);
  });

  available(`${title}: lets the state forget resources, as far as it is safe`, async (context) => {
    const { expect } = context;
    const folder = await folderOf(bin, context);
    const { stack, run, out, refused } = folder;
    await fill(folder);
    expect(await refused("state", "delete", "--yes", group)).toEqual([
      1,
      `error: ${group} can't be safely deleted because the following resources depend on it:\n` +
        ` * "b"             (${b})\n\nDelete those resources first or pass --target-dependents.`,
    ]);
    expect(await refused("state", "delete", "--yes", a, "--target-dependents")).toEqual([
      1,
      `error: ${a} can't be safely deleted because it is protected. Re-run this command with --force to force deletion`,
    ]);
    expect((await refused("state", "delete", "--yes", "nobody"))[1]).toContain(
      '"nobody" is not a valid resource URN',
    );
    expect((await refused("state", "delete", "--yes", `${a}x`))[1]).toContain(
      `No such resource "${a}x" exists in the current state`,
    );
    const before = stack.checkpoint();
    expect(await out("state", "delete", "--yes", group, "--target-dependents")).toBe("Resource deleted\n");
    expect(names(folder)).toEqual(["test-dev", "a"]);
    expect(backup(stack)).toBe(before);
    expect(await out("state", "unprotect", "--yes", a)).toBe("1 resources unprotected\n");
    expect(stack.state().at(-1)?.flags).toEqual([]);
    expect(await out("state", "protect", "--yes", "--all")).toBe("All resources protected\n");
    const forced = await run("state", "delete", "--yes", "--force", a);
    expect([forced.code, forced.stdout]).toEqual([0, "Resource deleted\n"]);
    expect(forced.stderr).toContain(`deleting protected resource ${a} due to presence of --force`);
    await out("state", "unprotect", "--yes", "--all");
    expect(await out("state", "delete", "--yes", "--all")).toBe("Resources deleted\n");
    expect(names(folder)).toEqual([]);
  });

  available(`${title}: corrects no state that another process holds`, async (context) => {
    const { expect } = context;
    const folder = await folderOf(bin, context);
    await fill(folder);
    const locks = join(folder.stack.folder, "backend/.pulumi/locks/organization/test/dev");
    mkdirSync(locks, { recursive: true });
    const owner = { pid: 1, username: "eve", hostname: "elsewhere", timestamp: "2026-01-01T00:00:00Z" };
    writeFileSync(join(locks, "7a4ed5e1-5b3f-4a5b-9c7e-1f2d3c4b5a69.json"), JSON.stringify(owner));
    const before = folder.stack.checkpoint();
    for (const args of [
      ["state", "unprotect", "--all"],
      ["state", "delete", b],
      ["stack", "rm", "--force"],
    ]) {
      const [code, sentence] = await folder.refused(...args, "--yes");
      expect([code, sentence]).toEqual([
        1,
        expect.stringContaining("the stack is currently locked by 1 lock(s)"),
      ]);
    }
    expect(folder.stack.checkpoint()).toBe(before);
    await folder.out("cancel", "--yes");
    await folder.out("state", "unprotect", "--all", "--yes");
  });

  available(`${title}: says who and where it is`, async (context) => {
    const { expect } = context;
    const { stack, out, json } = await folderOf(bin, context);
    const url = `file://${stack.folder}/backend`;
    const user = userInfo().username;
    expect(await json("whoami", "--json")).toEqual({ user, url });
    expect(await out("whoami", "-v")).toBe(
      `User: ${user}\nOrganizations: \nBackend URL: ${url}\nToken type: personal\n`,
    );
    expect(await out("version")).toMatch(/^v\d+\.\d+\.\d+(-orgseat)?\n$/);
    await out("stack", "select", "dev");
    const about = z.record(z.string(), z.unknown()).parse(await json("about", "--json"));
    expect(about).toMatchObject({
      plugins: [{ name: "nodejs", version: null, kind: "language" }],
      host: { os: expect.any(String), version: expect.any(String), arch: expect.any(String) },
      backend: { name: hostname(), url, user, organizations: null },
      currentStack: {
        name: "dev",
        fullyQualifiedName: "organization/test/dev",
        resources: [],
        pendingOps: [],
      },
      cliAbout: {
        version: expect.any(String),
        goVersion: expect.any(String),
        goCompiler: expect.any(String),
      },
      runtime: { language: "nodejs", executable: expect.stringContaining("node"), version: process.version },
      errors: expect.any(Array),
    });
    expect(Object.keys(about)).toContain("dependencies");
    expect(await out("about")).toContain("Current Stack: organization/test/dev");
    expect(await out("stack", "history", "--json")).toBe("[]\n");
    expect(await out("stack", "history")).toBe("Stack has never been updated\n");
  });

  available(`${title}: refuses what it does not know, and what contradicts itself`, async (context) => {
    const { expect } = context;
    const { out, refused } = await folderOf(bin, context);
    await out("stack", "select", "dev");
    const wrong: [args: string[], code: number, says: string][] = [
      [["nope"], 1, `unknown command "nope" for "pulumi"\nRun 'pulumi --help' for usage.`],
      [
        ["stack", "nope"],
        1,
        `unknown command "nope" for "pulumi stack"\nRun 'pulumi stack --help' for usage.`,
      ],
      [["history"], 1, "Did you mean this?\n\tpulumi stack history"],
      [["up", "--nope"], 1, "unknown flag: --nope"],
      [["stack", "--show-urns", "ls"], 1, "unknown flag: --show-urns"],
      [["up"], 2, "--yes or --skip-preview or --preview-only must be passed in to proceed"],
      [
        ["refresh", "--preview-only", "--skip-preview"],
        1,
        "--skip-preview and --preview-only cannot be used together",
      ],
      [["destroy", "--preview-only", "--yes"], 1, "--yes and --preview-only cannot be used together"],
      [["preview", "--stack", "nope"], 6, "no stack named 'nope' found"],
      [["preview", "--parallel", "many"], 1, "many"],
      [["stack", "ls", "--output", "yaml"], 1, "yaml"],
      [["-C", "/nowhere", "stack"], 1, "no such file or directory"],
      [["state"], 1, ""],
      [
        ["cancel", "dev", "--stack", "dev"],
        1,
        "only one of --stack or argument stack name may be specified, not both",
      ],
    ];
    for (const [args, code, says] of wrong) {
      const answer = await refused(...args);
      expect([args, ...answer]).toEqual([args, code, expect.stringContaining(says)]);
    }
  });
});

async function sh(file: string): Promise<string> {
  return (await finished(spawn("sh", [file], { stdio: ["ignore", "pipe", "pipe"] }))).stdout;
}

/** The last copy that was made of the state before it was written. */
function backup(stack: Stack): string {
  return readFileSync(join(stack.folder, "backend/.pulumi/stacks/test/dev.json.bak"), "utf8");
}

/** Commands about stacks, configuration and state: the same answers and the same files from both engines. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { runHere } from "../../setup/run-here.ts";
import { emulator, engines, finished, type Result, Stack } from "./harness.ts";

interface Folder {
  stack: Stack;
  /** Runs a command with the stack that is selected, not one of the environment; the emulator in this process. */
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
  const run = (...args: string[]) => (bin === emulator ? here(stack, args) : there(stack, args));
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

  available(`${title}: creates, selects, lists and removes stacks`, async (context) => {
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
    expect(await out("stack", "ls")).toContain("two*");
    await out("config", "set", "k", "v");
    expect(readFileSync(join(folder.stack.folder, "Pulumi.two.yaml"), "utf8")).toContain("test:k: v");
    expect(await refused("stack", "select", "three")).toEqual([6, "error: no stack named 'three' found"]);
    expect(await refused("stack", "rm", "two")).toEqual([
      1,
      "error: non-interactive mode requires --yes flag",
    ]);
    expect(await out("stack", "rm", "two", "--yes")).toBe("Stack 'two' has been removed!\n");
    expect(existsSync(join(folder.stack.folder, "Pulumi.two.yaml"))).toBe(false);
    const unselected = await refused("config");
    expect(unselected).toEqual([
      1,
      "error: no stack selected; please use `pulumi stack select` or `pulumi stack init` to choose one",
    ]);
    expect(await json("stack", "ls", "--json", "-Q")).toMatchObject([{ name: "organization/test/dev" }]);
  });

  available(`${title}: keeps tags beside the state, without a lock`, async (context) => {
    const { expect } = context;
    const { stack, run, out, json, refused } = await folderOf(bin, context);
    const file = join(stack.folder, "backend/.pulumi/stacks/test/dev.pulumi-tags");
    const locks = join(stack.folder, "backend/.pulumi/locks/organization/test/dev");
    mkdirSync(locks, { recursive: true });
    writeFileSync(join(locks, "7a4ed5e1-5b3f-4a5b-9c7e-1f2d3c4b5a69.json"), "{}");
    expect(await json("stack", "tag", "ls", "--json", "--stack", "dev")).toEqual({});
    await out("stack", "select", "dev");
    expect(await out("stack", "tag", "ls")).toBe("NAME  VALUE\n");
    expect(await run("stack", "tag", "set", "team:b", '{"t":"<1>"}')).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });
    await out("stack", "tag", "set", "a", "", "--stack", "dev");
    expect(readFileSync(file, "utf8")).toBe('{"version":1,"tags":{"a":"","team:b":"{\\"t\\":\\"<1>\\"}"}}');
    expect(await out("stack", "tag", "get", "team:b")).toBe('{"t":"<1>"}\n');
    expect(await out("stack", "tag", "-s", "dev", "list")).toMatch(
      /^NAME +VALUE\na *\nteam:b {2}{"t":"<1>"}\n$/,
    );
    expect(await json("stack", "tag", "ls", "--json")).toEqual({ a: "", "team:b": '{"t":"<1>"}' });
    expect(await refused("stack", "tag", "get", "gone")).toEqual([
      1,
      "error: stack tag 'gone' not found for stack 'dev'",
    ]);
    expect(await refused("stack", "tag", "set", "a", "b", "--stack", "three")).toEqual([
      6,
      "error: no stack named 'three' found",
    ]);
    for (const tag of ["a", "team:b", "gone"]) await out("stack", "tag", "rm", tag);
    expect(existsSync(file)).toBe(false);
  });

  available(
    `${title}: shows no tags of a damaged file, and removes the tags with the stack`,
    async (context) => {
      const { expect } = context;
      const { stack, out, json, refused } = await folderOf(bin, context);
      const file = join(stack.folder, "backend/.pulumi/stacks/test/dev.pulumi-tags");
      await out("stack", "select", "dev");
      for (const damaged of ['{"version":2,"tags":{"a":"b"}}', "{", '{"version":1,"tags":{"a":5}}']) {
        writeFileSync(file, damaged);
        expect(await json("stack", "tag", "ls", "--json")).toBe(null);
        expect((await refused("stack", "tag", "get", "a"))[0]).toBe(1);
      }
      await out("stack", "tag", "set", "c", "d");
      expect(await json("stack", "tag", "ls", "--json")).toEqual({ c: "d" });
      await out("stack", "rm", "--yes");
      expect(existsSync(file)).toBe(false);
    },
  );

  available(`${title}: keeps configuration by key`, async (context) => {
    const { expect } = context;
    const { stack, out, json, refused } = await folderOf(bin, context);
    await out("stack", "select", "dev");
    await out("config", "set", "plain", "5");
    await out("config", "set", "other:key", "v");
    const pairs = ["--plaintext", "many=1", "--plaintext", '"with=sign"=2', "--secret", "token=t0ken"];
    await out("config", "set-all", ...pairs);
    expect(await json("config", "--json", "--show-secrets")).toEqual({
      "other:key": { value: "v", secret: false },
      "test:many": { value: "1", secret: false },
      "test:plain": { value: "5", secret: false },
      "test:token": { value: "t0ken", secret: true },
      "test:with=sign": { value: "2", secret: false },
    });
    expect(await json("config", "--json")).toMatchObject({ "test:token": { secret: true } });
    expect(await out("config")).not.toContain("t0ken");
    expect(await out("config", "get", "plain")).toBe("5\n");
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
    await out("config", "rm", "plain");
    await out("config", "rm-all", "many", "with=sign", "never");
    const file = readFileSync(join(stack.folder, "Pulumi.dev.yaml"), "utf8");
    expect(Object.keys(parse(file).config)).toEqual(["other:key", "test:token"]);
    expect(file).not.toContain("t0ken");
  });

  available(
    `${title}: copies configuration to another stack and encrypts it with the other key`,
    async (context) => {
      const { expect } = context;
      const { out, json, refused } = await folderOf(bin, context);
      await out("config", "set", "--stack", "dev", "--secret", "token", "t0ken");
      await out("config", "set", "--stack", "dev", "k", "v");
      await out("stack", "init", "two");
      await out("config", "cp", "--stack", "dev", "--dest", "two");
      const both = {
        "test:k": { value: "v", secret: false },
        "test:token": { value: "t0ken", secret: true },
      };
      expect(await json("config", "--json", "--show-secrets")).toEqual(both);
      expect(await refused("config", "cp", "--dest", "two")).toEqual([
        1,
        "error: current stack and destination stack are the same",
      ]);
    },
  );

  available(`${title}: shows the outputs of a stack`, async (context) => {
    const { expect } = context;
    const folder = await folderOf(bin, context);
    const { out, json, refused } = folder;
    await fill(folder);
    const outputs = { id: "b-1", last: 5, list: ["x", { y: 1 }], text: "it's" };
    expect(await out("stack", "output")).toBe(
      [
        "Current stack outputs (4):",
        "    OUTPUT  VALUE",
        "    id      b-1",
        "    last    5",
        '    list    ["x",{"y":1}]',
        "    text    it's",
        "",
      ].join("\n"),
    );
    expect(await json("stack", "output", "--json")).toEqual(outputs);
    expect(await out("stack", "output", "list")).toBe('["x",{"y":1}]\n');
    expect(await out("stack", "output", "id")).toBe("b-1\n");
    expect(await refused("stack", "output", "gone")).toEqual([
      1,
      "error: current stack does not have output property 'gone'",
    ]);
    expect(await refused("stack", "rm", "dev", "--yes")).toEqual([
      1,
      expect.stringContaining("error: 'dev' still has resources; removal rejected."),
    ]);
  });

  available(`${title}: removes resources from the state only where that is safe`, async (context) => {
    const { expect } = context;
    const folder = await folderOf(bin, context);
    const { stack, out, refused } = folder;
    await fill(folder);
    for (const needed of [group, a]) {
      expect(await refused("state", "delete", "--yes", needed)).toEqual([
        1,
        expect.stringContaining(
          `error: ${needed} can't be safely deleted because the following resources depend on it:\n` +
            ` * "b"             (${b})\n\nDelete those resources first`,
        ),
      ]);
    }
    expect((await refused("state", "delete", "--yes", "unknown"))[1]).toContain(
      '"unknown" is not a valid resource URN',
    );
    expect((await refused("state", "delete", "--yes", `${a}x`))[1]).toContain(
      `No such resource "${a}x" exists in the current state`,
    );
    const before = stack.checkpoint();
    expect(await out("state", "delete", "--yes", b)).toBe("Resource deleted\n");
    expect(names(folder)).toEqual(["test-dev", "g", "a"]);
    expect(backup(stack)).toBe(before);
    expect(await refused("state", "delete", "--yes", a)).toEqual([
      1,
      expect.stringContaining(`error: ${a} can't be safely deleted because it is protected.`),
    ]);
    expect(await out("state", "unprotect", "--yes", a)).toBe("1 resources unprotected\n");
    expect(stack.state().at(-1)?.flags).toEqual([]);
    expect(await out("state", "delete", "--yes", a)).toBe("Resource deleted\n");
    expect(names(folder)).toEqual(["test-dev", "g"]);
  });

  available(`${title}: does not edit a state that another process has locked`, async (context) => {
    const { expect } = context;
    const folder = await folderOf(bin, context);
    await fill(folder);
    const locks = join(folder.stack.folder, "backend/.pulumi/locks/organization/test/dev");
    mkdirSync(locks, { recursive: true });
    const owner = { pid: 1, username: "eve", hostname: "elsewhere", timestamp: "2026-01-01T00:00:00Z" };
    writeFileSync(join(locks, "7a4ed5e1-5b3f-4a5b-9c7e-1f2d3c4b5a69.json"), JSON.stringify(owner));
    const before = folder.stack.checkpoint();
    for (const args of [
      ["state", "unprotect", a],
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
    await folder.out("state", "unprotect", a, "--yes");
  });

  available(`${title}: prints its version, the user and an empty history`, async (context) => {
    const { expect } = context;
    const { stack, out, json } = await folderOf(bin, context);
    const url = `file://${stack.folder}/backend`;
    const user = userInfo().username;
    expect(await json("whoami", "--json")).toEqual({ user, url });
    expect(await out("version")).toMatch(/^v\d+\.\d+\.\d+(-orgseat)?\n$/);
    await out("stack", "select", "dev");
    expect(await out("stack", "history", "--json")).toBe("[]\n");
  });

  available(
    `${title}: refuses unknown commands and flags, and flags that contradict each other`,
    async (context) => {
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
        [
          ["stack", "tag", "nope"],
          1,
          `unknown command "nope" for "pulumi stack tag"\nRun 'pulumi stack tag --help' for usage.`,
        ],
        [["stack", "tag"], 1, ""],
        [["up", "--nope"], 1, "unknown flag: --nope"],
        [["config", "--show-secrets", "set", "k", "v"], 1, "unknown flag: --show-secrets"],
        [["up"], 2, "--yes or --skip-preview or --preview-only must be passed in to proceed"],
        [
          ["refresh", "--preview-only", "--skip-preview"],
          1,
          "--skip-preview and --preview-only cannot be used together",
        ],
        [["destroy", "--preview-only", "--yes"], 1, "--yes and --preview-only cannot be used together"],
        [["preview", "--stack", "nope"], 6, "no stack named 'nope' found"],
        [["preview", "--parallel", "many"], 1, "many"],
        [["-C", "/nowhere", "stack", "ls"], 1, "no such file or directory"],
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
    },
  );
});

/** The last copy that was made of the state before it was written. */
function backup(stack: Stack): string {
  return readFileSync(join(stack.folder, "backend/.pulumi/stacks/test/dev.json.bak"), "utf8");
}

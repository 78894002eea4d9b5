// @module-tag ci
/** docs/automation-program.md: its commands as they stand, on its files, with the installed package and two services. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withCli } from "../../sandbox/pulumi/cli.ts";
import { isolatedEnvironment } from "../../sandbox/start/isolated-environment.ts";
import { commandLines } from "../docs/command-lines.ts";
import { codeBlocks } from "../docs/pages.ts";
import { type Ended, projectWith, runIn } from "../package/install.ts";
import { markedCredentials, markedSandbox } from "../setup/copies.ts";
import { pulumiCommand, pulumiReady } from "../setup/project.ts";
import { compileCache } from "../setup/quick-node.ts";
import type { Sandbox } from "../setup/sandbox.ts";
import { findSecrets, markedSecrets } from "../setup/secrets.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { exampleStack, examplesFolder } from "./example.ts";

const GUIDE = "docs/automation-program.md";
const [preview = "", apply = "", refresh = "", drift = ""] = commandLines(GUIDE).map(({ text }) => text);
const [shown = ""] = codeBlocks(GUIDE).flatMap(({ language, text }) => (language === "json" ? [text] : []));
const { ORGSEAT_CLIENT_SECRET: secret, PULUMI_CONFIG_PASSPHRASE: passphrase } = markedCredentials;

/** The example in a folder of its own, on two services. */
class Portal {
  readonly folder: string;
  readonly acme: Sandbox;
  readonly labs: Sandbox;
  /** What all runs have printed. */
  readonly printed: string[] = [];

  private constructor(folder: string, acme: Sandbox, labs: Sandbox) {
    [this.folder, this.acme, this.labs] = [folder, acme, labs];
  }

  static async open(): Promise<Portal> {
    const source = join(examplesFolder, "automation-program");
    const names = readdirSync(source).filter((name) => /\.(ts|json)$/.test(name));
    const files = names.map((name) => [name, readFileSync(join(source, name), "utf8")]);
    const service = () => markedSandbox({ seats: 10 }, temporaryFolder(), "anaconda");
    const [folder, acme, labs] = await Promise.all([
      projectWith("none", Object.fromEntries(files)),
      service(),
      service(),
      pulumiReady(),
    ]);
    mkdirSync(join(folder, "state"));
    const portal = new Portal(folder, acme, labs);
    for (const [port, { orgUrl }] of [
      [7747, acme.service],
      [7757, labs.service],
    ] as const)
      portal.edit("organizations.ts", `http://127.0.0.1:${port}`, new URL(orgUrl).origin);
    return portal;
  }

  edit(name: string, from: string, to: string): void {
    const file = join(this.folder, name);
    const text = readFileSync(file, "utf8");
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
  }

  environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const configuration = { ACME_CLIENT_SECRET: secret, LABS_CLIENT_SECRET: secret, ...more };
    const isolated = isolatedEnvironment(process.env, {
      ...{ folder: this.folder, passphrase, compileCache, configuration },
    });
    return withCli(isolated, { command: pulumiCommand });
  }

  /** Runs a command line of the guide. */
  async run(line: string, more?: Readonly<Record<string, string>>): Promise<Ended> {
    const ended = await runIn(this.folder, "bash", ["-c", line], this.environment(more));
    this.printed.push(ended.output);
    return ended;
  }

  /** Starts it in its own process group, as a terminal does, and waits until the service of labs gets no answer out. */
  async startHanging(line: string) {
    const { management } = this.labs.service;
    await management.addFaults({ match: { call: 6 }, fault: { kind: "hang" } });
    const [command = "", ...args] = line.split(" ");
    const options = { cwd: this.folder, env: this.environment(), detached: true } as const;
    const child = spawn(command, args, options);
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
    const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
      child.once("close", (code) => resolve({ code, output }));
    });
    await expect.poll(async () => (await management.faults())[0]?.hits, { timeout: 120_000 }).toBe(1);
    return { pid: child.pid ?? 0, ended };
  }
}

function jsonIn({ stdout }: Ended): unknown[] {
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  return lines.toSorted().map((line) => JSON.parse(line));
}

async function emailsAt({ service }: Sandbox): Promise<unknown[]> {
  return (await service.management.snapshot()).users.map(({ email }) => email).toSorted();
}

test("previews, applies, and refreshes two organizations at once, each with its own account", async () => {
  const portal = await Portal.open();
  const { acme, labs } = portal;
  const member = (op: string, name: string, more = {}) => ({ op, type: "OrgMember", name, ...more });

  const first = await portal.run(preview);
  expect(first, first.output).toMatchObject({ code: 0 });
  expect(first.stdout).toContain(shown);
  expect([await acme.calls(), await labs.calls()]).toEqual([[], []]);
  const applied = await portal.run(apply);
  expect(jsonIn(applied), applied.output).toEqual([
    {
      organization: "acme",
      changes: expect.arrayContaining([member("create", "ada"), member("create", "grace")]),
    },
    { organization: "acme", result: "succeeded" },
    { organization: "labs", changes: [member("create", "hedy")] },
    { organization: "labs", result: "succeeded" },
  ]);
  expect([await emailsAt(acme), await emailsAt(labs)]).toEqual([
    ["ada@acme.example", "grace@acme.example"],
    ["hedy@labs.example"],
  ]);

  const { users } = await acme.service.management.snapshot();
  await acme.service.management.removeUser(users.find(({ email }) => email?.startsWith("ada"))?.userId ?? "");
  portal.edit("organizations.ts", "hedy@labs.example", "hedy.lamarr@labs.example");
  const found = await portal.run(refresh);
  expect(jsonIn(found), found.output).toEqual([
    { organization: "acme", changes: [member("create", "ada")] },
    { organization: "labs", changes: [member("update", "hedy", { inputs: ["email"] })] },
  ]);
  const texts = { printed: portal.printed.join("") };
  expect(findSecrets(markedSecrets, { texts, folders: [join(portal.folder, "state")] })).toEqual([]);

  // What the guide warns of is so.
  portal.edit("changes.ts", '["info",', '["debug", "info",');
  const { output } = await portal.run(apply);
  expect(findSecrets(markedSecrets, { texts: { output } }).map(({ secret }) => secret)).toContain("minted");
});

test("says by the type of an error what happened, and is cancelled without a lock that stays", async () => {
  const portal = await Portal.open();
  for (const [signal, isTerminal] of [
    ["SIGINT", true],
    ["SIGTERM", false],
  ] as const) {
    const { pid, ended } = await portal.startHanging(apply);
    const locked = await portal.run(apply);
    expect(locked).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("labs: locked by another run."),
    });
    process.kill(isTerminal ? -pid : pid, signal);
    const { code, output } = await ended;
    expect([code, output]).toEqual([1, expect.stringContaining("labs: cancelled. Run the script again")]);
    await portal.labs.service.management.clearFaults();
  }
  const unauthorized = await portal.run(apply, { LABS_CLIENT_SECRET: "not-the-secret-of-labs" });
  expect(unauthorized.code).toBe(1);
  expect(unauthorized.stderr).toMatch(/\[unauthorized\]\nlabs: error: update failed\nlabs: failed: error: /);
  const encrypted = await portal.run(preview, { PULUMI_CONFIG_PASSPHRASE: "another one" });
  expect(encrypted.stderr).toMatch(/^acme: failed: error: failed to decrypt: incorrect passphrase/m);
  const last = await portal.run(apply);
  expect(last, last.output).toMatchObject({ code: 0 });
  expect(await emailsAt(portal.labs)).toEqual(["hedy@labs.example"]);
});

test("looks for drift in a program in a folder", async () => {
  const portal = await Portal.open();
  const { ORGSEAT_PASSWORD: _, ...account } = markedCredentials;
  const stack = await exampleStack(portal.acme, "org-members", account);
  const up = await stack.up();
  expect(up, up.output).toMatchObject({ code: 0 });
  const look = (name: string) =>
    runIn(
      portal.folder,
      "bash",
      ["-c", drift.replace("../org-members dev", `${stack.folder} ${name}`)],
      stack.variables(),
    );
  expect(await look("test")).toMatchObject({ code: 0, stdout: '{"changes":[]}\n' });
  const { users } = await portal.acme.service.management.snapshot();
  await portal.acme.service.management.removeUser(users[0]?.userId ?? "");
  const found = await look("test");
  expect([found.code, jsonIn(found)]).toEqual([
    2,
    [{ changes: [expect.objectContaining({ op: "create" })] }],
  ]);
  expect((await look("other")).output).toContain("StackNotFoundError");
});

/**
 * A Pulumi project of a test's own, run by the engines that this machine has: the stand-in always, the real CLI where
 * one is found. Its program makes the resources that a JSON file lists, so a test changes the program by data.
 */
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../sandbox/package-root.ts";
import { roomEnvironment } from "../../sandbox/start/closed-room.ts";
import { findRealCli, standInCommand } from "../../sandbox/start/engine.ts";
import { makeServiceAccount, type Sandbox, temporaryFolder } from "./sandbox.ts";

export interface TestEngine {
  readonly name: string;
  readonly command: string;
}

/** Every engine test runs on each of these. */
export function engines(): TestEngine[] {
  const real = process.env.ORGSEAT_PULUMI ?? findRealCli(process.env);
  const standIn = { name: "stand-in", command: standInCommand };
  return real === undefined ? [standIn] : [standIn, { name: "real CLI", command: real }];
}

/** One resource of a program. A text `$name.property` in `args` is that output of another resource. */
export interface Declared {
  readonly type: "ServiceAccount" | "OrgUser" | "SeatAssignment" | "UserToken" | "OrgMember";
  readonly name: string;
  readonly args?: Record<string, unknown>;
  readonly options?: Record<string, unknown>;
}

export interface Outcome {
  readonly code: number;
  /** What the person saw: both streams, in the order they came. */
  readonly output: string;
}

const PROGRAM = `import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import * as orgseat from "orgseat";

const made = {};
const resolve = (value) => {
  if (Array.isArray(value)) return value.map(resolve);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
  }
  if (typeof value !== "string" || !value.startsWith("$")) return value;
  const [name, ...path] = value.slice(1).split(".");
  return path.reduce((at, key) => at[key], made[name]);
};
const { resources, exports } = JSON.parse(readFileSync("program.json", "utf8"));
for (const { type, name, args = {}, options = {} } of resources) {
  made[name] = new orgseat[type](name, resolve(args), resolve(options));
}
const outputs = {};
for (const [key, value] of Object.entries(exports)) outputs[key] = resolve(value);
export default async () => outputs;
`;

const exportSchema = z.object({
  deployment: z.object({
    resources: z
      .array(
        z.object({
          urn: z.string(),
          type: z.string(),
          id: z.string().optional(),
          inputs: z.record(z.string(), z.unknown()).optional(),
          outputs: z.record(z.string(), z.unknown()).optional(),
        }),
      )
      .nullish()
      .transform((resources) => resources ?? []),
  }),
});
export type StateResource = z.output<typeof exportSchema>["deployment"]["resources"][number];

export class TestStack {
  readonly folder: string;
  readonly sandbox: Sandbox;
  /** Environment of the engine on top of the closed room; a test may change it between runs. */
  readonly environment: Record<string, string>;
  readonly #engine: TestEngine;
  readonly #room: Record<string, string>;

  constructor(engine: TestEngine, sandbox: Sandbox, folder: string, room: Record<string, string>) {
    this.#engine = engine;
    this.sandbox = sandbox;
    this.folder = folder;
    this.#room = room;
    this.environment = {};
  }

  /** Writes the program. */
  declare(resources: readonly Declared[], exports: Record<string, string> = {}): void {
    writeFileSync(join(this.folder, "program.json"), JSON.stringify({ resources, exports }));
  }

  up(...args: string[]): Promise<Outcome> {
    return this.pulumi("up", "--yes", "--skip-preview", ...args);
  }
  preview(...args: string[]): Promise<Outcome> {
    return this.pulumi("preview", ...args);
  }
  refresh(...args: string[]): Promise<Outcome> {
    return this.pulumi("refresh", "--yes", "--skip-preview", ...args);
  }
  destroy(...args: string[]): Promise<Outcome> {
    return this.pulumi("destroy", "--yes", "--skip-preview", ...args);
  }

  /** The resources of the state, the stack and the providers left out. */
  async resources(...args: string[]): Promise<StateResource[]> {
    const { output } = await this.#run(["stack", "export", ...args], false);
    const { resources } = exportSchema.parse(JSON.parse(output)).deployment;
    return resources.filter(({ type }) => type.startsWith("pulumi-nodejs:orgseat:"));
  }

  /** An output of the stack, secrets in the clear. */
  async stackOutput(name: string): Promise<string> {
    return (await this.#run(["stack", "output", name, "--show-secrets"], false)).output.trim();
  }

  pulumi(...args: string[]): Promise<Outcome> {
    return this.#run([...args, "--non-interactive", "--color", "never"], true);
  }

  #run(args: readonly string[], both: boolean): Promise<Outcome> {
    const env = { ...this.#room, ...this.environment };
    return new Promise((resolve) => {
      const options = { cwd: this.folder, env, maxBuffer: 256 * 1024 * 1024 };
      const child = execFile(this.#engine.command, args, options, (error) => {
        resolve({ code: error === null ? 0 : (child.exitCode ?? 1), output: pieces.join("") });
      });
      const pieces: string[] = [];
      child.stdout?.on("data", (text: string) => pieces.push(text));
      if (both) child.stderr?.on("data", (text: string) => pieces.push(text));
      onTestFinished(() => void child.kill("SIGKILL"));
    });
  }
}

/** A project with an initialised stack, configured for a sandbox whose service account exists already. */
export async function testStack(engine: TestEngine, sandbox: Sandbox): Promise<TestStack> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "Pulumi.yaml"), projectFile);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "roster", type: "module", private: true }),
  );
  writeFileSync(join(folder, "index.mjs"), PROGRAM);
  symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "state"));
  const { service } = sandbox;
  const account = await makeServiceAccount(sandbox);
  const room = roomEnvironment(process.env, {
    folder,
    passphrase: "for tests",
    compileCache: join(tmpdir(), "orgseat-compiled"),
    configuration: {
      ORGSEAT_ORGANIZATION_ID: service.seed.organizationId,
      ORGSEAT_ORG_URL: service.orgUrl,
      ORGSEAT_TOKEN_URL: service.tokenUrl,
      ORGSEAT_USERNAME: service.seed.username,
      ORGSEAT_PASSWORD: service.seed.password,
      ORGSEAT_CLIENT_ID: account.clientId,
      ORGSEAT_CLIENT_SECRET: account.clientSecret,
      ORGSEAT_SUBSCRIPTION_EXPIRES_AT: service.seed.subscriptionExpiresAt,
    },
  });
  const stack = new TestStack(engine, sandbox, folder, room);
  stack.declare([]);
  const made = await stack.pulumi("stack", "init", "test");
  if (made.code !== 0) throw new Error(`pulumi stack init failed: ${made.output}`);
  await sandbox.requests();
  return stack;
}

const projectFile = `name: roster
main: index.mjs
runtime:
  name: nodejs
  options:
    typescript: false
`;

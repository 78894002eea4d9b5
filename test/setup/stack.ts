/** A project whose program makes the resources that a JSON file lists, so a test changes the program by data. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { initialize, ProjectStack, projectRoom, type TestEngine } from "./project.ts";
import { makeServiceAccount, type Sandbox, temporaryFolder } from "./sandbox.ts";

export { type Outcome, onEachEngine, type StateResource, type TestEngine } from "./project.ts";

/** One resource of a program. A text `$name.property` in `args` is that output of another resource. */
export interface Declared {
  readonly type: "ServiceAccount" | "OrgUser" | "SeatAssignment" | "UserToken" | "OrgMember" | "Onboarding";
  readonly name: string;
  readonly args?: Record<string, unknown>;
  readonly options?: Record<string, unknown>;
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

export class TestStack extends ProjectStack {
  /** Writes the program. */
  declare(resources: readonly Declared[], exports: Record<string, string> = {}): void {
    writeFileSync(join(this.folder, "program.json"), JSON.stringify({ resources, exports }));
  }
}

/**
 * A project with an initialised stack, configured for a sandbox whose service account exists already.
 * @param environment variables over those of the room
 */
export async function testStack(
  engine: TestEngine,
  sandbox: Sandbox,
  environment: Readonly<Record<string, string>> = {},
): Promise<TestStack> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "Pulumi.yaml"), projectFile);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "roster", type: "module", private: true }),
  );
  writeFileSync(join(folder, "index.mjs"), PROGRAM);
  const { seed } = sandbox.service;
  const account = await makeServiceAccount(sandbox);
  const room = projectRoom(sandbox, folder, {
    ORGSEAT_USERNAME: seed.username,
    ORGSEAT_PASSWORD: seed.password,
    ORGSEAT_CLIENT_ID: account.clientId,
    ORGSEAT_CLIENT_SECRET: account.clientSecret,
    ...environment,
  });
  const stack = new TestStack(engine, sandbox, folder, room);
  stack.declare([]);
  await initialize(stack);
  await sandbox.requests();
  return stack;
}

const projectFile = `name: roster
main: index.mjs
runtime:
  name: nodejs
  options:
    typescript: false
    nodeargs: --stack-trace-limit=0
`;

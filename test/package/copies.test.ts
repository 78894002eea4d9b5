// @module-tag ci
/** A workspace whose packages have a copy of the package each, and a program that uses both. */
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configurationOf } from "../setup/direct.ts";
import { ProjectStack, projectEnvironment, pulumiReady } from "../setup/project.ts";
import { makeServiceAccount, type Sandbox, sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { installed, pack } from "./install.ts";

const PACKAGES = ["people", "builds"] as const;
const LIBRARY = `import { getServiceAccounts, OrgUser } from "orgseat";

export const add = (name, email) => new OrgUser(name, { email });
export const accounts = () => getServiceAccounts();
export const { href } = new URL(import.meta.resolve("orgseat"));
`;
const PROGRAM = `import { readFileSync } from "node:fs";
import * as builds from "builds";
import * as people from "people";

const [ada, other] = JSON.parse(readFileSync("emails.json", "utf8"));
const first = people.add("first", ada);
const second = builds.add("second", other);
export const accounts = (await people.accounts()).length + (await builds.accounts()).length;
export const copies = new Set([people.href, builds.href]).size;
export const userIds = [first.userId, second.userId];
`;

/** @param withOwn whether the program has the package too */
async function workspace(organization: Sandbox, withOwn: boolean) {
  const [root, { folder: packed }] = [temporaryFolder(), await pack()];
  const modules = join(root, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(installed).filter((each) => each !== "orgseat" && !each.startsWith(".")))
    symlinkSync(join(installed, name), join(modules, name));
  for (const name of PACKAGES) {
    const folder = join(root, "packages", name);
    cpSync(packed, join(folder, "node_modules", "orgseat"), { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name, type: "module", main: "index.js" }));
    writeFileSync(join(folder, "index.js"), LIBRARY);
    symlinkSync(folder, join(modules, name));
  }
  const program = join(root, "program");
  mkdirSync(join(program, "state"), { recursive: true });
  if (withOwn) cpSync(packed, join(program, "node_modules", "orgseat"), { recursive: true });
  writeFileSync(join(program, "package.json"), JSON.stringify({ name: "program", type: "module" }));
  const runtime = "runtime:\n  name: nodejs\n  options:\n    typescript: false\n";
  writeFileSync(join(program, "Pulumi.yaml"), `name: program\nmain: index.js\n${runtime}`);
  writeFileSync(join(program, "index.js"), PROGRAM);
  await pulumiReady();
  const variables = configurationOf(organization, await makeServiceAccount(organization));
  const stack = new ProjectStack(organization, program, projectEnvironment(organization, program, variables));
  expect(await stack.pulumi("stack", "init", "dev")).toMatchObject({ code: 0 });
  await organization.requests();
  const declare = (...emails: string[]) =>
    writeFileSync(join(program, "emails.json"), JSON.stringify(emails));
  return { stack, program, declare };
}

test("two copies in one program find a duplicate of the other, and work with one provider", async () => {
  const organization = await sandbox();
  const { stack, declare } = await workspace(organization, true);
  declare("ada@acme.example", "Ada@acme.example");
  const refused = await stack.preview();
  expect(refused.code).not.toBe(0);
  expect(refused.output).toContain(
    'OrgUser "first" and OrgUser "second" declare the same person (email). Each person needs exactly one resource: remove one of the two. [duplicate-declaration]',
  );
  declare("ada@acme.example", "bob@acme.example");
  const up = await stack.up();
  expect(up, up.output).toMatchObject({ code: 0 });
  const { users } = await organization.service.management.snapshot();
  const userIds = ["ada", "bob"].map(
    (name) => users.find(({ email }) => email === `${name}@acme.example`)?.userId,
  );
  expect(await stack.outputs()).toEqual({ accounts: 2, copies: 2, userIds });
  expect(await stack.destroy()).toMatchObject({ code: 0 });
});

test("a program without a copy in its own folder fails before it registers anything, and says why", async () => {
  const organization = await sandbox();
  const { stack, program, declare } = await workspace(organization, false);
  declare("ada@acme.example", "bob@acme.example");
  const { code, output } = await stack.up();
  expect(code).not.toBe(0);
  expect(output).toContain(
    `error: Pulumi cannot load orgseat/provider from the folder of the program, ${program}. Add orgseat to the dependencies of the program itself, as in the packages that it imports, and install [invalid-program]`,
  );
  expect(output).not.toContain("Cannot find module");
  expect(await organization.calls()).toEqual([]);
});

// @module-tag ci
/** How many source files a change walks through: whoever follows it has to read them. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createClient, platforms } from "../../provider/api/index.ts";
import type { ClientCredentials } from "../../provider/resources/contexts.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { testOrganization } from "../automation/organization.ts";
import { enteredFiles } from "../setup/entered-files.ts";
import { hangMs } from "../setup/limits.ts";
import { makeServiceAccount, type Sandbox, sandbox } from "../setup/sandbox.ts";
import { type TestStack, testStack } from "../setup/stack.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const MOST_FILES = { renewal: 77, memberRenewal: 81, row: 157 };
const END = "2030-06-30T23:59:59Z";
const RENEWED = "2031-06-30T23:59:59Z";

/** The user id of a member with a seat. */
async function memberOf({ service }: Sandbox, serviceAccount: ClientCredentials): Promise<string> {
  const { orgUrl, tokenUrl, seed } = service;
  const client = createClient({ orgUrl, tokenUrl, platform: platforms.basic });
  onTestFinished(() => client.close());
  const organization = client.organization(seed.organizationId, { serviceAccount });
  const operation = { deadline: performance.now() + hangMs };
  const { id } = await organization.createUser({ email: "ada@acme.example" }, operation);
  await organization.assignSeat(id, operation);
  return id;
}

/** The files that a run enters which renews what the program declares. */
async function enteredByRenewal(organization: Sandbox, stack: TestStack): Promise<string[]> {
  const { management, seed } = organization.service;
  expect(await stack.up()).toMatchObject({ code: 0 });
  await management.changeSubscription(seed.organizationId, { expiresAt: RENEWED });
  await organization.requests();
  const folder = temporaryFolder();
  Object.assign(stack.environment, {
    ORGSEAT_SUBSCRIPTION_EXPIRES_AT: RENEWED,
    NODE_V8_COVERAGE: folder,
    NODE_OPTIONS: `--require=${join(packageRoot, "test/setup/covered-provider.cjs")}`,
  });
  expect(await stack.up()).toMatchObject({ code: 0 });
  expect((await organization.calls()).filter((call) => call !== "token")).toEqual([8]);
  const files = enteredFiles(folder);
  expect(files).toContain("provider/member/steps/tokens");
  return files;
}

test("a renewal enters at most 77 source files of program and provider", async () => {
  const organization = await sandbox({ subscriptionExpiresAt: END });
  const stack = await testStack(organization);
  stack.programs = "process";
  const userId = await memberOf(organization, await makeServiceAccount(organization));
  stack.declare([{ type: "UserToken", name: "token", args: { userId } }]);
  const files = await enteredByRenewal(organization, stack);
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(MOST_FILES.renewal);
});

test("a renewal of a member enters at most 81 source files of program and provider", async () => {
  const organization = await sandbox({ subscriptionExpiresAt: END });
  const stack = await testStack(organization, { ORGSEAT_SUBSCRIPTION_EXPIRES_AT: END });
  stack.programs = "process";
  stack.declare([
    { type: "OrgMember", name: "ada", args: { email: "ada@acme.example", seat: true, token: {} } },
  ]);
  const files = await enteredByRenewal(organization, stack);
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(MOST_FILES.memberRenewal);
});

test("a new row enters at most 157 source files of command, program and provider", async () => {
  const acme = await testOrganization();
  const folder = temporaryFolder();
  acme.write([{ email: "ada@acme.example" }]);
  acme.environment.NODE_V8_COVERAGE = folder;
  expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
  const files = enteredFiles(folder);
  expect(files).toContain("provider/member/resource/org-member");
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(MOST_FILES.row);
});

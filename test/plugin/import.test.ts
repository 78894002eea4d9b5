// @module-tag ci
/** `pulumi import` through the packaged plugin: it passes the id alone, and the next preview has no changes. */
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClient, platforms } from "../../provider/api/index.ts";
import { IMPORTED_SECRET } from "../../provider/resources/resource.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { hangMs } from "../setup/limits.ts";
import { makeServiceAccount, type Sandbox, sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { type Declared, type Outcome, type TestStack, testStack } from "../setup/stack.ts";
import { stateResources } from "../setup/state-file.ts";

const TYPES = "orgseat:index:";

/** A stack whose program registers the plugin's types. */
async function pluginStack(organization: Sandbox, program: Declared[]): Promise<TestStack> {
  const stack = await testStack(organization);
  const { PATH = "", NODE_OPTIONS = "" } = stack.variables();
  stack.environment.PATH = [join(packageRoot, "plugin"), PATH].join(delimiter);
  stack.environment.NODE_OPTIONS = `${NODE_OPTIONS} --require ${join(packageRoot, "test/setup/plugin-types.cjs")}`;
  stack.programs = "process";
  stack.declare(program);
  return stack;
}

async function succeeds(command: Promise<Outcome>): Promise<string> {
  const { code, output } = await command;
  expect(code, output).toBe(0);
  return output;
}

const flags = ["--generate-code=false", "--protect=false", "--yes"];

describe("pulumi import", () => {
  test("marks the secret of a service account, and a rotation gives a real one", async () => {
    const organization = await sandbox();
    const { clientId } = await makeServiceAccount(organization);
    const { management } = organization.service;
    const accounts = async () => (await management.snapshot()).serviceAccounts;
    const name = (await accounts()).find((one) => one.clientId === clientId)?.name;
    const bot = (more = {}): Declared => ({ type: "ServiceAccount", name: "bot", args: { name, ...more } });
    const stack = await pluginStack(organization, [bot()]);
    const outputsOf = () =>
      stateResources(stack.stateFile).find(({ type }) => type === `${TYPES}ServiceAccount`);

    const imported = await succeeds(
      stack.pulumi("import", `${TYPES}ServiceAccount`, "bot", clientId, ...flags),
    );
    expect(imported).toContain("imported without its secret");
    expect(await stack.inTheClear(outputsOf()?.outputs?.clientSecret)).toBe(IMPORTED_SECRET);
    expect(JSON.stringify(outputsOf())).not.toContain(IMPORTED_SECRET);
    await succeeds(stack.preview("--expect-no-changes"));

    stack.declare([bot({ rotation: "1" })]);
    await succeeds(stack.up());
    expect((await accounts()).map((one) => one.clientId)).not.toContain(clientId);
    expect(await stack.inTheClear(outputsOf()?.outputs?.clientSecret)).not.toBe(IMPORTED_SECRET);
  });

  test("fills members from a file of ids, and writes nothing", async () => {
    const serviceAccount = sandboxServiceAccount;
    const organization = await sandbox({ serviceAccount }, temporaryFolder(), "anaconda");
    const client = createClient({ ...organization.service, platform: platforms.anaconda });
    onTestFinished(() => client.close());
    const api = client.organization(organization.organizationId, { serviceAccount });
    const operation = { deadline: performance.now() + hangMs };
    const { id } = await api.createUser({ email: "ada@acme.example", first_name: "Ada" }, operation);
    await api.assignSeat(id, operation);
    await api.issueToken(id, organization.service.seed.subscriptionExpiresAt, operation);
    const stack = await pluginStack(organization, [
      { type: "OrgUser", name: "ada", args: { email: "ada@acme.example", firstName: "Ada" } },
      { type: "SeatAssignment", name: "ada", args: { userId: "$ada.id" } },
      { type: "UserToken", name: "ada", args: { userId: "$ada.id" } },
    ]);
    const types = ["OrgUser", "SeatAssignment", "UserToken"];
    const resources = types.map((type) => ({
      type: TYPES + type,
      name: `ada ${type}`,
      logicalName: "ada",
      id,
    }));
    writeFileSync(join(stack.folder, "ids.json"), JSON.stringify({ resources }));
    await organization.requests();

    await succeeds(stack.pulumi("import", "--file", "ids.json", ...flags));

    await succeeds(stack.preview("--expect-no-changes"));
    const sent = (await organization.requests()).filter(({ call }) => call !== "token");
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  test("says what to do for a member whom the service cannot list", async () => {
    const stack = await pluginStack(await sandbox(), []);
    const { code, output } = await stack.pulumi("import", `${TYPES}OrgUser`, "ada", "u1", ...flags);
    expect(code).not.toBe(0);
    expect(output).toContain('Declare an OrgUser with `adopt: "u1"`');
  });
});

import { expect, test } from "vitest";
import { type Sandbox, sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachEngine, testStack } from "../setup/stack.ts";

const END = "2030-06-30T23:59:59Z";
const RENEWED = "2031-06-30T23:59:59Z";

/** A person with seat and token, wired by hand. */
function person(token: Record<string, unknown> = {}): Declared[] {
  return [
    { type: "OrgUser", name: "ada", args: { email: "ada@acme.example" } },
    { type: "SeatAssignment", name: "seat", args: { userId: "$ada.id" } },
    { type: "UserToken", name: "token", args: { seat: "$seat", ...token } },
  ];
}

async function started(engine: Parameters<typeof testStack>[0], token: Record<string, unknown> = {}) {
  const organization = await sandbox({ subscriptionExpiresAt: END });
  const stack = await testStack(engine, organization);
  stack.declare(person(token), { token: "$token.token" });
  const outcome = await stack.up();
  if (outcome.code !== 0) throw new Error(outcome.output);
  await organization.requests();
  return { organization, stack, value: await stack.stackOutput("token") };
}

async function served(organization: Sandbox) {
  const { tokens } = await organization.service.management.snapshot();
  return tokens.map(({ expiresAt }) => expiresAt);
}

const effects = async (organization: Sandbox) =>
  (await organization.calls()).filter((call) => call !== "token");

onEachEngine("UserToken", (engine) => {
  test("a raised subscriptionExpiresAt renews by call 8 and keeps the value; a lowered one does nothing", async () => {
    const { organization, stack, value } = await started(engine);
    const { management, seed } = organization.service;
    await management.changeSubscription(seed.organizationId, { expiresAt: RENEWED });

    stack.environment.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = RENEWED;
    const preview = await stack.preview();
    expect(preview.output).toMatch(
      /renew token of ada@acme\.example .*expires 2030-06-30T23:59:59Z.* -> 2031-06-30T23:59:59Z, value unchanged/,
    );
    expect(preview.output).toMatch(/1 to update/);
    expect(await effects(organization)).toEqual([]);

    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await effects(organization)).toEqual([8]);
    expect(await served(organization)).toEqual([RENEWED]);
    expect(await stack.stackOutput("token")).toBe(value);
    expect(await management.probe(value)).toMatchObject({ live: true });
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });

    stack.environment.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = "2031-01-31";
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await effects(organization)).toEqual([]);
  });

  test("an explicit date moves later by call 8, earlier by 9 and 7, and rotation gives a new value", {
    tags: "ci",
  }, async () => {
    const { organization, stack, value } = await started(engine, { expiresAt: "2029-12-31" });
    const { management, seed } = organization.service;
    await management.changeSubscription(seed.organizationId, { expiresAt: RENEWED });
    stack.environment.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = RENEWED;
    stack.declare(person({ expiresAt: "2030-06-30" }), { token: "$token.token" });
    expect((await stack.up()).output).toMatch(/now expires at 2031-06-30T23:59:59Z, later than expiresAt/);
    expect(await effects(organization)).toEqual([8]);
    expect(await stack.stackOutput("token")).toBe(value);

    stack.declare(person({ expiresAt: "2029-06-30" }), { token: "$token.token" });
    expect((await stack.preview()).output).toMatch(/revokes the token and issues a new value/);
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await effects(organization)).toEqual([9, 7]);
    expect(await served(organization)).toEqual(["2029-06-30T23:59:59Z"]);
    const shortened = await stack.stackOutput("token");
    expect(shortened).not.toBe(value);

    stack.declare(person({ expiresAt: "2029-06-30", rotation: "autumn" }), { token: "$token.token" });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await effects(organization)).toEqual([9, 7]);
    expect(await stack.stackOutput("token")).not.toBe(shortened);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  test("a renewal that the service does not grant fails, keeps the state, and is done once it is granted", {
    tags: "ci",
  }, async () => {
    const { organization, stack } = await started(engine);
    const { management, seed } = organization.service;
    stack.environment.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = RENEWED;
    const failed = await stack.up();
    expect(failed.code).not.toBe(0);
    expect(failed.output).toMatch(/is probably not renewed in the service yet/);
    await organization.requests();
    await management.changeSubscription(seed.organizationId, { expiresAt: RENEWED });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await effects(organization)).toEqual([8]);
    expect(await served(organization)).toEqual([RENEWED]);
  });
});

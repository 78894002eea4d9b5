import { expect, test } from "vitest";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachEngine, testStack } from "../setup/stack.ts";

function account(args: Record<string, unknown>): Declared[] {
  return [{ type: "ServiceAccount", name: "bot", args }];
}

onEachEngine("ServiceAccount", (engine) => {
  test("is created, left alone, updated, replaced, refreshed and destroyed", async () => {
    const organization = await sandbox();
    const stack = await testStack(engine, organization);
    stack.programs = "process";
    const { management, seed } = organization.service;
    const names = async () =>
      (await management.snapshot()).serviceAccounts
        .map(({ name }) => name)
        .filter((name) => name !== "tests");

    stack.declare(account({ name: "build-bot" }), { id: "$bot.clientId", secret: "$bot.clientSecret" });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual(["token", 2, 1]);
    expect(await names()).toEqual(["build-bot"]);
    const secret = await stack.stackOutput("secret");
    expect(secret).not.toBe("");

    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual([]);

    const credentials = { username: seed.username, password: seed.password };
    stack.declare(account({ name: "build-bot", credentials }), { secret: "$bot.clientSecret" });
    const updated = await stack.up();
    expect(updated.output).toMatch(/1 updated/);
    expect(await organization.calls()).toEqual([]);
    expect(await stack.stackOutput("secret")).toBe(secret);

    stack.declare(account({ name: "build-bot", rotation: 2, credentials }), { secret: "$bot.clientSecret" });
    expect((await stack.up()).output).toMatch(/1 replaced/);
    expect(await organization.calls()).toEqual(["token", 2, 1, 3]);
    expect(await stack.stackOutput("secret")).not.toBe(secret);
    expect(await names()).toEqual(["build-bot"]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });

    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual(["token", 2]);

    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual(["token", 3]);
    expect(await names()).toEqual([]);
    expect(stack.resources()).toEqual([]);
  });

  test("is dropped by refresh when gone, and made again", { tags: "ci" }, async () => {
    const organization = await sandbox();
    const stack = await testStack(engine, organization);
    stack.declare(account({ name: "build-bot" }));
    await stack.up();
    const [before] = stack.resources();
    await deleteByHand(organization, before?.id ?? "");
    expect(await stack.refresh()).toMatchObject({ code: 0 });
    expect(stack.resources()).toEqual([]);
    expect(await stack.up()).toMatchObject({ code: 0 });
    const [after] = stack.resources();
    expect(after?.id).not.toBe(before?.id);

    await deleteByHand(organization, after?.id ?? "");
    expect(await stack.destroy(), "removing what is gone already").toMatchObject({ code: 0 });
  });

  test("whose first answer is lost is deleted and made again: one account is left", {
    tags: "ci",
  }, async () => {
    const organization = await sandbox();
    const stack = await testStack(engine, organization);
    const { management } = organization.service;
    await management.addFaults({ match: { call: 1 }, fault: { kind: "cut-after" } });
    stack.declare(account({ name: "build-bot" }));
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual(["token", 2, 1, 2, 3, 1]);
    const [kept] = stack.resources();
    const { serviceAccounts } = await management.snapshot();
    expect(serviceAccounts.filter(({ name }) => name === "build-bot")).toEqual([
      expect.objectContaining({ clientId: kept?.id }),
    ]);
  });

  test("with a bad name is refused with its property, and nothing is sent", { tags: "ci" }, async () => {
    const organization = await sandbox();
    const stack = await testStack(engine, organization);
    stack.declare(account({ name: "Build Bot" }));
    const { code, output } = await stack.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/property name .*1 to 64 lower-case letters, digits, hyphens and underscores/);
    expect(await organization.calls()).toEqual([]);
  });
});

async function deleteByHand(
  organization: Awaited<ReturnType<typeof sandbox>>,
  clientId: string,
): Promise<void> {
  const { createClient, dialects } = await import("../../provider/api/index.ts");
  const { orgUrl, tokenUrl, seed } = organization.service;
  const client = createClient({ orgUrl, tokenUrl, dialect: dialects.documented });
  const user = { username: seed.username, password: seed.password };
  const deadline = performance.now() + 10_000;
  await client.organization(seed.organizationId, { user }).deleteServiceAccount(clientId, { deadline });
  await client.close();
  await organization.requests();
}

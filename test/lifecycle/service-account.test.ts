import { expect, test } from "vitest";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

function account(args: Record<string, unknown>): Declared[] {
  return [{ type: "ServiceAccount", name: "bot", args }];
}

onEachDoor("ServiceAccount", (door) => {
  test("creates, leaves alone, updates, replaces, refreshes and destroys", async () => {
    const organization = await sandbox();
    const stack = await testStack(organization, {}, door);
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
});

// @module-tag ci
import { expect, test } from "vitest";
import { type Sandbox, sandbox } from "../setup/sandbox.ts";
import { type Declared, type Door, onEachDoor, testStack } from "../setup/stack.ts";

const END = "2030-06-30T23:59:59Z";

/** A person with seat and token, wired by hand, with a user who takes the token. */
function person(): Declared[] {
  return [
    { type: "OrgUser", name: "ada", args: { email: "ada@acme.example" } },
    { type: "SeatAssignment", name: "seat", args: { userId: "$ada.id" } },
    { type: "UserToken", name: "token", args: { seat: "$seat" } },
    { type: "OrgUser", name: "grace", args: { email: "grace@acme.example", lastName: "$token.value" } },
  ];
}

async function started(door: Door) {
  const organization = await sandbox({ subscriptionExpiresAt: END });
  const stack = await testStack(organization, {}, door);
  stack.declare(person(), { token: "$token.value" });
  const outcome = await stack.up();
  if (outcome.code !== 0) throw new Error(outcome.output);
  await organization.requests();
  return { organization, stack, value: await stack.stackOutput("token") };
}

const effects = async (organization: Sandbox) =>
  (await organization.calls()).filter((call) => call !== "token");

onEachDoor("UserToken", (door) => {
  test("pulumi up --replace and a tainted token replace it, the old one first; a tainted user says how to undo it", async () => {
    const { organization, stack, value } = await started(door);
    const urnOf = (type: string) => stack.resources().find((one) => one.type.endsWith(type))?.urn ?? "";
    expect(await stack.up("--replace", urnOf(":UserToken"))).toMatchObject({ code: 0 });
    expect(await effects(organization)).toEqual([9, 7]);
    const next = await stack.stackOutput("token");
    expect(next).not.toBe(value);

    expect(await stack.pulumi("state", "taint", urnOf(":UserToken"), "--yes")).toMatchObject({ code: 0 });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await effects(organization)).toEqual([9, 7]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });

    expect(await stack.pulumi("state", "taint", urnOf(":OrgUser"), "--yes")).toMatchObject({ code: 0 });
    const refused = await stack.up();
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain("run `pulumi state untaint <its URN>`");
    expect(await stack.pulumi("state", "untaint", urnOf(":OrgUser"), "--yes")).toMatchObject({ code: 0 });
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0 });
  });
});

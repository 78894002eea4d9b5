// @module-tag ci
import { expect, test } from "vitest";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

onEachDoor("SeatAssignment", (door) => {
  test("replaces itself and the token side by side, wired by hand from one user id, for a changed email", async () => {
    const organization = await sandbox({ seats: 1 });
    const stack = await testStack(organization, {}, door);
    const program = (email: string): Declared[] => [
      { type: "OrgUser", name: "ada", args: { email } },
      { type: "SeatAssignment", name: "seat", args: { userId: "$ada.id" } },
      { type: "UserToken", name: "token", args: { userId: "$ada.id" } },
    ];
    stack.declare(program("ada@acme.example"));
    expect(await stack.up()).toMatchObject({ code: 0 });
    await organization.requests();
    stack.declare(program("ada.lovelace@acme.example"));
    expect(await stack.up()).toMatchObject({ code: 0 });
    const done = (await organization.requests()).filter(({ status }) => status !== null && status < 300);
    const removed = done.map(({ call }) => call).filter((call) => call !== null && Number(call) >= 9);
    expect(removed).toEqual([9, 10, 11]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  });
});

import { expect, test } from "vitest";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

function seated(seat: Record<string, unknown> = {}): Declared[] {
  return [
    { type: "OrgUser", name: "ada", args: { email: "ada@acme.example" } },
    { type: "SeatAssignment", name: "seat", args: { userId: "$ada.id", ...seat } },
  ];
}

onEachDoor("SeatAssignment", (door) => {
  test("assigns, leaves alone, moves to another user and gives back", async () => {
    const organization = await sandbox({ seats: 1 });
    const stack = await testStack(organization, {}, door);
    const effects = async () => (await organization.calls()).filter((call) => call !== "token");
    const grace: Declared = { type: "OrgUser", name: "grace", args: { email: "grace@acme.example" } };
    stack.declare([grace, ...seated()]);
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect((await effects()).toSorted()).toEqual([5, 5, 6]);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });

    stack.declare([grace, ...seated({ onDelete: "delete" })]);
    expect((await stack.up()).output).toMatch(/1 updated/);
    expect(await effects()).toEqual([]);

    stack.declare([grace, ...seated({ userId: "$grace.id" })]);
    expect(await stack.up(), "with no seat to spare").toMatchObject({ code: 0 });
    expect(await effects()).toEqual([10, 6]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect((await effects()).toSorted((a, b) => Number(a) - Number(b))).toEqual([10, 11, 11]);
  });

  test("confirms a seat whose answer is lost in the next up, and uses one seat", { tags: "ci" }, async () => {
    const organization = await sandbox({ seats: 2 });
    const stack = await testStack(organization, {}, door);
    const { management } = organization.service;
    await management.addFaults({ match: { call: 6 }, fault: { kind: "cut-after" } });
    stack.declare(seated());
    const lost = await stack.up();
    expect(lost.code).not.toBe(0);
    expect(lost.output).toMatch(/seat of ada@acme\.example .*may have been assigned\. Run `pulumi up` again/);
    await organization.requests();
    await management.setSwitches({ repeatSeat: "409" });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect((await organization.calls()).filter((call) => call !== "token")).toEqual([6]);
    expect((await management.snapshot()).organizations).toEqual([expect.objectContaining({ seatsHeld: 1 })]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  test("replaces itself and the token side by side, wired by hand from one user id, for a changed email", {
    tags: "ci",
  }, async () => {
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

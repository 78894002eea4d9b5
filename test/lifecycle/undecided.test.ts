// @module-tag ci
/** A machine user whose creation got no answer, in plain `pulumi up`: each run has the repository and the backend alone. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

const builds: Declared = { type: "OrgUser", name: "builds", args: { purpose: "Linux builds" } };
const seat: Declared = { type: "SeatAssignment", name: "seat", args: { userId: "$builds.id" } };
const two: Declared = { type: "OrgUser", name: "mac", args: { purpose: "Mac builds" } };

onEachDoor("a machine user without an answer", (door) => {
  test("stays undecided in later runs, and joins once by the command that the error names", async () => {
    const organization = await sandbox();
    const { management } = organization.service;
    const stack = await testStack(organization, {}, door);
    stack.declare([builds, seat, two]);
    await management.addFaults({ match: { call: 5, body: "Linux" }, fault: { kind: "cut-before" } });
    const lost = await stack.up("--continue-on-error");
    expect(lost.code).not.toBe(0);
    expect(lost.output).toContain("A machine user named Linux builds may now exist");
    await organization.requests();
    for (const flags of [[], ["--refresh"]]) {
      rmSync(join(stack.folder, ".orgseat"), { recursive: true, force: true });
      const again = await stack.up(...flags, "--continue-on-error");
      expect(again.code).not.toBe(0);
      expect(again.output).toMatch(/requested Linux builds and got no answer/);
    }
    expect((await organization.requests()).filter(({ call }) => call === 5)).toEqual([]);

    const urn = stack.resources().find(({ id }) => id?.startsWith("undecided-"))?.urn ?? "";
    const last = await stack.up("--replace", urn);
    expect(last, last.output).toMatchObject({ code: 0 });
    const { users } = await management.snapshot();
    expect(users.map(({ firstName }) => firstName).toSorted()).toEqual(["Linux builds", "Mac builds"]);
    expect((await stack.preview("--expect-no-changes")).code).toBe(0);
  });
});

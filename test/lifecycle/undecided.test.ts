// @module-tag ci
/** A machine user whose creation got no answer, in plain `pulumi up`: each run has the repository and the backend alone. */
import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { pulumiCommand } from "../setup/project.ts";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

const builds: Declared = { type: "OrgUser", name: "builds", args: { purpose: "Linux builds" } };
const seat: Declared = { type: "SeatAssignment", name: "seat", args: { userId: "$builds.id" } };
const two: Declared = { type: "OrgUser", name: "mac", args: { purpose: "Mac builds" } };

onEachDoor("a machine user without an answer", (door) => {
  async function afterLostAnswer(kind: "cut-before" | "cut-after") {
    const organization = await sandbox();
    const { management } = organization.service;
    const stack = await testStack(organization, {}, door);
    const users = async () =>
      (await management.snapshot()).users.map(({ firstName }) => firstName).toSorted();
    stack.declare([builds, seat, two]);
    await management.addFaults({ match: { call: 5, body: "Linux" }, fault: { kind } });
    const lost = await stack.up("--continue-on-error");
    expect(lost.code).not.toBe(0);
    expect(lost.output).toContain("A machine user named Linux builds may now exist");
    await organization.requests();
    for (const flags of [[], ["--refresh"]]) {
      rmSync(join(stack.folder, ".orgseat"), { recursive: true, force: true });
      const again = await stack.up(...flags, "--continue-on-error");
      expect(again.code).not.toBe(0);
      expect(again.output).toMatch(/requested a machine user named Linux builds and got no answer/);
    }
    expect((await organization.requests()).filter(({ call }) => call === 5)).toEqual([]);
    return { organization, stack, users };
  }

  test("stays undecided in later runs, and gives way to the adopted user", async () => {
    const { organization, stack, users } = await afterLostAnswer("cut-after");
    const { users: all } = await organization.service.management.snapshot();
    const adopt = all.find(({ firstName }) => firstName === "Linux builds")?.userId;
    stack.declare([{ ...builds, args: { ...builds.args, adopt, onDelete: "delete" } }, seat, two]);
    const last = await stack.up();
    expect(last, last.output).toMatchObject({ code: 0 });
    expect(await users()).toEqual(["Linux builds", "Mac builds"]);
    expect((await stack.preview("--expect-no-changes")).code).toBe(0);
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(await users()).toEqual([]);
  });

  test("joins where the CLI that runs the program is not on the PATH", async () => {
    const organization = await sandbox();
    const stack = await testStack(organization, {}, door);
    stack.declare([builds, seat]);
    const { PATH = "", ...others } = stack.variables();
    const folders = PATH.split(delimiter).filter((folder) => !existsSync(join(folder, "pulumi")));
    const env = { ...others, PATH: folders.join(delimiter) };
    await promisify(execFile)(pulumiCommand, ["up", "--yes", "--skip-preview"], { cwd: stack.folder, env });
    const { users } = await organization.service.management.snapshot();
    expect(users).toMatchObject([{ firstName: "Linux builds", seat: true }]);
  });

  test("joins once by the command that the error names", async () => {
    const { stack, users } = await afterLostAnswer("cut-before");
    const urn = stack.resources().find(({ id }) => id?.startsWith("undecided-"))?.urn ?? "";
    const last = await stack.up("--replace", urn);
    expect(last, last.output).toMatchObject({ code: 0 });
    expect(await users()).toEqual(["Linux builds", "Mac builds"]);
    expect((await stack.preview("--expect-no-changes")).code).toBe(0);
  });
});

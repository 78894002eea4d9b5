/** What the environment tells a single run, through the provider process. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { writeApprovedChanges } from "../../provider/approved-changes.ts";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachEngine, type TestStack, testStack } from "../setup/stack.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const members = (...names: string[]): Declared[] =>
  names.map((name) => ({
    type: "OrgMember",
    name,
    args: { email: `${name}@acme.example`, seat: true, token: {} },
  }));

/** Every deletion of these people, as a preview shows it. */
function deletionsOf(stack: TestStack, ids: readonly string[]) {
  return stack
    .resources()
    .filter(({ id }) => id !== undefined && ids.includes(id))
    .map(({ type, id }) => ({
      action: "delete" as const,
      type: z.enum(["OrgUser", "SeatAssignment", "UserToken"]).parse(type.split(":").at(-1)),
      id: id ?? "",
    }));
}

const auditLine = z.object({ call: z.number(), id: z.string(), status: z.number(), stack: z.string() });

onEachEngine("a single run", (engine) => {
  test("removes exactly what the list approves, refuses who was dropped since, and has each write in the audit", async () => {
    const organization = await sandbox();
    const stack = await testStack(engine, organization);
    stack.declare(members("ada", "bob", "cy"));
    expect(await stack.up()).toMatchObject({ code: 0 });
    await organization.requests();
    const { users } = await organization.service.management.snapshot();
    const idOf = (name: string) => users.find(({ email }) => email === `${name}@acme.example`)?.userId ?? "";

    const folder = temporaryFolder();
    const audit = join(folder, "audit.jsonl");
    stack.environment.ORGSEAT_APPROVED_CHANGES = join(folder, "approved.json");
    stack.environment.ORGSEAT_AUDIT = audit;
    const { organizationId } = organization;
    const show = (...names: string[]) =>
      writeApprovedChanges(join(folder, "approved.json"), {
        organizationId,
        changes: deletionsOf(stack, names.map(idOf)),
      });

    show("ada");
    stack.declare(members("cy"));
    const stopped = await stack.up();
    expect(stopped.code).not.toBe(0);
    expect(stopped.output).toMatch(/cannot delete the token of .*: the preview did not show this change/);
    const left = await organization.service.management.snapshot();
    expect(left.tokens.map(({ userId }) => userId)).toContain(idOf("bob"));

    show("ada", "bob");
    expect(await stack.up()).toMatchObject({ code: 0 });
    const after = await organization.service.management.snapshot();
    expect(after.users.map(({ email }) => email)).toEqual(["cy@acme.example"]);

    const writes = (await organization.requests()).filter(({ method }) => method === "DELETE");
    const lines = readFileSync(audit, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => said(auditLine.parse(JSON.parse(line)))).toSorted()).toEqual(
      writes.map(({ call, userId, status }) => `call ${call} of ${userId}: ${status} (test)`).toSorted(),
    );
  });

  test("that only takes over writes nothing, and what it took over needs no change", async () => {
    const organization = await sandbox();
    const owner = await testStack(engine, organization);
    owner.declare([
      { type: "OrgUser", name: "ada", args: { email: "ada@acme.example" } },
      { type: "SeatAssignment", name: "seat", args: { userId: "$ada.id" } },
    ]);
    expect(await owner.up()).toMatchObject({ code: 0 });
    const userId = owner.resources()[0]?.id;
    await organization.requests();

    const stack = await testStack(engine, organization, { ORGSEAT_ADOPT_ONLY: "1" });
    const program: Declared[] = [
      { type: "OrgUser", name: "ada", args: { email: "ada@acme.example", adopt: userId } },
      { type: "SeatAssignment", name: "seat", args: { userId: "$ada.id", adopt: true } },
    ];
    const token: Declared = { type: "UserToken", name: "token", args: { seat: "$seat" } };
    const bob: Declared = { type: "OrgUser", name: "bob", args: { email: "bob@acme.example" } };
    stack.declare([...program, token, bob]);
    const stopped = await stack.up("--continue-on-error");
    expect(stopped.code).not.toBe(0);
    expect(stopped.output).toContain("the value of an existing token cannot be read");
    expect(stopped.output).toMatch(
      /OrgUser bob@acme\.example: cannot add user: not sent: this run only adopts/,
    );

    stack.declare(program);
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual([]);
    stack.environment.ORGSEAT_ADOPT_ONLY = "";
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual([]);
  });
});

function said({ call, id, status, stack }: z.output<typeof auditLine>): string {
  return `call ${call} of ${id}: ${status} (${stack})`;
}

// @module-tag ci
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { factsOf } from "../../../command/report/facts.ts";
import { buildReport, reportForms } from "../../../command/report/report.ts";
import { parseAudit } from "../../../command/service/audit-log.ts";
import { readState } from "../../../command/stacks/stack-state.ts";
import { sandbox } from "../../setup/sandbox.ts";
import { type Declared, type TestStack, testStack } from "../../setup/stack.ts";
import { roster } from "./organization.ts";

const END = "2099-06-30T23:59:59Z";

const ada: Declared = {
  type: "OrgMember",
  name: "ada",
  args: { email: "ada@acme.example", seat: true, token: {} },
};
const builds: Declared = {
  type: "OrgMember",
  name: "builds",
  args: { purpose: "Builds", seat: true, token: {} },
};
const lin: Declared = { type: "OrgMember", name: "lin", args: { email: "lin@acme.example", seat: false } };

async function reportOn(stack: TestStack, organizationId: string, audit: string) {
  const { output } = await stack.pulumi("stack", "export");
  const deployment: unknown = JSON.parse(output.slice(output.indexOf("{")));
  const lines = parseAudit(readFileSync(audit, "utf8"), audit);
  const facts = factsOf(
    [["test", readState("test", deployment)]],
    roster([], { organizationId, seats: 5 }),
    lines,
    {
      now: Date.now(),
    },
  );
  const since = facts.resources.find(({ type }) => type === "OrgUser")?.created ?? "";
  return buildReport(facts, { month: since.slice(0, 7) });
}

describe("a report", () => {
  test("shows what the service has from a state that the engine wrote, and what the audit says of a member who left", async () => {
    const organization = await sandbox({ subscriptionExpiresAt: END });
    const stack = await testStack(organization);
    const audit = join(stack.folder, "audit.jsonl");
    stack.environment.ORGSEAT_AUDIT_LOG = audit;
    stack.declare([ada, builds, lin], { token: "$ada.token.value" });
    expect(await stack.up()).toMatchObject({ code: 0 });

    const before = await reportOn(stack, organization.organizationId, audit);
    expect(before.people.map(({ who, kind, seat, token }) => [who, kind, seat, token?.validUntil])).toEqual([
      ["ada@acme.example", "person", "assigned", END],
      ["Builds", "machine", "assigned", END],
      ["lin@acme.example", "person", "none", undefined],
    ]);
    const { users } = await organization.service.management.snapshot();
    expect(before.people.map(({ userId }) => userId).toSorted()).toEqual(
      users.map(({ userId }) => userId).toSorted(),
    );
    const held = users.filter(({ seat }) => seat).length;
    expect([before.seats.used, before.seats.available]).toEqual([held, 5 - held]);
    expect(before.month?.joined.map(({ who }) => who).toSorted()).toEqual([
      "Builds",
      "ada@acme.example",
      "lin@acme.example",
    ]);
    const value = await stack.stackOutput("token");
    expect(value.length).toBeGreaterThan(10);
    for (const form of Object.values(reportForms)) expect(form(before)).not.toContain(value);

    stack.declare([builds, lin]);
    expect(await stack.up()).toMatchObject({ code: 0 });
    const after = await reportOn(stack, organization.organizationId, audit);
    const userId = before.people[0]?.userId;
    expect(after.people.map(({ who }) => who)).toEqual(["Builds", "lin@acme.example"]);
    expect(after.month?.left).toEqual([{ who: userId, userId, at: expect.any(String) }]);
    expect(after.month?.joined.map(({ who }) => who)).toContain(userId);
  });
});

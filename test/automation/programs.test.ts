// @module-tag ci
/** Programs of one's own, whose previews tell less than those of rosters: an up does all that they showed. */
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { PulumiEngine } from "../../sdk/automation/engine/pulumi.ts";
import { openOrganization } from "../../sdk/automation/stacks/organization.ts";
import { upAll } from "../../sdk/automation/verbs/up.ts";
import { type TestOrganization, testOrganization } from "./organization.ts";

const program = `import { Onboarding, OrgUser, SeatAssignment, ServiceAccount, UserToken } from "orgseat";
export default async () => {
  for (const name of ["ada", "bob"]) {
    const user = new OrgUser(name, { email: name + "@acme.example" });
    const seat = new SeatAssignment(name + "-seat", { userId: user.id });
    new UserToken(name + "-token", { seat });
  }
  new ServiceAccount("bot", { name: "bot" });
  new Onboarding("newcomers", { emails: ["cy@elsewhere.example"] });
};
`;

describe("a program that wires users, seats and tokens by hand", () => {
  test("applies in one command, also where the service refuses a seat once and a later round assigns it", async () => {
    const acme = await testOrganization();
    const { management } = acme.sandbox.service;
    await management.addFaults({ match: { call: 6 }, fault: { kind: "refuse", status: 409 } });
    acme.write([]);
    const { status, applied } = await up(acme);
    expect(applied?.results.map(({ who, status, text }) => `${who} ${status} ${text ?? ""}`.trim())).toEqual(
      applied?.results.map(({ who }) => `${who} succeeded`),
    );
    expect(status).toBe("succeeded");
    const { users, tokens } = await management.snapshot();
    const added = users.filter(({ email }) => email?.endsWith("@acme.example"));
    expect(added.map(({ email, seat }) => [email, seat]).toSorted()).toEqual([
      ["ada@acme.example", true],
      ["bob@acme.example", true],
    ]);
    for (const { userId } of added) expect(tokens.map((token) => token.userId)).toContain(userId);
    expect((await acme.writes()).toSorted((a, b) => a - b)).toEqual([1, 4, 5, 5, 6, 6, 6, 7, 7]);
    expect((await up(acme)).applied).toBeUndefined();
  });
});

describe("a program that removes a user", () => {
  test("writes each step to the state, because it can create what no plan shows", async () => {
    const acme = await testOrganization();
    acme.write([{ key: "bob", email: "bob@acme.example" }]);
    const run = vi.spyOn(PulumiEngine.prototype, "run");
    onTestFinished(() => run.mockRestore());
    for (const names of [["ada", "bob"], ["bob"]]) {
      run.mockClear();
      expect((await up(acme, usersOnly(names))).status).toBe("succeeded");
      const ups = run.mock.calls.flatMap(([request]) => (request.operation === "up" ? request : []));
      expect(ups.map(({ environment }) => environment?.PULUMI_SKIP_CHECKPOINTS)).toEqual(["false"]);
    }
    expect(Object.keys(await acme.members())).toContain("bob@acme.example");
    expect(Object.keys(await acme.members())).not.toContain("ada@acme.example");
  });
});

function usersOnly(names: readonly string[]): string {
  return `import { OrgUser } from "orgseat";
export default async () => {
  for (const name of ${JSON.stringify(names)}) new OrgUser(name, { email: name + "@acme.example", onDelete: "delete" });
};
`;
}

async function up(acme: TestOrganization, text = program) {
  const file = join(acme.folder, `${randomUUID()}.mjs`);
  writeFileSync(file, text);
  return upAll(await openOrganization(acme.options({ program: pathToFileURL(file) })), {});
}

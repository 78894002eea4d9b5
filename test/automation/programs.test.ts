// @module-tag ci
/** Programs of one's own, whose previews tell less than those of rosters: an up does all that they showed. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openOrganization } from "../../sdk/automation/organization.ts";
import { upAll } from "../../sdk/automation/up.ts";
import { onEachEngine } from "../setup/project.ts";
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

onEachEngine("a program that wires users, seats and tokens by hand", (engine) => {
  test("is applied in one command, also where a seat is refused once and a later round assigns it", async () => {
    const acme = await testOrganization(engine);
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

async function up(acme: TestOrganization) {
  const file = join(acme.folder, "program.mjs");
  writeFileSync(file, program);
  return upAll(await openOrganization(acme.options({ program: pathToFileURL(file) })), {});
}

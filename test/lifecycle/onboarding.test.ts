// @module-tag ci
import { expect, test } from "vitest";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

const ADA = "ada@acme.example";
const GRACE = "grace@acme.example";

const team = (emails: string[]): Declared[] => [{ type: "Onboarding", name: "team", args: { emails } }];

onEachDoor("Onboarding", (door) => {
  test("lets people in who are removed again in the way that its warning says, with no seat to spare", async () => {
    const organization = await sandbox({ seats: 2 });
    const { management } = organization.service;
    const stack = await testStack(organization, {}, door);
    stack.declare(team([ADA, GRACE]));
    expect(await stack.up()).toMatchObject({ code: 0 });
    stack.declare(team([]));
    const emptied = await stack.up();
    const said = emptied.output.match(/new OrgMember\("<name>", (?<args>.*?)\)`/s)?.groups?.args ?? "";
    const { users, tokens: mailed } = await management.snapshot();
    const members = users.map(({ userId, email }, index): Declared => {
      const written = said.replaceAll("<user id>", userId).replaceAll("<email>", email ?? "");
      const args = JSON.parse(written.replaceAll(/(\w+): /g, '"$1": '));
      return { type: "OrgMember", name: `leaver-${index}`, args };
    });
    expect(members).toHaveLength(2);

    stack.declare([...team([]), ...members]);
    const taken = await stack.up();
    expect(taken.code, taken.output).toBe(0);
    const hashes = new Set([...mailed, ...(await management.snapshot()).tokens].map(({ hash }) => hash));
    expect(hashes.size, "no token that came by mail is left").toBe(4);
    await organization.requests();
    stack.declare(team([]));
    expect(await stack.up()).toMatchObject({ code: 0 });
    const removals = (await organization.calls()).filter((call) => call !== "token");
    expect(removals.toSorted()).toEqual([10, 10, 11, 11, 9, 9]);
    const after = await management.snapshot();
    expect([after.users, after.tokens, after.organizations[0]?.seatsHeld]).toEqual([[], [], 0]);
  });
});

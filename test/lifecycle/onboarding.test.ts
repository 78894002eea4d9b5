import { expect, test } from "vitest";
import { type Sandbox, sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, type TestStack, testStack } from "../setup/stack.ts";

const ADA = "ada@acme.example";
const GRACE = "grace@acme.example";
const HEDY = "hedy@acme.example";
const EVE = "eve@acme.example";

const team = (emails: string[], more: object = {}): Declared[] => [
  { type: "Onboarding", name: "team", args: { emails, ...more } },
];

function statusesIn(stack: TestStack): unknown {
  return stack.resources().find(({ type }) => type.endsWith(":Onboarding"))?.outputs?.statuses;
}

/** How many mails of a kind each person got. */
async function mails({ service }: Sandbox, kind: string): Promise<Record<string, number>> {
  const sent = (await service.management.outbox()).filter((email) => email.kind === kind);
  return Object.fromEntries(
    [...Map.groupBy(sent, ({ recipient }) => recipient)].map(([who, theirs]) => [who, theirs.length]),
  );
}

onEachDoor("Onboarding", (door) => {
  test("asks for people, then for new ones and with `resend` for those left, and leaves everybody a member", async () => {
    const organization = await sandbox({ seats: 2 });
    const { management } = organization.service;
    await management.addAccount(EVE);
    await management.setSwitches({ existingAccount: "neither", seatCounts: "text" });
    const stack = await testStack(organization, {}, door);
    const effects = async () => (await organization.calls()).filter((call) => call !== "token");

    stack.declare(team([ADA, "Grace@ACME.example", HEDY, EVE, ADA.toUpperCase()]));
    const preview = await stack.preview();
    expect(preview.output).toMatch(
      /it sends 4 welcome emails, 4 token emails, and one email to each administrator/,
    );
    expect(await effects()).toEqual([]);
    const up = await stack.up();
    expect(up).toMatchObject({ code: 0 });
    expect(up.output).toMatch(new RegExp(`unavailable: ${HEDY}\\. No seat was available`));
    expect(up.output).toMatch(new RegExp(`refused: ${EVE}\\..*already has an account`));
    expect(await effects()).toEqual([4]);
    expect(statusesIn(stack)).toEqual({
      [ADA]: "inProcess",
      [GRACE]: "inProcess",
      [HEDY]: "unavailable",
      [EVE]: "refused",
    });
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
    stack.declare(team([EVE, HEDY, GRACE, ADA]));
    expect(await stack.preview("--expect-no-changes"), "another order").toMatchObject({ code: 0 });
    expect(await effects()).toEqual([]);

    await management.changeSubscription(organization.organizationId, { seats: 3 });
    stack.declare(team([HEDY, GRACE, EVE], { resend: 1 }));
    const retried = await stack.up();
    expect(retried.output).toMatch(/sends 2 welcome emails, 2 token emails/);
    expect(retried.output).toMatch(new RegExp(`removed from the list: ${ADA}\\..*new OrgMember`));
    expect(await effects()).toEqual([4]);
    expect(statusesIn(stack)).toEqual({ [HEDY]: "inProcess", [GRACE]: "inProcess", [EVE]: "refused" });

    const destroyed = await stack.destroy();
    expect(destroyed).toMatchObject({ code: 0 });
    expect(destroyed.output).toMatch(
      /Onboarding of organization .* is removed from the state\. Onboarded people stay members/,
    );
    expect(await effects()).toEqual([]);
    const { users } = await management.snapshot();
    expect(users.map(({ email, seat }) => [email, seat])).toEqual(
      [ADA, GRACE, HEDY].map((who) => [who, true]),
    );
    expect(await mails(organization, "welcome")).toEqual({ [ADA]: 1, [GRACE]: 1, [HEDY]: 1 });
    expect(await mails(organization, "token")).toEqual({ [ADA]: 1, [GRACE]: 1, [HEDY]: 1 });
  });

  test("lets people in who are removed again in the way that its warning says, with no seat to spare", {
    tags: "ci",
  }, async () => {
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

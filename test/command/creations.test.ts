/** Machine users whose creation got no answer, over the runs that follow, against a service. */
import { writeFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { countsOf } from "../../command/plan/texts/counts.ts";
import { describeCreation } from "../../command/preview/creations.ts";
import { previewOf } from "../../command/preview/preview.ts";
import type { Organization } from "../../command/stacks/organization.ts";
import type { CreationDecision } from "../../command/stacks/undecided.ts";
import { resolveCreation } from "../../command/verbs/resolve.ts";
import { auditLinesIn } from "../../provider/api/schemas/audit-lines.ts";
import { namesHash } from "../../provider/api/schemas/user-names.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import { managed, type NewPerson, person } from "./people.ts";

const ada = person("ada");
const PURPOSE = "Linux builds";
const linux = managed("linux", PURPOSE);

/** Makes the audit log say that a run of the stack added a machine user with the purpose. */
async function writeAudit(fixture: Fixture, id: string): Promise<Organization> {
  const { organizationId } = fixture;
  const organization = await fixture.open([linux]);
  await previewOf(organization, {});
  const { auditFile, stacks } = organization;
  const names = namesHash(organizationId, PURPOSE, undefined);
  const line = { time: "2026-11-01T00:00:00.000Z", call: 5, name: "add user", id, outcome: "done" };
  writeFileSync(auditFile, `${JSON.stringify({ ...line, names, organizationId, stack: stacks[0] })}\n`);
  await fixture.sandbox.requests();
  return organization;
}

/** After an `up` in which the creation of one machine user got no answer; on anaconda, the list could not be read either. */
async function afterLostAnswer(
  people: readonly NewPerson[] = [linux],
  platform: "basic" | "anaconda" = "basic",
) {
  const fixture = await directFixture(20, platform);
  const { management } = fixture.sandbox.service;
  await management.addFaults({ match: { call: 5, body: PURPOSE }, fault: { kind: "cut-after" } });
  if (platform === "anaconda")
    await management.addFaults({
      match: { call: 17 },
      // The plan reads the list, and the run reads it once more before the creation.
      after: 2,
      times: "always",
      fault: { kind: "cut-before" },
    });
  await fixture.up(people);
  await management.clearFaults();
  await fixture.sandbox.requests();
  const users = async () =>
    (await fixture.users()).filter(({ firstName }) => firstName === PURPOSE).map(({ userId }) => userId);
  const resolve = async (who: string, decision: CreationDecision) =>
    resolveCreation(await fixture.open(), who, decision);
  return { fixture, users, resolve };
}

describe("a machine user whose creation got no answer", () => {
  test("stays away in the next up, which says how to decide and does everything else", async () => {
    const { fixture, users } = await afterLostAnswer();
    const { creations, plan } = await previewOf(await fixture.open([linux, ada]), {});
    expect(countsOf(plan)).toMatchObject({ joining: 1, undecided: 1, seatsAssigned: 1, tokensIssued: 1 });
    expect(creations).toEqual([expect.objectContaining({ key: "linux", label: PURPOSE, userId: undefined })]);
    expect(creations.map(describeCreation).join()).toContain(
      "`orgseat resolve linux --exists <user id>`; if not, run `orgseat resolve linux --missing`",
    );
    const { status, applied } = await fixture.up();
    expect(status).toBe("failed");
    expect(applied?.results).toEqual([
      expect.objectContaining({
        ...{ who: PURPOSE, status: "skipped", code: "machine-user-undecided" },
        text: expect.stringMatching(
          /^A run at \S+ requested this machine user .*resolve linux --missing`\.$/,
        ),
      }),
      expect.objectContaining({ who: "ada@acme.example", status: "succeeded" }),
    ]);
    expect(await fixture.calls()).toEqual([5, 6, 7]);
    expect(await users()).toHaveLength(1);
    // In a run of nothing but what differs, too.
    const again = await fixture.up();
    expect(again).toMatchObject({ status: "failed", preview: { creations: [{ key: "linux" }] } });
    expect(await fixture.done()).toEqual([]);
  });

  test("loses the token that its row no longer has, and the plan says so", async () => {
    const fixture = await directFixture(20);
    await fixture.up([{ ...ada, key: "linux" }]);
    const fault = { kind: "cut-after" } as const;
    await fixture.sandbox.service.management.addFaults({ match: { call: 5, body: PURPOSE }, fault });
    await fixture.up([linux]);
    const { preview, applied } = await fixture.up([{ ...linux, token: false }]);
    expect(preview.plan.members.map(({ actions }) => actions)).toEqual([["revokeToken", "undecided"]]);
    expect(applied?.results[0]?.text).toContain("orgseat resolve linux --missing");
    expect(applied?.results[0]?.entries).toMatchObject([{ operation: "revoke token", result: "done" }]);
  });

  test("follows the last decision before an up, which a declined plan keeps, and leaves with its row", async () => {
    const { fixture, users, resolve } = await afterLostAnswer([linux, ada]);
    const [userId = ""] = await users();
    const { stacks } = await fixture.open();
    for (const decision of [{ exists: "another-id" }, { missing: true }, { exists: userId }] as const) {
      const expected = { key: "linux", who: PURPOSE, stack: stacks[0], userId: undefined };
      const exists = "exists" in decision && { userId: decision.exists };
      expect(await resolve(PURPOSE, decision)).toEqual({ ...expected, ...exists });
    }
    expect(await fixture.done()).toEqual([]);
    await fixture.up(undefined, { confirm: async () => false });
    const { status, preview } = await fixture.up();
    expect({ status, creations: preview.creations, removed: countsOf(preview.plan).leaving }).toEqual({
      ...{ status: "succeeded", creations: [], removed: 0 },
    });
    expect(await fixture.calls()).toEqual([6, 7]);
    expect((await fixture.userIds(await fixture.open())).get("linux")).toBe(userId);
    expect(await fixture.up([ada])).toMatchObject({ status: "succeeded" });
    expect(await users()).toEqual([]);
  });

  test("makes a preview ask Pulumi about it, and about no one else", async () => {
    const { fixture, resolve } = await afterLostAnswer([linux, ada]);
    await fixture.up();
    const run = vi.spyOn(fixture.engine, "run");
    await fixture.preview();
    expect(run).toHaveBeenCalledTimes(1);
    run.mockClear();
    await resolve("linux", { missing: true });
    await fixture.preview();
    const targets = run.mock.calls.flatMap(([{ targets: named }]) => named ?? []);
    expect(targets.filter((urn) => !urn.includes("linux"))).toEqual([]);
    expect(targets).not.toEqual([]);
    await fixture.up();
    run.mockClear();
    await fixture.preview();
    expect(run).not.toHaveBeenCalled();
  });

  test("leaves the state with its row, and nothing is sent", async () => {
    const { fixture, users } = await afterLostAnswer([linux, ada]);
    const { status, applied } = await fixture.up([ada]);
    expect(status).toBe("succeeded");
    expect(applied?.results).toEqual([expect.objectContaining({ key: "linux", actions: ["forget"] })]);
    expect(applied?.warnings.map(({ text }) => text).join()).toContain(
      "Check in the service, and remove it there",
    );
    expect(await fixture.done()).toEqual([]);
    expect(await users()).toHaveLength(1);
  });

  test("accepts no decision about another name, another machine user, or a user whom it cannot be", async () => {
    const { fixture, resolve } = await afterLostAnswer([linux, ada]);
    const adasId = (await fixture.userIds(await fixture.open())).get("ada") ?? "";
    await fixture.open([linux, ada, managed("mac", "Mac builds")]);
    const refused: [who: string, decision: CreationDecision, message: string][] = [
      ["linx", { missing: true }, "did you mean linux?"],
      ["mac", { missing: true }, "mac is not in the list of machine users"],
      ["linux", { exists: "a b" }, "invalid user id a b"],
      ["linux", { exists: adasId }, "a stack already manages this user"],
    ];
    for (const [who, decision, message] of refused)
      await expect(resolve(who, decision)).rejects.toThrow(message);
    expect(await fixture.done()).toEqual([]);
  });
});

describe("creations during which Pulumi was killed", () => {
  const people = [linux, managed("mac", "Mac builds"), ada];

  /** The engine's state with two pending operations, of which the service knows nothing. */
  async function afterKill(): Promise<Fixture> {
    const fixture = await directFixture(20);
    await fixture.up([ada]);
    const [stack = ""] = (await fixture.open(people)).stacks;
    for (const { key, purpose } of people.filter((one) => one.purpose !== undefined)) {
      const inputs = { purpose, organizationId: fixture.organizationId };
      fixture.engine.interrupt(stack, { type: "OrgUser", name: `${key}-user`, args: { purpose } }, inputs);
    }
    await fixture.sandbox.requests();
    return fixture;
  }

  test("keep people from moving to other stacks before a decision", async () => {
    const fixture = await afterKill();
    await expect(fixture.up(fixture.rosterOf(people, { stacks: 3 }))).rejects.toThrow(
      /Run `orgseat resolve linux` with/,
    );
    expect(await fixture.calls()).toEqual([]);
  });

  test("stay undecided after a decision about another one of the same kill", async () => {
    const fixture = await afterKill();
    await resolveCreation(await fixture.open(), "linux", { missing: true });
    const { preview, applied } = await fixture.up();
    expect(preview.creations.map(({ key }) => key)).toEqual(["mac"]);
    expect(applied?.results).toMatchObject([
      { key: "mac", status: "skipped", code: "machine-user-undecided" },
      { key: "linux", status: "succeeded" },
    ]);
    await resolveCreation(await fixture.open(), "mac", { missing: true });
    expect(await fixture.up()).toMatchObject({ status: "succeeded" });
    expect((await fixture.calls()).filter((call) => call === 5)).toHaveLength(2);
  });
});

describe("a machine user of the audit log whom no state has", () => {
  test.each(["basic", "anaconda"] as const)(
    "waits for a decision while it may exist (%s)",
    async (platform) => {
      const fixture = await directFixture(20, platform);
      const userId = await fixture.makeMember({ ...linux, seat: false, token: false });
      await writeAudit(fixture, userId);
      const { status, preview } = await fixture.up();
      expect(status).toBe("failed");
      expect(preview.creations).toMatchObject([{ key: "linux", userId }]);
      expect(preview.creations.map(describeCreation).join()).toContain(
        `write ${userId} into \`user_id\` of the row; if not, run \`orgseat resolve linux --missing\``,
      );
      await expect(resolveCreation(await fixture.open(), "linux", { exists: userId })).rejects.toThrow(
        "`user_id` of the row",
      );
      expect(await fixture.up([{ ...linux, userId }])).toMatchObject({ status: "succeeded" });
      expect(await fixture.calls()).not.toContain(5);
    },
  );

  test("joins again if it is resolved as missing, which the log then says", async () => {
    const fixture = await directFixture(20);
    const { auditFile } = await writeAudit(fixture, "u1");
    const resolved = await resolveCreation(await fixture.open(), "linux", { missing: true });
    expect(resolved).toMatchObject({ stack: undefined });
    const last = auditLinesIn(auditFile).at(-1);
    expect(last).toMatchObject({ name: "machine user missing", id: "u1" });
    expect(await fixture.up()).toMatchObject({ status: "succeeded", preview: { creations: [] } });
  });

  test.each([1, 3])("differs from one whose row gets another key, in %i stacks", async (stacks) => {
    const fixture = await directFixture(20);
    const up = (key: string) => {
      const row = { ...managed(key, PURPOSE), seat: false, token: false };
      return fixture.up(fixture.rosterOf([row, ada], { stacks }));
    };
    expect(await up("linux")).toMatchObject({ status: "succeeded" });
    await fixture.sandbox.requests();
    expect(await up("builds")).toMatchObject({ status: "succeeded", preview: { creations: [] } });
    expect((await fixture.calls()).toSorted((a, b) => a - b)).toEqual([5, 11]);
  });

  test("needs no decision on anaconda if the list lacks it, unless an item of the list may be it", async () => {
    const fixture = await directFixture(20, "anaconda");
    await writeAudit(fixture, "u1");
    const { management } = fixture.sandbox.service;
    await management.setOddItems({ call: 17, item: {} });
    expect(await fixture.up()).toMatchObject({
      status: "failed",
      preview: { creations: [{ userId: "u1" }] },
    });
    await management.setOddItems();
    expect(await fixture.up()).toMatchObject({ status: "succeeded" });
  });
});

describe("the list of users on anaconda", () => {
  test("leaves it to a decision if it has two, and a user whom it lacks is none", async () => {
    const { fixture, users, resolve } = await afterLostAnswer([linux], "anaconda");
    const [userId = ""] = await users();
    await fixture.makeMember({ ...linux, seat: false, token: false });
    expect(await fixture.up()).toMatchObject({
      status: "failed",
      preview: { creations: [{ key: "linux" }] },
    });
    await expect(resolve("linux", { exists: "no-such-user" })).rejects.toThrow(
      "user no-such-user is not in the organization",
    );
    await resolve("linux", { exists: userId });
    expect(await fixture.up()).toMatchObject({ status: "succeeded" });
    expect(await users()).toHaveLength(2);
  });
});

/** Machine users whose creation got no answer, over the runs that follow, against a service. */
import { writeFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { countsOf } from "../../command/plan/texts/counts.ts";
import { describeCreation } from "../../command/preview/creations.ts";
import { previewOf } from "../../command/preview/preview.ts";
import type { Organization } from "../../command/stacks/organization.ts";
import type { CreationDecision } from "../../command/stacks/undecided.ts";
import { resolveCreation } from "../../command/verbs/resolve.ts";
import { upAll } from "../../command/verbs/up.ts";
import { auditLinesIn } from "../../provider/api/schemas/audit-lines.ts";
import { namesHash } from "../../provider/api/schemas/user-names.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import { managed, type NewPerson, type NewRoster } from "./people.ts";

const ada: NewPerson = { key: "ada", email: "ada@acme.example", seat: true, token: true, protected: false };
const rosterOf = ({ organizationId }: Fixture, people: readonly NewPerson[], stacks = 1): NewRoster => ({
  ...{ organizationId, stacks, people },
});

const PURPOSE = "Linux builds";
const linux = managed("linux", PURPOSE);

/** Makes the audit log say that a run of the stack added a machine user with the purpose. */
function writeAudit({ auditFile, stacks: [stack] }: Organization, { organizationId }: Fixture, id: string) {
  const names = namesHash(organizationId, PURPOSE, undefined);
  const line = { time: "2026-11-01T00:00:00.000Z", stack, call: 5, name: "add user", id, outcome: "done" };
  writeFileSync(auditFile, `${JSON.stringify({ ...line, names, organizationId })}\n`);
}

type Cut = "cut-before" | "cut-after";

/** After an `up` in which the creation of one machine user got no answer; on anaconda, the list could not be read either. */
async function afterLostAnswer(
  cut: Cut,
  people: readonly NewPerson[] = [linux],
  platform: "basic" | "anaconda" = "basic",
) {
  const fixture = await directFixture(20, platform);
  const { management } = fixture.sandbox.service;
  await management.addFaults({ match: { call: 5, body: PURPOSE }, fault: { kind: cut } });
  if (platform === "anaconda")
    await management.addFaults({
      match: { call: 17 },
      // The plan reads the list, and the run reads it once more before the creation.
      after: 2,
      times: "always",
      fault: { kind: "cut-before" },
    });
  const roster = rosterOf(fixture, people);
  await upAll(await fixture.open(roster), {});
  await management.clearFaults();
  await fixture.sandbox.requests();
  const users = async () => {
    const { users } = await management.snapshot();
    return users.filter(({ firstName }) => firstName === PURPOSE).map(({ userId }) => userId);
  };
  const up = async (own: NewRoster) => upAll(await fixture.open(own), {});
  const resolve = async (own: NewRoster, who: string, decision: CreationDecision) =>
    resolveCreation(await fixture.open(own), who, decision);
  return { fixture, users, up, resolve, roster };
}

describe("a machine user whose creation got no answer", () => {
  test("stays away in the next up, which says how to decide and does everything else", async () => {
    const { fixture, users, up } = await afterLostAnswer("cut-after");
    const roster = rosterOf(fixture, [linux, ada]);
    const { creations, plan } = await previewOf(await fixture.open(roster), {});
    expect(countsOf(plan)).toMatchObject({ joining: 1, undecided: 1, seatsAssigned: 1, tokensIssued: 1 });
    expect(creations).toEqual([expect.objectContaining({ key: "linux", label: PURPOSE, userId: undefined })]);
    expect(creations.map(describeCreation).join()).toContain(
      "`orgseat resolve linux --exists <user id>`; if not, run `orgseat resolve linux --missing`",
    );
    const { status, applied } = await up(roster);
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
    expect((await fixture.done()).map(({ call }) => call)).toEqual([5, 6, 7]);
    expect(await users()).toHaveLength(1);
    // In a run of nothing but what differs, too.
    const again = await up(roster);
    expect(again).toMatchObject({ status: "failed", preview: { creations: [{ key: "linux" }] } });
    expect(await fixture.done()).toEqual([]);
  });

  test("loses the token that its row no longer has, and the plan says so", async () => {
    const fixture = await directFixture(20);
    await upAll(await fixture.open(rosterOf(fixture, [{ ...ada, key: "linux" }])), {});
    const fault = { kind: "cut-after" } as const;
    await fixture.sandbox.service.management.addFaults({ match: { call: 5, body: PURPOSE }, fault });
    await upAll(await fixture.open(rosterOf(fixture, [linux])), {});
    const roster = rosterOf(fixture, [{ ...linux, token: false }]);
    const { plan } = await previewOf(await fixture.open(roster), {});
    expect(plan.members.map(({ actions }) => actions)).toEqual([["revokeToken", "undecided"]]);
    const { applied } = await upAll(await fixture.open(roster), {});
    const texts = applied?.results.map(({ text }) => text).join();
    expect(texts).toContain("orgseat resolve linux --missing");
    expect(applied?.results[0]?.entries).toMatchObject([{ operation: "revoke token", result: "done" }]);
  });

  test.each<[string, readonly CreationDecision[], number]>([
    ["exists", [{ exists: "" }], 1],
    ["missing", [{ missing: true }], 2],
    ["another user, then exists", [{ exists: "another-id" }, { exists: "" }], 1],
    ["missing twice, then exists", [{ missing: true }, { missing: true }, { exists: "" }], 1],
    ["exists, missing, then exists", [{ exists: "" }, { missing: true }, { exists: "" }], 1],
    ["missing, exists, then missing", [{ missing: true }, { exists: "" }, { missing: true }], 2],
  ])("follows the last decision before an up: %s", async (_case, decisions, count) => {
    const { fixture, users, up, resolve, roster } = await afterLostAnswer("cut-after", [linux, ada]);
    const [userId = ""] = await users();
    const [stack = ""] = (await fixture.open(roster)).stacks;
    for (const one of decisions) {
      const decision = "exists" in one && one.exists === "" ? { exists: userId } : one;
      const expected = {
        key: "linux",
        who: PURPOSE,
        stack,
        userId: undefined,
        ...("exists" in decision && { userId: decision.exists }),
      };
      expect(await resolve(roster, PURPOSE, decision)).toEqual(expected);
    }
    expect(await fixture.done()).toEqual([]);
    // A declined plan changes nothing about it.
    await upAll(await fixture.open(roster), { confirm: async () => false });
    const { status, preview } = await up(roster);
    expect({ status, creations: preview.creations, removed: countsOf(preview.plan).leaving }).toEqual({
      ...{ status: "succeeded", creations: [], removed: 0 },
    });
    expect((await fixture.done()).map(({ call }) => call)).toEqual(count === 1 ? [6, 7] : [5, 6, 7]);
    expect(await users()).toHaveLength(count);
    const ids = await fixture.userIds(await fixture.reopen());
    expect(ids.get("linux") === userId).toBe(count === 1);
    expect(await up(roster)).toMatchObject({ status: "succeeded", applied: undefined });
    expect(await up(rosterOf(fixture, [ada]))).toMatchObject({ status: "succeeded" });
    expect(await users()).toHaveLength(count - 1);
  });

  test("makes a preview ask Pulumi about it, and about no one else", async () => {
    const { fixture, up, resolve, roster } = await afterLostAnswer("cut-after", [linux, ada]);
    await up(roster);
    const run = vi.spyOn(fixture.engine, "run");
    await previewOf(await fixture.open(roster), {});
    expect(run).toHaveBeenCalledTimes(1);
    run.mockClear();
    await resolve(roster, "linux", { missing: true });
    await previewOf(await fixture.open(roster), {});
    const targets = run.mock.calls.flatMap(([{ targets: named }]) => named ?? []);
    expect(targets.filter((urn) => !urn.includes("linux"))).toEqual([]);
    expect(targets).not.toEqual([]);
    await up(roster);
    run.mockClear();
    await previewOf(await fixture.open(roster), {});
    expect(run).not.toHaveBeenCalled();
  });

  test("leaves the state with its row, and nothing is sent", async () => {
    const { fixture, users, up } = await afterLostAnswer("cut-after", [linux, ada]);
    const { status, applied } = await up(rosterOf(fixture, [ada]));
    expect(status).toBe("succeeded");
    expect(applied?.results).toEqual([expect.objectContaining({ key: "linux", actions: ["forget"] })]);
    expect(applied?.warnings.map(({ text }) => text).join()).toContain(
      "Check in the service, and remove it there",
    );
    expect(await fixture.done()).toEqual([]);
    expect(await users()).toHaveLength(1);
  });

  test.each<[string, string, CreationDecision, string]>([
    ["a misspelt name", "linx", { missing: true }, "did you mean linux?"],
    [
      "a user created for the first time",
      "mac",
      { missing: true },
      "mac is not in the list of machine users",
    ],
    ["an invalid id", "linux", { exists: "a b" }, "invalid user id a b"],
  ])("rejects a decision about %s", async (_case, who, decision, message) => {
    const { fixture, resolve } = await afterLostAnswer("cut-after");
    const roster = rosterOf(fixture, [linux, managed("mac", "Mac builds")]);
    await expect(resolve(roster, who, decision)).rejects.toThrow(message);
    expect(await fixture.done()).toEqual([]);
  });

  test("rejects the decision for a user whom a stack manages", async () => {
    const { fixture, resolve, roster } = await afterLostAnswer("cut-after", [linux, ada]);
    const { users } = await fixture.sandbox.service.management.snapshot();
    const userId = users.find(({ email }) => email !== null)?.userId ?? "";
    await expect(resolve(roster, "linux", { exists: userId })).rejects.toThrow(
      "a stack already manages this user",
    );
  });
});

function interrupt({ engine }: Fixture, ...of: Parameters<DirectEngine["interrupt"]>): void {
  if (!(engine instanceof DirectEngine)) throw new Error("only an engine of level R is interrupted");
  engine.interrupt(...of);
}

describe("a creation during which Pulumi was killed", () => {
  /** The engine's state with a pending operation, and what the service has done. */
  async function afterKill(cut: Cut, people: readonly NewPerson[]) {
    const fixture = await directFixture(20);
    const roster = rosterOf(fixture, people);
    await upAll(await fixture.open(rosterOf(fixture, [ada])), {});
    if (cut === "cut-after") await fixture.makeMember({ ...linux, seat: false, token: false });
    const organization = await fixture.open(roster);
    const [stack = ""] = organization.stacks;
    for (const { key, purpose } of people) {
      if (purpose === undefined) continue;
      const inputs = { purpose, organizationId: fixture.organizationId };
      interrupt(fixture, stack, { type: "OrgUser", name: `${key}-user`, args: { purpose } }, inputs);
    }
    await fixture.sandbox.requests();
    return { fixture, roster, up: async (own = roster) => upAll(await fixture.open(own), {}) };
  }

  test.each<[string, Cut, number]>([
    ["exists", "cut-after", 0],
    ["missing", "cut-before", 1],
  ])("waits for a decision: %s", async (_case, cut, posts) => {
    const { fixture, roster, up } = await afterKill(cut, [linux, ada]);
    const bob = { ...ada, key: "bob", email: "bob@acme.example" };
    const first = await up(rosterOf(fixture, [linux, ada, bob]));
    expect(first.applied?.results).toMatchObject([
      { key: "linux", status: "skipped", code: "machine-user-undecided" },
      { key: "bob", status: "succeeded" },
    ]);
    expect((await fixture.done()).map(({ call }) => call)).toEqual([5, 6, 7]);
    const { users } = await fixture.sandbox.service.management.snapshot();
    const userId = users.find(({ firstName }) => firstName === PURPOSE)?.userId;
    const decision = userId === undefined ? ({ missing: true } as const) : { exists: userId };
    await resolveCreation(await fixture.open(roster), "linux", decision);
    expect(await up(rosterOf(fixture, [linux, ada, bob]))).toMatchObject({ status: "succeeded" });
    expect((await fixture.done()).filter(({ call }) => call === 5)).toHaveLength(posts);
  });

  test("keeps people from moving to other stacks before a decision", async () => {
    const { fixture, up } = await afterKill("cut-before", [linux, ada]);
    await expect(up(rosterOf(fixture, [linux, ada], 3))).rejects.toThrow(/Run `orgseat resolve linux` with/);
    expect((await fixture.done()).map(({ call }) => call)).toEqual([]);
  });

  test("stays undecided after a decision about another one of the same kill", async () => {
    const people = [linux, managed("mac", "Mac builds"), ada];
    const { fixture, roster, up } = await afterKill("cut-before", people);
    await resolveCreation(await fixture.open(roster), "linux", { missing: true });
    const { preview, applied } = await up();
    expect(preview.creations.map(({ key }) => key)).toEqual(["mac"]);
    expect(applied?.results.map(({ key, status }) => `${key} ${status}`).toSorted()).toEqual([
      ...["linux succeeded", "mac skipped"],
    ]);
    await resolveCreation(await fixture.open(roster), "mac", { missing: true });
    expect(await up()).toMatchObject({ status: "succeeded" });
    expect((await fixture.done()).filter(({ call }) => call === 5)).toHaveLength(2);
  });
});

describe("a machine user of the audit log whom no state has", () => {
  test.each(["basic", "anaconda"] as const)(
    "waits for a decision while it may exist (%s)",
    async (platform) => {
      const fixture = await directFixture(20, platform);
      const roster = rosterOf(fixture, [linux]);
      const organization = await fixture.open(roster);
      await previewOf(organization, {});
      const userId = await fixture.makeMember({ ...linux, seat: false, token: false });
      writeAudit(organization, fixture, userId);
      await fixture.sandbox.requests();
      const { status, preview } = await upAll(await fixture.reopen(), {});
      expect(status).toBe("failed");
      expect(preview.creations).toMatchObject([{ key: "linux", userId }]);
      expect(preview.creations.map(describeCreation).join()).toContain(
        `write ${userId} into \`user_id\` of the row; if not, run \`orgseat resolve linux --missing\``,
      );
      expect((await fixture.done()).map(({ call }) => call)).not.toContain(5);
      await expect(resolveCreation(await fixture.reopen(), "linux", { exists: userId })).rejects.toThrow(
        "`user_id` of the row",
      );
      const adopted = rosterOf(fixture, [{ ...linux, userId }]);
      expect(await upAll(await fixture.open(adopted), {})).toMatchObject({ status: "succeeded" });
      expect((await fixture.done()).map(({ call }) => call)).not.toContain(5);
    },
  );

  test("joins again if it is resolved as missing, which the log then says", async () => {
    const fixture = await directFixture(20);
    const organization = await fixture.open(rosterOf(fixture, [linux]));
    await previewOf(organization, {});
    writeAudit(organization, fixture, "u1");
    expect(await resolveCreation(await fixture.reopen(), "linux", { missing: true })).toMatchObject({
      stack: undefined,
    });
    expect(auditLinesIn(organization.auditFile).at(-1)).toMatchObject({
      name: "machine user missing",
      id: "u1",
    });
    expect(await upAll(await fixture.reopen(), {})).toMatchObject({
      ...{ status: "succeeded", preview: { creations: [] } },
    });
  });

  test.each([1, 3])("differs from one whose row gets another key, in %i stacks", async (stacks) => {
    const fixture = await directFixture(20);
    const up = async (key: string) => {
      const row = { ...managed(key, PURPOSE), seat: false, token: false };
      return upAll(await fixture.open(rosterOf(fixture, [row, ada], stacks)), {});
    };
    expect(await up("linux")).toMatchObject({ status: "succeeded" });
    await fixture.sandbox.requests();
    expect(await up("builds")).toMatchObject({ status: "succeeded", preview: { creations: [] } });
    expect((await fixture.done()).map(({ call }) => call).toSorted((a, b) => a - b)).toEqual([5, 11]);
  });

  test("needs no decision on anaconda if the list lacks it", async () => {
    const fixture = await directFixture(20, "anaconda");
    const organization = await fixture.open(rosterOf(fixture, [linux]));
    await previewOf(organization, {});
    writeAudit(organization, fixture, "u1");
    expect(await upAll(await fixture.reopen(), {})).toMatchObject({ status: "succeeded" });
  });
});

describe("the list of users on anaconda", () => {
  test("leaves it to a decision if it has two, and a user whom it lacks is none", async () => {
    const { fixture, users, up, resolve, roster } = await afterLostAnswer("cut-after", [linux], "anaconda");
    const [userId = ""] = await users();
    await fixture.makeMember({ ...linux, seat: false, token: false });
    expect(await up(roster)).toMatchObject({ status: "failed", preview: { creations: [{ key: "linux" }] } });
    await expect(resolve(roster, "linux", { exists: "no-such-user" })).rejects.toThrow(
      "user no-such-user is not in the organization",
    );
    await resolve(roster, "linux", { exists: userId });
    expect(await up(roster)).toMatchObject({ status: "succeeded" });
    expect(await users()).toHaveLength(2);
  });
});

/** Machine users whose creation was not finished, over the runs that follow, against a service. */
import { writeFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { namesHash } from "../../../provider/api/schemas/user-names.ts";
import { creationTagsIn, newTagName, tagValue } from "../../../provider/unfinished/tags.ts";
import type { Step } from "../../../sdk/automation/plan/steps/steps.ts";
import { countsOf } from "../../../sdk/automation/plan/texts/counts.ts";
import { describeCreation, earlierCreations } from "../../../sdk/automation/preview/creations.ts";
import type { CreationDecision } from "../../../sdk/automation/preview/decide-creation.ts";
import { previewOf } from "../../../sdk/automation/preview/preview.ts";
import type { Organization } from "../../../sdk/automation/stacks/organization.ts";
import { resolveCreation } from "../../../sdk/automation/verbs/resolve.ts";
import { upAll } from "../../../sdk/automation/verbs/up.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import { managed, type NewPerson, type NewRoster } from "./people.ts";

const ada: NewPerson = { key: "ada", email: "ada@acme.example", seat: true, token: true, protected: false };
const rosterOf = ({ organizationId }: Fixture, people: readonly NewPerson[], stacks = 1): NewRoster => ({
  ...{ organizationId, stacks, people },
});

const PURPOSE = "Linux builds";

/** Makes the audit log say that a run of the stack added a machine user with the purpose. */
function writeAudit(
  { auditFile, stacks: [stack] }: Organization,
  { organizationId }: Fixture,
  id: string,
  time: string,
) {
  const names = namesHash(organizationId, PURPOSE, undefined);
  const line = { time, stack, call: 5, name: "add user", id, outcome: "done", names, organizationId };
  writeFileSync(auditFile, `${JSON.stringify(line)}\n`);
}

type Cut = "cut-before" | "cut-after";

/** After an `up` in which the creation of one machine user got no answer. */
async function afterLostAnswer(
  cut: Cut,
  people: readonly NewPerson[] = [managed("linux", PURPOSE)],
  run?: string,
) {
  const fixture = await directFixture(20);
  const { management } = fixture.sandbox.service;
  await management.addFaults({ match: { call: 5, body: PURPOSE }, fault: { kind: cut } });
  const environment: Record<string, string> = run === undefined ? {} : { ORGSEAT_RUN_ID: run };
  await upAll(await fixture.open(rosterOf(fixture, people), { environment }), {});
  await fixture.sandbox.requests();
  const users = async () => {
    const { users } = await management.snapshot();
    return users.filter(({ firstName }) => firstName === PURPOSE).map(({ userId }) => userId);
  };
  const up = async (roster: NewRoster) => upAll(await fixture.open(roster), {});
  const resolve = async (roster: NewRoster, who: string, decision: CreationDecision) =>
    resolveCreation(await fixture.open(roster), who, decision);
  return { fixture, users, up, resolve, roster: rosterOf(fixture, people) };
}

describe("a machine user whose creation got no answer", () => {
  test("stays away in the next up, which says how to decide and does everything else", async () => {
    const { fixture, users, up } = await afterLostAnswer("cut-after");
    const roster = rosterOf(fixture, [managed("linux", PURPOSE), ada]);
    const { creations, plan } = await previewOf(await fixture.open(roster), {});
    expect(countsOf(plan)).toMatchObject({ joining: 1, undecided: 1, seatsAssigned: 1, tokensIssued: 1 });
    expect(creations).toEqual([expect.objectContaining({ key: "linux", label: PURPOSE, next: "wait" })]);
    expect(creations.map(describeCreation).join()).toContain(
      "`orgseat resolve linux --exists <user id>`; if not, run `orgseat resolve linux --missing`",
    );
    const { status, applied } = await up(roster);
    expect(status).toBe("failed");
    expect(applied?.results).toEqual([
      expect.objectContaining({
        ...{ who: PURPOSE, status: "failed" },
        text: expect.stringMatching(
          /cannot add user: not sent: a run at \S+ requested a machine user named Linux builds .*orgseat resolve linux --missing`\.$/,
        ),
      }),
      expect.objectContaining({ who: "ada@acme.example", status: "succeeded" }),
    ]);
    expect((await fixture.done()).map(({ call }) => call)).toEqual([5, 6, 7]);
    expect(await users()).toHaveLength(1);
  });

  test("loses the token that its row no longer has, and the plan says so", async () => {
    const fixture = await directFixture(20);
    await upAll(await fixture.open(rosterOf(fixture, [{ ...ada, key: "linux" }])), {});
    const fault = { kind: "cut-after" } as const;
    await fixture.sandbox.service.management.addFaults({ match: { call: 5, body: PURPOSE }, fault });
    await upAll(await fixture.open(rosterOf(fixture, [managed("linux", PURPOSE)])), {});
    const roster = rosterOf(fixture, [{ ...managed("linux", PURPOSE), token: false }]);
    const { plan } = await previewOf(await fixture.open(roster), {});
    expect(plan.members.map(({ actions }) => actions)).toEqual([["revokeToken", "undecided"]]);
    const { applied } = await upAll(await fixture.open(roster), {});
    const texts = applied?.results.map(({ text }) => text).join();
    expect(texts).toContain("orgseat resolve linux --missing");
    expect(texts).not.toContain("did not show this operation");
  });

  test("enters the state as ours, if it is resolved as existing", async () => {
    const { fixture, users, up, resolve, roster } = await afterLostAnswer("cut-after", [
      managed("linux", PURPOSE),
      ada,
    ]);
    const [userId = ""] = await users();
    const [stack = ""] = (await fixture.open(roster)).stacks;
    expect(await resolve(roster, "linux builds", { exists: userId })).toEqual({
      ...{ key: "linux", who: PURPOSE, stack, userId },
    });
    expect(await fixture.done()).toEqual([]);
    const { status, preview } = await up(roster);
    expect({ status, next: preview.creations.map(({ next }) => next) }).toEqual({
      status: "succeeded",
      next: ["take"],
    });
    expect((await fixture.done()).map(({ call }) => call)).toEqual([6, 7]);
    expect(await up(roster)).toMatchObject({ status: "succeeded", applied: undefined });
    // Nothing is left to take over, and removal takes the user away as any other.
    expect(await up(rosterOf(fixture, [managed("linux", PURPOSE), ada]))).toMatchObject({
      status: "succeeded",
    });
    expect(await up(rosterOf(fixture, [ada]))).toMatchObject({ status: "succeeded" });
    expect(await users()).toEqual([]);
  });

  test("joins again, if it is resolved as missing", async () => {
    const { users, up, resolve, roster } = await afterLostAnswer("cut-before");
    expect(await resolve(roster, "linux", { missing: true })).toMatchObject({ userId: undefined });
    expect(await up(roster)).toMatchObject({ status: "succeeded", preview: { creations: [] } });
    expect(await users()).toHaveLength(1);
    expect(await up(roster)).toMatchObject({ status: "succeeded", applied: undefined });
  });

  test("follows the last decision before an up", async () => {
    const { fixture, users, up, resolve, roster } = await afterLostAnswer("cut-after");
    const [userId = ""] = await users();
    await resolve(roster, "linux", { exists: "another-id" });
    await resolve(roster, "linux", { exists: userId });
    expect(await up(roster)).toMatchObject({ status: "succeeded" });
    expect((await fixture.userIds(await fixture.reopen())).get("linux")).toBe(userId);
  });

  test("comes up alone in a question, if there are two with one purpose: the one that the preview names", async () => {
    const fixture = await directFixture(20);
    const roster = rosterOf(fixture, [managed("m0", PURPOSE), managed("m1", PURPOSE)]);
    const organization = await fixture.open(roster);
    const [stack = ""] = organization.stacks;
    const hash = namesHash(fixture.organizationId, PURPOSE, undefined);
    const userId = await fixture.makeMember({ ...managed("m0", PURPOSE), seat: false, token: false });
    await fixture.engine.store.setTag(
      stack,
      newTagName(hash),
      tagValue({ time: "2026-11-01T00:00:00.000Z" }),
    );
    await fixture.engine.store.setTag(
      stack,
      newTagName(hash),
      tagValue({ time: "2026-11-01T00:00:01.000Z", userId }),
    );
    const { preview, applied } = await upAll(organization, {});

    const waiting = preview.creations.filter(({ next }) => next === "wait").map(({ key }) => key);
    expect(waiting).toHaveLength(1);
    const failed = applied?.results.filter(({ status }) => status === "failed").map(({ key }) => key);
    expect(failed).toEqual(waiting);
  });

  test("needs one look at the tags of each stack", async () => {
    const fixture = await directFixture(20);
    const tags = vi.spyOn(fixture.engine.store, "tags");
    expect(await upAll(await fixture.open(rosterOf(fixture, [managed("linux", PURPOSE)])), {})).toMatchObject(
      {
        status: "succeeded",
      },
    );
    expect(tags.mock.calls.length).toBeLessThanOrEqual(1);
    const [stack = ""] = tags.mock.calls[0] ?? [];
    await fixture.engine.store.setTag(
      stack,
      newTagName("0".repeat(24)),
      tagValue({ time: "2026-11-01T00:00:00.000Z" }),
    );
    tags.mockClear();
    const more = rosterOf(fixture, [managed("linux", PURPOSE), managed("mac", "mac builds")]);
    expect(await upAll(await fixture.open(more), {})).toMatchObject({ status: "succeeded" });
    expect(tags).toHaveBeenCalledTimes(1);
  });

  test("waits in another stack too, and is taken into that one", async () => {
    const { fixture, users, up, resolve } = await afterLostAnswer("cut-after");
    const [userId = ""] = await users();
    const spread = rosterOf(fixture, [managed("linux", PURPOSE), ada], 3);
    expect(await up(spread)).toMatchObject({ status: "failed" });
    await resolve(spread, "linux", { exists: userId });
    expect(await up(spread)).toMatchObject({ status: "succeeded" });
    expect(await users()).toEqual([userId]);
  });

  test("waits in another stack of a repeated run too, which CI gives the same name", async () => {
    const { fixture, users } = await afterLostAnswer("cut-after", [managed("linux", PURPOSE)], "ci-17");
    const spread = rosterOf(fixture, [managed("linux", PURPOSE), ada], 3);
    const environment = { ORGSEAT_RUN_ID: "ci-17" };
    const again = await fixture.open(spread, { environment });
    expect(again.run.id).toBe("ci-17");
    expect(await upAll(again, {})).toMatchObject({ status: "failed" });
    expect(await users()).toHaveLength(1);
  });

  test("joins again, if a decision that it exists is changed", async () => {
    const { fixture, users, up, resolve, roster } = await afterLostAnswer("cut-after");
    const [userId = ""] = await users();
    writeAudit(await fixture.open(roster), fixture, userId, new Date().toISOString());
    await resolve(roster, "linux", { exists: userId });
    await resolve(roster, "linux", { missing: true });
    expect(await up(roster)).toMatchObject({ status: "succeeded", preview: { creations: [] } });
    expect(await users()).toHaveLength(2);
  });

  test.each<[string, readonly CreationDecision[], number]>([
    ["missing, then exists", [{ missing: true }, { exists: "" }], 1],
    ["missing twice, then exists", [{ missing: true }, { missing: true }, { exists: "" }], 1],
    ["exists, missing, then exists", [{ exists: "" }, { missing: true }, { exists: "" }], 1],
    ["missing, exists, then missing", [{ missing: true }, { exists: "" }, { missing: true }], 2],
  ])("follows the last of several decisions before an up: %s", async (_case, decisions, count) => {
    const { fixture, users, up, resolve, roster } = await afterLostAnswer("cut-after");
    const [userId = ""] = await users();
    for (const one of decisions) await resolve(roster, "linux", "exists" in one ? { exists: userId } : one);
    expect(await up(roster)).toMatchObject({ status: "succeeded" });
    expect(await users()).toHaveLength(count);
    if (count === 1) expect((await fixture.userIds(await fixture.reopen())).get("linux")).toBe(userId);
    // No decision outlives the run that follows it.
    const [stack = ""] = (await fixture.open(roster)).stacks;
    const tags = creationTagsIn(await fixture.engine.store.tags(stack));
    expect(tags.filter(({ isClosed, userId: id }) => isClosed && id === undefined)).toEqual([]);
  });

  test("keeps the decision where the plan is declined", async () => {
    const { fixture, users, up, resolve, roster } = await afterLostAnswer("cut-after");
    const [userId = ""] = await users();
    await resolve(roster, "linux", { exists: userId });
    const declined = await upAll(await fixture.open(roster), { confirm: async () => false });
    expect(declined.status).toBe("declined");
    expect(await up(roster)).toMatchObject({ status: "succeeded" });
    expect(await users()).toEqual([userId]);
  });

  test.each<[string, string, CreationDecision, string]>([
    ["a misspelt name", "linx", { missing: true }, "did you mean linux?"],
    [
      "a user who is created for the first time",
      "mac",
      { missing: true },
      "mac is not in the list of machine",
    ],
    ["an invalid id", "linux", { exists: "a b" }, "invalid user id a b"],
  ])("rejects a decision about %s", async (_case, who, decision, message) => {
    const { fixture, resolve } = await afterLostAnswer("cut-after");
    const roster = rosterOf(fixture, [managed("linux", PURPOSE), managed("mac", "Mac builds")]);
    await expect(resolve(roster, who, decision)).rejects.toThrow(message);
    expect(await fixture.done()).toEqual([]);
  });

  test("rejects the decision for a user whom a stack manages", async () => {
    const { fixture, resolve } = await afterLostAnswer("cut-after", [managed("linux", PURPOSE), ada]);
    const roster = rosterOf(fixture, [managed("linux", PURPOSE), ada]);
    const { users } = await fixture.sandbox.service.management.snapshot();
    const userId = users.find(({ email }) => email !== null)?.userId ?? "";
    await expect(resolve(roster, "linux", { exists: userId })).rejects.toThrow(
      "a stack already manages this user",
    );
  });

  test("reports the failure of the preview that would show it", async () => {
    const { fixture, resolve, roster } = await afterLostAnswer("cut-after");
    vi.spyOn(fixture.engine, "run").mockImplementation(async ({ stack }) => ({
      ...{
        stack,
        steps: [],
        states: new Map(),
        diagnostics: [],
        markers: [],
        undelivered: [],
        otherTypes: [],
      },
      failure: { code: "stack-locked", text: "another run holds the lock" },
    }));
    await expect(resolve(roster, "linux", { missing: true })).rejects.toThrow(
      /^cannot look for linux: the preview of stack \S+ failed: another run holds the lock/,
    );
  });
});

test("holds back one of two machine users of one purpose, and lets you decide about each", async () => {
  const both = [managed("one", PURPOSE), managed("two", PURPOSE)];
  const { fixture, users, up, resolve, roster } = await afterLostAnswer("cut-after", both);
  const { creations } = await previewOf(await fixture.open(roster), {});
  expect(creations).toHaveLength(1);
  const [waiting] = creations;
  const managedIds = new Set((await fixture.userIds(await fixture.open(roster))).values());
  const lost = (await users()).find((userId) => !managedIds.has(userId));
  await resolve(roster, waiting?.key ?? "", { exists: lost ?? "" });
  expect(await up(roster)).toMatchObject({ status: "succeeded" });
  expect(await users()).toHaveLength(2);
  expect(await up(roster)).toMatchObject({ status: "succeeded", applied: undefined });
});

test.each([
  ["missing, exists", ["m0", "m1"]],
  ["missing, exists, beginning with the last", ["m1", "m0"]],
])(
  "decides about two machine users of one purpose in any order: %s",
  async (_case, [first = "", second = ""]) => {
    const fixture = await directFixture(20);
    const roster = rosterOf(fixture, [managed("m0", PURPOSE), managed("m1", PURPOSE)]);
    const organization = await fixture.open(roster);
    const [stack = ""] = organization.stacks;
    const userId = await fixture.makeMember({ ...managed("m0", PURPOSE), seat: false, token: false });
    for (const second of [0, 1]) {
      const name = newTagName(namesHash(fixture.organizationId, PURPOSE, undefined));
      await fixture.engine.store.setTag(stack, name, tagValue({ time: `2026-11-01T00:00:0${second}.000Z` }));
    }
    await previewOf(organization, {});
    await resolveCreation(await fixture.reopen(), first, { missing: true });
    await resolveCreation(await fixture.reopen(), second, { exists: userId });
    expect(await upAll(await fixture.reopen(), {})).toMatchObject({ status: "succeeded" });
    const { users } = await fixture.sandbox.service.management.snapshot();
    const named = users.filter(({ firstName }) => firstName === PURPOSE).map((user) => user.userId);
    expect(named).toHaveLength(2);
    expect(named).toContain(userId);
  },
);

test.each<[string, string, (userId: string) => CreationDecision, number]>([
  ["existing", "m0", (userId) => ({ exists: userId }), 2],
  ["missing", "m0", () => ({ missing: true }), 3],
])(
  "one creation with a tag and a line of the audit log needs one decision: resolved as %s",
  async (_case, who, decision, expected) => {
    const fixture = await directFixture(20);
    const roster = rosterOf(fixture, [managed("m0", PURPOSE), managed("m1", PURPOSE)]);
    const organization = await fixture.open(roster);
    const [stack = ""] = organization.stacks;
    await previewOf(organization, {});
    const userId = await fixture.makeMember({ ...managed("m0", PURPOSE), seat: false, token: false });
    const names = namesHash(fixture.organizationId, PURPOSE, undefined);
    await fixture.engine.store.setTag(
      stack,
      newTagName(names),
      tagValue({ time: "2026-11-01T00:00:00.000Z" }),
    );
    writeAudit(organization, fixture, userId, "2026-11-01T00:00:01.000Z");

    const { creations } = await previewOf(await fixture.reopen(), {});
    expect(creations).toEqual([expect.objectContaining({ next: "wait", userId })]);
    expect(creations.map(describeCreation).join()).toContain(`--exists ${userId}`);
    const { applied } = await upAll(await fixture.reopen(), {});
    const failed = applied?.results.filter(({ status }) => status === "failed");
    expect(failed).toEqual([
      expect.objectContaining({ text: expect.stringContaining(`created user ${userId}`) }),
    ]);
    await resolveCreation(await fixture.reopen(), who, decision(userId));
    expect(await upAll(await fixture.reopen(), {})).toMatchObject({ status: "succeeded" });
    const { users } = await fixture.sandbox.service.management.snapshot();
    expect(users.filter(({ firstName }) => firstName === PURPOSE)).toHaveLength(expected);
  },
);

test("creates a machine user again that only the audit log shows, if it is resolved as missing", async () => {
  const fixture = await directFixture(20);
  const organization = await fixture.open(rosterOf(fixture, [managed("linux", PURPOSE)]));
  await previewOf(organization, {});
  writeAudit(organization, fixture, "u1", "2026-11-01T00:00:00.000Z");
  const before = await previewOf(await fixture.reopen(), {});
  expect(before.creations.map(({ next }) => next)).toEqual(["wait"]);
  await resolveCreation(await fixture.reopen(), "linux", { missing: true });
  expect(await upAll(await fixture.reopen(), {})).toMatchObject({
    ...{ status: "succeeded", preview: { creations: [] } },
  });
});

test.each([
  ["the same stack", 1],
  ["any stack", 3],
])(
  "a machine user in a state whose row gets another key is removed, and added once under the new key: in %s",
  async (_case, stacks) => {
    const fixture = await directFixture(20);
    // Without a seat, no later call tells that the state has the user.
    const rowOf = (key: string) => [{ ...managed(key, PURPOSE), seat: false, token: false }, ada];
    const up = async (key: string) => upAll(await fixture.open(rosterOf(fixture, rowOf(key), stacks)), {});
    expect(await up("linux")).toMatchObject({ status: "succeeded" });
    const before = await fixture.userIds(await fixture.open(rosterOf(fixture, rowOf("linux"), stacks)));
    await fixture.sandbox.requests();

    const { status, preview, applied } = await up("builds");
    expect({ status, creations: preview.creations }).toEqual({ status: "succeeded", creations: [] });
    expect(new Map(applied?.results.map(({ key, actions }) => [key, actions]))).toEqual(
      new Map([
        ["builds", ["join"]],
        ["linux", ["leave"]],
      ]),
    );
    expect((await fixture.done()).map(({ call }) => call).toSorted((a, b) => a - b)).toEqual([5, 11]);
    const { users } = await fixture.sandbox.service.management.snapshot();
    expect(users.map(({ userId }) => userId)).not.toContain(before.get("linux"));
    expect(users.filter(({ firstName }) => firstName === PURPOSE)).toHaveLength(1);
  },
);

test.each([
  ["whom a stack without a preview has stays there", true, []],
  ["whom a stack without a preview lacks is taken by the stack that creates it", false, ["take"]],
])("a machine user with a recorded answer %s", async (_case, isInState, expected) => {
  const fixture = await directFixture(20);
  // Without a seat, no later call tells that the state has the user.
  const open = (key: string) =>
    fixture.open(rosterOf(fixture, [{ ...managed(key, PURPOSE), seat: false, token: false }, ada], 3));
  expect(await upAll(await open("linux"), {})).toMatchObject({ status: "succeeded" });
  const stackOf = (steps: readonly Step[], key: string) =>
    steps.find(({ type, member }) => type === "OrgUser" && member === key)?.stack ?? "";
  const before = (await previewOf(await open("linux"), {})).plan.steps;
  const failed = stackOf(before, "linux");
  for (const key of ["a", "b", "c", "d", "e", "f", "g", "h"]) {
    const organization = await open(key);
    const { steps } = (await previewOf(organization, {})).plan;
    if (stackOf(steps, key) === failed) continue;
    if (!isInState) vi.spyOn(fixture.engine.store, "userIdsIn").mockResolvedValue(new Set());
    const seen = steps.filter(({ stack }) => stack !== failed);
    const { creations } = await earlierCreations(organization, seen, [failed]);
    expect(creations.map(({ next }) => next)).toEqual(expected);
    return;
  }
  throw new Error("no key is in another stack");
});

test("a machine user of the audit log alone waits for a decision if the service still lists it", async () => {
  const fixture = await directFixture(20, "anaconda");
  const roster = rosterOf(fixture, [managed("linux", PURPOSE)]);
  const organization = await fixture.open(roster);
  const { plan } = await previewOf(organization, {});
  const step = plan.steps.find(({ type }) => type === "OrgUser");
  const userId = await fixture.makeMember({ ...managed("linux", PURPOSE), seat: false, token: false });
  expect(step).toBeDefined();
  writeAudit(organization, fixture, userId, "2026-11-01T00:00:00.000Z");

  const { creations } = await earlierCreations(organization, step === undefined ? [] : [step]);

  expect(creations.map(({ next }) => next)).toEqual(["check"]);
  expect(creations.map(describeCreation).join()).toContain(
    "if it contains this user, the run waits for your decision",
  );
});

test("two machine users of one purpose never take the same user on anaconda, whatever the audit log says", async () => {
  const fixture = await directFixture(20, "anaconda");
  const roster = rosterOf(fixture, [managed("m0", PURPOSE), managed("m1", PURPOSE)]);
  const organization = await fixture.open(roster);
  const [stack = ""] = organization.stacks;
  await previewOf(organization, {});
  const userId = await fixture.makeMember({ ...managed("m0", PURPOSE), seat: false, token: false });
  const names = namesHash(fixture.organizationId, PURPOSE, undefined);
  // The first request made no user. The second one made this user.
  for (const second of [0, 1]) {
    const value = tagValue({ time: `2026-11-01T00:00:0${second}.000Z` });
    await fixture.engine.store.setTag(stack, newTagName(names), value);
  }
  writeAudit(organization, fixture, userId, "2026-11-01T00:00:02.000Z");
  expect(await upAll(await fixture.reopen(), {})).toMatchObject({ status: "succeeded" });
  const ids = [...(await fixture.userIds(await fixture.reopen())).values()];
  expect(new Set(ids).size).toBe(2);
  expect(ids).toContain(userId);
});

test("rejects the decision for a user whom anaconda does not list", async () => {
  const fixture = await directFixture(20, "anaconda");
  const roster = rosterOf(fixture, [managed("linux", PURPOSE)]);
  const organization = await fixture.open(roster);
  const [stack = ""] = organization.stacks;
  const name = newTagName(namesHash(fixture.organizationId, PURPOSE, undefined));
  await fixture.engine.store.setTag(stack, name, tagValue({ time: "2026-11-01T00:00:00.000Z" }));
  const before = await fixture.engine.store.tags(stack);
  const decided = resolveCreation(organization, "linux", { exists: "no-such-user" });
  await expect(decided).rejects.toThrow("user no-such-user is not in the organization");
  expect(await fixture.engine.store.tags(stack)).toEqual(before);
});

test("a machine user of an unfinished run is looked for on anaconda, and taken without a decision", async () => {
  const fixture = await directFixture(20, "anaconda");
  const roster = rosterOf(fixture, [managed("linux", PURPOSE)]);
  const organization = await fixture.open(roster);
  const [stack = ""] = organization.stacks;
  const userId = await fixture.makeMember({ ...managed("linux", PURPOSE), seat: false, token: false });
  const name = newTagName(namesHash(fixture.organizationId, PURPOSE, undefined));
  await fixture.engine.store.setTag(stack, name, tagValue({ time: "2026-11-01T00:00:00.000Z" }));
  const { status, preview } = await upAll(organization, {});
  expect({ status, next: preview.creations.map(({ next }) => next) }).toEqual({
    ...{ status: "succeeded", next: ["find"] },
  });
  expect((await fixture.userIds(await fixture.reopen())).get("linux")).toBe(userId);
});

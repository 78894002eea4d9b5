/** Creations of machine users whose end is unknown, over several runs that share nothing but the stack. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { namesHash } from "../../provider/api/schemas/user-names.ts";
import { creationTagsIn, marksOf, newTagName, tagValue } from "../../provider/unfinished/tags.ts";
import type { Script } from "../provider/api/service.ts";
import { MemoryStackStore } from "../setup/memory-stack-store.ts";
import { temporaryFile, temporaryFolder } from "../setup/temporary.ts";
import { common, failure, inTurn, ORGANIZATION, scripted } from "./scripted.ts";

const STACK = "organization/acme/people";
const builds = { ...common, purpose: "builds", lastName: "of main", stack: STACK };
const HASH = namesHash(ORGANIZATION, "builds", "of main");
const TIME = "2026-12-24T12:00:00.000Z";
const answered = (id: string) => ({ body: { id, first_name: "builds", last_name: "of main" } });
const lost = { fault: "close" } as const;

type Answer = ReturnType<Script> | Script;

/** Runs of one stack, one after another, each in its own folder. */
function runs() {
  const ids = new Set<string>();
  const store = new MemoryStackStore(() => ids);
  const start = (answers: readonly Answer[], environment: Record<string, string> = {}) =>
    scripted(inTurn(...answers), environment, undefined, store);
  return { store, ids, start, tags: () => creationTagsIn(store.entries) };
}

/** An audit log that says that a run of the stack added user u1. */
function auditOf(stack: string | undefined): string {
  const user = { organizationId: ORGANIZATION, id: "u1", names: HASH };
  const line = { time: TIME, call: 5, name: "add user", ...user, outcome: "done", stack };
  return temporaryFile("audit.jsonl", `${JSON.stringify(line)}\n`);
}

const textOf = ({ messages }: { messages: { text: string }[] }) =>
  messages.map(({ text }) => text).join("\n");

describe("the creation of a machine user", () => {
  test("limits the time of the service, however long Pulumi takes to record it", async () => {
    const { start, store } = runs();
    const run = await start([answered("u1")], { ORGSEAT_OPERATION_TIMEOUT: "1s" });
    store.onCommand = () => run.clock.advance(20_000);
    expect(await run.orgUser.create(builds)).toMatchObject({ id: "u1" });
  });

  test("sets a tag before the request, which gets the user id after the answer", async () => {
    const { start, tags, store } = runs();
    let before: ReturnType<typeof tags> = [];
    const run = await start([
      () => {
        before = tags();
        return answered("u1");
      },
    ]);
    await run.orgUser.create(builds);
    expect(before).toEqual([
      {
        name: expect.any(String),
        hash: HASH,
        time: expect.any(String),
        userId: undefined,
        isClosed: false,
        before: "",
      },
    ]);
    expect(tags()).toEqual([{ ...before[0], userId: "u1" }]);
    for (const [name, value] of store.entries) {
      expect(name).toHaveLength(40);
      expect(value.length).toBeLessThanOrEqual(256);
      expect(name + value).not.toMatch(/builds|main/);
    }
  });

  test("sends nothing where the tag cannot be set, or an earlier one cannot be read", async () => {
    const { start, store } = runs();
    store.refusal = "403: forbidden";
    const run = await start([answered("u1")]);
    expect((await failure(run.orgUser.create(builds))).message).toContain(
      `cannot record the creation of a machine user as a tag of stack ${STACK}: 403: forbidden`,
    );
    store.refusal = undefined;
    store.entries.set(`orgseat:m:${HASH}:00000`, "{");
    const next = await start([answered("u1")]);
    expect((await failure(next.orgUser.create(builds))).message).toContain("cannot read the stack tag");
    expect([...run.sent(), ...next.sent()]).toEqual([]);
  });

  test("removes the tag when the service refuses, and the next run creates the user", async () => {
    const { start, tags } = runs();
    const run = await start([{ status: 402, body: { error: { message: "expired" } } }]);
    await failure(run.orgUser.create(builds));
    expect(tags()).toEqual([]);
    const next = await start([answered("u1")]);
    expect(await next.orgUser.create(builds)).toMatchObject({ id: "u1" });
  });

  test.each([
    ["no answer", lost],
    ["a failure of the service", { status: 500, body: { error: { message: "sorry" } } }],
    ["another person's user", { body: { id: "u9", email: "ada@acme.example" } }],
  ])("sends nothing in the run after %s, and says what to do", async (_case, answer) => {
    const { start, store, tags } = runs();
    const first = await start([answer]);
    expect((await failure(first.orgUser.create(builds))).message).toContain("may now exist");
    const [tag] = tags();
    const next = await start([answered("u2")]);
    const { message } = await failure(next.orgUser.create(builds));
    expect(message).toContain(`a run at ${tag?.time} requested a machine user named builds of main`);
    expect(message).toContain('`adopt: "<user id>"`');
    expect(next.sent()).toEqual([]);
    // Some releases of Pulumi cannot remove the last tag of a stack.
    const [, name, value] = /run `pulumi stack tag set (\S+) '(.*)' --stack (\S+)`/.exec(message) ?? [];
    expect([name, value]).toEqual([tag?.name, tagValue({ time: tag?.time ?? "", isClosed: true })]);
    store.entries.set(name ?? "", value ?? "");
    const decided = await start([answered("u2")]);
    expect(await decided.orgUser.create(builds)).toMatchObject({ id: "u2" });
  });

  test("ignores tags of other names, and persons need none", async () => {
    const { start, store, tags } = runs();
    store.entries.set(newTagName(HASH), tagValue({ time: TIME }));
    const run = await start([{ body: { id: "u2" } }, { body: { id: "u3" } }, { body: { id: "u4" } }]);
    await run.orgUser.create({ ...builds, lastName: "of releases" });
    await run.orgUser.create({ ...common, stack: STACK, purpose: "builds" });
    await run.orgUser.create({ ...builds, email: "ada@acme.example" });
    expect(run.sent()).toHaveLength(3);
    expect(tags()).toHaveLength(3);
  });

  test("creates two of the same names in one run, and one open tag holds back one of them later", async () => {
    const { start, tags } = runs();
    const run = await start([answered("u1"), lost]);
    await run.orgUser.create(builds);
    await failure(run.orgUser.create(builds));
    expect(tags().map(({ userId }) => userId)).toEqual(["u1", undefined]);
    const next = await start([answered("u3")], { ORGSEAT_AUDIT_LOG: auditOf(STACK) });
    expect(await next.orgUser.create(builds)).toMatchObject({ id: "u1" });
    await failure(next.orgUser.create(builds));
    expect(next.sent()).toEqual([]);
    expect(await next.orgUser.create(builds)).toMatchObject({ id: "u3" });
  });

  test("takes the answered user that the state lacks, without a request", async () => {
    const { start, store } = runs();
    store.entries.set(newTagName(HASH), tagValue({ time: TIME, userId: "u1" }));
    const run = await start([answered("u2")], { ORGSEAT_AUDIT_LOG: auditOf(STACK) });
    expect(await run.orgUser.create(builds)).toMatchObject({
      ...{ id: "u1", outs: { userId: "u1", adopted: false, isMachineUser: true } },
    });
    expect(textOf(run)).toMatch(
      /created this user at \S+, but the state did not contain it\. Nothing was sent\.$/,
    );
    expect(run.sent()).toEqual([]);
  });

  test("asks about the answered user if no log shows whether the user was removed since", async () => {
    const { start, store } = runs();
    store.entries.set(newTagName(HASH), tagValue({ time: TIME, userId: "u1" }));
    const run = await start([answered("u2")]);
    const { message } = await failure(run.orgUser.create(builds));
    expect(message).toContain("created user u1, which is not in the state");
    expect(message).toContain('set `adopt: "u1"`');
    expect(run.sent()).toEqual([]);
  });

  test("leaves a user whose removal the log shows, and whose tag could not be removed", async () => {
    const { start, store, tags } = runs();
    const ORGSEAT_AUDIT_LOG = temporaryFile("audit.jsonl");
    const first = await start([answered("u1"), { status: 204 }], { ORGSEAT_AUDIT_LOG });
    const { outs = {} } = await first.orgUser.create(builds);
    const kept = new Map(store.entries);
    await first.orgUser.delete("u1", outs);
    for (const [name, value] of kept) store.entries.set(name, value);
    const next = await start([answered("u2")], { ORGSEAT_AUDIT_LOG });
    expect(await next.orgUser.create(builds)).toMatchObject({ id: "u2" });
    expect(tags().map(({ userId }) => userId)).toEqual(["u2"]);
  });

  test("forgets the tag of a user whom the state has, and of one that is removed", async () => {
    const { start, ids, tags } = runs();
    const first = await start([answered("u1")]);
    const { outs = {} } = await first.orgUser.create(builds);
    ids.add("u1");
    const second = await start([answered("u2"), { status: 204 }, { status: 204 }, answered("u3")]);
    const made = await second.orgUser.create(builds);
    expect(tags().map(({ userId }) => userId)).toEqual(["u2"]);
    await second.orgUser.delete("u1", outs);
    await second.orgUser.delete("u2", made.outs ?? {});
    expect(tags()).toEqual([]);
    expect(await second.orgUser.create(builds)).toMatchObject({ id: "u3" });
  });

  test("removes at most 20 tags of users whom the state has before a creation, and the others in later runs", async () => {
    const { start, store, ids, tags } = runs();
    for (let index = 0; index < 45; index++) {
      ids.add(`u${index}`);
      store.entries.set(newTagName(HASH), tagValue({ time: TIME, userId: `u${index}` }));
    }
    const left: number[] = [];
    for (const id of ["v1", "v2", "v3"]) {
      const run = await start([answered(id)]);
      expect(await run.orgUser.create(builds)).toMatchObject({ id });
      left.push(tags().filter(({ userId = "" }) => ids.has(userId)).length);
      ids.add(id);
    }
    expect(left).toEqual([25, 6, 0]);
  });

  test("leaves a removed user whose tag an earlier run had not removed yet", async () => {
    const { start, store, ids } = runs();
    for (let index = 0; index < 45; index++) {
      ids.add(`u${index}`);
      store.entries.set(newTagName(HASH), tagValue({ time: TIME, userId: `u${index}` }));
    }
    const run = await start(
      [...ids].map(() => ({ status: 204 })),
      { ORGSEAT_ALLOW_REMOVALS: `${ORGANIZATION}:45` },
    );
    for (const id of ids) await run.orgUser.delete(id, { ...builds, ...state(id) });
    ids.clear();
    const next = await start([answered("u99")]);
    expect(await next.orgUser.create(builds)).toMatchObject({ id: "u99" });
  });

  test("leaves a user of another resource of the same run", async () => {
    const { start, store } = runs();
    store.entries.set(newTagName(HASH), tagValue({ time: TIME, userId: "u1" }));
    const run = await start([answered("u2")]);
    await run.orgUser.diff("u1", { ...builds, ...state("u1") }, builds);
    expect(await run.orgUser.create(builds)).toMatchObject({ id: "u2" });
  });

  test("ends by adopt, and by the removal of the tag", async () => {
    const { start, store, tags } = runs();
    store.entries.set(newTagName(HASH), tagValue({ time: TIME }));
    const run = await start([answered("u2")]);
    await run.orgUser.create({ ...builds, adopt: "u1" });
    expect(tags()).toEqual([]);
    expect(textOf(run)).toContain(
      `OrgUser builds of main: a run at ${TIME} sent a create request and recorded no response; orgseat assumes that it created user u1`,
    );
    expect(await run.orgUser.create(builds)).toMatchObject({ id: "u2" });
  });

  test("ends the creation to which the audit log gives the adopted user, and no other one of its names", async () => {
    const { start, store, tags } = runs();
    const file = auditOf(STACK);
    const [older, latest] = [newTagName(HASH), newTagName(HASH)];
    store.entries.set(older, tagValue({ time: "2026-12-01T00:00:00.000Z" }));
    store.entries.set(latest, tagValue({ time: "2026-12-02T00:00:00.000Z" }));
    const run = await start([], { ORGSEAT_AUDIT_LOG: file });
    await run.orgUser.create({ ...builds, adopt: "u1" });
    expect(tags().map(({ name }) => name)).toEqual([older]);
    expect(textOf(run)).not.toContain("recorded no response");
  });

  test("stays undecided where adopt names a user who was there before", async () => {
    const { start, store, tags } = runs();
    store.entries.set(newTagName(HASH), tagValue({ time: TIME, before: marksOf(["u1"]) }));
    const run = await start([]);
    await run.orgUser.create({ ...builds, adopt: "u1" });
    expect(tags()).toHaveLength(1);
    await run.orgUser.create({ ...builds, adopt: "u2" });
    expect(tags()).toEqual([]);
  });

  test("keeps the user in the state with a warning if the answer cannot be recorded", async () => {
    const { start, store } = runs();
    const run = await start([
      () => {
        store.refusal = "the disk is full";
        return answered("u1");
      },
    ]);
    expect(await run.orgUser.create(builds)).toMatchObject({ id: "u1" });
    expect(textOf(run)).toContain("cannot record that user u1 was created");
  });

  test("asks about a user whom the audit log shows and a restored stack lacks", async () => {
    const { start, store, ids, tags } = runs();
    const audit = { ORGSEAT_AUDIT_LOG: join(temporaryFolder(), "audit.jsonl") };
    await (await start([answered("u1")], audit)).orgUser.create(builds);
    store.entries.clear();
    const restored = await start([answered("u2")], audit);
    const { message } = await failure(restored.orgUser.create(builds));
    expect(message).toContain("created user u1, which is in the audit log but not in the state");
    const command = /run `pulumi stack tag set (\S+) '(.*)' --stack/.exec(message);
    expect(restored.sent()).toEqual([]);
    // In the state, it concerns no other one of the same names.
    ids.add("u1");
    const other = await start([answered("u2"), { status: 204 }], audit);
    const made = await other.orgUser.create(builds);
    expect(made).toMatchObject({ id: "u2" });
    await other.orgUser.delete("u2", made.outs ?? {});
    ids.clear();
    store.entries.set(command?.[1] ?? "", command?.[2] ?? "");
    const decided = await start([answered("u3")], audit);
    expect(await decided.orgUser.create(builds)).toMatchObject({ id: "u3" });
    expect(tags().map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  test("asks about no user who was released", async () => {
    const { start, ids } = runs();
    const audit = { ORGSEAT_AUDIT_LOG: join(temporaryFolder(), "audit.jsonl") };
    const made = await (await start([answered("u1")], audit)).orgUser.create({
      ...builds,
      onDelete: "retain",
    });
    ids.add("u1");
    await (await start([], audit)).orgUser.delete("u1", made.outs ?? {});
    ids.clear();
    const next = await start([answered("u2")], audit);
    expect(await next.orgUser.create(builds)).toMatchObject({ id: "u2" });
  });

  test.each([
    ["ignores", "other"],
    ["ignores", "organization/another/people"],
    ["heeds", "people"],
    ["heeds", "acme/people"],
    ["heeds", STACK],
    ["heeds", undefined],
  ])("%s lines of stack %s in the audit log", async (expected, stack) => {
    const { start } = runs();
    const file = auditOf(stack);
    const run = await start([answered("u2")], { ORGSEAT_AUDIT_LOG: file });
    await run.orgUser.create(builds).catch(() => undefined);
    expect(run.sent()).toHaveLength(expected === "ignores" ? 1 : 0);
  });
});

function state(userId: string) {
  return { stateVersion: 1, instance: "i1", userId, serviceEmail: null, adopted: false, isMachineUser: true };
}

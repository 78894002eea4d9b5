/** Creations of managed users over several runs: what is recorded of them keeps the next run from making a second one. */
import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type CreationRecord, readCreations, writeCreation } from "../../provider/creations.ts";
import type { Script } from "../provider/api/service.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { common, failure, inTurn, ORGANIZATION, scripted } from "./scripted.ts";

const builds = { ...common, firstName: "builds", lastName: "of main" };
const answered = (id: string) => ({ body: { id, first_name: "builds", last_name: "of main" } });
const lost = { fault: "close" } as const;

type Answer = ReturnType<Script> | Script;

/** Provider processes that share a folder of records, one after another. */
function processes() {
  const folder = temporaryFolder();
  const start = (answers: readonly Answer[], environment: Record<string, string> = {}) =>
    scripted(inTurn(...answers), { ORGSEAT_CREATIONS: folder, ...environment });
  return { folder, start, records: () => readCreations(folder) };
}

const record = (more: Partial<CreationRecord> = {}) => ({
  ...{ organizationId: ORGANIZATION, firstName: "builds", lastName: "of main" },
  ...{ time: "2026-12-24T12:00:00.000Z", run: "before", ...more },
});

describe("a creation of a managed user", () => {
  test("is recorded before it is sent, for its owner alone, and has the answer afterwards", async () => {
    const { folder, start, records } = processes();
    let before: CreationRecord[] = [];
    const run = await start([
      () => {
        before = records();
        return answered("u1");
      },
    ]);
    await run.orgUser.create(builds);
    expect(before).toEqual([
      expect.objectContaining({ organizationId: ORGANIZATION, firstName: "builds", lastName: "of main" }),
    ]);
    expect(before[0]).not.toHaveProperty("userId");
    expect(records()).toEqual([{ ...before[0], userId: "u1" }]);
    const [name = ""] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  test("that the service refuses leaves no record", async () => {
    const { start, records } = processes();
    const run = await start([{ status: 402, body: { error: { message: "expired" } } }]);
    await failure(run.orgUser.create(builds));
    expect(records()).toEqual([]);
  });

  test.each([
    ["no answer", lost],
    ["a failure of the service", { status: 500, body: { error: { message: "sorry" } } }],
    ["another person's user", { body: { id: "u9", email: "ada@acme.example" } }],
  ])(
    "with %s: the next run sends nothing, and says what may exist, since when and what to do",
    async (_case, answer) => {
      const { start, records } = processes();
      const first = await start([answer]);
      expect((await failure(first.orgUser.create(builds))).message).toContain("may exist now");
      const [{ time, file } = { time: "", file: "" }] = records();

      const next = await start([answered("u2")]);
      const { message } = await failure(next.orgUser.create(builds));
      expect(message).toContain(`a run at ${time} requested a managed user named builds of main`);
      expect(message).toContain('`adopt: "<user id>"`');
      expect(message).toContain(`delete ${file}`);
      expect(next.sent()).toEqual([]);
    },
  );

  test("of other names, of another organization, or of a person is not concerned", async () => {
    const { folder, start } = processes();
    writeCreation(folder, record());
    const run = await start([{ body: { id: "u2" } }, { body: { id: "u3" } }, { body: { id: "u4" } }]);
    await run.orgUser.create({ ...builds, lastName: "of releases" });
    await run.orgUser.create({ ...common, firstName: "builds" });
    await run.orgUser.create({ ...builds, email: "ada@acme.example" });
    expect(run.sent()).toHaveLength(3);
  });

  test("of the same names as another one of the same run, which is under way or done, is another user", async () => {
    const { start, records } = processes();
    const run = await start([answered("u1"), answered("u2"), lost, answered("u4")]);
    const both = await Promise.all([run.orgUser.create(builds), run.orgUser.create(builds)]);
    expect(new Set(both.map(({ id }) => id)).size).toBe(2);
    await failure(run.orgUser.create(builds));
    expect(await run.orgUser.create(builds)).toMatchObject({ id: "u4" });
    expect(records()).toHaveLength(4);
  });

  test("of another stack of the same run is another user; of an earlier round of the same stack it is not", async () => {
    const { start } = processes();
    const of = (stack: string) => ({ ORGSEAT_RUN: "r1", PULUMI_STACK: stack });
    const first = await start([lost], of("people-01"));
    await failure(first.orgUser.create(builds));
    const beside = await start([answered("u2"), { status: 201 }], of("people-02"));
    expect(await beside.orgUser.create(builds)).toMatchObject({ id: "u2" });
    await beside.seat.create({ ...common, userId: "u2" });
    const round = await start([answered("u3")], of("people-01"));
    expect((await failure(round.orgUser.create(builds))).message).toContain("may exist");
    const moved = await start([answered("u3")], { ORGSEAT_RUN: "r2", PULUMI_STACK: "people-02" });
    expect((await failure(moved.orgUser.create(builds))).message).toContain("may exist");
  });

  test("whose user gets a new key right after is taken into the state under it, with the same warning, and the old key keeps it", async () => {
    const { start } = processes();
    const first = await start([answered("u1")]);
    const { id, outs = {} } = await first.orgUser.create(builds);
    const run = await start([]);
    expect(await run.orgUser.create(builds)).toMatchObject({ id });
    await run.orgUser.delete(id, outs);
    expect(run.messages.map(({ text }) => text).join("\n")).toContain(
      "and no run has found it in the state since. Nothing was sent.",
    );
    expect(run.sent()).toEqual([]);
  });

  test("whose user is in no state is taken into it by the next run, without a call, and stays ours", async () => {
    const { folder, start, records } = processes();
    writeCreation(folder, record({ userId: "u1" }));
    const run = await start([answered("u2")]);
    const { id, outs = {} } = await run.orgUser.create(builds);
    expect({ id, outs }).toMatchObject({ id: "u1", outs: { userId: "u1", adopted: false, managed: true } });
    expect(run.messages.map(({ text }) => text).join()).toMatch(
      /An earlier run created this user at \S+, and no run has found it in the state since\. Nothing was sent\.$/,
    );
    expect(run.sent()).toEqual([]);
    // A second one of the same names is a new user.
    expect(await run.orgUser.create(builds)).toMatchObject({ id: "u2" });
    const later = await start([]);
    await later.orgUser.diff("u1", outs, builds);
    expect(records().map(({ userId }) => userId)).toEqual(["u2"]);
  });

  test("whose user may be in the state of another stack, or of this run, is not taken", async () => {
    const { folder, start } = processes();
    writeCreation(folder, record({ userId: "u1", stack: "people-01", run: "r1" }));
    for (const environment of [
      { ORGSEAT_RUN: "r1", PULUMI_STACK: "people-01" },
      { ORGSEAT_RUN: "r2", PULUMI_STACK: "people-02" },
    ]) {
      const run = await start([answered("u2")], environment);
      expect((await failure(run.orgUser.create(builds))).message).toContain('`adopt: "u1"`');
      expect(run.sent()).toEqual([]);
    }
  });

  test.each([
    ["diff", "orgUser"],
    ["read", "orgUser"],
    ["delete", "orgUser"],
    ["seat", "seat"],
  ])("is settled when the state has the user: by %s", async (method) => {
    const { start, records } = processes();
    const run = await start([answered("u1"), { status: 204 }]);
    const { outs = {} } = await run.orgUser.create(builds);
    const next = await start([{ status: 204 }]);
    if (method === "diff") await next.orgUser.diff("u1", outs, builds);
    if (method === "read") await next.orgUser.read("u1", outs);
    if (method === "delete") await next.orgUser.delete("u1", outs);
    if (method === "seat") await run.seat.create({ ...common, userId: "u1" });
    expect(records()).toEqual([]);
  });

  test("is decided by adopt, whose record goes, and by deleting the record", async () => {
    const { folder, start, records } = processes();
    writeCreation(folder, record());
    const run = await start([answered("u2")]);
    await run.orgUser.create({ ...builds, adopt: "u1" });
    expect(records()).toEqual([]);
    expect(await run.orgUser.create(builds)).toMatchObject({ id: "u2" });
  });

  test("is not sent where nothing can be recorded, or a record cannot be read", async () => {
    const { folder, start } = processes();
    const broken = join(folder, "broken.json");
    writeFileSync(broken, "{");
    const run = await start([answered("u1")]);
    expect((await failure(run.orgUser.create(builds))).message).toContain(`cannot read ${broken}`);
    expect(await run.orgUser.diff("u7", { ...builds, ...state("u7") }, builds)).toMatchObject({
      changes: false,
    });
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const barred = await start([answered("u1")], { ORGSEAT_CREATIONS: file });
    expect((await failure(barred.orgUser.create(builds))).message).toContain(
      "cannot read the creation records",
    );
    expect([...run.sent(), ...barred.sent()]).toEqual([]);
  });

  test("whose answer cannot be recorded is in the state all the same, with a warning", async () => {
    const { folder, start } = processes();
    const run = await start([
      () => {
        for (const name of readdirSync(folder)) writeFileSync(join(folder, `${name}.new`), "");
        for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o400);
        chmodSync(folder, 0o500);
        return answered("u1");
      },
    ]);
    const made = await run.orgUser.create(builds).finally(() => chmodSync(folder, 0o700));
    expect(made).toMatchObject({ id: "u1" });
    if (process.getuid?.() === 0) return;
    expect(run.messages.map(({ text }) => text).join()).toContain("user u1 was created: cannot record that");
  });
});

function state(userId: string) {
  return { stateVersion: 1, instance: "i1", userId, serviceEmail: null, adopted: false, managed: true };
}

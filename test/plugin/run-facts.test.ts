/** Providers of one program, each in its own process: removal limit, ownership and approved changes hold per run. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { machineMark } from "../../provider/util/running-process.ts";
import { failure, ORGANIZATION, scripted } from "../resources/scripted.ts";
import { pluginClient, secret } from "../setup/plugin-client.ts";
import { writeShownChanges } from "../setup/shown-changes.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const ENGINE = "127.0.0.1:40001";
const raceSchema = z.object({ owners: z.array(z.string()), removed: z.int() });
const common = { organizationId: ORGANIZATION };

/** A run of Pulumi: an engine, and the folder of its creation records. */
class Run {
  readonly engine: string;
  readonly creations: string;
  readonly environment: Readonly<Record<string, string>>;

  constructor(
    environment: Readonly<Record<string, string>> = {},
    engine = ENGINE,
    creations = temporaryFolder(),
  ) {
    this.engine = engine;
    this.creations = creations;
    this.environment = { ORGSEAT_WORK_DIR: creations, ...environment };
  }

  /** Starts the process of one Provider. The service does whatever it asks, and its new users have the same id. */
  async provider(name = "explicit") {
    const answer = ({ method }: { method: string }) =>
      method === "DELETE" ? { status: 204 } : { body: { id: "u1", status: "ok" } };
    const parts = await scripted(answer, this.environment, this.engine);
    const client = await pluginClient(parts.process);
    await client.configure({}, name);
    return { ...parts, ...client };
  }

  get folder(): string {
    return join(this.creations, "runs");
  }

  get file(): string {
    return join(this.folder, `${machineMark()}-${this.engine.replace(":", "_")}`);
  }
}

type Provider = Awaited<ReturnType<Run["provider"]>>;

/** The outputs of a seat that an earlier run assigned. */
const seatOf = (userId: string) => ({
  ...common,
  userId,
  stateVersion: 1,
  instance: `seat-${userId}`,
  adopted: false,
  confirmed: true,
  assignedAt: "2026-01-01T00:00:00Z",
});

const removeSeat = (provider: Provider, userId: string) =>
  provider.delete("SeatAssignment", userId, seatOf(userId));

describe("the removal limit", () => {
  test("counts the people of all Providers of a run", async () => {
    const run = new Run({ ORGSEAT_MAX_REMOVALS: "3" });
    const [first, second] = [await run.provider(), await run.provider()];
    await removeSeat(first, "u1");
    await removeSeat(second, "u2");
    await removeSeat(first, "u3");
    const error = await failure(removeSeat(second, "u4"));
    expect(error.message).toMatch(
      /^removal limit reached: 3 people already lost access in this run \(limit 3/,
    );
    expect(second.sent()).toHaveLength(1);
    await removeSeat(second, "u3");
  });

  test("counts each of two runs at once for itself", async () => {
    const one = new Run({ ORGSEAT_MAX_REMOVALS: "1" });
    const other = new Run({ ORGSEAT_MAX_REMOVALS: "1" }, "127.0.0.1:40002", one.creations);
    await removeSeat(await one.provider(), "u1");
    await removeSeat(await other.provider(), "u2");
    expect(readdirSync(one.folder)).toHaveLength(2);
  });

  test("keeps a run on another machine apart that shares the folder, although its engine has the same address", async () => {
    const run = new Run({ ORGSEAT_MAX_REMOVALS: "1" });
    await removeSeat(await run.provider(), "u1");
    renameSync(run.file, join(run.folder, `another-machine.4026531836-${run.engine.replace(":", "_")}`));
    await removeSeat(await run.provider(), "u2");
    expect(readdirSync(run.folder)).toHaveLength(2);
  });

  test("ignores what an ended run with the same address removed", async () => {
    const run = new Run({ ORGSEAT_MAX_REMOVALS: "1" });
    await removeSeat(await run.provider(), "u1");
    const { pid } = spawnSync(process.execPath, ["--version"]);
    const before = readFileSync(run.file, "utf8").replaceAll(`"${process.pid}@`, `"${pid}@`);
    // Its last line is partial.
    writeFileSync(run.file, `${before}{"map":"removed","key":`);
    await removeSeat(await run.provider(), "u2");
    const error = await failure(removeSeat(await run.provider(), "u3"));
    expect(error.message).toMatch(/^removal limit reached: 1 person/);
  });
});

describe("ownership", () => {
  test("gives a user to one resource, whichever Providers the resources have", async () => {
    const run = new Run();
    const [first, second] = [await run.provider(), await run.provider()];
    const inputs = { ...common, email: "ada@acme.example" };
    const { outs } = await first.create("OrgUser", inputs);
    expect((await failure(second.create("OrgUser", inputs))).message).toContain(
      "another OrgUser of this program manages user u1",
    );
    const other = ["OrgUser", "u1", { ...outs, instance: "other" }, inputs] as const;
    await second.diff(...other, inputs);
    const error = await failure(second.update(...other));
    expect(error.message).toContain("another OrgUser of this program has the same user id");
    const seat = await failure(first.create("SeatAssignment", { ...common, userId: "u1" }));
    expect(seat.message).toContain("two OrgUsers of this program have this user id");
  });

  test("keeps a seat that moved to another Provider", async () => {
    const run = new Run();
    const [first, second] = [await run.provider(), await run.provider()];
    await second.create("SeatAssignment", { ...common, userId: "u1" });
    await removeSeat(first, "u1");
    expect(first.sent()).toEqual([]);
    expect(first.messages.map(({ text }) => text).join()).toContain(
      "another resource of this program manages it",
    );
  });
});

/** Waits for the other process, then claims and removes the same objects as fast as it can. */
const RACE = `
const url = (file) => new URL(file, ${JSON.stringify(new URL("../../provider/safety/", import.meta.url).href)});
const { RunFacts } = await import(url("run-facts.ts"));
const { RemovalLimit } = await import(url("removal-limit.ts"));
const [name, folder, engine, rounds] = process.argv.slice(1);
const facts = new RunFacts(folder, engine);
const [ready, owners] = [facts.map("ready"), facts.map("owners")];
ready.add(name, name);
while (ready.size() < 2);
const result = { owners: [], removed: 0 };
for (let round = 0; round < Number(rounds); round++) {
  result.owners.push(owners.add(String(round), name));
  const organizationId = "o" + round;
  const limit = new RemovalLimit({ maxRemovals: 0, allowedRemovals: { organizationId, people: 1 } }, facts);
  try { await limit.check({ type: "OrgUser", organizationId, userId: name }, name); result.removed++; } catch {}
}
process.stdout.write(JSON.stringify(result));
process.stdin.resume();
`;

test("one of two processes at the same moment gets an object or the last place of the removal limit", async () => {
  const rounds = 500;
  const folder = temporaryFolder();
  const children = ["a", "b"].map((name) =>
    spawn(process.execPath, ["--input-type=module", "-e", RACE, name, folder, ENGINE, String(rounds)]),
  );
  const results = await Promise.all(
    children.map(async ({ stdout }) => raceSchema.parse(JSON.parse(String((await once(stdout, "data"))[0])))),
  );
  for (const { stdin } of children) stdin.end();
  expect(results[0]?.owners).toEqual(results[1]?.owners);
  expect(results.reduce((sum, { removed }) => sum + removed, 0)).toBe(rounds);
});

test("an approved creation is used once, by whichever Provider is first", async () => {
  const file = join(temporaryFolder(), "approved.json");
  const seat = { action: "create", type: "SeatAssignment", subject: "user u1" } as const;
  writeShownChanges(file, { organizationId: ORGANIZATION, changes: [seat] });
  const run = new Run({ ORGSEAT_APPROVED_CHANGES: file });
  const [first, second] = [await run.provider(), await run.provider()];
  await first.create("SeatAssignment", { ...common, userId: "u1" });
  const error = await failure(second.create("SeatAssignment", { ...common, userId: "u1" }));
  expect(error.message).toContain("the preview did not show this change");
  expect(second.sent()).toEqual([]);
});

describe("the file", () => {
  test("admits its user alone, and contains no secret", async () => {
    const run = new Run();
    const provider = await run.provider();
    const credentials = secret({ clientId: "c1", clientSecret: "the-secret-of-c1" });
    await provider.create("OrgUser", { ...common, email: "ada@acme.example", credentials });
    await provider.create("SeatAssignment", { ...common, userId: "u1", credentials });
    expect([run.folder, run.file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    const text = readFileSync(run.file, "utf8");
    expect(text).toContain("u1");
    for (const value of ["the-secret-of-c1", "ada@acme.example"]) expect(text).not.toContain(value);
  });

  test("stops the run before it begins, in one sentence, if it cannot be written", async () => {
    const run = new Run();
    writeFileSync(run.folder, "a file where the folder would be");
    const error = await failure(run.provider());
    expect(error.message).toBe(
      `the Providers of this run cannot share ${run.folder} (EEXIST), so orgseat cannot enforce the removal limit. Make the folder writable, or set ORGSEAT_WORK_DIR to another folder, then run the command again [file-error]`,
    );
  });

  test("stops what comes next if it is lost in the middle", async () => {
    const run = new Run();
    const provider = await run.provider();
    writeFileSync(run.file, "");
    const error = await failure(removeSeat(provider, "u1"));
    expect(error.message).toContain("so orgseat cannot enforce the removal limit");
    expect(provider.sent()).toEqual([]);
  });

  test("exists for the plugin alone, not for dynamic resources", async () => {
    const folder = temporaryFolder();
    const { seat } = await scripted(() => ({ status: 204 }), { ORGSEAT_WORK_DIR: folder });
    await seat.delete("u1", seatOf("u1"));
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

// @module-tag ci
/** What the engine can be told besides the program: under each option, every guarantee holds. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import type { LoggedRequest } from "../../sandbox/service/index.ts";
import { sandbox } from "../setup/sandbox.ts";
import {
  type Declared,
  type Door,
  type Outcome,
  onEachDoor,
  type TestStack,
  testStack,
} from "../setup/stack.ts";

const names = ["ada", "ben", "cleo"];
type Options = Record<string, unknown>;
type Team = (options?: Options) => readonly Declared[];

function member(name: string, options: Options = {}, resource = name): Declared {
  return {
    type: "OrgMember",
    name: resource,
    args: { email: `${name}@acme.example`, seat: true, token: {} },
    options,
  };
}

/** The same person in parts. */
function parts(name: string, options: Options): Declared[] {
  return [
    { type: "OrgUser", name: `${name}-user`, args: { email: `${name}@acme.example` }, options },
    { type: "SeatAssignment", name: `${name}-seat`, args: { userId: `$${name}-user.id` }, options },
    { type: "UserToken", name: `${name}-token`, args: { seat: `$${name}-seat` }, options },
  ];
}

/** Ada, Ben, and Cleo. */
const team: Team = (options = {}) => names.map((name) => member(name, options));
const teamOfParts: Team = (options = {}) => names.flatMap((name) => parts(name, options));
/** The same people under other names, without aliases. */
const renamed = names.map((name) => member(name, {}, `${name}-2`));

/** A stack, and what its runs have sent since the last time this was asked, reads left out. */
async function started(door: Door, resources: readonly Declared[]) {
  const organization = await sandbox({ seats: 20 });
  const stack = await testStack(organization, {}, door);
  stack.programs = "process";
  stack.declare(resources);
  const first = await stack.up();
  expect(first, first.output).toMatchObject({ code: 0 });
  await organization.requests();
  const writes = async (): Promise<LoggedRequest[]> =>
    (await organization.requests()).filter(({ call, method }) => method !== "GET" && call !== "token");
  const snapshot = () => organization.service.management.snapshot();
  return { organization, stack, writes, snapshot };
}

/** The URN of a resource in the state by its name. */
function urnOf(stack: TestStack, name: string): string {
  const found = stack.resources().find(({ urn }) => urn.endsWith(`::${name}`));
  if (found === undefined) throw new Error(`the state has no ${name}`);
  return found.urn;
}

/** One way to run the engine. */
interface Way {
  /** Takes something of two people or more. */
  readonly take: (stack: TestStack) => Promise<Outcome>;
  /** Declares people who are members already as new ones. */
  readonly repeat: (stack: TestStack) => Promise<Outcome>;
}

/** Runs a program without people, or with people under other names. */
function declaring(run: (stack: TestStack) => Promise<Outcome>): Way {
  const after = (resources: readonly Declared[]) => (stack: TestStack) => {
    stack.declare(resources);
    return run(stack);
  };
  return { take: after([]), repeat: after(renamed) };
}

/** Runs the declared program with inputs that a transform changes. */
function transforming(stack: TestStack, type: string, props: Options): Promise<Outcome> {
  const file = join(stack.folder, "index.mjs");
  const before = readFileSync(file, "utf8");
  const transform = `({ type, props, opts }) =>
    type.endsWith(":${type}") ? { props: { ...props, ...${JSON.stringify(props)} }, opts } : undefined`;
  writeFileSync(
    file,
    `import { runtime } from "@pulumi/pulumi";\nruntime.registerResourceTransform(${transform});\n${before}`,
  );
  return stack.up().finally(() => writeFileSync(file, before));
}

const stateSchema = z.looseObject({
  checkpoint: z.looseObject({
    latest: z.looseObject({ resources: z.array(z.looseObject({ id: z.string().optional() })) }),
  }),
});

/** As a provider marks its resources whose state is to be read before each update. */
function refreshBeforeUpdate(stack: TestStack): void {
  const state = stateSchema.parse(JSON.parse(readFileSync(stack.stateFile, "utf8")));
  for (const resource of state.checkpoint.latest.resources)
    if (resource.id !== undefined) resource.refreshBeforeUpdate = true;
  writeFileSync(stack.stateFile, JSON.stringify(state));
}

const each = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value]);

async function planned(stack: TestStack): Promise<Outcome> {
  const preview = await stack.preview("--save-plan", "plan.json");
  return preview.code === 0 ? stack.up("--plan", "plan.json") : preview;
}

const ways: Readonly<Record<string, Way>> = {
  "--exclude": declaring((stack) => stack.up("--exclude", "**::cleo*")),
  refreshBeforeUpdate: declaring((stack) => {
    refreshBeforeUpdate(stack);
    return stack.up();
  }),
  "--refresh --run-program": declaring((stack) => stack.up("--refresh", "--run-program")),
  "a transform": {
    take: (stack) => transforming(stack, "OrgMember", { token: { rotation: "2" } }),
    repeat: (stack) => transforming(stack, "OrgMember", { email: "ada@acme.example" }),
  },
  "--save-plan and --plan": declaring(planned),
};

onEachDoor("options of the engine", (door) => {
  test.each(Object.entries(ways))(
    "%s: protected people lose nothing, the limit counts people, a member is never added twice",
    async (name, { take, repeat }) => {
      const { stack, writes, snapshot } = await started(door, team({ protect: true }));
      const isProtected = await take(stack);
      expect(isProtected.code).not.toBe(0);
      expect(isProtected.output).toContain("protect");
      expect(await writes()).toEqual([]);

      stack.declare(team());
      expect(await stack.up()).toMatchObject({ code: 0 });
      const { users } = await snapshot();
      const repeated = await repeat(stack);
      expect(repeated.code).not.toBe(0);
      const sent = await writes();
      // The order of the registrations decides whether a check of the plugin finds the same email first.
      const isFound = name === "a transform" && repeated.output.includes("[duplicate-declaration]");
      expect(sent.length > 0 || isFound, repeated.output).toBe(true);
      expect(sent.filter(({ call, status }) => call !== 5 || status !== 409)).toEqual([]);
      expect((await snapshot()).users).toEqual(users);

      stack.declare(team());
      stack.environment.ORGSEAT_MAX_REMOVALS = "1";
      const limited = await take(stack);
      expect(limited.code).not.toBe(0);
      // Deletions begin at the same time: more of them than the limit, and none is sent.
      const areDeletions = name !== "a transform";
      expect(limited.output).toMatch(
        areDeletions
          ? /removal limit reached: at least [23] people would lose access in this run \(limit 1/
          : /removal limit reached: 1 person already lost access in this run/,
      );
      const lost = (await writes()).filter(({ method }) => method === "DELETE");
      expect(new Set(lost.map(({ userId }) => userId)).size).toBe(areDeletions ? 0 : 1);
    },
  );

  test("a forced replacement of users, seats, and tokens wired by hand takes nothing, and adds nobody twice", async () => {
    const { stack, writes, snapshot } = await started(door, teamOfParts());
    const before = await snapshot();
    const urns = ["ada-user", "ben-seat", "cleo-token"].map((name) => urnOf(stack, name));
    const tainted = async () => {
      for (const urn of urns) await stack.pulumi("state", "taint", urn, "--yes");
      const run = await stack.up("--continue-on-error");
      for (const urn of urns) await stack.pulumi("state", "untaint", urn, "--yes");
      return run;
    };
    const forced = (flag: string) => stack.up(...each(flag, urns), "--continue-on-error");
    for (const run of [() => forced("--replace"), () => forced("--target-replace"), tainted]) {
      const { code, output } = await run();
      expect(code, output).not.toBe(0);
      const done = (await writes()).filter(({ status }) => status === null || status < 400);
      // A repeated "assign seat" assigns no second seat.
      expect(done.filter(({ call }) => call !== 6)).toEqual([]);
      expect(await snapshot()).toMatchObject({ users: before.users, tokens: before.tokens });
    }
    stack.declare(teamOfParts());
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  test("a machine user whose creation got no answer is never added again, but by the command that the error names", async () => {
    const builds: Declared = { type: "OrgUser", name: "builds", args: { purpose: "Linux builds" } };
    const { organization, stack, writes } = await started(door, [member("ada")]);
    const { management } = organization.service;
    await management.addFaults({ match: { call: 5 }, fault: { kind: "cut-before" } });
    stack.declare([member("ada"), builds]);
    expect((await stack.up()).output).toContain("A machine user named Linux builds may now exist");
    await writes();
    const runs = [
      () => stack.up("--refresh"),
      () => stack.up("--refresh", "--run-program"),
      () => transforming(stack, "OrgUser", { lastName: "of CI" }),
      () => planned(stack),
      () => {
        refreshBeforeUpdate(stack);
        return stack.up("--exclude", "**::ada*");
      },
    ];
    for (const run of runs) {
      // As in a pipeline: each run has the repository and the backend alone.
      rmSync(join(stack.folder, ".orgseat"), { recursive: true, force: true });
      expect((await run()).code).not.toBe(0);
      expect(await writes()).toEqual([]);
    }
    stack.declare([member("ada"), builds]);
    expect((await stack.up()).output).toContain("requested Linux builds and got no answer");
    const decided = await stack.up("--replace", urnOf(stack, "builds"));
    expect(decided, decided.output).toMatchObject({ code: 0 });
    expect((await writes()).map(({ call }) => call)).toEqual([5]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  test("--exclude of the new name of a renamed resource removes the old one: the provider sees no other owner", async () => {
    const { stack, writes } = await started(door, team());
    stack.declare(renamed.slice(0, 1).concat(team().slice(1)));
    const run = await stack.up("--exclude", "**::ada-2*");
    expect(run, run.output).toMatchObject({ code: 0 });
    expect((await writes()).map(({ call }) => call)).toEqual([9, 10, 11]);
  });

  test("deletedWith drops seat and token unsent, so the removal of their user fails: nothing is lost unseen", async () => {
    const options = { deletedWith: "$ada" };
    const { stack, writes, snapshot } = await started(door, [
      { type: "OrgUser", name: "ada", args: { email: "ada@acme.example" } },
      { type: "SeatAssignment", name: "seat", args: { userId: "$ada.id" }, options },
      { type: "UserToken", name: "token", args: { seat: "$seat" }, options },
    ]);
    stack.declare([]);
    const run = await stack.up();
    expect(run.code).not.toBe(0);
    expect(run.output).toContain("still has a seat or a token");
    expect(run.output).toContain("`deletedWith`");
    const sent = await writes();
    expect(sent.filter(({ call, status }) => call !== 11 || status !== 409)).toEqual([]);
    expect(stack.resources().map(({ id }) => id)).toEqual([(await snapshot()).users[0]?.userId]);
  });
});

test("pulumi do adds a person once, and takes no membership away that no state has", async () => {
  const organization = await sandbox({}, undefined, "anaconda");
  const stack = await testStack(organization);
  const plugin = join(packageRoot, "plugin/pulumi-resource-orgseat");
  const doing = (verb: string, ...args: string[]) =>
    stack.pulumi("do", "--package", plugin, "orgseat:index:OrgUser", verb, ...args, "--stateless", "--yes");
  const writes = async () =>
    (await organization.requests()).filter(({ call, method }) => method !== "GET" && call !== "token");
  const added = await doing("create", "--email", "ada@acme.example");
  expect(added, added.output).toMatchObject({ code: 0 });
  const again = await doing("create", "--email", "ada@acme.example");
  expect(again.output).toContain("is already a member");
  expect((await writes()).map(({ call, status }) => [call, status])).toEqual([[5, 200]]);
  const { users } = await organization.service.management.snapshot();
  const ada = users.find(({ email }) => email === "ada@acme.example");
  const deleted = await doing("delete", ada?.userId ?? "");
  expect(deleted, deleted.output).toMatchObject({ code: 0 });
  expect(await writes()).toEqual([]);
  expect((await organization.service.management.snapshot()).users).toEqual(users);
});

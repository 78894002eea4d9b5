// @module-tag ci
/** Each option of Pulumi on a member, as the table in docs/resources/org-member.md says: result, and calls on the wire. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { page, section, tableRows } from "../docs/pages.ts";
import { numbers } from "../provider/member/run.ts";
import { sandbox } from "../setup/sandbox.ts";
import {
  type Declared,
  type Door,
  type Outcome,
  onEachDoor,
  type TestStack,
  testStack,
} from "../setup/stack.ts";
import { stateResources } from "../setup/state-file.ts";

type Props = Readonly<Record<string, unknown>>;

/** The member in question. */
function ada(args: Props = {}, options: Props = {}, name = "ada"): Declared {
  return {
    ...{ type: "OrgMember", name, options },
    args: { email: "ada@acme.example", seat: true, token: {}, ...args },
  };
}

const ben: Declared = {
  type: "OrgMember",
  name: "ben",
  args: { email: "ben@acme.example", seat: false },
};
function builds(options: Props = {}): Declared {
  return {
    ...{ type: "OrgMember", name: "ada", options },
    args: { purpose: "Linux builds", seat: true, token: {} },
  };
}
const renamed = { email: "lovelace@acme.example" };
const rotated = { token: { rotation: "2" } };

function urnOf(stack: TestStack, name = "ada"): string {
  const found = stateResources(stack.stateFile).find(({ urn }) => urn.endsWith(`::${name}`));
  if (found === undefined) throw new Error(`the state has no ${name}`);
  return found.urn;
}

interface Change {
  readonly before: readonly Declared[];
  /** Options that a transform gives every member, in all runs. */
  readonly transform?: Props;
  /** What the program declares then. Default: the same. */
  readonly after?: (userId: string) => readonly Declared[];
  readonly run?: (stack: TestStack, userId: string) => Promise<Outcome>;
  /** Where the row is about one of the two. */
  readonly door?: Door;
  readonly platform?: PlatformName;
}

const up =
  (...flags: readonly string[]) =>
  (stack: TestStack) =>
    stack.up(...flags.map((flag) => (flag === "ada" ? urnOf(stack) : flag)));

/** Of `options`, what happens to a member that has them. */
function withOptions(
  options: Props,
  after: (options: Props) => readonly Declared[],
  more: Partial<Change> = {},
): Change {
  return { before: [ada({}, options)], after: () => after(options), ...more };
}

const replaced = { before: [ada()], run: up("--replace", "ada") };

/** By the first cell of the row. */
const changes: Readonly<Record<string, Change>> = {
  "`protect: true`; remove the member": withOptions({ protect: true }, () => []),
  "`protect: true`; change `email`": withOptions({ protect: true }, (options) => [ada(renamed, options)]),
  "`protect` from a transform or a parent; change `email`": {
    ...{ before: [ada()], transform: { protect: true }, after: () => [ada(renamed)] },
  },
  "`retainOnDelete: true`; remove the member": withOptions({ retainOnDelete: true }, () => []),
  "`retainOnDelete: true`; change `email`": withOptions({ retainOnDelete: true }, (options) => [
    ada(renamed, options),
  ]),
  "`deletedWith` another resource; remove both": {
    ...{ before: [ben, ada({}, { deletedWith: "$ben" })], after: () => [] },
  },
  "`replaceOnChanges`": withOptions({}, () => [ada({}, { replaceOnChanges: ["email"] })]),
  '`replaceOnChanges: ["email"]` from a transform, with the plugin; change `email`': {
    ...{ before: [ada()], transform: { replaceOnChanges: ["email"] }, after: () => [ada(renamed)] },
    door: "plugin",
  },
  "`replacementTrigger`; change it": withOptions({ replacementTrigger: 1 }, () => [
    ada({}, { replacementTrigger: 2 }),
  ]),
  "`--replace`, `--target-replace`": replaced,
  "`pulumi state taint`": {
    before: [ada()],
    run: async (stack) => {
      const tainted = await stack.pulumi("state", "taint", urnOf(stack), "--yes");
      return tainted.code === 0 ? stack.up() : tainted;
    },
  },
  "`--replace` of a machine user": { ...replaced, before: [builds()] },
  "`--replace`, with `adopt` of its own user": { ...replaced, after: (adopt) => [ada({ adopt })] },
  "the same, with `replaceExisting: true`": {
    ...{ ...replaced, after: (adopt) => [ada({ adopt, token: { replaceExisting: true } })] },
  },
  "`deleteBeforeReplace: true`; `--replace`": {
    ...replaced,
    before: [ada({}, { deleteBeforeReplace: true })],
  },
  "`deleteBeforeReplace: true`; `--replace` of a machine user": {
    ...{ ...replaced, before: [builds({ deleteBeforeReplace: true })] },
  },
  '`import: "<user id>"`': importing("dynamic"),
  '`import: "<user id>"`, with the plugin on `anaconda`': importing("plugin"),
  '`ignoreChanges: ["token"]`; change `token.rotation`': withOptions(
    { ignoreChanges: ["token"] },
    (options) => [ada(rotated, options)],
  ),
  "`aliases`; rename the resource": withOptions({}, () => [
    ada({}, { aliases: [{ name: "ada" }] }, "countess"),
  ]),
  "no `aliases`; rename the resource": withOptions({}, () => [ada({}, {}, "countess")]),
  "`--target` or `--exclude`, without the member; remove it": {
    ...{ before: [ada()], after: () => [], run: up("--exclude", "ada") },
  },
};

/** A member whom the state has lost. */
function importing(door: Door): Change {
  return {
    ...{ before: [ada()], door, platform: door === "plugin" ? "anaconda" : "basic" },
    after: (userId) => [ada({}, { import: userId })],
    run: async (stack) => {
      const forgotten = await stack.pulumi("state", "delete", urnOf(stack), "--yes");
      return forgotten.code === 0 ? stack.up() : forgotten;
    },
  };
}

/** Has the program give its members more options. */
function transform(stack: TestStack, options: Props): void {
  const file = join(stack.folder, "index.mjs");
  const merged = `({ type, props, opts }) =>
    type.endsWith(":OrgMember") ? { props, opts: { ...opts, ...${JSON.stringify(options)} } } : undefined`;
  writeFileSync(
    file,
    `import { runtime } from "@pulumi/pulumi";\nruntime.registerResourceTransform(${merged});\n${readFileSync(file, "utf8")}`,
  );
  stack.programs = "process";
}

const names = new Map<unknown, string>(Object.entries(numbers).map(([name, number]) => [number, name]));

/** The last two cells of a row: whether the run succeeds, and the calls, refused ones marked. */
async function seenOf(change: Change, door: Door): Promise<[result: string, calls: string]> {
  const organization = await sandbox({ seats: 20 }, undefined, change.platform ?? "basic");
  const stack = await testStack(organization, {}, change.door ?? door);
  const { management } = organization.service;
  if (change.transform) transform(stack, change.transform);
  stack.declare(change.before);
  expect(await stack.up()).toMatchObject({ code: 0 });
  await organization.requests();
  const { users } = await management.snapshot();
  const userId = users.find(({ email }) => email !== "ben@acme.example")?.userId ?? "";
  if (change.after) stack.declare(change.after(userId));
  const { code } = await (change.run ?? up())(stack, userId);
  const requests = (await organization.requests()).filter(({ method }) => method !== "GET");
  const calls = requests.flatMap((request) => {
    const name = names.get(request.call);
    // Ben has no seat, and loses no more than the membership.
    if (name === undefined || isBen(request.userId)) return [];
    return (request.status ?? 0) < 400 ? name : `${name} (refused)`;
  });
  function isBen(id: string | null): boolean {
    return users.some((user) => user.userId === id && user.email === "ben@acme.example");
  }
  return [code === 0 ? "succeeds" : "fails", calls.join(", ") || "none"];
}

const [, ...rows] = tableRows(section(page("docs/resources/org-member.md"), "Options of Pulumi"));

test("each row of the table is tried", () => {
  expect(rows.map(([title]) => title)).toEqual(Object.keys(changes));
});

function tries(door: Door, ofDoor: readonly (readonly [title: string, change: Change])[]): void {
  test.each(ofDoor)("%s", async (title, change) => {
    const [, result, calls] = rows.find(([first]) => first === title) ?? [];
    expect(await seenOf(change, door)).toEqual([result, calls]);
  });
}

onEachDoor("the options of a member", (door) => {
  tries(
    door,
    Object.entries(changes).filter(([, change]) => change.door === undefined),
  );
});

describe.each(["dynamic", "plugin"] as const)("the options of a member that differ, %s", (door) => {
  tries(
    door,
    Object.entries(changes).filter(([, change]) => change.door === door),
  );
});

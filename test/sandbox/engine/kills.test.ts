/** The engine is killed at each of its writes and at each answer of its provider; the next command knows what was done. */
import { cpSync, readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listFolder } from "../../../sandbox/engine/backend.ts";
import { type DeploymentJson, parseExport } from "../../../sandbox/engine/deployment/checkpoint.ts";
import type { ResourceJson } from "../../../sandbox/engine/deployment/state.ts";
import { checkEach, type Suite } from "../../setup/cases.ts";
import { nodeOptions } from "../../setup/quick-node.ts";
import { finished, type ProgramSpec, type Result, Stack, standIn } from "./harness.ts";
import { hosted } from "./program-host.ts";

type Moment = "before" | "amid" | "after";
interface Case {
  readonly at: "KILL_AT_WRITE" | "KILL_AT_CALL";
  readonly point: string;
}

/** Five stay, of which one is updated, two replaced and one follows each of them; two go, three come. */
const first: ProgramSpec = {
  inTurn: true,
  resources: [
    { name: "group", kind: "component" },
    { name: "still", inputs: { value: 1, password: { secret: "hush" } } },
    { name: "updated", inputs: { value: 1, of: { ref: "still.id" } }, opts: { parent: "group" } },
    { name: "newFirst", inputs: { value: 1, replaceOn: ["value"] } },
    { name: "behindNew", inputs: { of: { ref: "newFirst.id" } } },
    { name: "oldFirst", inputs: { value: 1, replaceOn: ["value"], deleteFirst: true } },
    { name: "behindOld", inputs: { of: { ref: "oldFirst.id" }, replaceOn: ["of"], deleteFirst: true } },
    { name: "gone", inputs: { value: 1 } },
    { name: "goneToo", inputs: { of: { ref: "gone.id" } } },
  ],
  outputs: { last: { ref: "updated.out" } },
};
const second: ProgramSpec = {
  ...first,
  resources: [
    ...first.resources
      .filter(({ name }) => !name.startsWith("gone"))
      .map((spec) => (spec.inputs?.value === 1 && spec.name !== "still" ? changed(spec) : spec)),
    { name: "came", inputs: { value: 1 } },
    { name: "cameToo", inputs: { of: { ref: "came.id" } }, opts: { parent: "group" } },
    { name: "cameLast", inputs: { of: { ref: "cameToo.out" }, password: { secret: "hush" } } },
  ],
  outputs: { last: { ref: "cameLast.out" }, password: { ref: "cameLast.password" } },
};
const names = second.resources.filter(({ kind }) => kind !== "component").map(({ name }) => name);

function changed(spec: ProgramSpec["resources"][number]): ProgramSpec["resources"][number] {
  return { ...spec, inputs: { ...spec.inputs, value: 2 } };
}

/** What a killed run may have asked of the provider, each once. */
const wanted = {
  create: ["newFirst", "oldFirst", "behindOld", "came", "cameToo", "cameLast"],
  update: ["updated", "behindNew"],
  delete: ["newFirst", "oldFirst", "behindOld", "gone", "goneToo"],
};

const up = ["up", "--yes", "--skip-preview", "--non-interactive", "--parallel", "1"];
const preload = createRequire(import.meta.url).resolve("./fixture/kill.cjs");

/** Runs a command with the program at hand; in a process of its own where it is to be killed. */
async function run(stack: Stack, args: string[], kill?: Record<string, string>): Promise<Result> {
  const client = `--client=${await hosted(stack.folder, "./book.cjs")}`;
  const whole = [...args, client, "--exec-kind", "auto.inline"];
  if (!kill) return stack.runHere(...whole);
  const NODE_OPTIONS = `${nodeOptions} --require=${JSON.stringify(preload)}`;
  return finished(stack.start(whole, { ...kill, NODE_OPTIONS }));
}

/** A stack on which the first program has run and the second is to run. */
async function prepare(): Promise<Stack> {
  const stack = await Stack.make(standIn);
  await stack.program(first);
  const made = await run(stack, up);
  if (made.code !== 0) throw new Error(made.stdout + made.stderr);
  await stack.program(second);
  return stack;
}

async function copyOf(original: Stack): Promise<Stack> {
  const stack = await Stack.make(standIn);
  for (const part of ["backend", "Pulumi.dev.yaml", "program.json", "calls.jsonl"]) {
    cpSync(join(original.folder, part), join(stack.folder, part), { recursive: true });
  }
  return stack;
}

/** All points of the run of the second program, found by a run that is not killed. */
async function pointsOf(original: Stack): Promise<Case[]> {
  const stack = await copyOf(original);
  const file = join(stack.folder, "writes");
  stack.calls();
  const whole = await run(stack, up, { WRITES: file });
  if (whole.code !== 0) throw new Error(whole.stdout + whole.stderr);
  const writes = readFileSync(file, "utf8").trimEnd().split("\n");
  const calls = stack.calls().length + 1;
  await stack.remove();
  const moments = (halves: boolean): Moment[] => (halves ? ["before", "amid", "after"] : ["before", "after"]);
  return [
    ...writes.flatMap((write, index) =>
      moments(write.startsWith("whole")).map(
        (moment): Case => ({ at: "KILL_AT_WRITE", point: `${index + 1} ${moment}` }),
      ),
    ),
    ...Array.from({ length: calls }, (_, index) => index).flatMap((index) =>
      moments(false).map((moment): Case => ({ at: "KILL_AT_CALL", point: `${index + 1} ${moment}` })),
    ),
  ];
}

/** A call of the provider that changes what exists. */
interface Change {
  readonly verb: string;
  readonly name: string;
  readonly id: string;
}

/** What the service was asked to change, and what exists by that: the provider's own book. */
class Book {
  readonly changes: Change[] = [];
  readonly ids = new Set<string>();

  constructor(folder: string) {
    const counts = new Map<string, number>();
    for (const line of readFileSync(join(folder, "calls.jsonl"), "utf8").trimEnd().split("\n")) {
      const [verb = "", name = "", given = ""] = String(JSON.parse(line)[0]).split(" ");
      const count = (counts.get(name) ?? 0) + (verb === "create" ? 1 : 0);
      counts.set(name, count);
      const id = verb === "create" ? `${name}-${count}` : given;
      if (verb === "create") this.ids.add(id);
      if (verb === "delete" || verb === "taken") this.ids.delete(id);
      if (/^(create|update|delete)$/.test(verb)) this.changes.push({ verb, name, id });
    }
  }
}

const nameOf = (urn: string) => urn.split("::").at(-1) ?? "";
const isThing = ({ type }: ResourceJson) => type.startsWith("pulumi-nodejs:test:");

interface Known {
  readonly things: ResourceJson[];
  readonly pending: string[];
}

/** What the state holds, which must be valid. */
function known(deployment: DeploymentJson | undefined): Known {
  const resources = deployment?.resources ?? [];
  const seen = new Set<string>();
  for (const state of resources) {
    const { urn, parent, provider, dependencies, propertyDependencies, deletedWith } = state;
    const needed = [
      ...[parent, deletedWith, provider?.split("::").slice(0, -1).join("::")].filter(Boolean),
      ...(dependencies ?? []),
      ...Object.values(propertyDependencies ?? {}).flatMap((urns) => urns ?? []),
    ];
    expect(
      needed.filter((one) => one !== undefined && !seen.has(one)),
      `what ${urn} needs stands before it`,
    ).toEqual([]);
    seen.add(urn);
  }
  const current = resources.filter((state) => !state.delete).map(({ urn }) => urn);
  expect(new Set(current).size, "each resource stands there once").toBe(current.length);
  const operations = deployment?.pending_operations ?? [];
  return {
    things: resources.filter(isThing),
    pending: operations.map(({ resource, type }) => `${type} ${nameOf(resource.urn)}`),
  };
}

async function exported(stack: Stack): Promise<{ deployment: DeploymentJson | undefined; stderr: string }> {
  const { stdout, stderr } = await stack.runHere("stack", "export");
  return { deployment: parseExport(stdout), stderr };
}

/** All that exists is in the state or pending, and the other way round. */
function expectAllKnown({ things, pending }: Known, { ids }: Book): void {
  const inState = new Set(things.filter((state) => !state.pendingReplacement).map(({ id }) => id ?? ""));
  const orphans = [...ids].filter(
    (id) => !inState.has(id) && !pending.includes(`creating ${id.slice(0, id.lastIndexOf("-"))}`),
  );
  expect(orphans, "exists and is not known").toEqual([]);
  const ghosts = things.filter(
    ({ id = "", urn, pendingReplacement }) =>
      !pendingReplacement && !ids.has(id) && !pending.includes(`deleting ${nameOf(urn)}`),
  );
  expect(ghosts, "is known and does not exist").toEqual([]);
}

/** What a person does about interrupted creations: takes away at the service what came of them, and clears them. */
async function clearCreations(stack: Stack, { things, pending }: Known, { ids }: Book): Promise<void> {
  const inState = new Set(things.map(({ id }) => id));
  const interrupted = pending.filter((one) => one.startsWith("creating "));
  if (interrupted.length === 0) return;
  for (const id of [...ids].filter((id) => !inState.has(id))) {
    await appendFile(
      join(stack.folder, "calls.jsonl"),
      `${JSON.stringify([`taken ${id.slice(0, id.lastIndexOf("-"))} ${id}`])}\n`,
    );
  }
  const refresh = ["refresh", ...up.slice(1), "--clear-pending-creates"];
  expect(await run(stack, refresh)).toMatchObject({ code: 0 });
}

/**
 * Each was asked once, or once more where nobody could tell whether it was done. Pulumi deletes twice, too, what it has
 * deleted with another that was to be replaced, if that one is still there.
 */
function expectNoneTwice({ changes }: Book, { things, pending }: Known, before: number): void {
  const again = { create: "creating", update: "updating", delete: "deleting" };
  const dragged = things.filter((state) => state.pendingReplacement && nameOf(state.urn) === "behindOld");
  for (const verb of ["create", "update", "delete"] as const) {
    const asked = changes.slice(before).filter((change) => change.verb === verb);
    for (const { name, id } of asked) {
      expect(wanted[verb], `${verb} ${id} is what the program asks for`).toContain(name);
      const times = asked.filter((one) => (verb === "create" ? one.name === name : one.id === id)).length;
      const unclear = pending.includes(`${again[verb]} ${name}`) || dragged.some((state) => state.id === id);
      const allowed = unclear ? 2 : 1;
      expect(times, `${verb} ${id}`).toBeLessThanOrEqual(allowed);
    }
  }
}

async function holds(stack: Stack, { at, point }: Case): Promise<void> {
  const before = new Book(stack.folder).changes.length;
  const killed = await run(stack, up, { [at]: point });
  expect(killed.code, killed.stdout + killed.stderr).toBe(null);
  const locked = listFolder(join(stack.folder, "backend/.pulumi/locks/organization/test/dev")).length > 0;

  const { deployment, stderr } = await exported(stack);
  expect(stderr).toMatch(
    locked ? /^warning: took over the lock of process \d+, which no longer runs.*\n$/ : /^$/,
  );
  const left = known(deployment);
  const book = new Book(stack.folder);
  expectAllKnown(left, book);
  await clearCreations(stack, left, book);

  const again = await run(stack, up);
  expect(again, again.stdout + again.stderr).toMatchObject({ code: 0 });
  const last = new Book(stack.folder);
  expectNoneTwice(last, left, before);
  const end = known((await exported(stack)).deployment);
  expect(end.pending).toEqual([]);
  expect(end.things.map(({ urn }) => nameOf(urn)).toSorted()).toEqual(names.toSorted());
  expect(new Set(end.things.map(({ id }) => id))).toEqual(last.ids);
  const preview = await run(stack, ["preview", "--non-interactive", "--expect-no-changes"]);
  expect(preview, preview.stdout + preview.stderr).toMatchObject({ code: 0, stderr: "" });
}

test("killed before, amid and after each write, before and after each answer: nothing is lost, doubled or repeated blindly", {
  timeout: 3_600_000,
}, async () => {
  const original = await prepare();
  const cases = await pointsOf(original);
  const suite: Suite = { name: "engine: kills", level: "E", cases: cases.length };
  await checkEach(suite, cases, async (one) => {
    const stack = await copyOf(original);
    try {
      await holds(stack, one);
    } finally {
      await stack.remove();
    }
  });
  await original.remove();
});

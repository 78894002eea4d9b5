/** The engine is killed at each of its writes and at each answer of its provider; the next command knows what was done. */
import { cpSync, readFileSync } from "node:fs";
import { appendFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listFolder } from "../../../sandbox/engine/backend/backend.ts";
import { type DeploymentJson, parseExport } from "../../../sandbox/engine/deployment/checkpoint.ts";
import { checkEach, type Suite } from "../../setup/cases.ts";
import { nodeOptions } from "../../setup/quick-node.ts";
import { Book, expectAllKnown, type Known, known, nameOf } from "./book.ts";
import { emulator, finished, type ProgramSpec, type Result, Stack } from "./harness.ts";
import { type ProviderProcess, startProvider } from "./provider-process.ts";

type Moment = "before" | "amid" | "after";
interface Case {
  readonly what: "write" | "call";
  readonly number: number;
  readonly moment: Moment;
}

const thing = (name: string, inputs: Record<string, unknown>, opts = {}) => ({
  ...{ name, inputs, opts },
  provider: "booked",
});

/** One of each stays, is updated, is replaced, follows what is replaced; two go, three come. */
const program = (value: number, others: ReturnType<typeof thing>[]): ProgramSpec => ({
  inTurn: true,
  resources: [
    { name: "group", kind: "component" },
    thing("still", { value: 1, password: { secret: "hush" } }),
    thing("updated", { value, of: { ref: "still.id" } }, { parent: "group" }),
    thing("newFirst", { value, replaceOn: ["value"] }),
    thing("behindNew", { of: { ref: "newFirst.id" } }),
    thing("oldFirst", { value, replaceOn: ["value"], deleteFirst: true }),
    thing("behindOld", { of: { ref: "oldFirst.id" }, replaceOn: ["of"], deleteFirst: true }),
    ...others,
  ],
  outputs: { out: { ref: "updated.out" }, password: { ref: "still.password" } },
});
const first = program(1, [thing("gone", { value: 1 }), thing("goneToo", { of: { ref: "gone.id" } })]);
const second = program(2, [
  thing("came", { value: 1 }),
  thing("cameToo", { of: { ref: "came.id" } }, { parent: "group" }),
  thing("cameLast", { of: { ref: "cameToo.out" }, password: { secret: "hush" } }),
]);
const names = second.resources.filter(({ kind }) => kind !== "component").map(({ name }) => name);

/** What a killed run may have asked of the provider, each once. */
const wanted = {
  create: ["newFirst", "oldFirst", "behindOld", "came", "cameToo", "cameLast"],
  update: ["updated", "behindNew"],
  delete: ["newFirst", "oldFirst", "behindOld", "gone", "goneToo"],
};

/** A stack, and the process of its provider for all commands. */
interface StackWithProvider {
  readonly stack: Stack;
  readonly provider: ProviderProcess;
}

async function withProvider<Found>(
  stack: Stack,
  act: (target: StackWithProvider) => Promise<Found>,
): Promise<Found> {
  const provider = await startProvider(stack.folder);
  try {
    return await act({ stack, provider });
  } finally {
    provider.stop();
  }
}

async function onCopy<Found>(
  original: Stack,
  act: (target: StackWithProvider) => Promise<Found>,
): Promise<Found> {
  const stack = await Stack.make(emulator);
  for (const part of ["backend", "Pulumi.dev.yaml", "program.json", "calls.jsonl"]) {
    cpSync(join(original.folder, part), join(stack.folder, part), { recursive: true });
  }
  try {
    return await withProvider(stack, act);
  } finally {
    await stack.remove();
  }
}

const agreed = ["--yes", "--skip-preview", "--non-interactive", "--parallel", "1"];

async function succeed({ stack, provider }: StackWithProvider, ...args: string[]): Promise<void> {
  const result = await stack.runInline(args, provider.variables);
  expect(result, result.stdout + result.stderr).toMatchObject({ code: 0 });
}

/** A stack on which the first program has run and the second is to run. */
async function prepare(): Promise<Stack> {
  const stack = await Stack.make(emulator);
  await stack.program(first);
  await withProvider(stack, (target) => succeed(target, "up", ...agreed));
  await stack.program(second);
  return stack;
}

const preload = createRequire(import.meta.url).resolve("./fixture/kill.cjs");

/** Runs the second program in processes of their own. */
async function upToKill(
  { stack, provider }: StackWithProvider,
  variables: Record<string, string>,
): Promise<Result> {
  const NODE_OPTIONS = `${nodeOptions} --require=${JSON.stringify(preload)}`;
  return finished(stack.start(["up", ...agreed], { ...provider.variables, ...variables, NODE_OPTIONS }));
}

/** All points of that run, found by one that is not killed. */
function pointsOf(original: Stack): Promise<Case[]> {
  return onCopy(original, async (target) => {
    const { stack } = target;
    const file = join(stack.folder, "writes");
    stack.asked();
    const whole = await upToKill(target, { WRITES: file });
    if (whole.code !== 0) throw new Error(whole.stdout + whole.stderr);
    const writes = readFileSync(file, "utf8").trimEnd().split("\n");
    const both: Moment[] = ["before", "after"];
    return [
      ...writes.flatMap((write, index) => {
        const moments: Moment[] = write.startsWith("whole") ? ["before", "amid", "after"] : both;
        return moments.map((moment): Case => ({ what: "write", number: index + 1, moment }));
      }),
      ...stack
        .asked()
        .flatMap((_, index) => both.map((moment): Case => ({ what: "call", number: index + 1, moment }))),
    ];
  });
}

/** Kills the run at the point. */
async function kill(target: StackWithProvider, { what, number, moment }: Case): Promise<void> {
  const trigger = join(target.stack.folder, "kill.json");
  if (what === "call") await writeFile(trigger, JSON.stringify({ call: number, moment }));
  const killed = await upToKill(target, what === "write" ? { KILL_AT_WRITE: `${number} ${moment}` } : {});
  await rm(trigger, { force: true });
  expect(killed.code, killed.stdout + killed.stderr).toBe(null);
}

async function exported({
  stack,
}: StackWithProvider): Promise<{ deployment: DeploymentJson | undefined; stderr: string }> {
  const { stdout, stderr } = await stack.runHere("stack", "export");
  return { deployment: parseExport(stdout), stderr };
}

/** What a person does about interrupted creations: takes away at the service what came of them, and clears them. */
async function clearCreations(
  target: StackWithProvider,
  { things, pending }: Known,
  { ids }: Book,
): Promise<void> {
  const inState = new Set(things.map(({ id }) => id));
  const interrupted = pending.filter((one) => one.startsWith("creating "));
  if (interrupted.length === 0) return;
  for (const id of [...ids].filter((id) => !inState.has(id))) {
    await appendFile(
      join(target.stack.folder, "calls.jsonl"),
      `${JSON.stringify([`taken ${id.slice(0, id.lastIndexOf("-"))} ${id}`])}\n`,
    );
  }
  await succeed(target, "refresh", ...agreed, "--clear-pending-creates");
}

/**
 * Each was asked once, or once more where no one could tell whether it was done. Pulumi deletes twice, too, what it has
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

/** What the next command has to say of what is left. */
function takeoverLine({ folder }: Stack): RegExp {
  const backend = join(folder, "backend/.pulumi");
  const has = (place: string) => listFolder(join(backend, place)).some((file) => /\.jsonl?$/.test(file));
  if (!has("locks/organization/test/dev")) return /^$/;
  const recorded = has("journals/test/dev")
    ? ", and merged what it had recorded: .*"
    : ": its update was interrupted";
  return new RegExp(`^warning: took the lock of process \\d+, which no longer runs${recorded}\n$`);
}

async function holds(target: StackWithProvider, one: Case): Promise<void> {
  const { stack } = target;
  const before = new Book(stack.folder).changes.length;
  await kill(target, one);
  const line = takeoverLine(stack);
  const { deployment, stderr } = await exported(target);
  expect(stderr).toMatch(line);
  expect(takeoverLine(stack), "nothing is left to take over").toEqual(/^$/);
  const left = known(deployment);
  const book = new Book(stack.folder);
  expectAllKnown(left, book);
  await clearCreations(target, left, book);

  await succeed(target, "up", ...agreed);
  const last = new Book(stack.folder);
  expectNoneTwice(last, left, before);
  const end = known((await exported(target)).deployment);
  expect(end.pending).toEqual([]);
  expect(end.things.map(({ urn }) => nameOf(urn)).toSorted()).toEqual(names.toSorted());
  expect(new Set(end.things.map(({ id }) => id))).toEqual(last.ids);
  await succeed(target, "preview", "--non-interactive", "--expect-no-changes");
}

test("loses, doubles, and blindly repeats nothing if killed before, amid, or after each write, and before or after each answer", async () => {
  const original = await prepare();
  const cases = await pointsOf(original);
  const suite: Suite = { name: "engine: kills", level: "E", cases: cases.length };
  await checkEach(suite, cases, (one) => onCopy(original, (target) => holds(target, one)));
  await original.remove();
});

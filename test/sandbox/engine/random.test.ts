// @module-tag ci
/** Programs drawn at random, one after the other on one stack, with failures: the stack always finds its way. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseExport } from "../../../sandbox/engine/deployment/checkpoint.ts";
import { checkCases, type Suite } from "../../setup/cases.ts";
import { Book, expectAllKnown, known, nameOf } from "./book.ts";
import { emulator, type ResourceSpec, type Result, Stack } from "./harness.ts";
import { startProvider } from "./provider-process.ts";

const most = 40;
const suite: Suite = { name: "engine: random programs", level: "E", cases: 100 };

/** One resource of one program; it needs others that stand before it in the program. */
const drawnResource = fc.record({
  present: fc.nat(4).map((draw) => draw > 0),
  value: fc.nat(2),
  /** Changes of the value replace it. */
  replaced: fc.boolean(),
  deleteFirst: fc.boolean(),
  /** By the id, by an output that changes with each update, or only in the order. */
  needs: fc.array(fc.tuple(fc.nat(most), fc.constantFrom("id", "out", "order")), { maxLength: 2 }),
  /** Changes of what it needs replace it as well. */
  follows: fc.boolean(),
  grouped: fc.boolean(),
});

const drawnFault = fc.tuple(
  fc.nat(most - 1),
  fc.constantFrom("create", "update", "delete"),
  fc.constantFrom("plain", "partial"),
);

const drawnProgram = fc.record({
  resources: fc.array(drawnResource, { minLength: 1, maxLength: most, size: "max" }),
  faults: fc.array(drawnFault, { maxLength: 6, size: "max" }),
  continues: fc.boolean(),
  parallel: fc.constantFrom(1, 4, 16),
});

type DrawnProgram = typeof drawnProgram extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function resourcesOf({ resources }: DrawnProgram): ResourceSpec[] {
  const specs: ResourceSpec[] = [{ name: "group", kind: "component" }];
  for (const [index, drawn] of resources.entries()) {
    if (!drawn.present) continue;
    const needed = drawn.needs
      .map(([other, by]) => ({ name: `r${other}`, by }))
      .filter(({ name }) => specs.some((spec) => spec.name === name));
    const refs = needed.filter(({ by }) => by !== "order");
    const dependsOn = needed.filter(({ by }) => by === "order").map(({ name }) => name);
    const replaceOn = [
      ...(drawn.replaced ? ["value"] : []),
      ...(drawn.follows ? refs.map((_, place) => `need${place}`) : []),
    ];
    specs.push({
      name: `r${index}`,
      inputs: {
        value: drawn.value,
        replaceOn,
        deleteFirst: drawn.deleteFirst,
        ...Object.fromEntries(refs.map(({ name, by }, place) => [`need${place}`, { ref: `${name}.${by}` }])),
      },
      opts: { ...(dependsOn.length > 0 && { dependsOn }), ...(drawn.grouped && { parent: "group" }) },
    });
  }
  return specs;
}

/** A deletion is done or not: it has no half. */
function faultsOf({ faults }: DrawnProgram): Record<string, string> {
  return Object.fromEntries(
    faults.map(([index, verb, kind]) => [`${verb} r${index}`, verb === "delete" ? "plain" : kind]),
  );
}

type Runner = (...args: string[]) => Promise<Result>;

async function holds(stack: Stack, run: Runner, drawn: DrawnProgram): Promise<void> {
  const resources = resourcesOf(drawn);
  await stack.program(resources);
  await stack.faults(faultsOf(drawn));
  const parallel = ["--parallel", String(drawn.parallel)];
  const up = ["up", "--yes", "--skip-preview", ...parallel];
  const first = await run(...up, ...(drawn.continues ? ["--continue-on-error"] : []));
  await expectValid(stack);

  await stack.faults({});
  if (first.code !== 0) expect(await run(...up), "goes on after a failure").toMatchObject({ code: 0 });
  const { things, pending } = await expectValid(stack);
  expect(pending).toEqual([]);
  const wanted = resources.filter(({ kind }) => kind !== "component").map(({ name }) => name);
  expect(things.map(({ urn }) => nameOf(urn)).toSorted()).toEqual(wanted.toSorted());
  for (const { urn, inputs } of things) {
    const spec = resources.find(({ name }) => name === nameOf(urn));
    expect(inputs?.value, `the value of ${urn}`).toBe(spec?.inputs?.value);
  }
  expect(await run("preview", "--expect-no-changes", ...parallel), "no change after it").toMatchObject({
    code: 0,
    stderr: "",
  });
}

/** The state is valid and knows all that exists, and nothing else. */
async function expectValid(stack: Stack) {
  const { stdout } = await stack.runHere("stack", "export");
  const state = known(parseExport(stdout));
  expectAllKnown(state, new Book(stack.folder));
  return state;
}

test("random programs with failures leave a valid state, converge, and lose or double nothing", async () => {
  await checkCases(suite, fc.array(drawnProgram, { minLength: 2, maxLength: 3 }), async (programs) => {
    const stack = await Stack.make(emulator);
    const provider = await startProvider(stack.folder);
    try {
      writeFileSync(join(stack.folder, "calls.jsonl"), "");
      const run: Runner = (...args) => stack.runInline([...args, "--non-interactive"], provider.variables);
      for (const program of programs) await holds(stack, run, program);
      await stack.program([]);
      const destroyed = await run("destroy", "--yes", "--skip-preview");
      expect(destroyed, destroyed.stdout).toMatchObject({ code: 0 });
      expect([...new Book(stack.folder).ids]).toEqual([]);
    } finally {
      provider.stop();
      await stack.remove();
    }
  });
});

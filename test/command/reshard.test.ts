// @module-tag ci
import fc from "fast-check";
import { expect, test } from "vitest";
import { stackNames } from "../../command/engine/stack-names.ts";
import { countsOf } from "../../command/plan/texts/counts.ts";
import { previewAll, previewOf } from "../../command/preview/preview.ts";
import { addOffboarded } from "../../command/roster/offboarded.ts";
import { shardOf } from "../../command/stacks/shards.ts";
import { entriesOf } from "../../command/stacks/stack-state.ts";
import { type UpOptions, upAll } from "../../command/verbs/up.ts";
import { checkCases } from "../setup/cases.ts";
import {
  type Cut,
  Died,
  engineWith,
  keysOf,
  opener,
  placesOf,
  rosterOf,
  type StoredEngine,
  stateOf,
} from "./stored-engine.ts";

const cutArbitrary: fc.Arbitrary<Cut> = fc.record({
  at: fc.nat(12),
  place: fc.constantFrom("before", "after"),
});
const stacksArbitrary = fc.integer({ min: 1, max: 5 });
const caseArbitrary = fc.record({
  people: fc.integer({ min: 1, max: 12 }),
  from: stacksArbitrary,
  to: stacksArbitrary,
  cut: cutArbitrary,
  /** What the roster says after the cut: the same, another number, or the old one again. */
  afterwards: stacksArbitrary,
});

/** An up that is stopped before its moves, or while the user is asked. */
function stopped(): UpOptions[] {
  const stopping = new AbortController();
  const confirm = async (): Promise<boolean> => {
    stopping.abort();
    return true;
  };
  return [{ signal: AbortSignal.abort() }, { signal: stopping.signal, confirm }];
}

/** As Pulumi holds a state: whatever an entry refers to stands before it. */
function expectSound({ states }: StoredEngine): void {
  for (const [stack, state] of states) {
    const seen = new Set<string>();
    for (const { urn, id, parent, provider, dependencies, outputs } of entriesOf(state)) {
      expect(urn.startsWith(`urn:pulumi:${stack}::`), urn).toBe(true);
      for (const other of [
        ...(parent ? [parent] : []),
        ...(provider ? [provider] : []),
        ...(dependencies ?? []),
      ]) {
        expect(seen.has(other), `${urn} refers to ${other}`).toBe(true);
      }
      expect(seen.has(urn), `${urn} once`).toBe(false);
      seen.add(urn).add(`${urn}::${id}`);
      if (outputs !== undefined) expect(`id-${String(outputs.value).slice("token-of-".length)}`).toBe(id);
    }
  }
}

test("a move that dies at any change of a state loses nobody: the next preview takes nobody away, an up that is declined or stopped moves nobody, and the next up ends it", async () => {
  const suite = { name: "automation: moves between stacks", level: "R", cases: 500 } as const;
  await checkCases(suite, caseArbitrary, async ({ people, from, to, cut, afterwards }) => {
    const keys = keysOf(people);
    const engine = engineWith(keys, from);
    const openText = opener(engine);
    const open = (stacks: number) => openText(rosterOf(keys, stacks));
    const { plan, moving } = await previewAll(await open(to), {});
    expect(plan).toMatchObject({ hasChanges: false, managed: people });
    const [former, wanted] = [stackNames("people", from), stackNames("people", to)];
    const misplaced = keys.filter((key) => former[shardOf(key, from)] !== wanted[shardOf(key, to)]);
    expect(moving.toSorted()).toEqual(misplaced.toSorted());

    engine.cut = cut;
    await open(to)
      .then((organization) => upAll(organization, {}))
      .catch((error: unknown) => expect(error).toBeInstanceOf(Died));
    expect([...placesOf(engine).keys()].toSorted()).toEqual(keys.toSorted());
    expectSound(engine);

    engine.revive();
    const interrupted = structuredClone([...engine.states]);
    const looked = await previewAll(await open(afterwards), {});
    expect(looked.plan).toMatchObject({ hasChanges: false, managed: people });
    expect(countsOf(looked.plan).unchangedPeople, "each person counts once").toBe(people);
    if (looked.moving.length > 0) {
      expect(await upAll(await open(afterwards), { confirm: async () => false })).toMatchObject({
        status: "declined",
        preview: { moving: looked.moving },
      });
      for (const options of stopped()) {
        const result = await upAll(await open(afterwards), options);
        expect(result).toMatchObject({ status: "failed", cancelled: true });
      }
      expect([...engine.states]).toEqual(interrupted);
    }
    expect(await upAll(await open(afterwards), {})).toMatchObject({
      status: "succeeded",
      preview: { plan: { hasChanges: false } },
    });
    const names = stackNames("people", afterwards);
    expect(Object.fromEntries(placesOf(engine))).toEqual(
      Object.fromEntries(keys.map((key) => [key, [names[shardOf(key, afterwards)]]])),
    );
    expectSound(engine);
  });
});

test("a state that another run has changed during a move is not written over", async () => {
  const keys = keysOf(6);
  const engine = engineWith(keys, 1);
  const organization = await opener(engine)(rosterOf(keys, 2));
  engine.meanwhile = () => {
    engine.states.set("people", stateOf("people", [...keys, "newcomer"]));
    engine.meanwhile = undefined;
  };
  await expect(upAll(organization, {})).rejects.toThrow(
    /^cannot move people: another run changed stack people in the meantime.*`orgseat up` again/,
  );
  expect(placesOf(engine).get("newcomer")).toEqual(["people"]);
});

test("one stack that cannot be read leaves the list of the others, and is named", async () => {
  const keys = keysOf(6);
  const engine = engineWith(keys, 3);
  engine.states.set("people-07", stateOf("people-07", ["m0"]));
  engine.unreadable = "people-02";
  const organization = await opener(engine)(rosterOf(keys, 3));
  expect(organization.staleStacks).toEqual(["people-07"]);
  engine.states.delete("people-07");
  const { failures, plan } = await previewOf({ ...organization, staleStacks: [] }, {});
  const unseen = keys.filter((key) => shardOf(key, 3) === 1).map((key) => `${key}@acme.example`);
  expect(failures).toEqual([
    {
      ...{ stack: "people-02", people: unseen, code: "pulumi-failed" },
      text: "the state of stack people-02 cannot be read",
    },
  ]);
  expect(plan.managed).toBe(keys.length - unseen.length);

  engine.unreadable = "people-1024";
  await expect(opener(engine)(rosterOf(keys, 3))).rejects.toThrow("the stacks cannot be listed");
});

test("a guard that stops the plan, and a plan that changes after it was confirmed, come before anybody is moved or removed", async () => {
  const keys = keysOf(8);
  const engine = engineWith(keys, 2);
  const before = structuredClone([...engine.states]);
  const emptied = await opener(engine)(rosterOf([], 3));
  expect(await upAll(emptied, {})).toMatchObject({
    status: "blocked",
    preview: { moving: ["m0", "m2", "m3", "m4", "m7", "m1", "m6"] },
  });
  expect([...engine.states]).toEqual(before);

  const organization = await opener(engine)(rosterOf(keys, 3));
  const confirm = async (): Promise<boolean> => {
    await addOffboarded(organization.offboardedFile, [{ key: "m1", leftAt: "2026-11-22T00:00:00Z" }]);
    return true;
  };
  await expect(upAll(organization, { confirm })).rejects.toThrow(
    /the plan changed after you confirmed it: \d people moved to other stacks.*Run `orgseat up` again/,
  );
  expect([...placesOf(engine).keys()].toSorted()).toEqual(keys);
});

test("one key with two user ids in two stacks is two people: none of them is forgotten by a move", async () => {
  const engine = engineWith(keysOf(2), 1);
  const other = JSON.stringify(stateOf("people-02", ["m0"])).replaceAll("id-m0", "id-of-another");
  engine.states.set("people-02", JSON.parse(other));
  const before = structuredClone([...engine.states]);
  const organization = await opener(engine)(rosterOf(keysOf(2), 1));
  await expect(upAll(organization, {})).rejects.toThrow(
    "cannot move people: m0 has id id-m0 in stack people and id id-of-another in stack people-02",
  );
  expect([...engine.states]).toEqual(before);
});

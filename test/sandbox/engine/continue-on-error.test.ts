// @module-tag ci
/** Where the emulator goes on after a failure and the real CLI 3.260 does not: there it waits for ever. */
import { expect, test } from "vitest";
import { parseExport } from "../../../sandbox/engine/deployment/checkpoint.ts";
import { Book, expectAllKnown, known, nameOf } from "./book.ts";
import { emulator, Stack } from "./harness.ts";

const up = ["up", "--yes", "--skip-preview", "--non-interactive", "--parallel", "1"];

/** Two resources follow a third by its id, unless the first of them is free of it. */
const resources = (value: number, free: boolean) => [
  { name: "root", inputs: { value, replaceOn: ["value"], deleteFirst: true } },
  { name: "one", inputs: { replaceOn: ["of"], ...(!free && { of: { ref: "root.id" } }) } },
  { name: "other", inputs: { of: { ref: "root.id" }, replaceOn: ["of"] } },
];

test("--continue-on-error leaves the dependents of a failed deletion before a replacement unchanged", async () => {
  const stack = await Stack.make(emulator);
  try {
    const state = async () => known(parseExport((await stack.runHere("stack", "export")).stdout));
    await stack.program({ resources: resources(1, false), inTurn: true });
    expect(await stack.runInline(up)).toMatchObject({ code: 0 });
    await stack.program({ resources: resources(2, true), inTurn: true });
    await stack.faults({ "delete other": "plain" });
    expect(await stack.runInline([...up, "--continue-on-error"])).toMatchObject({ code: 1 });
    const left = await state();
    expectAllKnown(left, new Book(stack.folder));
    expect(left.things.map(({ urn, id }) => `${nameOf(urn)} ${id}`).toSorted()).toEqual([
      "one one-1",
      "other other-1",
      "root root-1",
    ]);
    await stack.faults({});
    expect(await stack.runInline(up)).toMatchObject({ code: 0 });
    expectAllKnown(await state(), new Book(stack.folder));
  } finally {
    await stack.remove();
  }
});

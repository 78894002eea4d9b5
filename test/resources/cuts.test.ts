// @module-tag ci
/** Every write, cut before it, after its commit or in the middle of its answer. */
import { describe, test } from "vitest";
import { checkEach } from "../setup/cases.ts";
import type { DirectStack } from "../setup/direct.ts";
import { cases, expectRepaired } from "./cuts.ts";
import { organizationOn } from "./listed.ts";

let count = 0;

/** Of four cases that run, two go through the packaged plugin. */
function through(stack: DirectStack): DirectStack {
  stack.door = Math.floor(count++ / 2) % 2 === 0 ? "dynamic" : "plugin";
  return stack;
}

describe("a write that is cut", () => {
  test("loses and doubles nothing", async () => {
    const organization = await organizationOn("basic");
    await checkEach({ name: "cuts", level: "R", cases: cases.length, quick: 20 }, cases, (one) =>
      expectRepaired(one, organization, through(organization.stack())),
    );
  });
});

import type { Mutant } from "./mutant.ts";

const folder = "test/sdk/automation";

/** Breaks of what runs of organizations are told as: which half of a replacement is done, and of whom. */
export const runMutants: readonly Mutant[] = [
  {
    file: "sdk/automation/engine/steps-of-events.ts",
    tests: [`${folder}/engine/steps-of-events.test.ts`],
    name: "Runs: a token that was revoked before counts as replaced again, and is never done",
    find: 'op === "replace" && !deleteFirst && !this.#madeFirst.has(urn);',
    replace: "false;",
  },
  {
    file: "sdk/automation/engine/steps-of-events.ts",
    tests: [`${folder}/engine/steps-of-events.test.ts`],
    name: "Runs: an old one of an earlier run ends for the one that this run replaces",
    find: 'step?.action === "replace" && step.id === old?.id ? step : undefined;',
    replace: 'step?.action === "replace" ? step : undefined;',
  },
  {
    file: "sdk/automation/plan/people.ts",
    tests: [`${folder}/plan/people.test.ts`],
    name: "Runs: whoever was replaced under a key leaves under the name of the successor",
    find: "step.isReplaced && !own.has(person) ? person : placeOf(step);",
    replace: "placeOf(step);",
  },
  {
    file: "sdk/automation/verdicts.ts",
    tests: [`${folder}/verdicts.test.ts`],
    name: "Runs: a changed email is done while the old membership goes on",
    find: 'return own === "done" ? (old ?? own) : own;',
    replace: "return own;",
  },
  {
    file: "sdk/automation/token.ts",
    tests: ["test/automation/halves.test.ts"],
    name: "Runs: a revoked token is handed out",
    find: "if (entry.pendingReplacement === true) {",
    replace: "if (entry.pendingReplacement === true && entry.delete === true) {",
  },
];

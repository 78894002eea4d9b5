import type { Mutant } from "./mutant.ts";

const folder = "test/sdk/automation";
const ledger = { file: "sdk/automation/step-results.ts", tests: [`${folder}/verdicts.test.ts`] };
const results = { tests: [`${folder}/results.test.ts`] };

/** Breaks of what runs of organizations are told as: which half of a replacement is done, and of whom. */
export const runMutants: readonly Mutant[] = [
  {
    file: "sdk/automation/engine/step-collector.ts",
    tests: [`${folder}/engine/steps-of-events.test.ts`],
    name: "Runs: a token that was revoked before counts as replaced again, and is never done",
    find: 'op === "replace" && !deleteFirst && !this.#madeFirst.has(urn);',
    replace: "false;",
  },
  {
    file: "sdk/automation/engine/step-collector.ts",
    tests: [`${folder}/engine/steps-of-events.test.ts`],
    name: "Runs: an old one of an earlier run ends for the one that this run replaces",
    find: 'step?.action === "replace" && step.id === old?.id ? step : undefined;',
    replace: 'step?.action === "replace" ? step : undefined;',
  },
  {
    file: "sdk/automation/plan/members.ts",
    tests: [`${folder}/plan/people.test.ts`],
    name: "Runs: whoever was replaced under a key leaves under the name of the successor",
    find: "step.isReplaced && !own.has(person) ? person : placeOf(step);",
    replace: "placeOf(step);",
  },
  {
    file: "sdk/automation/step-results.ts",
    tests: [`${folder}/verdicts.test.ts`],
    name: "Runs: a changed email is done while the old membership goes on",
    find: 'return own === "succeeded" ? (old ?? own) : own;',
    replace: "return own;",
  },
  {
    file: "sdk/automation/tokens.ts",
    tests: ["test/automation/halves.test.ts"],
    name: "Runs: a revoked token is handed out",
    find: "if (entry.pendingReplacement === true) {",
    replace: "if (entry.pendingReplacement === true && entry.delete === true) {",
  },
  {
    ...ledger,
    name: "Results: the removal of somebody whom the service does not know is told as done",
    find: 'if (gone.includes("leave")) return true;',
    replace: "",
  },
  {
    ...ledger,
    name: "Results: a token that offboard has revoked is told as gone before",
    find: "this.#revoked.has(id);",
    replace: "this.#revoked.has(track);",
  },
  {
    ...ledger,
    name: "Results: a removal that a lost answer hides is told as somebody else's",
    find: 'if (operation === "delete") this.#perhapsRemoved.add(track);',
    replace: "",
  },
  {
    ...ledger,
    name: "Results: a creation whose answer is lost is sent again by the same command",
    find: "if (LOST.has(failure.code)) this.#lost.add(track);",
    replace: "",
  },
  {
    ...ledger,
    name: "Results: a later refusal hides that an answer was lost",
    find: "if (this.#doubtful.has(track) && this.#faults.has(track)) return;",
    replace: "",
  },
  {
    ...ledger,
    name: "Results: whoever failed for what is told of somebody else counts as failed",
    find: "failure?.isRepetition !== true",
    replace: "failure !== null",
  },
  {
    file: "provider/api/sender.ts",
    tests: ["test/provider/run-report.test.ts"],
    name: "Results: a delete that removed, and whose answer was lost, found nothing",
    find: "mayBeOurs: isDoubtful",
    replace: "mayBeOurs: false",
  },
  {
    ...results,
    file: "sdk/automation/offboard.ts",
    name: "Results: offboard of somebody whom the service does not know under that id ends well",
    find: 'status !== "already-gone") ?? true',
    replace: 'status !== "failed") ?? true',
  },
  {
    ...results,
    file: "sdk/automation/previous-stacks.ts",
    name: "Results: offboard of somebody who was not removed before is nothing to do",
    find: "status !== NOT_FOUND",
    replace: "status !== 0",
  },
  {
    ...results,
    file: "sdk/automation/rounds.ts",
    name: "Results: whoever is without a token waits for others",
    find: 'if (action === "create") return !joining.has(member);',
    replace: 'if (action === "create") return joining.has("");',
  },
  {
    ...results,
    file: "sdk/automation/member-results.ts",
    name: "Results: people of a roster are advised as programs are",
    find: "if (!isRoster || advice === undefined) return inProgram;",
    replace: "if (isRoster || advice === undefined) return inProgram;",
  },
];

import type { Mutant } from "./mutant.ts";

const runner = {
  file: "sdk/automation/engine/runner.ts",
  tests: ["test/sdk/automation/engine/runners.test.ts"],
};

const stopped = "test/sdk/automation/stopped.test.ts";

const attended = (name: string) => ({
  file: `sdk/command/${name}.ts`,
  tests: ["test/sdk/command/attended.test.ts"],
});
const offboard = { file: "sdk/command/offboard.ts", tests: ["test/sdk/command/offboard.test.ts"] };

/** Breaks of runs of an organization: what Ctrl-C stops, what is asked, what is said at the end. */
export const stopMutants: readonly Mutant[] = [
  {
    ...runner,
    name: "Runs: a stop is lost while the stack is opened",
    find: "    signal.throwIfAborted();\n",
    replace: "",
  },
  {
    ...runner,
    name: "Runs: a stop is lost right before Pulumi starts",
    find: 'if (signal.aborted && typeof listener === "function") listener(new Event(type));',
    replace: "",
  },
  {
    ...runner,
    file: "sdk/automation/engine/runners.ts",
    name: "Runs: a stop is lost before the runner is asked",
    find: "if (signal?.aborted) stop();",
    replace: "",
  },
  {
    ...runner,
    name: "Runs: no targets are taken for everything",
    find: "if (targets?.length === 0) throw",
    replace: "if (targets === null) throw",
  },
  {
    ...runner,
    name: "Runs: a program with an open timer keeps its runner for ever",
    find: "underWay.finally(() => process.exit())",
    replace: "underWay",
  },
  {
    ...runner,
    name: "Runs: a run under way ends with the command that began it",
    find: "underWay.finally(() => process.exit())",
    replace: "process.exit()",
  },
  {
    file: "sdk/automation/all-stacks.ts",
    tests: [stopped],
    name: "Runs: a stop is lost while the leaver list is read",
    find: "if (signal?.aborted) {",
    replace: "if (signal === null) {",
  },
  {
    file: "sdk/automation/up.ts",
    tests: [stopped],
    name: "Runs: whoever stops a preview is asked all the same",
    find: "  if (signal?.aborted) return cancelled;\n  const failed",
    replace: "  const failed",
  },
  {
    file: "sdk/automation/up.ts",
    tests: [stopped],
    name: "Runs: the roster is written by a run that was stopped while it asked",
    find: "  if (signal?.aborted) return cancelled;\n  await",
    replace: "  await",
  },
  {
    file: "sdk/automation/up.ts",
    tests: ["test/sdk/automation/reshard.test.ts"],
    only: "stopped before its moves",
    name: "Runs: people are moved between stacks by a run that was stopped",
    find: "options.signal?.aborted === true",
    replace: "options.signal === null",
  },
  {
    file: "sdk/automation/adopt.ts",
    tests: ["test/sdk/automation/adopt.test.ts"],
    name: "Runs: adopt forgets what a removal shall mean where nobody is left to take over",
    find: '  if (result.status === "succeeded" && result.applied === undefined) await write();\n',
    replace: "",
  },
  {
    file: "sdk/automation/adopt.ts",
    tests: ["test/sdk/automation/adopt.test.ts"],
    name: "Runs: adopt writes the roster although it was declined",
    find: 'result.status === "succeeded" && ',
    replace: "",
  },
  {
    file: "sdk/automation/plan/text.ts",
    tests: ["test/sdk/automation/plan/guards.test.ts"],
    name: "Runs: words and Markdown of a changed key do not say which was which",
    find: "details.get(who) ?? ",
    replace: "",
  },
  {
    ...attended("terminal"),
    name: "Runs: destroy --json takes everybody out unasked at a terminal",
    find: "return yes !== true && json !== true && isAttended();",
    replace: "return yes !== true && isAttended();",
  },
  {
    file: "sdk/automation/plan/guards.ts",
    tests: ["test/sdk/automation/figures.test.ts"],
    name: "Runs: a roster about another organization is shown with figures",
    find: 'new Set([\n  "organization",\n',
    replace: "new Set([\n",
  },
  {
    file: "sdk/automation/preview.ts",
    tests: ["test/sdk/automation/figures.test.ts"],
    name: "Runs: a preview that was stopped is shown with figures",
    find: "const isCut = isCancelled || ",
    replace: "const isCut = ",
  },
  {
    file: "sdk/automation/plan/text.ts",
    tests: ["test/sdk/automation/figures.test.ts"],
    name: "Runs: two guards name one person twice",
    find: "      seen.add(who);\n",
    replace: "",
  },
  {
    ...attended("terminal"),
    tests: ["test/automation/command.test.ts"],
    only: "without a terminal up, renew",
    name: "Runs: offboard revokes without a terminal and without --yes",
    find: "  if (!canAsk(options)) throw new Error(NEEDS_YES);\n",
    replace: "  if (!canAsk(options)) return;\n",
  },
  {
    ...attended("session"),
    tests: ["test/automation/command.test.ts"],
    only: "without a terminal up, renew",
    name: "Runs: changes are applied without a terminal and without --yes",
    find: "          if (isUnattended) return false;\n",
    replace: "          if (isUnattended) return true;\n",
  },
  {
    ...attended("session"),
    tests: ["test/automation/command.test.ts"],
    only: "wrong credentials",
    name: "Runs: a plan is confirmed in vain, with wrong credentials",
    find: "if (triesCredentials) await",
    replace: "if (!triesCredentials) await",
  },
  {
    ...attended("session"),
    name: "Runs: adopt asks after the line of progress has begun",
    find: "  await prepare?.(organization);\n",
    replace: '  new ProgressLine("Looking", options.json === true);\n  await prepare?.(organization);\n',
  },
  {
    ...attended("adopt"),
    name: "Runs: adopt --json asks at a terminal",
    find: "if (!canAsk({ json })) {",
    replace: "if (!canAsk({})) {",
  },
  {
    ...offboard,
    name: "Runs: offboard --json leaves out whom nobody knows",
    find: "    unknown,\n    unproven,\n",
    replace: "    unproven,\n",
  },
  {
    ...offboard,
    name: "Runs: offboard says that nothing was changed after it has revoked a token",
    find: "resultToText(result, UNCHANGED)",
    replace: "resultToText(result)",
  },
  {
    name: "Owners: a stack of another roster passes",
    file: "sdk/automation/plan/ownership.ts",
    find: "some((id) => id !== known));",
    replace: "some(() => false));",
    tests: ["test/sdk/automation/plan/ownership.test.ts"],
  },
  {
    name: "Owners: a roster without an id takes things away from a marked stack",
    file: "sdk/automation/plan/ownership.ts",
    find: 'action === "delete" || action === "replace")) return [];',
    replace: 'action === "replace")) return [];',
    tests: ["test/sdk/automation/plan/ownership.test.ts"],
  },
  {
    name: "Owners: a roster that was applied before joins everybody again in a new stack",
    file: "sdk/automation/plan/ownership.ts",
    find: "if (isKnown || isUncertain || coming.length === 0) return [];",
    replace: "if (!isKnown || isUncertain || coming.length === 0) return [];",
    tests: ["test/sdk/automation/plan/ownership.test.ts"],
  },
  {
    name: "Owners: a stack with the name of a shard is taken whoever is in it",
    file: "sdk/automation/organization.ts",
    find: "if (roster.id !== undefined && ids.length > 0) return ids.includes(roster.id);",
    replace: "if (roster.id !== undefined && ids.length > 0) return true;",
    tests: ["test/sdk/automation/other-stacks.test.ts"],
  },
  {
    name: "Owners: the id is not written into the roster",
    file: "sdk/automation/up.ts",
    find: "if (organization.roster.id !== undefined || rosterId === undefined) return undefined;",
    replace: "if (organization.roster.id === undefined || rosterId === undefined) return undefined;",
    tests: ["test/sdk/automation/roster-id.test.ts"],
  },
  {
    name: "Older states: a state from before the last writes is not told",
    file: "sdk/automation/older-states.ts",
    find: "if (last === undefined) return [];",
    replace: 'if (last === undefined || stack !== "") return [];',
    tests: ["test/sdk/automation/roster-id.test.ts"],
  },
];

import type { Mutant } from "./mutant.ts";

const guards = { file: "sdk/automation/plan/guards.ts", tests: ["test/sdk/automation/plan/guards.test.ts"] };
const verbs = { tests: ["test/sdk/automation/verbs.test.ts"] };
const moves = { tests: ["test/sdk/automation/reshard.test.ts"] };
const stacks = { tests: ["test/sdk/automation/other-stacks.test.ts"] };

const unseen = {
  tests: ["test/sdk/automation/unseen.test.ts"],
  only: "while an up waits for its confirmation",
};
const approved = {
  file: "sdk/automation/plan/approved-changes.ts",
  tests: ["test/sdk/automation/plan/approved-changes.test.ts"],
};

const comment = {
  file: "sdk/automation/plan/markdown-text.ts",
  tests: ["test/sdk/automation/plan/markdown.test.ts"],
};
const plans = { tests: ["test/sdk/automation/plan/words.test.ts"] };

/** Breaks of what the verbs do with a whole organization. */
export const automationMutants: readonly Mutant[] = [
  {
    ...guards,
    name: "guards: one person more than the removal limit passes",
    find: "if (count <= limit || namedOneByOne) return [];",
    replace: "if (count <= limit + 1 || namedOneByOne) return [];",
  },
  {
    ...guards,
    name: "guards: any override passes",
    find: "if (override !== undefined && fault === undefined) return [];",
    replace: "if (override !== undefined) return [];",
  },
  {
    ...guards,
    name: "guards: an emptied roster is left to the removal limit",
    find: "roster.people.length === 0 && losingAccess.length > 0",
    replace: "roster.people.length === 0 && losingAccess.length < 0",
  },
  {
    ...guards,
    name: "guards: a row that is lost takes its protection along",
    find: "isHeld(member) || ",
    replace: "",
  },
  {
    ...guards,
    name: "guards: an override never expires",
    file: "sdk/automation/plan/override.ts",
    find: "if (instantMs(until) <= now)",
    replace: "if (Number.isNaN(now))",
  },
  {
    ...verbs,
    name: "up: a managed user whose creation got no answer is asked for again",
    file: "sdk/automation/rounds.ts",
    find: "isManagedUser ? ledger.isDoubtful(step) : ledger.isLost(step)",
    replace: "isManagedUser ? false : ledger.isLost(step)",
  },
  {
    ...unseen,
    name: "up: someone whom the run refused to change has no result",
    file: "sdk/automation/apply.ts",
    find: "this.#unplanned.set(track, step);",
    replace: "void step;",
  },
  {
    ...unseen,
    name: "up: what was refused is tried again",
    file: "sdk/automation/step-results.ts",
    find: "return this.#stacksRefused.has(stack);",
    replace: "return this.#stacksRefused.size < 0;",
  },
  {
    ...unseen,
    name: "up: a later round does not name the users that an earlier one added",
    file: "sdk/automation/rounds.ts",
    find: "urnsOf([...this.#addedUsers(), ...steps], this.#stack)",
    replace: "urnsOf(steps, this.#stack)",
  },
  {
    ...unseen,
    name: "up: the provider gets no list of approved changes",
    file: "sdk/automation/apply.ts",
    find: "ORGSEAT_APPROVED_CHANGES: approved,",
    replace: "",
  },
  {
    ...approved,
    name: "approved changes: an update that notes something renews",
    find: 'deeds.includes("renewToken") || mayRenew',
    replace: 'type === "UserToken" || mayRenew',
  },
  {
    ...approved,
    name: "approved changes: a replacement deletes nothing",
    find: 'action === "replace" ? [...gone, ...made] : made',
    replace: "made",
  },
  {
    ...verbs,
    name: "offboard: a purpose with an @ is taken for an email",
    file: "sdk/automation/stack-state.ts",
    find: "label: names || key, email: undefined",
    replace: 'label: names || key, email: names.includes("@") ? names : undefined',
  },
  {
    ...verbs,
    name: "offboard: nobody is looked for in stacks of another number",
    file: "sdk/automation/stack-state.ts",
    find: "[...own, ...staleStacks]",
    replace: "[...own]",
  },
  {
    ...verbs,
    name: "offboard: people who are to move to another stack stay in",
    file: "sdk/automation/offboard.ts",
    find: "if (!(error instanceof ShardMismatch)) throw error;",
    replace: "throw error;",
  },
  {
    ...comment,
    name: "comment: every word of a reason is shown as it is",
    find: "if (!isPlain(word)) {",
    replace: 'if (word === "") {',
  },
  {
    ...comment,
    name: "comment: a pipe in a name ends its cell",
    find: '.replaceAll("|", "\\\\|")',
    replace: "",
  },
  {
    ...plans,
    name: "plan: mails are counted as if nobody had been asked before",
    file: "sdk/automation/plan/emails.ts",
    find: 'action === "update" ? olds : undefined',
    replace: "undefined",
  },
  {
    ...plans,
    name: "plan: a member who moves to another organization is told as another email",
    file: "sdk/automation/plan/actions-of-step.ts",
    find: 'return "changeOrganization";',
    replace: 'return "changeEmail";',
  },
  {
    name: "report: everybody may read the names of leavers",
    file: "sdk/automation/names.ts",
    find: "mode: 0o600",
    replace: "mode: 0o644",
    tests: ["test/sdk/automation/names.test.ts"],
  },
  {
    name: "rotate: a roster without the mark rotates the token again",
    file: "sdk/automation/all-stacks.ts",
    find: "...withMarksInForce(roster, marks)",
    replace: "...roster",
    tests: ["test/sdk/automation/rotation.test.ts"],
  },
  {
    name: "rotate: an earlier mark rotates the token again",
    file: "sdk/automation/rotation.ts",
    find: "instantMs(after) > instantMs(before)",
    replace: "instantMs(after) !== instantMs(before)",
    tests: ["test/sdk/automation/rotation.test.ts"],
  },
  {
    name: "rotate: a clock that is behind rotates nothing",
    file: "sdk/automation/tokens.ts",
    find: "Math.max(now, ...last.map((at) => at + 1000))",
    replace: "now",
    tests: ["test/sdk/automation/rotation.test.ts"],
  },
  {
    ...verbs,
    name: "rotate: tokens that are still to be made are made without their users",
    file: "sdk/automation/tokens.ts",
    find: ' && action === "replace"',
    replace: "",
  },
  {
    ...verbs,
    name: "rotate: a roster that somebody has changed is written over",
    file: "sdk/automation/roster/text-file.ts",
    find: "if ((await readText(file)) !== before) {",
    replace: "if (false) {",
  },
  {
    name: "names: of several people the first is meant",
    file: "sdk/automation/resolve-members.ts",
    tests: ["test/sdk/automation/who.test.ts"],
    find: ".size > 1);",
    replace: ".size > 9);",
  },
  {
    ...stacks,
    name: "stacks: whatever begins with the name and ends with digits belongs to the organization",
    file: "sdk/automation/organization.ts",
    find: "allShardNames(baseName).includes(name) &&",
    replace: "name.startsWith(baseName) && /\\d$|e$/.test(name) &&",
  },
  {
    ...stacks,
    name: "stacks: one that has something else too is removed",
    file: "sdk/automation/reshard.ts",
    find: "entriesOf(left).every(isOnlyOurs)",
    replace: "!entriesOf(left).some(isManaged)",
  },
  {
    ...stacks,
    name: "stacks: people of another organization are moved",
    file: "sdk/automation/reshard.ts",
    find: "refuseStrangers(organization, mine);",
    replace: "",
  },
  {
    ...moves,
    name: "stacks: one of two people of one key is forgotten by a move",
    file: "sdk/automation/reshard.ts",
    find: "refuseDifferentCopies(moves, mine);",
    replace: "",
    only: "one key with two user ids",
  },
  {
    ...moves,
    name: "stacks: a plan that changes after it was confirmed is applied",
    file: "sdk/automation/up.ts",
    find: "if (isSamePlan(preview.plan, second.plan)) return true;",
    replace: "return true;",
    only: "a plan that changes after it was confirmed",
  },
  {
    ...moves,
    name: "stacks: whoever is in two states counts twice",
    file: "sdk/automation/shards.ts",
    find: "return first === stack;",
    replace: "return true;",
    only: "loses nobody",
  },
  {
    ...moves,
    name: "stacks: people are moved although the user said no",
    file: "sdk/automation/up.ts",
    find: "if (options.confirm && !(await options.confirm(preview))) return",
    replace: "if (options.confirm && (await options.confirm(preview))) return",
    only: "loses nobody",
  },
  {
    name: "stacks: stacks of another organization are taken for the own ones",
    tests: ["test/sdk/automation/engine/stack-names.test.ts"],
    file: "sdk/automation/engine/pulumi.ts",
    find: ' && !name.slice(prefix.length).includes("/")',
    replace: "",
  },
  {
    ...stacks,
    name: "destroy: a program of one's own is applied",
    file: "sdk/automation/organization.ts",
    find: "program: undefined, roster: {",
    replace: "roster: {",
  },
];

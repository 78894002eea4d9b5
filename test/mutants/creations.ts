import type { Mutant } from "./mutant.ts";

const records = { file: "provider/creations.ts", tests: ["test/resources/creations.test.ts"] };
const once = { file: "provider/resources/managed-user.ts", tests: ["test/resources/creations.test.ts"] };
const answered = { file: "provider/resources/answered-user.ts", tests: ["test/resources/org-user.test.ts"] };
const holding = { file: "provider/resources/ownership.ts", tests: ["test/resources/org-user.test.ts"] };
const command = {
  file: "sdk/automation/creations.ts",
  tests: ["test/sdk/automation/creations.test.ts"],
};

/** Breaks of what keeps a managed user from being created twice, and a person from getting another's user. */
export const creationMutants: readonly Mutant[] = [
  {
    ...records,
    name: "creations: a creation without an answer is forgotten by the next run",
    find: 'if (open !== undefined) return { kind: "open", ...open };',
    replace: "",
  },
  {
    ...records,
    name: "creations: a user whom the state lost is created again",
    find: "const known = earlier.find((record) => this.#isLost(record));",
    replace: "const known: CreationRecord | undefined = undefined as CreationRecord | undefined;",
  },
  {
    ...records,
    name: "creations: the user of another stack's state is taken",
    find: "return userId !== undefined && run !== this.#run && stack === this.#options.stack;",
    replace: "return userId !== undefined && run !== this.#run;",
  },
  {
    ...records,
    name: "creations: what the state has is not settled",
    find: "      removeCreation(file);\n      this.#answered.delete(key);",
    replace: "",
  },
  {
    ...once,
    name: "creations: a refusal leaves its record",
    find: "if (!mayHaveHappened(error)) begun.refused();",
    replace: "",
  },
  {
    ...once,
    name: "creations: a lost answer takes the record along",
    find: "if (!mayHaveHappened(error)) begun.refused();",
    replace: "begun.refused();",
  },
  {
    ...answered,
    name: "OrgUser: another person's email in the answer is accepted",
    find: "return isSame(asked.email, email) ?",
    replace: "return true ?",
  },
  {
    ...answered,
    name: "OrgUser: the user id of another OrgUser is accepted",
    find: 'if (!isOwned(context, "OrgUser", id, organizationId)) return undefined;',
    replace: 'if (id !== "") return undefined;',
  },
  {
    ...holding,
    name: "OrgUser: a user whom two claim gets seats and tokens",
    find: "  context.owners.set(key, CONTESTED);\n",
    replace: "",
  },
  {
    ...command,
    name: "automation: a decision takes effect although the plan is declined",
    find: "  return decided(\n    found,",
    replace: "  for (const { file } of found) if (file) removeCreation(file);\n  return decided(\n    found,",
  },
  {
    ...command,
    name: "automation: a user who is managed can be decided to be another",
    find: "    if (isTaken) throw new Error(",
    replace: '    if (isTaken && who === "") throw new Error(',
  },
];

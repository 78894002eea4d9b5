import type { Mutant } from "./mutant.ts";

const folder = "test/sdk/automation/roster";
const of = (name: string, test: string) => ({
  file: `sdk/automation/roster/${name}.ts`,
  tests: [`${folder}/${test}.test.ts`],
});

/** Breaks of rosters: whom a file names, what its program takes away, what an edit loses. */
export const rosterMutants: readonly Mutant[] = [
  {
    name: "rosters: a subscription that has ended is accepted",
    file: "sdk/automation/organization.ts",
    find: "options.acceptEndedSubscription ? undefined : now()",
    replace: "undefined",
    tests: ["test/sdk/automation/roster/subscription.test.ts"],
  },
  {
    ...of("people", "faults"),
    name: "Roster: one person may stand in two rows",
    find: "if (first === undefined) this.#first.set(id, at);",
    replace: 'if (first === undefined || field === "email") this.#first.set(id, at);',
  },
  {
    ...of("people", "faults"),
    name: "Roster: a token without a seat is read",
    find: "token === true && seat === false",
    replace: "false",
  },
  {
    ...of("fields", "read"),
    name: "Roster: a zero of a seat counts as yes",
    find: '["no", "false", "0"]',
    replace: '["no", "false"]',
  },
  {
    ...of("csv", "csv"),
    name: "Roster: a header below the column names is passed by in silence",
    find: "    comments.filter((comment) => !isAbove(comment)),",
    replace: "    [],",
  },
  {
    ...of("csv", "faults"),
    name: "Roster: a row with too few cells is read as it is",
    find: "if (is === wanted) return true;",
    replace: "if (is <= wanted) return true;",
  },
  {
    ...of("csv-records", "csv"),
    name: "Roster: a person behind an open quote is lost without a word",
    find: "if (!isLost) wrong.set(",
    replace: "if (isLost) wrong.set(",
  },
  {
    ...of("csv", "csv"),
    name: "Roster: people between two forgotten quotes are lost without a word",
    find: "for (const cell of rest.flatMap(({ cells }) => cells)) {",
    replace: "for (const cell of rest.slice(0, 0).flatMap(({ cells }) => cells)) {",
  },
  {
    ...of("text-file", "read"),
    name: "Roster: a file in another encoding is read with its letters broken",
    find: "  if (at < 0) return undefined;",
    replace: "  if (at < 0 || text.length > 0) return undefined;",
  },
  {
    ...of("program", "program"),
    name: "Roster: whoever is on the leaver list is brought back",
    find: "return people.filter((person) => !isLeaver(person));",
    replace: "return people.filter((person) => !isLeaver(person) || person.userId === undefined);",
  },
  {
    ...of("program", "program"),
    name: "Roster: a released person loses the membership",
    find: 'if (removal === "release") return { onDelete: "keep" };',
    replace: 'if (removal === "release" && isAdopted) return { onDelete: "keep" };',
  },
  {
    ...of("program", "program"),
    name: "Roster: people change stacks when others join",
    find: "return people.filter(({ key }) => shardOf(key, stacks) === index);",
    replace: "return people.filter((_, place) => place % stacks === index);",
  },
  {
    ...of("csv-edit", "edit"),
    name: "Roster: a new column shifts the cells of other rows",
    find: "...records.map(({ end }, row) =>",
    replace: "...records.slice(0, 2).map(({ end }, row) =>",
  },
  {
    ...of("yaml-edit", "edit"),
    name: "Roster: the comma of a person who goes stays in JSON",
    find: '[{ start, end: next.start, text: "" }]',
    replace: '[{ start, end: next.start - 1, text: "" }]',
  },
  {
    ...of("edit", "edit"),
    name: "Roster: an edit leaves the count of rows as it was",
    find: "change === 0 ? []",
    replace: "change !== 0 ? []",
  },
  {
    ...of("text-file", "edit"),
    name: "Roster: an edited file may be read by everybody",
    find: "existing === undefined ? mode : existing.mode & 0o7777",
    replace: "mode",
  },
  {
    ...of("leavers", "leavers"),
    name: "Roster: a leaver list that cannot be read counts as empty",
    find: "if (faults.issues.length > 0) throw new RosterError(file, faults.issues);",
    replace: "",
  },
  {
    ...of("leavers", "leavers"),
    name: "Roster: whoever is offboarded while the leaver list is written anew is forgotten",
    find: "await addLeavers(file, after.slice(leavers.length));",
    replace: "",
  },
  {
    ...of("leavers", "leavers"),
    name: "Roster: a leaver whose row is still there is settled",
    find: "return leavers.filter(among(people));",
    replace: "return leavers.filter(({ key }) => [...people].some((person) => person.key === key));",
  },
];

import type { Mutant } from "./mutant.ts";

const approval = {
  file: "provider/approval.ts",
  tests: ["test/provider/approval.test.ts", "test/resources/approved-changes.test.ts"],
};
const observer = { file: "provider/api/observer.ts", tests: ["test/provider/audit.test.ts"] };
const audit = { file: "provider/audit.ts", tests: ["test/provider/audit.test.ts"] };
const adopting = { tests: ["test/resources/adopt-only.test.ts"] };
const revoking = { file: "provider/revoke.ts", tests: ["test/provider/revoke.test.ts"] };

/** Breaks of what a single run is told: approved changes, the audit, adoption without a write; and of revoking outside a run. */
export const singleRunMutants: readonly Mutant[] = [
  {
    ...approval,
    name: "approved changes: a list that cannot be read allows everything",
    find: 'if ("fault" in shown) {',
    replace: 'if ("fault" in shown) return undefined;\n    if (false) {',
  },
  {
    ...approval,
    name: "approved changes: a list of another organization matches",
    find: "organizationId !== shown.organizationId",
    replace: 'organizationId === ""',
  },
  {
    ...approval,
    name: "approved changes: what the list does not have is allowed",
    find: "if (isApproved(shown.list)) return undefined;",
    replace: "if (isApproved(shown.list) || true) return undefined;",
  },
  {
    ...approval,
    name: "approved changes: an entry of another type matches",
    find: "[type, what].join",
    replace: "[what].join",
  },
  {
    ...approval,
    name: "approved changes: one creation approves any number",
    find: "this.#taken.set(key, taken + 1);",
    replace: "this.#taken.set(key, taken);",
  },
  {
    ...approval,
    name: "approved changes: an update may write what was not shown",
    find: "if (shown !== undefined && writes.every((one) => shown.includes(one))) return true;",
    replace: "if (shown !== undefined) return true;",
  },
  {
    ...approval,
    name: "approved changes: a creation approves a renewal",
    find: "return isCreated && writes.every((one) => created.includes(one));",
    replace: "return isCreated && created.length >= 0;",
  },
  {
    ...approval,
    name: "approved changes: a seat that was assigned halfway is not finished",
    find: 'SeatAssignment: ["assign seat"],',
    replace: "SeatAssignment: [],",
  },
  {
    ...approval,
    name: "approved changes: seats and tokens of new users are anyone's",
    find: "...(isNew ? [NEW_USER] : [])",
    replace: "NEW_USER",
  },
  {
    ...approval,
    name: "approved changes: a deletion approves the replacement",
    find: "subjects.length === 0 || subjects.some(",
    replace: "subjects.length >= 0 || subjects.some(",
  },
  {
    ...approval,
    name: "approved changes: an update takes the place of a replacement that was refused",
    find: "    this.#refused.add(keyOf(type, id));\n    return false;",
    replace: "    return false;",
  },
  {
    ...approval,
    name: "approved changes: the list can be read by everybody",
    file: "provider/approved-changes.ts",
    find: "mode: 0o600",
    replace: "mode: 0o644",
  },
  ...(
    [
      ["a creation", "process.approval?.create(type, parsed);"],
      ["an update", "process.approval?.update(type, id, inputs, writes);"],
      ["a deletion", "process.approval?.delete(type, id, outs);"],
      ["who was added", "process.approval?.meet(type, id, parsed);"],
      ["who is there", "process.approval?.meet(type, id, old);"],
    ] as const
  ).map(([what, find]) => ({
    ...approval,
    name: `approved changes: ${what} is not asked about`,
    file: "provider/dynamic.ts",
    find,
    replace: "",
  })),
  {
    ...observer,
    name: "audit: a request that never left has a line",
    find: '"notSent" in outcome || ("loss" in outcome && outcome.loss === "never-left")',
    replace: '"notSent" in outcome',
  },
  {
    ...observer,
    name: "audit: a read is a write",
    find: 'if (!observer || call.method === "GET") return unwatched;',
    replace: "if (!observer) return unwatched;",
  },
  {
    ...observer,
    name: "audit: an answer that nobody can read counts as refused",
    find: 'isEffectUnknown(result.error) ? "no answer" : "refused"',
    replace: '"refused"',
  },
  {
    ...observer,
    name: "audit: the id of an answer is left out",
    find: "id: write.id ?? shown(idOfAnswer(result)),",
    replace: "id: write.id,",
  },
  {
    ...observer,
    name: "audit: a service account goes by its name",
    find: "call.number === 1 ? undefined : named",
    replace: "named",
  },
  {
    ...audit,
    name: "audit: a file that cannot be written stops nothing",
    find: "if (fault === undefined) return undefined;\n    return `the audit",
    replace: "if (fault !== '') return undefined;\n    return `the audit",
  },
  {
    ...audit,
    name: "audit: a line that could not be written is forgotten",
    find: "    this.#missing += line;",
    replace: "    this.#missing = line;",
  },
  {
    ...audit,
    name: "audit: can be read by everybody",
    find: '"a", 0o600',
    replace: '"a", 0o644',
  },
  {
    ...audit,
    name: "audit: begins anew with each line",
    find: '"a", 0o600',
    replace: '"w", 0o600',
  },
  {
    ...audit,
    name: "audit: an attempt that failed has no line",
    file: "provider/api/sender.ts",
    find: "watched.afterAttempt(outcome, result);",
    replace: 'if ("value" in result) watched.afterAttempt(outcome, result);',
  },
  {
    ...adopting,
    name: "adopt only: writes go out",
    file: "provider/connection.ts",
    find: "if (adoptOnly) return refuseWrites;",
    replace: "",
  },
  {
    ...adopting,
    name: "adopt only: a seat is asked for by call 6",
    file: "provider/resources/seat-assignment.ts",
    find: "if (context.adoptOnly && outs.adopted) return",
    replace: "if (context.adoptOnly && !outs.adopted) return",
  },
  {
    ...adopting,
    name: "adopt only: a seat is taken on trust in every run",
    file: "provider/resources/seat-assignment.ts",
    find: "if (context.adoptOnly && outs.adopted) return",
    replace: "if (outs.adopted) return",
  },
  {
    ...adopting,
    name: "adopt only: a token is not told apart from other writes",
    file: "provider/resources/user-token.ts",
    find: "if (context.adoptOnly) throw",
    replace: "if (context.adoptOnly && news.rotation) throw",
  },
  {
    ...adopting,
    name: "adopt only: the resource that would write is not named",
    file: "provider/process.ts",
    find: 'if (error.code === "held-back") return',
    replace: 'if (error.call === "") return',
  },
  {
    ...adopting,
    name: "adopt only: any text switches it on",
    file: "provider/settings.ts",
    find: 'if (text !== "" && text !== "1") problems',
    replace: 'if (text === "no") problems',
  },
  {
    ...revoking,
    name: "revoking: who has no token counts as revoked",
    find: 'deleted === "gone" ? "none" : "revoked"',
    replace: '"revoked"',
  },
  {
    ...revoking,
    name: "revoking: one failure stops the others",
    find: "if (!(error instanceof ApiError)) throw error;",
    replace: "throw error;",
  },
  {
    ...revoking,
    name: "revoking: one after another",
    find: "pLimit(settings.concurrency)",
    replace: "pLimit(1)",
  },
  {
    ...revoking,
    name: "revoking: is not noted in the audit",
    file: "provider/connection.ts",
    find: "return audit && new Audit(audit, warn);",
    replace: "return undefined;",
  },
];

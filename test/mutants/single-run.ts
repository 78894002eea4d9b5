import type { Mutant } from "./mutant.ts";

const breaker = { file: "provider/breaker.ts", tests: ["test/provider/breaker.test.ts"] };
const observer = { file: "provider/api/observer.ts", tests: ["test/provider/audit.test.ts"] };
const audit = { file: "provider/audit.ts", tests: ["test/provider/audit.test.ts"] };
const adopting = { tests: ["test/resources/adopt-only.test.ts"] };
const revoking = { file: "provider/revoke.ts", tests: ["test/provider/revoke.test.ts"] };

/** Breaks of what a single run is told: exact removals, the audit, adoption without a write; and of revoking outside a run. */
export const singleRunMutants: readonly Mutant[] = [
  {
    ...breaker,
    name: "exact removals: a list that cannot be read allows everything",
    find: 'if ("fault" in shown) {',
    replace: 'if ("fault" in shown) return undefined;\n    if (false) {',
  },
  {
    ...breaker,
    name: "exact removals: a list of another organization matches",
    find: "organizationId !== shown.organizationId",
    replace: 'organizationId === ""',
  },
  {
    ...breaker,
    name: "exact removals: what the list does not name is counted instead",
    find: "if (shown.names(removal)) return undefined;",
    replace: "this.#count(removal); return undefined;",
  },
  {
    ...breaker,
    name: "exact removals: an entry of another type matches",
    file: "provider/removals.ts",
    find: "[type, id].join",
    replace: "[id].join",
  },
  {
    ...breaker,
    name: "exact removals: the list can be read by everybody",
    file: "provider/removals.ts",
    find: "mode: 0o600",
    replace: "mode: 0o644",
  },
  ...(
    [
      ["service-account", 'context.admitRemoval({ type: "ServiceAccount", id, organizationId, who:', 3],
      ["model-server", 'context.admitRemoval({ type: "ModelServer", id, who:', 14],
      ["removal", "context.admitRemoval({ type, id: userId, organizationId, who:", 9],
    ] as const
  ).map(([name, find, call]) => ({
    name: `exact removals: call ${call} does not ask`,
    file: `provider/resources/${name}.ts`,
    find,
    replace: find.replace("context.admitRemoval(", "Object.freeze("),
    tests: ["test/resources/exact-removals.test.ts"],
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
    find: "watched.over(outcome, result);",
    replace: 'if ("value" in result) watched.over(outcome, result);',
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

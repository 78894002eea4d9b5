/** Fault injection: rules as data for which requests fail, how often, and how. */
import { z } from "zod";

const phase = z.enum(["before", "after"]);
const regex = z.string().refine((text) => {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}, "not a regular expression");
const headers = z.union([
  z.record(z.string(), z.string()).transform((record) => Object.entries(record)),
  z.array(z.tuple([z.string(), z.string()])),
]);
const ms = z.int().min(0).max(3_600_000);

/** The behavior instead of, or around, the effect of a request. `before` and `after` mean the committed effect. */
const faultSchema = z.discriminatedUnion("kind", [
  /** A response instead of the effect. A body that is not a string is sent as JSON; by default an error body of D30. */
  z.strictObject({
    kind: z.literal("refuse"),
    status: z.int().min(200).max(599),
    body: z.unknown().optional(),
    headers: headers.default([]),
  }),
  /** A redirect: instead of the effect, or after it. */
  z.strictObject({
    kind: z.literal("redirect"),
    status: z.literal([301, 302, 303, 307, 308]).default(303),
    location: z.string().default("/login"),
    phase: phase.default("before"),
  }),
  /** Closes the connection without an effect. */
  z.strictObject({ kind: z.literal("cut-before") }),
  /** Closes the connection after the effect, without a byte of a response. */
  z.strictObject({ kind: z.literal("cut-after") }),
  /** After the effect: sends the head and half of the body (half of the head without a body), then closes. */
  z.strictObject({ kind: z.literal("cut-middle") }),
  /** No response, ever. The effect happens only with `phase: "after"`. */
  z.strictObject({ kind: z.literal("hang"), phase: phase.default("before") }),
  /** A delay. The effect happens even if the client disconnects. */
  z.strictObject({ kind: z.literal("delay"), ms, phase: phase.default("before") }),
  /** Raw bytes on the socket, valid or not: adds no header except `Connection: close`. */
  z.strictObject({
    kind: z.literal("raw"),
    status: z.int().min(100).max(999).default(200),
    headers: headers.default([]),
    body: z.string().default(""),
    encoding: z.enum(["utf8", "base64"]).default("utf8"),
    phase: z.enum(["instead", "after"]).default("instead"),
  }),
]);
export type Fault = z.output<typeof faultSchema>;

/** The requests of a rule: all conditions must match. `call` is the interface's number of an operation. */
const matchSchema = z.strictObject({
  call: z.union([z.int(), z.literal("token")]).optional(),
  method: z.string().toUpperCase().optional(),
  /** A regular expression on the whole path. */
  path: regex.optional(),
  userId: z.string().optional(),
  /** A regular expression on the text of the body. */
  body: regex.optional(),
});

/**
 * One rule. The first of several matching rules wins. `after` is the number of matching requests to let through first;
 * `every` hits each n-th of the others; `times` is the number of requests to hit.
 */
export const faultRuleSchema = z.strictObject({
  match: matchSchema.default({}),
  after: z.int().min(0).default(0),
  every: z.int().min(1).default(1),
  times: z.union([z.int().min(1), z.literal("always")]).default(1),
  fault: faultSchema,
});
export type FaultRule = z.input<typeof faultRuleSchema>;

/** The properties of a request that rules match. */
interface FaultCandidate {
  readonly call: number | "token" | null;
  readonly method: string;
  readonly path: string;
  readonly userId: string | null;
  readonly body: string;
}

interface ActiveRule {
  readonly rule: z.output<typeof faultRuleSchema>;
  seen: number;
  hits: number;
}

/** The active rules, in memory: a restart removes them. */
export class FaultInjector {
  #rules: ActiveRule[] = [];

  add(rules: readonly z.output<typeof faultRuleSchema>[]): void {
    this.#rules.push(...rules.map((rule) => ({ rule, seen: 0, hits: 0 })));
  }

  clear(): void {
    this.#rules = [];
  }

  /** The rules with the numbers of requests that they matched and hit. */
  list(): { rule: z.output<typeof faultRuleSchema>; seen: number; hits: number }[] {
    return this.#rules.map(({ rule, seen, hits }) => ({ rule, seen, hits }));
  }

  /** The fault for this request, which counts as injected. */
  take(candidate: FaultCandidate): Fault | undefined {
    for (const active of this.#rules) {
      if (!matches(active.rule.match, candidate) || isSpent(active)) continue;
      active.seen += 1;
      if (!isDue(active)) continue;
      active.hits += 1;
      return active.rule.fault;
    }
    return undefined;
  }
}

function isDue({ rule, seen }: ActiveRule): boolean {
  return seen > rule.after && (seen - rule.after) % rule.every === 0;
}

function isSpent({ rule: { times }, hits }: ActiveRule): boolean {
  return times !== "always" && hits >= times;
}

function matches(match: z.output<typeof matchSchema>, candidate: FaultCandidate): boolean {
  return (
    (match.call === undefined || match.call === candidate.call) &&
    (match.method === undefined || match.method === candidate.method) &&
    (match.userId === undefined || match.userId === candidate.userId) &&
    (match.path === undefined || new RegExp(match.path).test(candidate.path)) &&
    (match.body === undefined || new RegExp(match.body).test(candidate.body))
  );
}

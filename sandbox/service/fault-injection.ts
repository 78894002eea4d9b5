/** Faults as data: rules that say which requests go wrong, how often, and how. */
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

/** What happens instead of, or around, the effect of a request. `before` and `after` mean the committed effect. */
export const faultSchema = z.discriminatedUnion("kind", [
  /** An answer instead of the effect. A body that is no string is sent as JSON; none is an error body of D30. */
  z.strictObject({
    kind: z.literal("refuse"),
    status: z.int().min(200).max(599),
    body: z.unknown().optional(),
    headers: headers.default([]),
  }),
  /** The connection is closed, nothing happened. */
  z.strictObject({ kind: z.literal("cut-before") }),
  /** The connection is closed after the effect, without a byte of an answer. */
  z.strictObject({ kind: z.literal("cut-after") }),
  /** After the effect: the head and half of the body (half of the head where there is no body), then closed. */
  z.strictObject({ kind: z.literal("cut-middle") }),
  /** No answer for `ms`, or ever: then nothing happens any more. Only with `phase: "after"` the effect comes first. */
  z.strictObject({ kind: z.literal("hang"), ms: ms.optional(), phase: phase.default("before") }),
  /** Slow. The effect happens also when the client has gone by then. */
  z.strictObject({ kind: z.literal("delay"), ms, phase: phase.default("before") }),
  /** Bytes of one's own on the socket, lies allowed: no header is added but `Connection: close`. */
  z.strictObject({
    kind: z.literal("raw"),
    status: z.int().min(100).max(999).default(200),
    headers: headers.default([]),
    body: z.string().default(""),
    encoding: z.enum(["utf8", "base64"]).default("utf8"),
    phase: z.enum(["instead", "after"]).default("instead"),
  }),
  /** 429 for every request beyond so many in a second. `retryAfter` is the form of the header; "none" leaves it out. */
  z.strictObject({
    kind: z.literal("throttle"),
    perSecond: z.number().min(0),
    retryAfter: z.enum(["seconds", "date", "none"]).default("seconds"),
    retryAfterSeconds: z.int().min(0).default(1),
  }),
]);
export type Fault = z.output<typeof faultSchema>;

/** Which requests a rule is about: all that stands here has to fit. */
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
 * One rule. Of several rules for one request the first wins. `after` lets so many matching requests through first;
 * `times` is how many are then hit: by default one, for `throttle` all.
 */
export const faultRuleSchema = z.strictObject({
  match: matchSchema.default({}),
  after: z.int().min(0).default(0),
  times: z.union([z.int().min(1), z.literal("always")]).optional(),
  fault: faultSchema,
});
export type FaultRule = z.input<typeof faultRuleSchema>;

/** What a rule is compared with. */
export interface FaultCandidate {
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
  /** When the latest requests were let through, for `throttle`. */
  passed: number[];
}

/** The rules in force. They live in memory: a restarted service has none. */
export class FaultInjector {
  #rules: ActiveRule[] = [];
  readonly #clock: () => number;

  /** @param clock real time in milliseconds; faults ignore the service's own clock. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  add(rules: readonly z.output<typeof faultRuleSchema>[]): void {
    this.#rules.push(...rules.map((rule) => ({ rule, seen: 0, hits: 0, passed: [] })));
  }

  clear(): void {
    this.#rules = [];
  }

  /** The rules with how many requests they matched and hit. */
  list(): { rule: z.output<typeof faultRuleSchema>; seen: number; hits: number }[] {
    return this.#rules.map(({ rule, seen, hits }) => ({ rule, seen, hits }));
  }

  /** The fault for this request, which counts as played. */
  take(candidate: FaultCandidate): Fault | undefined {
    for (const active of this.#rules) {
      if (!matches(active.rule.match, candidate) || isSpent(active)) continue;
      active.seen += 1;
      if (active.seen <= active.rule.after || this.#letsThrough(active)) continue;
      active.hits += 1;
      return active.rule.fault;
    }
    return undefined;
  }

  #letsThrough(active: ActiveRule): boolean {
    if (active.rule.fault.kind !== "throttle") return false;
    const now = this.#clock();
    active.passed = active.passed.filter((at) => at > now - 1000);
    if (active.passed.length >= active.rule.fault.perSecond) return false;
    active.passed.push(now);
    return true;
  }
}

function isSpent({ rule, hits }: ActiveRule): boolean {
  const times = rule.times ?? (rule.fault.kind === "throttle" ? "always" : 1);
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

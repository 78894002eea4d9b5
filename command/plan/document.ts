/**
 * The plan as a document: everything that a run may do, and what it was made for. `orgseat preview --plan` writes it, and
 * `orgseat up --plan` applies it if its own plan has the same digest.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { type Action, actionNames } from "../members/action-table.ts";
import type { PlanEntry } from "../members/entries.ts";

const VERSION = 1;
/** Digits of the digest in texts. */
const SHOWN_DIGITS = 12;

const factsSchema = z.strictObject({
  email: z.string().optional(),
  purpose: z.string().optional(),
  adopt: z.string().optional(),
  expiresAt: z.string().optional(),
  recipients: z.array(z.string()).optional(),
  recipientsBefore: z.array(z.string()).optional(),
  emails: z.array(z.string()).optional(),
  reasons: z.array(z.string()).optional(),
  inputs: z.string().optional(),
});
/** Named, because declarations would list all actions wherever a schema has it. */
interface ActionSchema extends z.ZodType<Action> {}
const actionSchema: ActionSchema = z.enum(actionNames);
const entrySchema = z.strictObject({
  stack: z.string(),
  urn: z.string(),
  type: z.string(),
  key: z.string(),
  who: z.string(),
  action: actionSchema,
  operation: z.string(),
  id: z.string().nullable(),
  unit: z.string(),
  index: z.number(),
  facts: factsSchema,
});

/** What the digest covers, except for the time: the same roster has the same digest. */
const boundSchema = z.strictObject({
  version: z.literal(VERSION, `unsupported version (expected ${VERSION})`),
  /** Null for a roster without an id. */
  rosterId: z.string().nullable(),
  organizationId: z.string(),
  /** `anaconda` or `basic`; null if it is not configured. */
  platform: z.string().nullable(),
  /** Pulumi's project, and its backend without user and password. */
  project: z.string(),
  backend: z.string(),
  stack: z.string(),
  /** When the plan was made, a timestamp: `up --plan` judges all dates at this time. */
  time: z.iso.datetime(),
  /** What the preview was asked for; `up --plan` does the same. */
  refresh: z.boolean(),
  /** Null without a refresh. */
  refreshTokens: z.union([z.int(), z.literal("all")]).nullable(),
  newStack: z.boolean(),
  noRemovals: z.boolean(),
  approve: z.string().nullable(),
  /** With `membership: directory`: the keys of people whom the service does not have yet, and the ids of users whom it has no longer. */
  pending: z.array(z.string()),
  gone: z.array(z.string()),
  /** Whether a guard refuses the plan: such a plan cannot be applied. */
  isApplicable: z.boolean(),
  entries: z.array(entrySchema),
});

const documentSchema = boundSchema.extend({
  digest: z.string(),
  /** When the state was last written, if it is known. Not part of the digest: other people's changes do not make a plan stale. */
  savedAt: z.string().nullable(),
});
export type PlanDocument = z.output<typeof documentSchema>;
type DocumentEntry = PlanDocument["entries"][number];

export type PlanOrigin = Omit<z.output<typeof boundSchema>, "version" | "entries">;

export function planDocument(
  origin: PlanOrigin,
  entries: readonly PlanEntry[],
  savedAt: PlanDocument["savedAt"],
): PlanDocument {
  // Through JSON, so that a document is the same before and after its file.
  const plain = boundSchema.parse(JSON.parse(JSON.stringify({ version: VERSION, ...origin, entries })));
  const keyed = plain.entries.map((entry) => ({ entry, key: canonical(entry) }));
  const sorted = keyed.toSorted((a, b) => compare(a.key, b.key)).map(({ entry }) => entry);
  const bound = { ...plain, entries: sorted };
  return { ...bound, digest: digestOf(bound), savedAt };
}

/** @throws for an invalid or edited document */
export function parsePlan(text: string): PlanDocument {
  const { digest, savedAt, ...bound } = documentSchema.parse(JSON.parse(text));
  if (digestOf(bound) !== digest)
    throw new Error("its digest does not match its content: the file was edited");
  return { ...bound, digest, savedAt };
}

export function shortDigest({ digest }: Pick<PlanDocument, "digest">): string {
  return digest.slice(0, SHOWN_DIGITS);
}

/** How a plan differs from an earlier one; all empty if only what it was made for differs. */
export interface PlanDifference {
  /** Fields of the documents with different values. */
  readonly fields: readonly string[];
  readonly added: readonly DocumentEntry[];
  readonly changed: readonly DocumentEntry[];
  readonly missing: readonly DocumentEntry[];
}

/** Undefined if both have the same digest. */
export function differenceOf(earlier: PlanDocument, now: PlanDocument): PlanDifference | undefined {
  if (earlier.digest === now.digest) return undefined;
  const before = byObject(earlier.entries);
  const after = byObject(now.entries);
  const { entries: _before, digest: _digest, savedAt: _savedAt, ...origin } = earlier;
  const current: Readonly<Record<string, unknown>> = now;
  return {
    fields: Object.entries(origin).flatMap(([name, value]) =>
      canonical(value) === canonical(current[name]) ? [] : name,
    ),
    added: [...after].flatMap(([object, entry]) => (before.has(object) ? [] : entry)),
    changed: [...after].flatMap(([object, entry]) => {
      const old = before.get(object);
      return old !== undefined && canonical(old) !== canonical(entry) ? entry : [];
    }),
    missing: [...before].flatMap(([object, entry]) => (after.has(object) ? [] : entry)),
  };
}

/** A unit has another name if what it asks for changes, so the operations of an object are told apart by their order. */
function byObject(entries: readonly DocumentEntry[]): Map<string, DocumentEntry> {
  const groups = Map.groupBy(entries, ({ urn, operation, id }) => `${urn} ${operation} ${id}`);
  return new Map(
    [...groups].flatMap(([object, own]) => own.map((entry, index) => [`${object} ${index}`, entry] as const)),
  );
}

function digestOf({ time: _, ...covered }: z.output<typeof boundSchema>): string {
  return createHash("sha256").update(canonical(covered)).digest("hex");
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => compare(a, b)))
      : one,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Parses what a call needs of a response, and leaves out what it does not: a response can be the only one with an id or a
 * secret, so no other field may cost it. Pure.
 */
import type { z } from "zod";
import { InternalError } from "../../util/error-codes.ts";
import { propertyOf } from "../../util/json.ts";

type Path = readonly PropertyKey[];

/** Further rounds would leave out what earlier ones uncovered: objects in objects. */
const MOST_ROUNDS = 8;

/** A value, with the fields that it lacks because they are unreadable, such as `items[].expires_at`. */
export interface Forgiven<T> {
  readonly value: T;
  readonly unread: readonly string[];
  /** What the schema has parsed: the response without these fields. */
  readonly rest: unknown;
}

/**
 * @param error of the whole value
 * @param isList whether the response is a list, whose elements the caller must not lose
 * @returns undefined if the schema needs an unreadable field
 */
export function forgive<T>(
  schema: z.ZodType<T>,
  value: unknown,
  error: z.ZodError,
  isList: boolean,
): Forgiven<T> | undefined {
  const rest: unknown = structuredClone(value);
  const unread = new Set<string>();
  let { issues } = error;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const gone: Path[] = [];
    for (const issue of issues) {
      const { path: found } = deepest([issue]);
      if (gone.some((one) => one.every((key, index) => key === found[index]))) continue;
      const path = leaveOut(rest, found, isList);
      if (path === undefined) return undefined;
      gone.push(path);
      unread.add(path.map((key) => (typeof key === "number" ? "[]" : String(key))).join("."));
    }
    const parsed = schema.safeParse(rest);
    if (parsed.success)
      return { value: parsed.data, unread: [...unread].map((name) => name.replaceAll(".[]", "[]")), rest };
    issues = parsed.error.issues;
  }
  return undefined;
}

/**
 * Removes the field of an issue, or what contains it if it is not there. An element is never removed from its list.
 * @returns what was removed; undefined if the schema needs it
 */
function leaveOut(root: unknown, path: Path, isList: boolean): Path | undefined {
  const parent = path.slice(0, -1).reduce<unknown>(propertyOf, root);
  const key = path.at(-1);
  if (key === undefined) return undefined;
  if (isList && (path.length === 1 || (path.length === 2 && typeof key === "number"))) return undefined;
  const found = propertyOf(parent, key);
  if (found === undefined || Array.isArray(parent) || typeof parent !== "object" || parent === null)
    return leaveOut(root, path.slice(0, -1), isList);
  Reflect.deleteProperty(parent, key);
  return path;
}

/** The issue with the longest path; in a union, that of the variant that matches furthest. */
export function deepest(
  issues: readonly z.core.$ZodIssue[],
  base: Path = [],
): { path: PropertyKey[]; issue: z.core.$ZodIssue } {
  const found = issues.map((issue) => {
    const path = [...base, ...issue.path];
    if (issue.code !== "invalid_union") return { path, issue };
    const inner = issue.errors.filter((errors) => errors.length > 0).map((errors) => deepest(errors, path));
    const best = furthest(inner);
    return best && best.path.length > path.length ? best : { path, issue };
  });
  const best = furthest(found);
  if (!best) throw new InternalError("a failed parse without an issue");
  return best;
}

function furthest<T extends { path: PropertyKey[] }>(found: readonly T[]): T | undefined {
  return found.reduce<T | undefined>(
    (best, next) => (best && best.path.length >= next.path.length ? best : next),
    undefined,
  );
}

/**
 * The path and the type of the value that violates the schema; never the value, which can be a secret.
 * @param skipped the number of keys at the start of the path that say nothing
 */
export function describeIssue(
  { path, issue }: ReturnType<typeof deepest>,
  value: unknown,
  skipped = 0,
): string {
  const found = path.reduce<unknown>(propertyOf, value);
  const expected = issue.code === "invalid_type" ? `expected ${issue.expected}` : issue.message;
  const field =
    path.slice(skipped).map(String).join(".") || (skipped > 0 ? "the item" : "the whole response");
  return `${field}: ${expected}, got ${kindOf(found)}`;
}

/** What a value is, for messages. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === "") return "an empty string";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Turns zod errors into validation issues: a property path, and what is expected there. */
import type { z } from "zod";
import type { InputIssue } from "../resources/resource.ts";

/** All issues of a schema, each with its path, such as `schema.columns[1].type`. @param at the path of the value */
export function inputIssuesOf(error: z.ZodError, at: readonly PropertyKey[] = []): InputIssue[] {
  return error.issues.flatMap((issue) => issuesOfZodIssue(issue, at));
}

/** The issues in one sentence. */
export function formatIssues(issues: readonly InputIssue[]): string {
  return issues
    .map(({ property, reason }) => (property === "" ? reason : `${property}: ${reason}`))
    .join("; ");
}

/** The message of an issue whose schema defines none: the `error` of a parse. */
export function schemaErrorMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") {
    const expected = KINDS[issue.expected] ?? `a ${issue.expected}`;
    return issue.input === undefined
      ? `missing (expected ${expected})`
      : `expected ${expected}, got ${kindOf(issue.input)}`;
  }
  if (issue.code === "invalid_union") return "expected a value of a different type";
  return issue.code === "too_small" && issue.input === "" ? "empty" : undefined;
}

const KINDS: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
  record: "an object",
  int: "a whole number",
};

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return KINDS[Array.isArray(value) ? "array" : typeof value] ?? `a ${typeof value}`;
}

function issuesOfZodIssue(issue: z.core.$ZodIssue, base: readonly PropertyKey[]): InputIssue[] {
  const at = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ property: pathOf([...at, key]), reason: "unknown key" }));
  }
  // Of several allowed forms, report the one that matches best.
  const closest = issue.code === "invalid_union" ? closestForm(issue.errors) : undefined;
  if (closest !== undefined) return closest.flatMap((inner) => issuesOfZodIssue(inner, at));
  return [{ property: pathOf(at), reason: issue.message }];
}

/** The issues of the form that matches furthest; undefined if none matches at all. */
function closestForm(forms: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const depth = (issues: readonly z.core.$ZodIssue[]) => Math.min(...issues.map(({ path }) => path.length));
  return forms
    .filter((issues) => issues.length > 0 && depth(issues) > 0)
    .toSorted((a, b) => depth(b) - depth(a))[0];
}

function pathOf(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === "number") return `${path}[${key}]`;
    return path === "" ? String(key) : `${path}.${String(key)}`;
  }, "");
}

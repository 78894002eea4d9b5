/** Values by the shapes of the list: made, compared, and broken in one place. */
import type { Fields, Kind, Shape } from "./interface.ts";

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

const kinds: Readonly<Record<Kind, { example: unknown; fits: (value: unknown) => boolean }>> = {
  string: { example: "some text", fits: (value) => typeof value === "string" },
  GUID: {
    example: "5f0c7d2e-1b3a-4c5d-8e9f-0a1b2c3d4e5f",
    fits: (value) => typeof value === "string" && GUID.test(value),
  },
  email: { example: "ada@acme.example", fits: (value) => /^[^@\s]+@[^@\s]+$/.test(String(value)) },
  instant: { example: "2027-06-30T23:59:59Z", fits: (value) => INSTANT.test(String(value)) },
  integer: { example: 4711, fits: Number.isInteger },
  number: { example: 0.5, fits: (value) => typeof value === "number" },
  count: { example: 12, fits: (value) => Number.isInteger(value) || /^\d+$/.test(String(value)) },
  boolean: { example: true, fits: (value) => typeof value === "boolean" },
  object: { example: { any: "thing" }, fits: isObject },
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

/** A word of a shape taken apart; undefined for fields and lists. */
function kindOf(shape: Shape): { kind: Kind; nullable: boolean } | undefined {
  if (typeof shape !== "string") return undefined;
  const kind = (Object.keys(kinds) as Kind[]).find((name) => shape === name || shape === `${name} or null`);
  if (kind === undefined) throw new Error(`no kind of value: ${shape}`);
  return { kind, nullable: shape !== kind };
}

/** A value of that shape; a list has one element. */
export function exampleOf(shape: Shape): unknown {
  const found = kindOf(shape);
  if (found) return kinds[found.kind].example;
  if (isList(shape)) return [exampleOf(shape[0])];
  return Object.fromEntries(Object.entries(shape as Fields).map(([name, inner]) => [name, exampleOf(inner)]));
}

/** Where a value differs from its shape: fields too few, too many, or of another kind. Empty: it fits exactly. */
export function deviations(shape: Shape, value: unknown, at = "the whole"): string[] {
  const found = kindOf(shape);
  if (found) {
    if ((found.nullable && value === null) || kinds[found.kind].fits(value)) return [];
    return [`${at}: expected ${shape}, got ${JSON.stringify(value)}`];
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${at}: expected a list, got ${JSON.stringify(value)}`];
    return value.flatMap((item: unknown, index) => deviations(shape[0], item, `${at}.${index}`));
  }
  if (!isObject(value)) return [`${at}: expected fields, got ${JSON.stringify(value)}`];
  const fields = shape as Fields;
  const more = Object.keys(value).filter((name) => !(name in fields));
  return [
    ...more.map((name) => `${at}.${name}: no such field is listed`),
    ...Object.entries(fields).flatMap(([name, inner]) =>
      name in value ? deviations(inner, value[name], `${at}.${name}`) : [`${at}.${name}: missing`],
    ),
  ];
}

/** The path of each field in a value, lists left out: `data.modelFile.id`. */
export function pathsIn(value: unknown): string[] {
  if (Array.isArray(value)) return pathsIn(value[0]);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    name,
    ...pathsIn(inner).map((path) => `${name}.${path}`),
  ]);
}

/** A copy with each field of that path replaced; `undefined` takes it away. */
export function changed(value: unknown, path: string, to: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => changed(item, path, to));
  if (!isObject(value)) throw new Error(`nothing has a field ${path}`);
  const [name = "", ...rest] = path.split(".");
  if (rest.length > 0) return { ...value, [name]: changed(value[name], rest.join("."), to) };
  const { [name]: _, ...others } = value;
  return to === undefined ? others : { ...others, [name]: to };
}

/** A copy with a field that no one listed in every object whose fields are listed. */
export function withMore(shape: Shape, value: unknown): unknown {
  if (typeof shape === "string") return value;
  if (isList(shape)) return (value as unknown[]).map((item) => withMore(shape[0], item));
  const fields = Object.entries(shape as Fields).map(([name, inner]) => [
    name,
    withMore(inner, (value as Record<string, unknown>)[name]),
  ]);
  return { ...Object.fromEntries(fields), "not-listed": { of: ["any", "kind"] } };
}

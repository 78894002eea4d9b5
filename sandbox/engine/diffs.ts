/** Comparing property values, and property paths as `ignoreChanges` and `replaceOnChanges` write them. */
import type { PropertyDiff } from "./plugins/provider.ts";
import { isMap, type PropertyMap, Secret, UnknownValue, unwrapSecrets, type Value } from "./values.ts";

/** Equal values; two unknowns are never equal to something known, a secret only equals a secret. */
export function deepEqual(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a instanceof Secret || b instanceof Secret) {
    return a instanceof Secret && b instanceof Secret && deepEqual(a.value, b.value);
  }
  if (a instanceof UnknownValue || b instanceof UnknownValue)
    return a instanceof UnknownValue && b instanceof UnknownValue;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => deepEqual(item, b[index] ?? null))
    );
  }
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key] ?? null, b[key] ?? null))
  );
}

export type ChangeKind = "add" | "delete" | "update";

/** The top-level keys that differ, with the kind of their change; null counts as absent. */
export function changedProperties(olds: PropertyMap, news: PropertyMap): Map<string, ChangeKind> {
  const changes = new Map<string, ChangeKind>();
  for (const key of new Set([...Object.keys(olds), ...Object.keys(news)])) {
    const before = olds[key] ?? null;
    const after = news[key] ?? null;
    if (before === null && after === null) continue;
    if (before === null) changes.set(key, "add");
    else if (after === null) changes.set(key, "delete");
    else if (!deepEqual(before, after)) changes.set(key, "update");
  }
  return new Map([...changes].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The same for inputs as the engine compares them itself: secret marks do not count. */
export function changedInputs(olds: PropertyMap, news: PropertyMap): Map<string, ChangeKind> {
  const before = unwrapSecrets(olds);
  const after = unwrapSecrets(news);
  return changedProperties(isMap(before) ? before : {}, isMap(after) ? after : {});
}

/** The difference of inputs by property path, where a provider does not compare. */
export function detailedDiff(olds: PropertyMap, news: PropertyMap): Map<string, PropertyDiff> {
  const found = new Map<string, PropertyDiff>();
  compare([], unwrapSecrets(olds), unwrapSecrets(news), found);
  return found;
}

function compare(path: Path, before: Value, after: Value, found: Map<string, PropertyDiff>): void {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    for (let index = 0; index < length; index++) {
      compare([...path, index], before[index] ?? null, after[index] ?? null, found);
    }
  } else if (isMap(before) && isMap(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare([...path, key], before[key] ?? null, after[key] ?? null, found);
    }
  } else if (!deepEqual(before, after)) {
    const kind = before === null ? "add" : after === null ? "delete" : "update";
    found.set(pathText(path), { kind, inputDiff: true });
  }
}

export type Path = (string | number)[];

/** The text that `parsePath` reads. */
function pathText(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (!/^\w+$/.test(part)) return `["${part.replaceAll('"', '\\"')}"]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}

const pathPart = /\.?([^.[\]"]+)|\["((?:[^"\\]|\\.)*)"\]|\[(\d+|\*)\]/gy;

/** Parses `root.nested[0]["with.dots"]`. Throws on anything else. */
export function parsePath(text: string): Path {
  const path: Path = [];
  pathPart.lastIndex = 0;
  while (pathPart.lastIndex < text.length) {
    const match = pathPart.exec(text);
    if (!match) throw new Error(`"${text}" is not a property path`);
    const [, name, quoted, index] = match;
    if (quoted !== undefined) path.push(quoted.replace(/\\(.)/g, "$1"));
    else if (index !== undefined) path.push(index === "*" ? "*" : Number(index));
    else if (name !== undefined) path.push(name);
  }
  return path;
}

/** Whether the pattern is the path or one of its parents. */
export function pathContains(pattern: Path, path: Path): boolean {
  return (
    pattern.length <= path.length && pattern.every((part, index) => part === "*" || part === path[index])
  );
}

function child(value: Value | undefined, part: string | number): Value | undefined {
  if (value instanceof Secret) return child(value.value, part);
  if (Array.isArray(value)) return typeof part === "number" ? value[part] : undefined;
  return isMap(value) && typeof part === "string" ? value[part] : undefined;
}

/** `news` with the value of `olds` at the path; without an old value, without the new one. */
function resetPath(olds: Value | undefined, news: Value | undefined, path: Path): Value | undefined {
  const [part, ...rest] = path;
  if (part === undefined) return olds;
  if (news instanceof Secret) return new Secret(resetPath(olds, news.value, path) ?? null);
  if (part === "*") return resetAll(olds, news, rest);
  const value = resetPath(child(olds, part), child(news, part), rest);
  if (Array.isArray(news) && typeof part === "number") {
    if (value === undefined || part >= news.length) return news;
    return news.with(part, value);
  }
  if (isMap(news) && typeof part === "string") {
    if (value !== undefined) return { ...news, [part]: value };
    return Object.fromEntries(Object.entries(news).filter(([key]) => key !== part));
  }
  return news;
}

function resetAll(olds: Value | undefined, news: Value | undefined, rest: Path): Value | undefined {
  const keys: (string | number)[] = Array.isArray(news)
    ? [...news.keys()]
    : isMap(news)
      ? [...new Set([...Object.keys(news), ...(isMap(olds) ? Object.keys(olds) : [])])]
      : [];
  return keys.reduce<Value | undefined>((result, key) => resetPath(olds, result, [key, ...rest]), news);
}

/** The new inputs with the old values at the paths of `ignoreChanges`. */
export function ignoreChanges(olds: PropertyMap, news: PropertyMap, paths: string[]): PropertyMap {
  let result: Value = news;
  for (const path of paths) result = resetPath(olds, result, parsePath(path)) ?? {};
  return isMap(result) ? result : news;
}

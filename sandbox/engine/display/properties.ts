/** Property values as text: whole, and old against new, line by line. */
import { type ChangeKind, changedProperties } from "../diffs.ts";
import { isMap, type PropertyMap, Secret, UnknownValue, type Value } from "../values.ts";
import type { Color, Paint } from "./text.ts";

type Mark = "same" | ChangeKind;

const prefixes: Record<Mark, string> = { same: "  ", add: "+ ", delete: "- ", update: "~ " };
const markColors: Record<Mark, Color | undefined> = {
  same: undefined,
  add: "green",
  delete: "red",
  update: "yellow",
};

interface Place {
  indent: number;
  mark: Mark;
}

/** The properties with one mark instead of every secret, so that a comparison does not show a changed secret. */
export function masked(properties: PropertyMap): PropertyMap {
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, maskedValue(value)]));
}

function maskedValue(value: Value): Value {
  if (value instanceof Secret) return new Secret("[secret]");
  if (Array.isArray(value)) return value.map(maskedValue);
  return isMap(value) ? masked(value) : value;
}

function isEmpty(value: Value): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMap(value) && Object.keys(value).length === 0;
}

export class PropertyPrinter {
  readonly #paint: Paint;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  /** All properties, a line or more each. */
  object(properties: PropertyMap): string {
    const keys = Object.keys(properties).sort();
    const width = widthOf(keys);
    const place = { indent: 1, mark: "same" } as const;
    return keys.map((key) => this.#property(key.padEnd(width), properties[key] ?? null, place)).join("");
  }

  /** Old against new properties. @param only the properties to show, by default all */
  diff(olds: PropertyMap, news: PropertyMap, only?: readonly string[], indent = 1): string {
    const changes = changedProperties(olds, news);
    const all = Object.keys({ ...olds, ...news }).sort();
    const width = widthOf(all);
    return all
      .filter((key) => !only || only.includes(key))
      .map((key) =>
        this.#change(key.padEnd(width), olds[key] ?? null, news[key] ?? null, changes.get(key), indent),
      )
      .join("");
  }

  #change(title: string, before: Value, after: Value, kind: ChangeKind | undefined, indent: number): string {
    if (kind === "update") return this.#update(title, before, after, indent);
    if (kind === "delete") return this.#property(title, before, { indent, mark: kind });
    return isEmpty(after) ? "" : this.#property(title, after, { indent, mark: kind ?? "same" });
  }

  #property(title: string, value: Value, place: Place): string {
    return this.#line(place, `${title}: ${this.#value(value, place.indent)}`);
  }

  #update(title: string, before: Value, after: Value, indent: number): string {
    const place: Place = { indent, mark: "update" };
    if (Array.isArray(before) && Array.isArray(after)) {
      const items = Array.from({ length: Math.max(before.length, after.length) }, (_, index) => {
        const [old, now] = [before[index] ?? null, after[index] ?? null];
        const kind = changedProperties({ item: old }, { item: now }).get("item");
        return this.#change(`[${index}]`, old, now, kind, indent + 1);
      });
      return `${this.#line(place, `${title}: [`)}${items.join("")}${"    ".repeat(indent)}]\n`;
    }
    if (isMap(before) && isMap(after)) {
      const inner = this.diff(before, after, undefined, indent + 1);
      return `${this.#line(place, `${title}: {`)}${inner}${"    ".repeat(indent)}}\n`;
    }
    return this.#line(place, `${title}: ${this.#value(before, indent)} => ${this.#value(after, indent)}`);
  }

  #line({ indent, mark }: Place, text: string): string {
    const color = markColors[mark];
    const line = `${"    ".repeat(indent).slice(0, -2)}${prefixes[mark]}${text}`;
    return `${color ? this.#paint(color, line) : line}\n`;
  }

  #value(value: Value, indent: number): string {
    if (value instanceof Secret) return "[secret]";
    if (value instanceof UnknownValue) return "[unknown]";
    if (value === null) return "<null>";
    if (typeof value === "string") return JSON.stringify(value);
    const end = "    ".repeat(indent);
    if (Array.isArray(value)) {
      if (value.length === 0) return "[]";
      const items = value.map((item, index) => `${end}    [${index}]: ${this.#value(item, indent + 1)}\n`);
      return `[\n${items.join("")}${end}]`;
    }
    if (!isMap(value)) return String(value);
    const keys = Object.keys(value).sort();
    if (keys.length === 0) return "{}";
    const width = widthOf(keys);
    const lines = keys.map(
      (key) => `${end}    ${key.padEnd(width)}: ${this.#value(value[key] ?? null, indent + 1)}\n`,
    );
    return `{\n${lines.join("")}${end}}`;
  }
}

function widthOf(keys: string[]): number {
  return Math.max(0, ...keys.map((key) => key.length));
}

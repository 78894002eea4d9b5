/** Property values for people: whole, and old against new, line by line. */
import { type ChangeKind, changedKeys } from "../diffs.ts";
import { isMap, type PropertyMap, Secret, Unknown, type Value } from "../values.ts";
import type { Color, Paint } from "./text.ts";

export type Mark = "same" | ChangeKind;

const prefixes: Record<Mark, string> = { same: "  ", add: "+ ", delete: "- ", update: "~ " };
const markColors: Record<Mark, Color | undefined> = {
  same: undefined,
  add: "green",
  delete: "red",
  update: "yellow",
};

export interface PrinterOptions {
  paint: Paint;
  /** Cut long texts short. */
  truncate: boolean;
  /** Leave out what did not change. */
  changesOnly: boolean;
}

interface Place {
  indent: number;
  mark: Mark;
  /** Whether lines begin with the sign of the change. */
  signed: boolean;
}

const internal = (key: string) => key.startsWith("__");

/** What is printed, with secrets as they may be shown: the word that stands for them unless they are asked for. */
export function shownValue(value: Value, showSecrets: boolean): Value {
  if (value instanceof Secret) return showSecrets ? shownValue(value.value, true) : new Secret("[secret]");
  if (Array.isArray(value)) return value.map((item) => shownValue(item, showSecrets));
  return isMap(value) ? shownProperties(value, showSecrets) : value;
}

export function shownProperties(properties: PropertyMap, showSecrets: boolean): PropertyMap {
  const entries = Object.entries(properties).map(([key, value]) => [key, shownValue(value, showSecrets)]);
  return Object.fromEntries(entries);
}

/** Values that only clutter a comparison. */
function isNothing(value: Value): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMap(value) && Object.keys(value).length === 0;
}

export class PropertyPrinter {
  readonly #options: PrinterOptions;

  constructor(options: PrinterOptions) {
    this.#options = options;
  }

  /** All properties, or those named, a line or more each. */
  object(properties: PropertyMap, place: Place, only?: readonly string[]): string {
    const keys = Object.keys(properties).sort();
    const width = widthOf(keys);
    return keys
      .filter((key) => !internal(key) && (!only || only.includes(key)))
      .map((key) => this.#property(key.padEnd(width), properties[key] ?? null, place))
      .join("");
  }

  /**
   * What differs, and what does not.
   * @param only the properties to show
   * @param aligned the properties below which values stand in one column
   */
  diff(
    olds: PropertyMap,
    news: PropertyMap,
    indent: number,
    only?: readonly string[],
    aligned = only,
  ): string {
    const changes = changedKeys(olds, news);
    const all = [...new Set([...Object.keys(olds), ...Object.keys(news)])].sort();
    const shown = all.filter((key) => !internal(key));
    const keys = shown.filter((key) => !only || only.includes(key));
    const width = widthOf(aligned ? shown.filter((key) => aligned.includes(key)) : shown);
    return keys
      .map((key) =>
        this.#change(key.padEnd(width), olds[key] ?? null, news[key] ?? null, changes.get(key), indent),
      )
      .join("");
  }

  #change(title: string, before: Value, after: Value, kind: ChangeKind | undefined, indent: number): string {
    if (kind === "add") return this.#property(title, after, { indent, mark: "add", signed: true });
    if (kind === "delete") return this.#property(title, before, { indent, mark: "delete", signed: true });
    if (kind === "update") return this.#update(title, before, after, indent);
    if (this.#options.changesOnly || isNothing(after)) return "";
    return this.#property(title, after, { indent, mark: "same", signed: false });
  }

  #property(title: string, value: Value, place: Place): string {
    return this.#line(place, `${title}: ${this.#value(value, place)}`);
  }

  #update(title: string, before: Value, after: Value, indent: number): string {
    const place: Place = { indent, mark: "update", signed: true };
    if (Array.isArray(before) && Array.isArray(after)) {
      const items = Array.from({ length: Math.max(before.length, after.length) }, (_, index) => {
        const [old, now] = [before[index] ?? null, after[index] ?? null];
        return this.#change(
          `[${index}]`,
          old,
          now,
          changedKeys({ item: old }, { item: now }).get("item"),
          indent + 1,
        );
      });
      return `${this.#line(place, `${title}: [`)}${items.join("")}${indentation({ indent })}]\n`;
    }
    if (isMap(before) && isMap(after)) {
      const inner = this.diff(before, after, indent + 1);
      return `${this.#line(place, `${title}: {`)}${inner}${indentation({ indent })}}\n`;
    }
    const lines = textLines(before, after);
    if (lines) return this.#line(place, `${title}:`) + this.#textDiff(lines[0], lines[1], indent + 1);
    if (isPrimitive(before) && isPrimitive(after) && !isNothing(before) && !isNothing(after))
      return this.#line(place, `${title}: ${this.#value(before, place)} => ${this.#value(after, place)}`);
    const [old, now] = (["delete", "add"] as const).map((mark) => ({ indent, mark, signed: true }));
    return (
      (old && !isNothing(before) ? this.#property(title, before, old) : "") +
      (now && !isNothing(after) ? this.#property(title, after, now) : "")
    );
  }

  /** Texts of several lines: what stands in both, what went, what came. */
  #textDiff(before: string[], after: string[], indent: number): string {
    const kept = commonLines(before, after);
    const lines: [Mark, string][] = [];
    let [i, j] = [0, 0];
    for (const line of [...kept, undefined]) {
      while (i < before.length && before[i] !== line) lines.push(["delete", before[i++] ?? ""]);
      while (j < after.length && after[j] !== line) lines.push(["add", after[j++] ?? ""]);
      if (line !== undefined) lines.push(["same", line]);
      i++;
      j++;
    }
    return lines.map(([mark, line]) => this.#line({ indent, mark, signed: true }, line)).join("");
  }

  #line(place: Place, text: string): string {
    const color = markColors[place.mark];
    const line = `${indentation(place)}${text}`;
    return `${color ? this.#options.paint(color, line) : line}\n`;
  }

  #value(value: Value, place: Place): string {
    if (value instanceof Secret) return "[secret]";
    if (value instanceof Unknown) return "[unknown]";
    if (value === null) return "<null>";
    if (typeof value === "string") return JSON.stringify(this.#options.truncate ? truncated(value) : value);
    const inner = { ...place, indent: place.indent + 1 };
    if (Array.isArray(value)) {
      if (value.length === 0) return "[]";
      const items = value.map(
        (item, index) => `${indentation(place)}    [${index}]: ${this.#value(item, inner)}\n`,
      );
      return `[\n${items.join("")}${indentation({ indent: place.indent })}]`;
    }
    if (!isMap(value)) return String(value);
    if (Object.keys(value).length === 0) return "{}";
    const width = widthOf(Object.keys(value));
    const lines = Object.keys(value)
      .sort()
      .filter((key) => !internal(key))
      .map((key) => `${indentation(inner)}${key.padEnd(width)}: ${this.#value(value[key] ?? null, inner)}\n`);
    return `{\n${lines.join("")}${indentation({ indent: place.indent })}}`;
  }
}

function widthOf(keys: string[]): number {
  return Math.max(0, ...keys.map((key) => key.length));
}

function indentation({ indent, mark = "same", signed = false }: Partial<Place> & { indent: number }): string {
  const blank = "    ".repeat(indent);
  return signed && indent > 0 ? blank.slice(0, -2) + prefixes[mark] : blank;
}

function isPrimitive(value: Value): boolean {
  return !Array.isArray(value) && !isMap(value);
}

function textLines(before: Value, after: Value): [string[], string[]] | undefined {
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  if (!before.includes("\n") && !after.includes("\n")) return undefined;
  const lines: [string[], string[]] = [before.split("\n"), after.split("\n")];
  return lines[0].length * lines[1].length <= maxComparisons ? lines : undefined;
}

/** The longest sequence of lines that both have, in order. */
function commonLines(before: string[], after: string[]): string[] {
  // lengths[i][j]: how long it is from line i of one and line j of the other on.
  const lengths = Array.from({ length: before.length + 1 }, () =>
    new Array<number>(after.length + 1).fill(0),
  );
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const length = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      lengths[i]?.splice(j, 1, length);
    }
  }
  const common: string[] = [];
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) {
      common.push(before[i] ?? "");
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return common;
}

/** Texts with more lines are shown one after the other. */
const maxComparisons = 250_000;
const [maxLines, maxLineLength] = [3, 150];

function truncated(text: string): string {
  const lines = text.split("\n");
  const kept = lines
    .slice(0, maxLines)
    .map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}...` : line));
  return lines.length > maxLines ? `${kept.join("\n")}\n...` : kept.join("\n");
}

/** Edits of a roster in YAML or JSON. JSON is YAML with all its names and texts in quotes. */
import { stringify, type YAMLMap, type YAMLSeq } from "yaml";
import type { HeaderField, PersonField } from "../fields.ts";
import type { Cell } from "../formats/layout.ts";
import { insert, lineEndOf, nextLine, type Splice, startOfLine } from "../formats/splices.ts";
import { spanOf, type YamlLayout } from "../formats/yaml.ts";
import type { Editor, FieldValue, PersonValues } from "../write.ts";

type Layout = YamlLayout<HeaderField, PersonField>;

export function yamlEditor(text: string, layout: Layout, isJson: boolean): Editor {
  const { map, rows, list } = layout;
  return {
    setField: (field, values) =>
      rows.flatMap(({ map: person, cells }, row) => {
        const value = values.get(row);
        if (value === undefined) return [];
        const cell = cells.get(field);
        if (cell === undefined) return [lastPair(text, person, pairText(field, value, isJson))];
        return [newValue(text, cell, valueText(value, isJson))];
      }),

    remove(gone) {
      if (gone.size === 0 || list === undefined) return [];
      if (list.flow === true) return removeFlow(layout, list, gone);
      const splices = removeBlock(text, layout, list, gone);
      return gone.size < rows.length ? splices : [...splices, insert(layout.peopleAt, " []")];
    },

    add(people) {
      if (people.length === 0) return [];
      if (list === undefined || list.items.length === 0) return firstItems(text, layout, people);
      return list.flow === true
        ? moreFlowItems(text, layout, people)
        : [moreItems(text, layout, list, people)];
    },

    setHeader(field, value) {
      const cell = layout.header.get(field);
      if (cell !== undefined) return [newValue(text, cell, valueText(value, isJson))];
      return map === undefined ? [] : [firstPair(text, map, pairText(field, value, isJson))];
    },
  };
}

function newValue(text: string, { start, end }: Cell, value: string): Splice {
  // A text of several lines holds the line break behind it. If there is no value yet, its place is behind the colon.
  const last = start + text.slice(start, end).trimEnd().length;
  if (start < end) return { start, end: last, text: value };
  // The place can also be in front of a comment.
  return insert(start, ` ${value}${text[start] === "#" ? " " : ""}`);
}

function firstPair(text: string, map: YAMLMap.Parsed, pair: string): Splice {
  const first = map.items[0];
  const start = first === undefined ? spanOf(map).start + 1 : spanOf(first.key).start;
  if (map.flow !== true) return insert(start, pair + lineEndOf(text) + columnOf(text, start));
  return insert(start, `${pair},${blankBefore(text, start) || " "}`);
}

function lastPair(text: string, map: YAMLMap.Parsed, pair: string): Splice {
  const end = endOf(map);
  const key = map.items.at(-1)?.key;
  if (map.flow !== true) return lineAfter(text, end, columnOf(text, spanOf(map).start) + pair);
  return insert(end, `,${(key && blankBefore(text, spanOf(key).start)) || " "}${pair}`);
}

/** Where the last value ends, without comments and blank lines behind it. */
function endOf(map: YAMLMap.Parsed): number {
  const last = map.items.at(-1);
  return last === undefined ? spanOf(map).end - 1 : spanOf(last.value ?? last.key).end;
}

/** A new line after the line of `at`, or at `at` after the end of a text with several lines. */
function lineAfter(text: string, at: number, line: string): Splice {
  const lineEnd = lineEndOf(text);
  const next = behind(text, at);
  return /[\r\n]/.test(text.charAt(next - 1)) ? insert(next, line + lineEnd) : insert(next, lineEnd + line);
}

function behind(text: string, at: number): number {
  return /[\r\n]/.test(text.charAt(at - 1)) ? at : nextLine(text, at);
}

/** @returns spaces up to the column of `at` */
function columnOf(text: string, at: number): string {
  return " ".repeat(at - startOfLine(text, at));
}

/** The white space before `at`; with a line break if the line has nothing else before it. */
function blankBefore(text: string, at: number): string {
  const start = startOfLine(text, at);
  const blank = /\s*$/.exec(text.slice(start, at))?.[0] ?? "";
  return blank.length === at - start && start > 0 ? lineEndOf(text) + blank : blank;
}

/** The position of the `-` of each person. */
function dashes({ srcToken }: YAMLSeq.Parsed): number[] {
  if (srcToken?.type !== "block-seq") return [];
  return srcToken.items.flatMap(
    ({ start }) => start.find(({ type }) => type === "seq-item-ind")?.offset ?? [],
  );
}

function removeBlock(
  text: string,
  layout: Layout,
  list: YAMLSeq.Parsed,
  gone: ReadonlySet<number>,
): Splice[] {
  const starts = dashes(list);
  return layout.rows.flatMap(({ map }, row) => {
    const dash = starts[row];
    if (dash === undefined || !gone.has(row)) return [];
    const start = startOfLine(text, dash);
    return [{ start, end: behind(text, map.flow === true ? spanOf(map).end : endOf(map)), text: "" }];
  });
}

/** Each goes up to the next; those at the end go with the comma before them. */
function removeFlow(layout: Layout, list: YAMLSeq.Parsed, gone: ReadonlySet<number>): Splice[] {
  const spans = layout.rows.map(({ map }) => spanOf(map));
  const kept = spans.findLastIndex((_, row) => !gone.has(row));
  const whole = spanOf(list);
  if (kept < 0) return [{ start: whole.start + 1, end: whole.end - 1, text: "" }];
  const splices = spans.slice(0, kept).flatMap(({ start }, row) => {
    const next = spans[row + 1];
    return gone.has(row) && next !== undefined ? [{ start, end: next.start, text: "" }] : [];
  });
  const [end, last] = [spans[kept]?.end, spans.at(-1)?.end];
  return end === undefined || last === undefined
    ? splices
    : [...splices, { start: end, end: last, text: "" }];
}

function moreItems(
  text: string,
  layout: Layout,
  list: YAMLSeq.Parsed,
  people: readonly PersonValues[],
): Splice {
  const map = layout.rows.at(-1)?.map;
  const end = map === undefined ? spanOf(list).end : map.flow === true ? spanOf(map).end : endOf(map);
  return lineAfter(text, end, itemLines(text, people, columnOf(text, dashes(list).at(-1) ?? 0)));
}

function itemLines(text: string, people: readonly PersonValues[], indent: string): string {
  const lineEnd = lineEndOf(text);
  return people.map((person) => blockItem(person, indent, lineEnd)).join(lineEnd);
}

function moreFlowItems(text: string, layout: Layout, people: readonly PersonValues[]): Splice[] {
  const last = layout.rows.at(-1)?.map;
  if (last === undefined) return [];
  const { start, end } = spanOf(last);
  const gap = blankBefore(text, start) || " ";
  const isTall = /[\r\n]/.test(text.slice(start, end));
  return [insert(end, people.map((person) => `,${gap}${flowItem(person, gap, isTall)}`).join(""))];
}

/** The first people, in place of an empty or missing list. */
function firstItems(
  text: string,
  { map, people: span, peopleAt }: Layout,
  people: readonly PersonValues[],
): Splice[] {
  const key = map?.items.find(({ value }) => value !== null && spanOf(value).start === span?.start)?.key;
  const at = key === undefined ? peopleAt : spanOf(key).start;
  if (map?.flow === true) {
    const gap = blankBefore(text, at);
    const inside = /[\r\n]/.test(gap) ? `${gap}  ` : "";
    const items = people.map((person) => inside + flowItem(person, inside, inside !== ""));
    const list = `[${items.join(inside === "" ? ", " : ",")}${inside === "" ? "" : gap}]`;
    return [{ start: peopleAt, end: Math.max(peopleAt, span?.end ?? 0), text: ` ${list}` }];
  }
  const lines = lineAfter(
    text,
    Math.max(peopleAt, span?.end ?? 0),
    itemLines(text, people, `${columnOf(text, at)}  `),
  );
  return [{ start: peopleAt, end: Math.max(peopleAt, span?.end ?? 0), text: "" }, lines];
}

/** Text that every YAML reader understands without quotes, even between brackets. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9 ._@+-]*$/;

/** @param isJson whether texts always need quotes */
function valueText(value: FieldValue, isJson: boolean): string {
  if (typeof value !== "string" || isJson) return JSON.stringify(value);
  const isText = PLAIN.test(value) && stringify(value, { lineWidth: 0 }).trimEnd() === value;
  return isText ? value : JSON.stringify(value);
}

function pairText(field: string, value: FieldValue, isJson: boolean): string {
  return `${isJson ? JSON.stringify(field) : field}: ${valueText(value, isJson)}`;
}

/** A person on separate lines. @param indent the text before the `-` */
function blockItem(person: PersonValues, indent: string, lineEnd: string): string {
  return [...person]
    .map(([field, value], place) => indent + (place === 0 ? "- " : "  ") + pairText(field, value, false))
    .join(lineEnd);
}

/** A person between braces. @param gap the text between people; its line break separates fields too */
function flowItem(person: PersonValues, gap: string, isTall: boolean): string {
  const fields = Object.fromEntries(person);
  return isTall ? JSON.stringify(fields, undefined, 2).replaceAll("\n", gap) : JSON.stringify(fields);
}

/** Values, fields and people as YAML or JSON writes them. */
import { stringify } from "yaml";
import type { FieldValue, PersonValues } from "./field-texts.ts";

/** What every reader of YAML takes for the same text, also between brackets. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9 ._@+-]*$/;

/** @param isJson whether texts stand in quotes always */
export function valueText(value: FieldValue, isJson: boolean): string {
  if (typeof value !== "string" || isJson) return JSON.stringify(value);
  const isText = PLAIN.test(value) && stringify(value, { lineWidth: 0 }).trimEnd() === value;
  return isText ? value : JSON.stringify(value);
}

export function pairText(field: string, value: FieldValue, isJson: boolean): string {
  return `${isJson ? JSON.stringify(field) : field}: ${valueText(value, isJson)}`;
}

/** One person in lines of its own. @param indent what stands before the `-` */
export function blockItem(person: PersonValues, indent: string, lineEnd: string): string {
  return [...person]
    .map(([field, value], place) => indent + (place === 0 ? "- " : "  ") + pairText(field, value, false))
    .join(lineEnd);
}

/** One person between braces. @param gap what separates it from the others; with a line break, so are its fields */
export function flowItem(person: PersonValues, gap: string, isTall: boolean): string {
  const fields = Object.fromEntries(person);
  return isTall ? JSON.stringify(fields, undefined, 2).replaceAll("\n", gap) : JSON.stringify(fields);
}

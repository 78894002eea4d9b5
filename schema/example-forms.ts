/** What the languages of the examples have in common: declarations, values by their types, and blocks of lines. */
import type { EnumSpec, ObjectSpec, PropertySpec, TypeSpec } from "./schema-types.ts";

/** The user id of another declaration. */
interface Reference {
  readonly userOf: string;
}
export type Value = string | boolean | Reference | readonly Value[] | Tree;
interface Tree {
  readonly [key: string]: Value;
}

export interface Example {
  readonly title: string;
  readonly declared: readonly (readonly [name: string, type: string, args: Tree])[];
  /** Of the last declaration. */
  readonly output: string;
}

/** The types of the schema, those of arguments by the resource or function. */
export interface Types {
  argumentsOf(type: string): Readonly<Record<string, TypeSpec>>;
  named(reference: string): ObjectSpec | EnumSpec | undefined;
}

/** How a language writes values. */
export interface Forms {
  text(value: string, type: PropertySpec): string;
  flag(value: boolean, type: PropertySpec): string;
  choice(set: string, value: string): string;
  userId(name: string): string;
  list(items: readonly string[], type: TypeSpec): string;
  /** @param name of its type */
  object(entries: readonly (readonly [key: string, text: string])[], name: string): string;
}

const INDENT = "    ";

/** The arguments as a language writes them, by their keys. */
function argumentsIn(forms: Forms, types: Types, args: Tree, specs: Readonly<Record<string, TypeSpec>>) {
  const write = (value: Value, spec: TypeSpec): string => {
    const reference =
      spec.$ref ?? spec.oneOf?.find(({ $ref }) => typeof value === "object" && $ref)?.$ref ?? "";
    const type = types.named(reference);
    const name = reference.split(":").at(-1) ?? "";
    if (typeof value === "string")
      return type && "enum" in type ? forms.choice(name, value) : forms.text(value, spec);
    if (typeof value === "boolean") return forms.flag(value, spec);
    if (isList(value))
      return forms.list(
        value.map((item) => write(item, spec.items ?? {})),
        spec,
      );
    if (isReference(value)) return forms.userId(value.userOf);
    const inner = type && "properties" in type ? type.properties : {};
    return forms.object(entriesOf(value, inner), name);
  };
  const entriesOf = (tree: Tree, of: Readonly<Record<string, TypeSpec>>) =>
    Object.entries(tree).map(([key, value]) => [key, write(value, of[key] ?? {})] as const);
  return entriesOf(args, specs);
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isReference(value: object): value is Reference {
  return "userOf" in value;
}

/** The declarations of an example, the last with its output. */
export function declarationsIn(forms: Forms, { declared, output }: Example, types: Types) {
  return declared.map(([name, type, args], index) => ({
    ...{ name, type, isLookup: type.startsWith("get") },
    args: argumentsIn(forms, types, args, types.argumentsOf(type)),
    output: index === declared.length - 1 ? output : undefined,
  }));
}

export type Entries = readonly (readonly [key: string, text: string])[];

/** Lines between brackets, one level deeper; nothing between them if there are none. */
export function block(open: string, lines: readonly string[], close: string, indent = INDENT): string {
  if (lines.length === 0) return `${open}${close}`;
  return [open, ...lines.map((line) => indented(line, indent)), close].join("\n");
}

export function indented(text: string, indent = INDENT): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? line : `${indent}${line}`))
    .join("\n");
}

export function pascal(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** YAML and JSON: one map of the header's fields and `people`, a list of maps. */
import {
  Composer,
  type CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { grouped } from "../../../provider/util/text.ts";
import {
  type Cell,
  describeUnknownName,
  knownName,
  type Layout,
  MOST_CHARACTERS,
  type Names,
  type Row,
} from "./layout.ts";
import { type IssueCollector, SPLIT } from "./validation.ts";

/** A person as the file has it. */
interface YamlRow<Name extends string> extends Row<Name> {
  readonly map: YAMLMap.Parsed;
}

export interface YamlLayout<HeaderName extends string, Name extends string> extends Layout<HeaderName, Name> {
  readonly form: "yaml";
  readonly rows: readonly YamlRow<Name>[];
  /** The whole file; undefined if it is not a map. */
  readonly map: YAMLMap.Parsed | undefined;
  /** The list of people; undefined if it is missing. */
  readonly list: YAMLSeq.Parsed | undefined;
  /** The value of `people`; undefined if it is empty. */
  readonly people: Span | undefined;
  /** Where that value belongs: right behind the colon. */
  readonly peopleAt: number;
}

const PEOPLE = "people";

/** @param text without a byte order mark */
export function parseYaml<HeaderName extends string, Name extends string>(
  text: string,
  header: Names<HeaderName>,
  fields: Names<Name>,
  issues: IssueCollector,
): YamlLayout<HeaderName, Name> {
  const form = { mark: "", form: "yaml" } as const;
  const none = { map: undefined, list: undefined, people: undefined, peopleAt: 0 } as const;
  const map = parseMap(text, issues);
  if (map === undefined) return { ...form, ...none, header: new Map(), rows: [] };
  const top = readMap(map, { ...header, all: [...header.all, PEOPLE] }, issues);
  const settings = new Map<HeaderName, Cell>();
  for (const name of header.all) {
    const value = top.get(name);
    const cell = value && cellOf(value, name, header, issues);
    if (cell !== undefined) settings.set(name, cell);
  }
  const list = top.get(PEOPLE);
  if (list === undefined) {
    issues.add(startOf(map), `missing ${PEOPLE}. For an empty list, write ${PEOPLE}: []`, PEOPLE);
    return { ...form, ...none, map, header: settings, rows: [] };
  }
  return {
    ...{ ...form, map, header: settings, rows: readPeople(list, fields, issues) },
    list: isSeq(list.node) ? list.node : undefined,
    people: list.node === null ? undefined : spanOf(list.node),
    peopleAt: text.indexOf(":", list.at) + 1,
  };
}

/** Undefined with an issue if the text is not one map. */
function parseMap(text: string, issues: IssueCollector): YAMLMap.Parsed | undefined {
  // Doubled names are looked for in readMap, because two spellings of a name are one.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, keepSourceTokens: true });
  const before = issues.found.length;
  const [document, second] = composer.compose(readTokens(text, issues), true, text.length);
  if (document === undefined) return undefined;
  const { errors, warnings, contents } = document;
  for (const { message, pos } of [...errors, ...warnings])
    issues.add(pos[0], `cannot parse: ${sentence(message)}`);
  if (second !== undefined) issues.add(second.range[0], SECOND_DOCUMENT);
  if (issues.found.length > before) return undefined;
  if (isMap(contents)) return contents;
  const at = contents === null ? 0 : startOf(contents);
  issues.add(at, `not a mapping. At the top level, write organization: and ${PEOPLE}: as its fields`);
  return undefined;
}

/** Names, values, and the signs and blanks between them: some 30,000 people with three fields, or 9,000 with ten. */
const MOST_LEXEMES = 800_000;
/** One in brackets, or after a `?`, takes the memory of this many others. */
const COLLECTION = 4;
/** A person's list of recipients is at 8. What is deeper would fill the stack. */
const MOST_DEPTH = 50;
/** Each is compared with all others. */
const MOST_DIRECTIVES = 10;
/** Signs outside of everything, such as a bracket that closes nothing: each is an error with a stack. */
const MOST_WRONG = 100;
/** The longest value, if each character is an escape. */
const MOST_WRITTEN = MOST_CHARACTERS * "\\u0000".length;

/** The tokens of a text, one after the other, as long as they fit into memory and stack. */
function* readTokens(text: string, issues: IssueCollector): Generator<CST.Token> {
  const parser = new Parser();
  let [count, directives, wrong] = [0, 0, 0];
  // YAML and JSON take a lone CR for a line break, the lexer does not.
  for (const lexeme of new Lexer().lex(text.replace(/\r(?!\n)/g, "\n"))) {
    const stop = (issue: string): never => issues.stop(parser.offset, issue);
    count += /^[[{?]/.test(lexeme) ? COLLECTION : 1;
    if (count > MOST_LEXEMES) stop(`too long for a file of YAML or JSON. ${SPLIT}`);
    if (parser.stack.length > MOST_DEPTH)
      stop(`nested too deeply. ${PEOPLE} is a list, and each person has fields with one value`);
    if (parser.stack.length === 0 && lexeme.startsWith("%")) directives += 1;
    if (directives > MOST_DIRECTIVES) stop("too many directives. Remove the lines that begin with %");
    if (lexeme.length > MOST_WRITTEN && !lexeme.startsWith("#") && /\S/.test(lexeme))
      stop(`too long (a value has at most ${grouped(MOST_CHARACTERS)} characters)`);
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") wrong += 1;
      if (wrong > MOST_WRONG) stop("cannot parse: signs that belong to nothing. Remove them");
      yield token;
    }
  }
  yield* parser.end();
}

const SECOND_DOCUMENT = "a second document begins here. A roster is one document";

function sentence(message: string): string {
  return message.replace(/\.?$/, "").replaceAll(/\s+/g, " ");
}

interface Value {
  readonly node: ParsedNode | null;
  /** Where its name begins. */
  readonly at: number;
}

function readMap<Name extends string>(
  map: YAMLMap.Parsed,
  names: Names<Name>,
  issues: IssueCollector,
): Map<Name, Value> {
  const values = new Map<Name, Value>();
  for (const { key, value } of map.items) {
    const at = startOf(key);
    const given = isScalar(key) ? String(key.value) : "";
    const name = knownName(given, names);
    const first = name && values.get(name);
    if (name === undefined) {
      issues.add(
        at,
        isScalar(key)
          ? describeUnknownName(given, names)
          : `not a valid ${names.noun} (the ${names.plural} are ${names.all.join(", ")})`,
      );
    } else if (first !== undefined) {
      issues.addDuplicate(at, name, first.at, name);
    } else {
      values.set(name, { node: value, at });
    }
  }
  return values;
}

function readPeople<Name extends string>(
  { node, at }: Value,
  fields: Names<Name>,
  issues: IssueCollector,
): YamlRow<Name>[] {
  if (node === null || (isScalar(node) && node.value === null)) return [];
  if (!isSeq(node)) {
    issues.add(at, `${PEOPLE} is not a list. Begin each person with "- "`, PEOPLE);
    return [];
  }
  return node.items.flatMap((item) => {
    if (isMap(item)) return [readPerson(item, fields, issues)];
    issues.add(
      startOf(item),
      isAlias(item) ? ALIAS : "not a person. Write fields such as email: ada@acme.example",
    );
    return [];
  });
}

function readPerson<Name extends string>(
  map: YAMLMap.Parsed,
  fields: Names<Name>,
  issues: IssueCollector,
): YamlRow<Name> {
  const cells = new Map<Name, Cell>();
  const before = issues.found.length;
  for (const [name, value] of readMap(map, fields, issues)) {
    const cell = cellOf(value, name, fields, issues);
    if (cell !== undefined) cells.set(name, cell);
  }
  return { start: startOf(map), cells, map, isPartial: issues.found.length > before };
}

const ALIAS = "aliases are not supported. Write the value itself";

/** A value as it is written, so that `007` keeps its zeros. */
function cellOf<Name extends string>(
  { node, at }: Value,
  name: Name,
  { lists }: Names<Name>,
  issues: IssueCollector,
): Cell | undefined {
  if (node === null) return { text: "", start: at, end: at };
  if (isSeq(node) && lists?.has(name) && node.items.every((item) => isScalar(item))) {
    return { text: node.items.map(textOf).join(" "), ...spanOf(node) };
  }
  if (!isScalar(node)) {
    issues.add(startOf(node), isAlias(node) ? ALIAS : `${name} takes one value. Write a string`, name);
    return undefined;
  }
  // Programs write null for no value, and people their name.
  if (node.value === null && /^(Null|NULL)$/.test(node.source ?? "")) {
    issues.add(
      startOf(node),
      `${node.source} without quotes is no value in YAML. Write "${node.source}" in quotes, or leave the field empty`,
      name,
    );
    return undefined;
  }
  return { text: textOf(node), ...spanOf(node) };
}

function textOf({ value, source }: Scalar.Parsed): string {
  const text = typeof value === "string" ? value : value === null ? "" : (source ?? String(value));
  return text.trim();
}

interface Span {
  readonly start: number;
  readonly end: number;
}

export function spanOf({ range: [start, end] }: ParsedNode): Span {
  return { start, end };
}

function startOf(node: ParsedNode): number {
  return spanOf(node).start;
}

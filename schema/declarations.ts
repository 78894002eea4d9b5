/** What the declarations of sdk/ say to readers of a Pulumi schema: types and descriptions, by TypeScript's syntax trees. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const packageRoot = fileURLToPath(new URL("..", import.meta.url));

/** A property of an interface or a class, or a parameter. */
export interface Declared {
  readonly name: string;
  readonly description: string | undefined;
  /** One in each part of a union. */
  readonly types: readonly ts.TypeNode[];
  readonly isRequired: boolean;
}

type Type = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration;

const types = new Map<string, Type>();
const functions = new Map<string, ts.FunctionDeclaration>();
/** The constant lists of texts. */
const lists = new Map<string, readonly string[]>();
const sdk = ["", "base/", "lookups/"].flatMap((folder) =>
  readdirSync(join(packageRoot, "sdk", folder))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}${name}`),
);
for (const path of [
  ...sdk.map((name) => `sdk/${name}`),
  "provider/api/schemas/model-types.ts",
  "provider/resources/onboarding/status-names.ts",
]) {
  const text = readFileSync(join(packageRoot, path), "utf8");
  for (const node of ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true).statements) {
    if (ts.isFunctionDeclaration(node) && node.name) functions.set(node.name.text, node);
    const isType =
      ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
    if (isType && node.name) types.set(node.name.text, node);
    if (ts.isVariableStatement(node)) for (const one of node.declarationList.declarations) addList(one);
  }
}

/** `const names = ["a", "b"] as const`. */
function addList({ name, initializer }: ts.VariableDeclaration): void {
  const list = initializer && ts.isAsExpression(initializer) ? initializer.expression : undefined;
  if (list === undefined || !ts.isArrayLiteralExpression(list)) return;
  const texts = list.elements.filter(ts.isStringLiteral).map(({ text }) => text);
  if (texts.length === list.elements.length) lists.set(name.getText(), texts);
}

export function typeNamed(name: string): Type | undefined {
  return types.get(name);
}

export interface Value {
  readonly value: string;
  readonly description?: string;
}

/** The values of a closed set: an alias of constant texts, or of the elements of a constant list. Otherwise undefined. */
export function valuesOf(type: Type | undefined): readonly Value[] | undefined {
  if (type === undefined || !ts.isTypeAliasDeclaration(type)) return undefined;
  const texts = textsOf(type.type);
  // What stands behind a value in a list of the comment.
  const comment = commentOf(type);
  return texts?.map((value) => {
    const [, text = ""] = new RegExp(`^- \`${value}\`: (.*)$`, "m").exec(comment) ?? [];
    return { value, ...(text && { description: sentence(neutral(text)) }) };
  });
}

function textsOf(node: ts.TypeNode): readonly string[] | undefined {
  if (ts.isIndexedAccessTypeNode(node)) {
    const [, name = ""] = /^\(?typeof (\w+)\)?$/.exec(node.objectType.getText()) ?? [];
    return lists.get(name);
  }
  if (!ts.isUnionTypeNode(node)) return undefined;
  const texts = node.types.flatMap((one) =>
    ts.isLiteralTypeNode(one) && ts.isStringLiteral(one.literal) ? [one.literal.text] : [],
  );
  return texts.length === node.types.length ? texts : undefined;
}

export const interfaces: readonly string[] = [...types]
  .filter(([, type]) => ts.isInterfaceDeclaration(type))
  .map(([name]) => name);

/** @throws Error if there is none */
export function functionNamed(name: string): ts.FunctionDeclaration {
  const found = functions.get(name);
  if (found === undefined) throw new Error(`sdk/ has no function ${name}`);
  return found;
}

/** The lookups that programs call without Outputs. */
export const lookups: readonly string[] = [...functions]
  .filter(([name, { modifiers }]) => /^get[A-Z](?!.*Output$)/.test(name) && modifiers !== undefined)
  .map(([name]) => name);

/** The properties of an interface, a class, or an intersection or union of them; of classes those that programs read. */
export function propertiesOf(name: string): readonly Declared[] {
  const type = types.get(name);
  if (type === undefined) throw new Error(`sdk/ has no type ${name}`);
  if (ts.isTypeAliasDeclaration(type)) return propertiesIn(type.type);
  const bases = (type.heritageClauses ?? []).flatMap(({ types }) =>
    types.map(({ expression }) => expression),
  );
  const inherited = bases.filter(ts.isIdentifier).flatMap(({ text }) => propertiesOf(text));
  return merged([inherited, [...type.members].flatMap(declaredIn)], "all");
}

export function propertiesIn(node: ts.TypeNode): readonly Declared[] {
  if (ts.isParenthesizedTypeNode(node)) return propertiesIn(node.type);
  if (ts.isTypeLiteralNode(node)) return [...node.members].flatMap(declaredIn);
  if (ts.isIntersectionTypeNode(node)) return merged(node.types.map(propertiesIn), "all");
  if (ts.isUnionTypeNode(node)) return merged(node.types.map(propertiesIn), "one");
  if (ts.isTypeReferenceNode(node)) return propertiesOf(node.typeName.getText());
  throw new Error(`no properties in ${node.getText()}`);
}

function declaredIn(node: ts.ClassElement | ts.TypeElement): Declared[] {
  const isRead = ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) || ts.isGetAccessor(node);
  if (!isRead || node.type === undefined) return [];
  const isRequired = !("questionToken" in node && node.questionToken !== undefined);
  const [name, description] = [node.name.getText(), descriptionOf(node)];
  return [{ name, description, types: [node.type], isRequired }];
}

/** @param parts `all` of them hold, or `one` */
function merged(parts: readonly (readonly Declared[])[], which: "all" | "one"): readonly Declared[] {
  const names = new Set(parts.flatMap((part) => part.map(({ name }) => name)));
  return [...names].map((name) => {
    const found = parts.flatMap((part) => part.filter((one) => one.name === name));
    const required = found.filter(({ isRequired }) => isRequired).length;
    return {
      name,
      description: found.find(({ description }) => description !== undefined)?.description,
      types: found.flatMap(({ types }) => types),
      isRequired: required >= (which === "all" ? 1 : parts.length),
    };
  });
}

/** The parameters, those of an object each by its properties. */
export function parametersOf({ parameters }: ts.FunctionDeclaration): readonly Declared[] {
  return parameters.flatMap((parameter) => {
    const { name, type, initializer } = parameter;
    if (type !== undefined && ts.isTypeReferenceNode(type)) return propertiesIn(type);
    const [tag] = ts.getJSDocParameterTags(parameter);
    const description = tag && neutral(ts.getTextOfJSDocComment(tag.comment) ?? "");
    const isRequired = initializer === undefined;
    return type === undefined ? [] : [{ name: name.getText(), description, types: [type], isRequired }];
  });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The description without what only programs in TypeScript need; undefined if there is none. */
export function descriptionOf(node: ts.Node): string | undefined {
  const text = neutral(commentOf(node).replaceAll(/^- .*$/gm, ""));
  return text === "" ? undefined : text;
}

function commentOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return ts.getTextOfJSDocComment(comment?.comment) ?? "";
}

function neutral(text: string): string {
  return (
    text
      .replaceAll(/```[\s\S]*?```/g, "")
      // The decision that a maintainer finds in the contract.
      .replaceAll(/ \(D\d+\)/g, "")
      .replaceAll(/\{@link (\w+)\}/g, "$1")
      .replaceAll("A ServiceAccount, or its id and secret", "The client id and secret of a service account")
      // Only the class sees the option.
      .replaceAll(
        "The option `protect: true` sets it.",
        "Pulumi's option `protect` does not set it, so set both.",
      )
      .replaceAll(/\bUndefined\b/g, "Not set")
      .replaceAll(/\bundefined\b/g, "not set")
      .replaceAll(/\s+/g, " ")
      .trim()
  );
}

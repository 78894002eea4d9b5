/** Pulumi's types for the types of sdk/. */
import ts from "typescript";
import { secretKeys } from "../provider/config/setting-values.ts";
import {
  type Declared,
  descriptionOf,
  interfaces,
  propertiesIn,
  propertiesOf,
  typeNamed,
  type Value,
  valuesOf,
} from "./declarations.ts";

export interface TypeSpec {
  readonly type?: string;
  readonly items?: TypeSpec;
  readonly additionalProperties?: TypeSpec;
  readonly oneOf?: readonly TypeSpec[];
  readonly $ref?: string;
}

export interface EnumSpec {
  readonly description?: string;
  readonly type: "string";
  readonly enum: readonly Value[];
}

export interface PropertySpec extends TypeSpec {
  readonly description?: string;
  readonly default?: string | number;
  readonly defaultInfo?: { readonly environment: readonly string[] };
  readonly plain?: boolean;
  readonly secret?: boolean;
  readonly willReplaceOnChanges?: boolean;
}

export interface ObjectSpec {
  readonly description?: string;
  readonly type?: "object";
  readonly properties: Readonly<Record<string, PropertySpec>>;
  readonly required?: readonly string[];
}

/** The token of a resource, function, or type. */
export function tokenOf(name: string): string {
  return `orgseat:index:${name}`;
}

const ANY: TypeSpec = { $ref: "pulumi.json#/Any" };
/** Numbers that are fractions, or too large for the integers of Pulumi's languages. */
const FRACTIONS = /^(contextWindowSize|downloadedRatio|averageMbps|downloadTimeTaken|maxRamUsage)$|Bytes$/;

/** The properties of an object, by name. */
export function objectOf(properties: readonly Declared[]): ObjectSpec {
  const required = properties.filter(isAlwaysSet).map(({ name }) => name);
  const specs = properties.map((property) => [property.name, specOf(property)] as const);
  return { properties: Object.fromEntries(specs), ...(required.length === 0 ? {} : { required }) };
}

export function specOf({ name, types, description }: Declared): PropertySpec {
  return {
    ...unionOf(types.flatMap((type) => specsOf(type, name))),
    ...(description && { description }),
    ...(SECRETS.has(name) && { secret: true }),
  };
}

/** By name, wherever they are: in inputs, in outputs, and in the objects of both. */
const SECRETS: ReadonlySet<string> = new Set(["credentials", ...secretKeys]);

/** Whether the type has no undefined and no null. */
export function isAlwaysSet({ isRequired, types }: Declared): boolean {
  return isRequired && types.every((type) => partsOf(type).every((part) => part !== "none"));
}

function unionOf(specs: readonly TypeSpec[]): TypeSpec {
  const distinct = [...new Map(specs.map((spec) => [JSON.stringify(spec), spec])).values()];
  // A text that may be written as a number.
  const isText = distinct.some(({ type }) => type === "string");
  const parts = distinct.filter(({ type }) => !(isText && (type === "integer" || type === "number")));
  const [only, ...more] = parts;
  if (only === undefined) throw new Error("a type without values");
  return more.length === 0 ? only : { oneOf: parts };
}

function specsOf(node: ts.TypeNode, property: string): TypeSpec[] {
  return partsOf(node).flatMap((part) => (part === "none" ? [] : [specOfPart(part, property)]));
}

function specOfPart(node: ts.TypeNode, property: string): TypeSpec {
  const inside = (type: ts.TypeNode) => unionOf(specsOf(type, property));
  if (ts.isArrayTypeNode(node)) return { type: "array", items: inside(node.elementType) };
  if (ts.isTypeLiteralNode(node)) return named(nameOf(node));
  if (ts.isTypeReferenceNode(node)) {
    const [, value] = node.typeArguments ?? [];
    if (node.typeName.getText() === "Record" && value !== undefined)
      return { type: "object", additionalProperties: inside(value) };
    return named(node.typeName.getText());
  }
  if (ts.isLiteralTypeNode(node)) return { type: ts.isStringLiteral(node.literal) ? "string" : "boolean" };
  if (node.kind === ts.SyntaxKind.UnknownKeyword) return ANY;
  // `string & {}`: beside the known values of an open set.
  if (ts.isIntersectionTypeNode(node)) return { type: "string" };
  if (node.kind === ts.SyntaxKind.StringKeyword) return { type: "string" };
  if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: "boolean" };
  if (node.kind === ts.SyntaxKind.NumberKeyword)
    return { type: FRACTIONS.test(property) ? "number" : "integer" };
  throw new Error(`${property}: Pulumi's schema has no type for ${node.getText()}`);
}

/** Which of the types around a value matter to TypeScript only. */
const WRAPPERS = new Set(["pulumi.Input", "pulumi.Output", "pulumi.Unwrap", "Promise"]);

/** The parts of a union, without what is around them. `none`: undefined, null, or never. */
function partsOf(node: ts.TypeNode): readonly (ts.TypeNode | "none")[] {
  if (ts.isUnionTypeNode(node)) return node.types.flatMap(partsOf);
  if (ts.isParenthesizedTypeNode(node) || ts.isTypeOperatorNode(node)) return partsOf(node.type);
  if (ts.isConditionalTypeNode(node)) return [node.trueType, node.falseType].flatMap(partsOf);
  if (ts.isTypeReferenceNode(node)) {
    const [inner] = node.typeArguments ?? [];
    if (WRAPPERS.has(node.typeName.getText()) && inner !== undefined) return partsOf(inner);
    const meant = meantBy(node);
    return meant === undefined ? [node] : partsOf(meant);
  }
  const isNull = ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.NullKeyword;
  const isNone =
    isNull || node.kind === ts.SyntaxKind.UndefinedKeyword || node.kind === ts.SyntaxKind.NeverKeyword;
  return [isNone ? "none" : node];
}

/** What an alias or a type parameter stands for. */
function meantBy(node: ts.TypeReferenceNode): ts.TypeNode | undefined {
  const name = node.typeName.getText();
  const type = typeNamed(name);
  if (valuesOf(type) !== undefined || isObject(type)) return undefined;
  if (type !== undefined) return ts.isTypeAliasDeclaration(type) ? type.type : undefined;
  const generic = ts.findAncestor(node, isGeneric);
  return generic?.typeParameters?.find((one) => one.name.text === name)?.constraint;
}

/** Whether an alias has the forms of one object, which is one type in other languages. */
function isObject(type: ReturnType<typeof typeNamed>): boolean {
  if (type === undefined || !ts.isTypeAliasDeclaration(type)) return false;
  return ts.isUnionTypeNode(type.type) && type.type.types.every(ts.isTypeLiteralNode);
}

function isGeneric(node: ts.Node): node is ts.TypeAliasDeclaration | ts.ClassDeclaration {
  return ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
}

/** A reference to a resource, or to a type: `TableColumn` for `TableColumnArgs` too. */
function named(name: string): TypeSpec {
  const type = typeNamed(name);
  if (type === undefined) throw new Error(`sdk/ has no type ${name}`);
  if (ts.isClassDeclaration(type)) return { $ref: `#/resources/${tokenOf(name)}` };
  return { $ref: `#/types/${tokenOf(name.replace(/Args$/, ""))}` };
}

/** A named type: of a closed set, or of an object, that of the inputs if they have one. */
export function typeSpec(name: string): ObjectSpec | EnumSpec {
  const type = typeNamed(name);
  const values = valuesOf(type);
  if (values === undefined) return objectSpec(name);
  const description = type && descriptionOf(type);
  return { ...(description && { description }), type: "string", enum: values };
}

export function objectSpec(name: string): ObjectSpec {
  const type = typeNamed(`${name}Args`) ?? typeNamed(name);
  const description = type && descriptionOf(type);
  return {
    ...(description && { description }),
    type: "object",
    ...objectOf(propertiesOf(type?.name?.text ?? name)),
  };
}

/** The interface with the properties of an inline type. */
function nameOf(literal: ts.TypeLiteralNode): string {
  const keys = (properties: readonly Declared[]) => JSON.stringify(properties.map(({ name }) => name));
  const wanted = keys(propertiesIn(literal));
  const found = interfaces.find((name) => keys(propertiesOf(name)) === wanted);
  if (found === undefined)
    throw new Error(`sdk/ has no interface with the properties of ${literal.getText()}`);
  return found;
}

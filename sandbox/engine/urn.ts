/** URNs: `urn:pulumi:<stack>::<project>::[<parent types>$]<type>::<name>`. */
export const stackType = "pulumi:pulumi:Stack";
/** The package of dynamic resources. */
export const dynamicPackage = "pulumi-nodejs";
const providerPrefix = "pulumi:providers:";

interface UrnParts {
  stack: string;
  project: string;
  /** The type with its parents' types before it. */
  qualifiedType: string;
  type: string;
  name: string;
}

export function parseUrn(urn: string): UrnParts {
  const [stack, project, qualifiedType, ...name] = urn.replace(/^urn:pulumi:/, "").split("::");
  if (
    !urn.startsWith("urn:pulumi:") ||
    project === undefined ||
    qualifiedType === undefined ||
    !name.length
  ) {
    throw new Error(`"${urn}" is not a URN`);
  }
  const type = qualifiedType.slice(qualifiedType.lastIndexOf("$") + 1);
  return { stack: stack ?? "", project, qualifiedType, type, name: name.join("::") };
}

/** The URN of a resource. It does not contain the type of a parent that is the stack. */
export function makeUrn(stack: string, project: string, parent: string, type: string, name: string): string {
  const parentType = parent === "" ? "" : parseUrn(parent).qualifiedType;
  const qualified = parentType === "" || parentType === stackType ? type : `${parentType}$${type}`;
  return `urn:pulumi:${stack}::${project}::${qualified}::${name}`;
}

/** The URN of the stack's own resource. */
export function stackUrn(stack: string, project: string): string {
  return makeUrn(stack, project, "", stackType, `${project}-${stack}`);
}

export function isProviderType(type: string): boolean {
  return type.startsWith(providerPrefix);
}

export function providerTypeOf(packageName: string): string {
  return providerPrefix + packageName;
}

/** The package a type belongs to, for a provider's type the package it provides. */
export function packageOf(type: string): string {
  const rest = isProviderType(type) ? type.slice(providerPrefix.length) : type;
  return rest.split(":")[0] ?? "";
}

/** Default providers serve resources but are not reported as resources. */
export function isDefaultProvider(urn: string): boolean {
  const { type, name } = parseUrn(urn);
  return isProviderType(type) && (name === "default" || name.startsWith("default_"));
}

interface ProviderReference {
  urn: string;
  id: string;
}

export function parseReference(reference: string): ProviderReference {
  const at = reference.lastIndexOf("::");
  return { urn: reference.slice(0, at), id: reference.slice(at + 2) };
}

/** A test for `--target` patterns (URNs with the wildcards `*` and `**`); undefined for no patterns. */
export function urnMatcher(patterns: readonly string[]): ((urn: string) => boolean) | undefined {
  if (patterns.length === 0) return undefined;
  const expressions = patterns.map((pattern) => {
    const parts = pattern.split(/(\*\*|\*)/).map((part) => {
      if (part === "**") return ".*";
      return part === "*" ? "[^:]*" : part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
    });
    return new RegExp(`^${parts.join("")}$`);
  });
  return (urn) => expressions.some((expression) => expression.test(urn));
}

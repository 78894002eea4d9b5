/** A member: user, seat and token in one declaration, as the component OrgMember and the plugin register them. */
import { INSTANT_FORM, parseInstant, shortInstant } from "../../util/instants.ts";
import { accessAt } from "./access-end.ts";

/** The inputs of a member that all its resources have. */
const common = ["organizationId", "credentials", "allowAdminRemoval"] as const;
type Common = (typeof common)[number];

export function isCommon(key: string): boolean {
  return common.some((one) => one === key);
}

/** The inputs of a member that say whether its removal retains the membership. */
interface Kept {
  readonly adopt?: unknown;
  readonly onDelete?: unknown;
}

/**
 * The resources of a member, each by its name and inputs, without the references between them. Where the removal retains
 * the membership, seat and token do not guard an administrator: a delete of Pulumi knows its own resource alone. So the state
 * keeps the end of the access with each of them.
 */
export function partsOfMember<
  Person extends Readonly<Partial<Record<Common, unknown>>> & Kept,
  Seat extends object,
  Token extends object,
>(name: string, person: Person, seat: boolean | Seat, token: Token | undefined, accessUntil?: unknown) {
  const given: { -readonly [Key in Common]?: Person[Key] } = {};
  for (const key of common) if (person[key] !== undefined) given[key] = person[key];
  const shared = { ...given, ...(isMembershipKept(person) ? { allowAdminRemoval: true } : {}) };
  const part = <Args extends object>(what: string, args: Args) => ({ name: `${name}-${what}`, args });
  const end = accessUntil === undefined ? {} : { accessEnd: accessUntil };
  return {
    user: part("user", { ...person, ...end }),
    seat: seat ? part("seat", { ...shared, ...(seat === true ? {} : seat), ...end }) : undefined,
    token: seat && token ? part("token", { ...shared, ...token, ...end }) : undefined,
  };
}

/** False for an `onDelete` that is known later only. */
function isMembershipKept({ adopt, onDelete }: Kept): boolean {
  return onDelete === "retain" || (adopt !== undefined && onDelete === undefined);
}

/** Without checked types, a key can be missing; here that would remove a seat and a token. @returns what is wrong */
export function seatIssue(name: string, seat: unknown, token: unknown): string | undefined {
  if (typeof seat !== "boolean" && (typeof seat !== "object" || seat === null))
    return `OrgMember "${name}": missing seat. Set seat: true or seat: false.`;
  if (seat === false && token !== undefined)
    return `OrgMember "${name}": a token needs a seat. Set seat: true, or omit token.`;
  return undefined;
}

interface AccessEnd {
  readonly ended: boolean;
  /** What the run says about it. */
  readonly notice?: { readonly severity: "info" | "warning"; readonly text: string };
}

/** @param now milliseconds since 1970 @returns a text says what is wrong */
export function accessEnd(name: string, accessUntil: unknown, now: number): AccessEnd | string {
  if (accessUntil === undefined) return { ended: false };
  const end = typeof accessUntil === "string" ? parseInstant(accessUntil) : undefined;
  if (end === undefined)
    return `OrgMember "${name}": accessUntil is not a valid date (expected ${INSTANT_FORM}).`;
  const status = accessAt(end, now);
  const about = `OrgMember "${name}": access`;
  const day = `${shortInstant(end)} (accessUntil)`;
  if (status === "endsSoon") {
    const text = `${about} ends on ${day}. The first run after that removes the member. To extend the access, write a later date.`;
    return { ended: false, notice: { severity: "warning", text } };
  }
  if (status !== "ended") return { ended: false };
  const text = `${about} ended on ${day}, so the program declares no user, seat, or token.`;
  return { ended: true, notice: { severity: "info", text } };
}

/** What the resources of a member ignore for Pulumi's `ignoreChanges` of the member. */
export interface Ignored {
  readonly user: string[];
  readonly seat: string[];
  readonly token: string[];
  /** What cannot be ignored, for the user. */
  readonly warning: string | undefined;
}

/** @param paths property paths as Pulumi writes them, such as `token.expiresAt` */
export function ignoredInParts(name: string, paths: readonly string[]): Ignored {
  const found = { user: new Set<string>(), seat: new Set<string>(), token: new Set<string>() };
  const without: string[] = [];
  for (const path of paths) {
    const [, plain, quoted, inside = ""] = /^(?:(\w+)|\["([^"]+)"\])\.?(.*)$/s.exec(path) ?? [];
    const input = plain ?? quoted;
    const part = input === "seat" || input === "token" ? input : undefined;
    // The program declares by these, before Pulumi compares anything.
    if (input === undefined || input === "accessUntil" || (part && /^\[?\*?\]?$/.test(inside)))
      without.push(path);
    else if (part !== undefined) found[part].add(inside);
    else {
      found.user.add(path);
      // Seat and token derive one of their inputs from these.
      const shared = input === "adopt" || input === "onDelete" ? "allowAdminRemoval" : path;
      if (isCommon(input) || shared !== path) for (const one of [found.seat, found.token]) one.add(shared);
    }
  }
  const warning =
    without.length === 0
      ? undefined
      : `OrgMember "${name}": ignoreChanges has no effect on ${without.join(", ")}, because the program declares its resources by it. List single inputs instead, such as token.expiresAt.`;
  return { user: [...found.user], seat: [...found.seat], token: [...found.token], warning };
}

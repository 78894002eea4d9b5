/** What a run of a roster leaves in the state of its stack; any other state is for Pulumi to judge. */
import { isDeepStrictEqual } from "node:util";
import type { ResourceType } from "../../provider/resources/resource-types.ts";
import type { Program } from "../engine/engine.ts";
import { isSecret } from "../engine/masked.ts";
import { shortStackName } from "../engine/stack-names.ts";
import { memberOf, nameOf, type Properties, rosterTokenOf, TYPE_PREFIX } from "../plan/steps/steps.ts";
import { readFacts } from "../roster/facts.ts";
import { rosterParts } from "../roster/members.ts";
import { MEMBER_TYPE } from "../roster/parts/member-parts.ts";
import { MARKER_TYPE, type RosterMarker } from "../roster/roster.ts";
import { entriesOf, pendingOf, type State, type StateEntry } from "./stack-state.ts";

/** The resources of a member, each after those that it depends on. */
export const partTypes = ["OrgUser", "SeatAssignment", "UserToken"] as const satisfies ResourceType[];

/** What the state has of a resource that is neither replaced nor half made. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  ...["urn", "custom", "type", "id", "parent", "protect", "provider", "created", "modified"],
  ...["inputs", "outputs", "dependencies", "propertyDependencies", "additionalSecretOutputs"],
]);

/** The state of a stack, and the program that a run of the stack has. */
export interface PlacedState {
  readonly stack: string;
  /** The name of the project; undefined for engines without one. */
  readonly project: string | undefined;
  readonly state: State;
  readonly program: Program;
}

/** What the state of a roster's stack has. */
export interface Held {
  /** The beginning of all URNs. */
  readonly prefix: string;
  readonly root: string;
  /** How resources refer to their provider; undefined of a stack without people. */
  readonly provider: string | undefined;
  readonly marker: StateEntry;
  /** By key: the component, and the resources inside. */
  readonly members: ReadonlyMap<string, readonly StateEntry[]>;
}

/** Undefined for a state that a run of a roster does not leave. */
export function heldIn({ stack, project, state, program }: PlacedState): Held | undefined {
  const entries = entriesOf(state);
  const byType = Map.groupBy(entries, ({ type }) => (isPart(type) ? TYPE_PREFIX : type));
  const [root, ...otherRoots] = byType.get("pulumi:pulumi:Stack") ?? [];
  const [provider, ...otherProviders] = byType.get("pulumi:providers:pulumi-nodejs") ?? [];
  const [marker, ...otherMarkers] = byType.get(MARKER_TYPE) ?? [];
  const components = byType.get(MEMBER_TYPE) ?? [];
  const parts = byType.get(TYPE_PREFIX) ?? [];
  if (!root || !marker || (parts.length > 0 && !provider)) return undefined;
  const [, , , , ownProject = ""] = root.urn.split(":");
  const prefix = `urn:pulumi:${shortStackName(stack)}::${project ?? ownProject}::`;
  const usualProvider = `${prefix}pulumi:providers:pulumi-nodejs::default`;
  const others = [root, marker, ...(provider ? [provider] : []), ...components];
  const isUsual =
    otherRoots.length + otherProviders.length + otherMarkers.length === 0 &&
    entries.length === others.length + parts.length &&
    pendingOf(state).length === 0 &&
    (provider?.urn ?? usualProvider) === usualProvider &&
    [marker, ...components].every(({ parent }) => parent === root.urn) &&
    // For Pulumi, an asterisk in a target stands for any text.
    entries.every(({ urn }) => urn.startsWith(prefix) && !urn.includes("*")) &&
    entries.every(hasKnownKeys) &&
    // A run of some people would delete what the others depend on.
    others.every((entry) => dependenciesOf(entry).length === 0) &&
    components.every(({ custom }) => custom !== true) &&
    parts.every(({ custom }) => custom === true);
  if (!isUsual) return undefined;
  const urns = new Set(components.map(({ urn }) => urn));
  // Two resources of one object, or a resource outside of a member: the provider decides which one owns it.
  const objects = new Set(parts.map(({ type, id }) => `${type} ${id}`));
  if (objects.size < parts.length || parts.some(({ parent = "" }) => !urns.has(parent))) return undefined;
  const members = Map.groupBy([...components, ...parts], ({ urn, parent, type }) =>
    type === MEMBER_TYPE ? nameOf(urn) : memberOf(urn, parent),
  );
  if (adoptsUserOfOther(program, members)) return undefined;
  const reference = provider && `${provider.urn}::${provider.id}`;
  return { prefix, root: root.urn, provider: reference, marker, members };
}

/** The URNs that a resource depends on, directly or through an input; they can repeat. */
export function dependenciesOf({ dependencies, propertyDependencies }: StateEntry): string[] {
  return [
    ...(dependencies ?? []),
    ...Object.values(propertyDependencies ?? {}).flatMap((urns) => urns ?? []),
  ];
}

/** Whether a row has the user id of another member of the state. */
function adoptsUserOfOther(program: Program, members: Held["members"]): boolean {
  const keys = new Map([...members].flatMap(([key, entries]) => entries.map(({ id }) => [id, key] as const)));
  return program.roster.people.some(
    ({ key, userId }) => userId !== undefined && (keys.get(userId) ?? key) !== key,
  );
}

function isPart(type: string): boolean {
  return partTypes.some((part) => type === rosterTokenOf(part));
}

function hasKnownKeys(entry: StateEntry): boolean {
  return Object.entries(entry).every(([key, value]) => value === undefined || KNOWN_KEYS.has(key));
}

export interface DeclaredPart {
  readonly type: (typeof partTypes)[number];
  readonly urn: string;
  readonly args: Properties;
}

export interface DeclaredMember {
  readonly key: string;
  /** Of the component. */
  readonly urn: string;
  readonly isProtected: boolean;
  /** User, seat and token, each after those that it depends on. */
  readonly parts: readonly DeclaredPart[];
}

export function declaredIn(program: Program, { prefix }: Held): DeclaredMember[] {
  const { roster, offboarded, now } = program;
  return rosterParts(roster, { offboarded, now }).map(({ person, key, parts: { user, seat, token } }) => ({
    key,
    urn: `${prefix}${MEMBER_TYPE}::${key}`,
    isProtected: person.protected,
    parts: [user, seat, token].flatMap((part, index) => {
      const type = partTypes[index];
      if (part === undefined || type === undefined) return [];
      return {
        type,
        args: { ...part.args },
        urn: `${prefix}${MEMBER_TYPE}$${rosterTokenOf(type)}::${part.name}`,
      };
    }),
  }));
}

/** Undefined if the program declares another roster. */
export function markerOf({ marker: { urn, inputs = {} } }: Held, program: Program): RosterMarker | undefined {
  if (program.roster.id !== nameOf(urn)) return undefined;
  const declared = stored(program.facts ?? {});
  const action = isDeepStrictEqual(declared, inputs) ? "same" : "update";
  return {
    ...{ urn, rosterId: nameOf(urn), action, isDone: false },
    before: readFacts(inputs),
    after: readFacts(declared),
  };
}

/** Without `undefined`, as Pulumi stores it. */
export function stored(properties: object): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}

/** As Pulumi's events show secrets. */
export function masked(properties: Properties): Properties {
  return mapped(properties, (value) => (isSecret(value) ? { ...value, ciphertext: "[secret]" } : value));
}

/** A diff can depend on every other value, and the state shows none that is secret. */
export function hasNoOtherSecret(
  { inputs = {}, outputs = {} }: StateEntry,
  expected: readonly string[],
): boolean {
  const isShown = ([key, value]: [string, unknown]): boolean => expected.includes(key) || !isSecret(value);
  return Object.values(inputs).every((value) => !isSecret(value)) && Object.entries(outputs).every(isShown);
}

/** No diff depends on the value of the secrets that a run leaves in the outputs. */
export function withoutSecrets(properties: Properties): Properties {
  return mapped(properties, (value) => (isSecret(value) ? "[secret]" : value));
}

function mapped(properties: Properties, change: (value: unknown) => unknown): Properties {
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, change(value)]));
}

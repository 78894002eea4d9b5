/** What a report is made of: plain data, from states, roster and audit log. */
import { z } from "zod";
import { counted } from "../../../provider/util/plural.ts";
import type { AuditLine } from "../audit-log.ts";
import { nameOf, type Properties, type ResourceType, resourceTypeOf } from "../plan/steps.ts";
import type { Roster, RosterPerson } from "../roster/roster.ts";
import { entriesOf, isLive, keyOf, pendingOf, type State, type StateEntry } from "../stack-state.ts";

/** A managed resource as it stands in the state of a stack. */
export interface StateResource {
  readonly stack: string;
  readonly type: ResourceType;
  /** The resource's name in the program. */
  readonly name: string;
  /** The name of the OrgMember it belongs to; its own name where it stands alone. */
  readonly member: string;
  /** The object at the service: of user, seat and token the user id. */
  readonly id: string;
  /** Without the secret ones. */
  readonly outputs: Properties;
  /** When the state got it and last changed it, instants; undefined where the state does not say. */
  readonly created: string | undefined;
  readonly modified: string | undefined;
}

export interface ReportFacts {
  /** Undefined where neither a roster nor a state says. */
  readonly organizationId: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** An instant. */
  readonly subscriptionExpiresAt: string | undefined;
  /** Seats bought, as declared. */
  readonly seats: number | undefined;
  /** The people of the roster; undefined where there is none. */
  readonly people: readonly RosterPerson[] | undefined;
  readonly resources: readonly StateResource[];
  /** Undefined where no audit log was read: who left is then not known. */
  readonly audit: readonly AuditLine[] | undefined;
  /** Who stood behind user ids that no state holds any more, as far as anybody remembers. */
  readonly names: Readonly<Record<string, string>>;
  /** What the reader of the report must know of how the facts were found, as sentences. */
  readonly notes: readonly string[];
}

export interface CollectOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The organization, where there is no roster. Default: the one that the states name. */
  readonly organizationId?: string | undefined;
  /** The subscription's end, an instant, where the roster does not say. Default: the latest that a token was declared with. */
  readonly subscriptionExpiresAt?: string | undefined;
  /** Seats bought, where the roster does not say. */
  readonly seats?: number | undefined;
  /** Names of people whom no state holds any more, by user id. */
  readonly names?: Readonly<Record<string, string>> | undefined;
}

/** What the facts need of any outputs; a value of another form counts as not said. */
const outputsSchema = z.object({
  organizationId: z.string().optional().catch(undefined),
  subscriptionExpiresAt: z.iso.datetime({ offset: true }).optional().catch(undefined),
});

/**
 * @param states by stack
 * @param roster undefined where there is none
 * @param audit undefined where no log was read; an empty one says that nothing was sent
 * @throws where the states hold several organizations and nothing says which is meant
 */
export function factsOf(
  states: Iterable<readonly [stack: string, state: State]>,
  roster: Roster | undefined,
  audit: readonly AuditLine[] | undefined,
  options: CollectOptions,
): ReportFacts {
  const found = [...states];
  const all = found.flatMap(([stack, state]) =>
    entriesOf(state)
      .filter(isLive)
      .flatMap((entry) => stateResource(stack, entry) ?? []),
  );
  const organizationId = roster?.organizationId ?? options.organizationId ?? onlyOrganization(all);
  const resources = all.filter((resource) => (organizationOf(resource) ?? organizationId) === organizationId);
  return {
    organizationId,
    now: options.now,
    subscriptionExpiresAt:
      roster?.subscriptionExpiresAt ?? options.subscriptionExpiresAt ?? latestEnd(resources),
    seats: roster?.seats ?? options.seats,
    people: roster?.people,
    resources,
    audit: audit?.filter((line) => (line.organizationId ?? organizationId) === organizationId),
    names: options.names ?? {},
    notes: notesOf(
      found.map(([, state]) => state),
      all.length - resources.length,
    ),
  };
}

function organizationOf(resource: StateResource): string | undefined {
  return outputsSchema.parse(resource.outputs).organizationId;
}

function onlyOrganization(resources: readonly StateResource[]): string | undefined {
  const [found, ...others] = new Set(resources.flatMap((resource) => organizationOf(resource) ?? []));
  if (others.length === 0) return found;
  throw new Error(
    `cannot choose an organization to report on: the states have several (${[found, ...others].join(", ")}). Name one in a roster or in orgseat:organizationId`,
  );
}

function latestEnd(resources: readonly StateResource[]): string | undefined {
  return resources
    .flatMap(({ outputs }) => outputsSchema.parse(outputs).subscriptionExpiresAt ?? [])
    .sort((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1);
}

function notesOf(states: readonly State[], elsewhere: number): string[] {
  const entries = states.flatMap(entriesOf);
  const waiting = entries.filter((entry) => entry.delete === true && resourceTypeOf(entry.type)).length;
  const interrupted = states.flatMap(pendingOf).length;
  return [
    elsewhere > 0 ? `Skipped ${counted(elsewhere, "resource")} of another organization.` : "",
    waiting > 0
      ? `${counted(waiting, "replaced object")} not deleted yet. The next \`orgseat up\` does it.`
      : "",
    interrupted > 0
      ? `${counted(interrupted, "interrupted operation")} with an unknown result. The next \`orgseat up\` checks.`
      : "",
  ].filter((note) => note !== "");
}

function stateResource(stack: string, entry: StateEntry): StateResource | undefined {
  const { urn, id, outputs = {}, created, modified } = entry;
  const type = resourceTypeOf(entry.type);
  if (type === undefined || id === undefined || id === "") return undefined;
  const shown = Object.fromEntries(Object.entries(outputs).filter(([, value]) => !isSecret(value)));
  return { stack, type, name: nameOf(urn), member: keyOf(entry), id, outputs: shown, created, modified };
}

/** Pulumi's mark of a secret, whether encrypted or shown. */
const SECRET_KEY = "4dabf18193072939515e22adb298388d";

function isSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null && SECRET_KEY in value;
}

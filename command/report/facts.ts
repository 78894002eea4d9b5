/** What a report is made of: plain data, from states, roster and audit log. */
import { z } from "zod";
import { counted } from "../../provider/util/text.ts";
import { resourceTypeOf } from "../plan/steps/steps.ts";
import type { LastSeen } from "../roster/last-seen.ts";
import type { Roster, RosterPerson } from "../roster/roster.ts";
import type { AuditLine } from "../service/audit-log.ts";
import { entriesOf, pendingOf, resourcesOf, type State, type StateResource } from "../stacks/stack-state.ts";
import type { ReportedDrift } from "./schema.ts";

export interface CollectOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The end of the subscription, a timestamp, if the roster has none. Default: the latest that a token was declared with. */
  readonly subscriptionExpiresAt?: string | undefined;
  /** The declared number of purchased seats, if the roster has none. */
  readonly seats?: number | undefined;
  /** Names by user ids that no state contains any longer. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** Undefined if the members were not read; then a note has the reason, if there is one. */
  readonly drift?: ReportedDrift | undefined;
  /** The product codes by user id, if the members were read. */
  readonly products?: ReadonlyMap<string, readonly string[]> | undefined;
  /** What the reader must know about the sources, as sentences. */
  readonly notes?: readonly string[] | undefined;
  /** Undefined without a file of last uses. */
  readonly lastSeen?: LastSeen | undefined;
}

export interface ReportFacts extends CollectOptions {
  readonly organizationId: string;
  /** The people of the roster. */
  readonly people: readonly RosterPerson[];
  readonly resources: readonly StateResource[];
  /** Undefined without an audit log: it is then unknown who left. */
  readonly audit: readonly AuditLine[] | undefined;
  readonly notes: readonly string[];
}

/** What the facts need of any outputs; a value of another form counts as missing. */
const outputsSchema = z.object({
  organizationId: z.string().optional().catch(undefined),
  subscriptionExpiresAt: z.iso.datetime({ offset: true }).optional().catch(undefined),
});

/**
 * @param states by stack
 * @param audit undefined if there is no log; an empty one says that nothing was sent
 */
export function factsOf(
  states: Iterable<readonly [stack: string, state: State]>,
  roster: Roster,
  audit: readonly AuditLine[] | undefined,
  options: CollectOptions,
): ReportFacts {
  const found = [...states];
  const all = found.flatMap(([stack, state]) => resourcesOf(stack, state));
  const { organizationId, people } = roster;
  const isOurs = (id: string | undefined): boolean => id === undefined || id === organizationId;
  const resources = all.filter(({ outputs }) => isOurs(outputsSchema.parse(outputs).organizationId));
  return {
    ...options,
    organizationId,
    subscriptionExpiresAt:
      roster.subscriptionExpiresAt ?? options.subscriptionExpiresAt ?? latestEnd(resources),
    seats: roster.seats ?? options.seats,
    people,
    resources,
    audit: audit?.filter((line) => isOurs(line.organizationId)),
    notes: [
      ...notesOf(
        found.map(([, state]) => state),
        all.length - resources.length,
      ),
      ...(options.notes ?? []),
    ],
  };
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
      ? `${counted(waiting, "replaced object")} not deleted yet. The next \`orgseat up\` completes the deletion.`
      : "",
    interrupted > 0
      ? `${counted(interrupted, "interrupted operation")} with an unknown result. The next \`orgseat up\` checks the result.`
      : "",
  ].filter((note) => note !== "");
}

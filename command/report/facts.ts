/** What a report is made of: plain data, from state, roster and audit log. */
import { counted } from "../../provider/util/text.ts";
import { pendingOf, type State } from "../members/state.ts";
import { membersIn, type StateMember } from "../members/state-members.ts";
import type { LastSeen } from "../roster/last-seen.ts";
import type { Roster, RosterPerson } from "../roster/roster.ts";
import type { AuditLine } from "../service/audit-log.ts";
import type { ReportedDrift } from "./schema.ts";

export interface CollectOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The end of the subscription, a timestamp, if the roster has none. Default: the latest that a token was declared with. */
  readonly subscriptionExpiresAt?: string | undefined;
  /** The declared number of purchased seats, if the roster has none. */
  readonly seats?: number | undefined;
  /** Names by user ids that the state contains no longer. */
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
  readonly members: readonly StateMember[];
  /** Undefined without an audit log: it is then unknown who left. */
  readonly audit: readonly AuditLine[] | undefined;
  readonly notes: readonly string[];
}

/**
 * @param audit undefined if there is no log; an empty one says that nothing was sent
 */
export function factsOf(
  stack: string,
  state: State | undefined,
  roster: Roster,
  audit: readonly AuditLine[] | undefined,
  options: CollectOptions,
): ReportFacts {
  const all = membersIn(stack, state);
  const { organizationId, people } = roster;
  const members = all.filter((member) => member.organizationId === organizationId);
  const isOurs = (id: string | undefined): boolean => id === undefined || id === organizationId;
  return {
    ...options,
    organizationId,
    subscriptionExpiresAt:
      roster.subscriptionExpiresAt ?? options.subscriptionExpiresAt ?? latestEnd(members),
    seats: roster.seats ?? options.seats,
    ...{ people, members },
    audit: audit?.filter((line) => isOurs(line.organizationId)),
    notes: [...notesOf(state, all.length - members.length), ...(options.notes ?? [])],
  };
}

function latestEnd(members: readonly StateMember[]): string | undefined {
  return members
    .flatMap(({ held }) => held.agreed.subscriptionExpiresAt ?? [])
    .sort((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1);
}

function notesOf(state: State | undefined, elsewhere: number): string[] {
  const interrupted = state === undefined ? 0 : pendingOf(state).length;
  return [
    elsewhere > 0 ? `Skipped ${counted(elsewhere, "member")} of another organization.` : "",
    interrupted > 0
      ? `${counted(interrupted, "interrupted operation")} with an unknown result. The next \`orgseat up\` checks the result.`
      : "",
  ].filter((note) => note !== "");
}

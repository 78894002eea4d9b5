/** From states, roster and audit log to the facts of a report. */
import { z } from "zod";
import type { Roster } from "../roster/roster.ts";
import type { AuditLine, ReportFacts, StateResource } from "./facts.ts";
import { readStackState, type StackExport, type StackState } from "./states.ts";

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
 * @param exports one a stack
 * @param roster undefined where there is none
 * @param audit undefined where no log was read; an empty one says that nothing was sent
 * @throws where an export is none, or where the states hold several organizations and nothing says which is meant
 */
export function factsOf(
  exports: readonly StackExport[],
  roster: Roster | undefined,
  audit: readonly AuditLine[] | undefined,
  options: CollectOptions,
): ReportFacts {
  const states = exports.map(readStackState);
  const all = states.flatMap(({ resources }) => resources);
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
    notes: notesOf(states, all.length - resources.length),
  };
}

function organizationOf(resource: StateResource): string | undefined {
  return outputsSchema.parse(resource.outputs).organizationId;
}

function onlyOrganization(resources: readonly StateResource[]): string | undefined {
  const [found, ...others] = new Set(resources.flatMap((resource) => organizationOf(resource) ?? []));
  if (others.length === 0) return found;
  throw new Error(
    `The states hold several organizations (${[found, ...others].join(", ")}); say of which one the report shall be, by a roster or by orgseat:organizationId.`,
  );
}

function latestEnd(resources: readonly StateResource[]): string | undefined {
  return resources
    .flatMap(({ outputs }) => outputsSchema.parse(outputs).subscriptionExpiresAt ?? [])
    .sort((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1);
}

function notesOf(states: readonly StackState[], elsewhere: number): string[] {
  const waiting = sum(states, "waiting");
  const interrupted = sum(states, "interrupted");
  return [
    elsewhere > 0
      ? `${counted(elsewhere, "resource")} of another organization ${elsewhere === 1 ? "is" : "are"} left out.`
      : "",
    waiting > 0
      ? `${counted(waiting, "replaced object")} still ${waiting === 1 ? "waits" : "wait"} to be deleted; the next \`up\` does it.`
      : "",
    interrupted > 0
      ? `${counted(interrupted, "operation")} ${interrupted === 1 ? "was" : "were"} interrupted, and what became of that is not known here; the next \`up\` finds out.`
      : "",
  ].filter((note) => note !== "");
}

function sum(states: readonly StackState[], key: "waiting" | "interrupted"): number {
  return states.reduce((total, state) => total + state[key], 0);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

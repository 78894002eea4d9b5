/** What a preview says beside its plan: stacks without a preview, people who are left out, access that ends, the roster's id. */
import type { ErrorCode } from "../../provider/util/error-codes.ts";
import type { Diagnostic, StackOutcome } from "../engine/engine.ts";
import { type AccessEnd, accessEndsIn } from "../plan/access-ends.ts";
import { rosterIdFor, rosterNoteFor, type StackOwner } from "../plan/guards/ownership.ts";
import type { Absent, StoppedRow } from "../roster/directory.ts";
import { headFileOf, labelOf, type Undelivered, withoutOffboarded } from "../roster/roster.ts";
import type { PreviewOutcome } from "../stacks/all-stacks.ts";
import { type Declaration, declaredPeople, type PlacedStacks } from "../stacks/organization.ts";
import { isCounted, rosterAt } from "../stacks/shards.ts";

export interface StackFailure {
  readonly stack: string;
  readonly code: ErrorCode;
  readonly text: string;
  /** The people of the roster who have no result because of it, by email or purpose. */
  readonly people: readonly string[];
}

/** In one stack. */
export interface UndeliveredMember extends Undelivered {
  readonly stack: string;
}

export interface Notices {
  /** Stacks without a preview: `up` leaves them alone. */
  readonly failures: readonly StackFailure[];
  readonly diagnostics: readonly Diagnostic[];
  /** The people of the roster whom the offboarded list excludes: emails, otherwise keys. */
  readonly leftOut: readonly string[];
  /** The members for whom the module of the roster failed: the plan leaves what it delivered as it is. */
  readonly undelivered: readonly UndeliveredMember[];
  /** The people whose access ends within 14 days, and those whom no run adds because it has ended. */
  readonly accessEnds: readonly AccessEnd[];
  /** With `membership: directory`, the people whom the service does not list, in the order of the roster. */
  readonly absent: Absent;
  /** The people whom the run leaves as they are, because their rows cannot be applied. */
  readonly stopped: readonly StoppedMember[];
  /** The id under which `up` applies the roster; undefined if it applies none, or if the id is uncertain. */
  readonly rosterId: string | undefined;
  /** The owners of the stacks, as their states have them. */
  readonly owners: readonly StackOwner[];
  /** The change that `up` makes in the roster, as a sentence; undefined if it makes none. */
  readonly rosterNote: string | undefined;
}

/** @param faulty those of the outcomes without a preview */
export function noticesOf(
  organization: Declaration & PlacedStacks,
  outcomes: readonly PreviewOutcome[],
  faulty: readonly StackOutcome[],
): Notices {
  const { roster, rosterId: ownId } = organization;
  const owners = ownersIn(outcomes);
  const undelivered = outcomes.flatMap(undeliveredIn);
  const rosterId = rosterIdFor(roster.id, ownId, owners);
  return {
    failures: faulty.map(({ stack, failure }) => ({
      stack,
      code: failure?.code ?? "pulumi-failed",
      text: failure?.text ?? "",
      people: declaredPeople(organization, rosterAt(organization, stack)).map(labelOf),
    })),
    diagnostics: [
      ...outcomes.flatMap(({ diagnostics }) => diagnostics),
      ...undelivered.map(
        ({ stack, text }) => ({ stack, severity: "warning", urn: undefined, text }) as const,
      ),
    ],
    undelivered,
    leftOut: offboardedInRoster(organization),
    accessEnds: accessEndsOf(
      organization,
      outcomes.filter((outcome) => !faulty.includes(outcome)),
    ),
    absent: absentIn(organization, outcomes),
    stopped: stoppedIn(organization, outcomes),
    rosterId,
    rosterNote: rosterNoteFor({ ...roster, file: headFileOf(roster) }, rosterId, owners),
    owners,
  };
}

/** In one stack. */
export interface StoppedMember extends StoppedRow {
  readonly stack: string;
}

export function stoppedIn(
  organization: PlacedStacks & Pick<Declaration, "listed">,
  outcomes: readonly PreviewOutcome[],
): StoppedMember[] {
  return outcomes.flatMap(({ stack, stopped = [] }) =>
    stopped.flatMap((one) => (isCounted(organization, stack, one.key) ? { ...one, stack } : [])),
  );
}

/** A person whose move to another stack was interrupted is in two. */
function absentIn(organization: Declaration & PlacedStacks, outcomes: readonly PreviewOutcome[]): Absent {
  const { listed } = organization;
  const order = new Map(listed.map(({ key }, index) => [key, index]));
  const all = <One extends { readonly key: string }>(of: (absent: Absent) => readonly One[]): One[] =>
    outcomes
      .flatMap(({ stack, absent }) =>
        (absent === undefined ? [] : of(absent)).filter(({ key }) => isCounted(organization, stack, key)),
      )
      .toSorted((a, b) => (order.get(a.key) ?? listed.length) - (order.get(b.key) ?? listed.length));
  return { pending: all(({ pending }) => pending), gone: all(({ gone }) => gone) };
}

export function ownersIn(outcomes: readonly StackOutcome[]): StackOwner[] {
  return outcomes.map(({ stack, markers, otherTypes, failure }) => {
    return { stack, markers, otherTypes, isComplete: failure === undefined };
  });
}

export function undeliveredIn({ stack, undelivered }: StackOutcome): UndeliveredMember[] {
  return undelivered.map((one) => ({ stack, ...one }));
}

function offboardedInRoster({ roster, offboarded }: Declaration): string[] {
  const staying = new Set(withoutOffboarded(roster.people, offboarded));
  return roster.people.filter((person) => !staying.has(person)).map(({ email, key }) => email ?? key);
}

/** Of the stacks that have a preview. */
function accessEndsOf(
  organization: Declaration & PlacedStacks,
  outcomes: readonly StackOutcome[],
): AccessEnd[] {
  const { offboarded, openedAt } = organization;
  return outcomes.flatMap(({ stack, steps }) => {
    const present = new Set(steps.flatMap(({ action, member }) => (action === "create" ? [] : [member])));
    const people = withoutOffboarded(rosterAt(organization, stack).people, offboarded);
    const counted = people.filter(({ key }) => isCounted(organization, stack, key));
    return accessEndsIn(counted, (key) => present.has(key), openedAt);
  });
}

/** What the guards check a plan of an organization against. */

import type { StackOutcome } from "../engine/engine.ts";
import { isEndedForAll } from "../plan/access-ends.ts";
import type { GuardContext, Protection } from "../plan/guards/guards.ts";
import type { Step } from "../plan/steps/steps.ts";
import { unreadFiles } from "../roster/facts.ts";
import { headFileOf, labelOf } from "../roster/roster.ts";
import {
  type Connection,
  type Declaration,
  type Files,
  type PlacedStacks,
  protectionOf,
} from "../stacks/organization.ts";
import { ownersIn } from "./notices.ts";
import { requireKnown } from "./resolve-members.ts";

/** The guards that a command turns off, and its part of the changes. */
export type GuardChoice = Partial<Pick<GuardContext, "namedOneByOne" | "listedUsers">> & {
  /** Whether the stacks must belong to the roster. Default: true. */
  readonly ownership?: boolean;
  /** Whether the rows of the roster decide who stays. Default: true. */
  readonly rowsDecide?: boolean;
  /** The steps that the command makes. Default: all. */
  readonly part?: ((step: Step, now: number) => boolean) | undefined;
  /** What the command makes of a step of its part. Default: what the preview shows. */
  readonly narrow?: ((step: Step) => Step) | undefined;
};

export interface GuardOptions {
  /** An override of the removal limit, as a refused run printed it. */
  readonly approve?: string | undefined;
  /** Whether to leave out everyone of whom the plan takes anything. Default: false. */
  readonly noRemovals?: boolean | undefined;
  /** Whether a roster that was applied before may be applied to stacks that do not have it. Default: false. */
  readonly newStack?: boolean | undefined;
}

interface Previewed extends Pick<GuardContext, "twins" | "isHiding"> {
  /** Of all stacks, including those whose preview failed. */
  readonly steps: readonly Step[];
  readonly listedUsers: GuardContext["listedUsers"];
  readonly outcomes: readonly StackOutcome[];
}

export function guardContextOf(
  organization: Declaration & Files & PlacedStacks & Connection,
  { steps, outcomes, listedUsers, isHiding, twins }: Previewed,
  { approve, newStack = false }: GuardOptions,
  { rowsDecide = true, ownership: isOwnerChecked = true, namedOneByOne = false }: GuardChoice,
): GuardContext {
  const { file, roster, rosterId, listed, staleStacks, settings, openedAt } = organization;
  const owners = ownersIn(outcomes);
  const ownership = {
    ...{ file: headFileOf(roster), headerId: roster.id, listed, stacks: owners, newStack, namedOneByOne },
    isElsewhere: staleStacks.length > 0,
  };
  const rosterFacts = owners.flatMap(({ markers }) => markers.flatMap(({ before }) => before ?? []));
  return {
    ...{ roster, rowsDecide },
    allEnded: !namedOneByOne && isEndedForAll(roster.people, openedAt),
    ownership: rosterId === undefined || !isOwnerChecked ? undefined : ownership,
    configuredOrganization: settings.organizationId,
    clientId: settings.account?.clientId,
    ...{ listedUsers, isHiding, twins },
    rosterFacts,
    unreadFiles: unreadFiles(roster, file, rosterFacts),
    protected: knownProtected(organization, steps),
    override: approve,
    namedOneByOne,
    now: openedAt,
  };
}

/** @throws for a name in `neverRemove` that is unknown: a misspelt protection would protect no one */
function knownProtected(declaration: Declaration, steps: readonly Step[]): Protection {
  const { roster, listed, neverRemove } = declaration;
  const rows = listed.map((person) => ({ key: person.key, label: labelOf(person) }));
  const managed = steps.map(({ member, olds }) => ({
    key: member,
    label: typeof olds?.email === "string" ? olds.email : member,
  }));
  requireKnown(
    neverRemove,
    [...rows, ...managed],
    `${roster.file} or in the state of any stack, and cannot be protected`,
  );
  return protectionOf(declaration);
}

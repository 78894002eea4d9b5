/**
 * `orgseat adopt`: takes existing members under management, and makes no changes in the service. They come from a file
 * or from rows of the roster with user ids; without any, from the service, where it can list its members.
 */

import { capabilitiesOf } from "../../provider/config/settings.ts";
import type { Plan, Unit } from "../../provider/member/step.ts";
import { productQuestion, SET_PRODUCT } from "../../provider/resources/members/seat-codes.ts";
import type { ServiceMembers } from "../../provider/service/members.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../../provider/util/text.ts";
import { decided, type MemberPlan } from "../members/plan.ts";
import { membersIn, type StateMember } from "../members/state-members.ts";
import { unitsOf } from "../preview/choice.ts";
import type { ReturningMember } from "../preview/people-to-remove.ts";
import { idsOf, withAdopted, withoutTokens } from "../roster/edit/adopted-people.ts";
import { setHeader } from "../roster/edit/edit.ts";
import { refuseOtherSettings } from "../roster/edit/settings.ts";
import { readEmail } from "../roster/field-forms.ts";
import { type RosterText, readRosterText, rewriteRoster } from "../roster/formats/roster-text.ts";
import { readPeople, rosterIn } from "../roster/read.ts";
import { labelOf, type Roster, type RosterPerson } from "../roster/roster.ts";
import { type Adoption, type AdoptionNote, adoptableUsers, adoptionOf } from "../service/adoptable.ts";
import { membersOfService } from "../service/service-members.ts";
import { declaredPeople, type Organization } from "../stacks/organization.ts";
import { stateOf } from "../stacks/stack-state.ts";
import { applyTo, type UpOptions, type UpResult } from "./up.ts";

export interface AdoptAllOptions extends AdoptOptions {
  /** Whether to adopt only members in no stack and no row, and to leave the rows of the roster as they are. Default: false. */
  readonly onlyUnmanaged?: boolean | undefined;
}

/** The people of a file. Where nothing can tell who has a seat, each row must say it. */
export function peopleToAdopt(
  { roster, settings }: Organization,
  file: string,
): Promise<readonly RosterPerson[]> {
  return readPeople(file, roster.organizationId, !capabilitiesOf(settings).canListUsers);
}

export interface AdoptResult extends UpResult {
  /** The members and tokens that are not adopted. */
  readonly notes: readonly AdoptionNote[];
}

/**
 * Adopts `people`, otherwise the people of the roster whose user id no stack has, otherwise the members in no stack that the service
 * lists.
 */
export async function adoptAll(organization: Organization, options: AdoptAllOptions): Promise<AdoptResult> {
  const { people } = options;
  const found = people === undefined ? await membersToAdopt(organization, options) : undefined;
  return adoptPeople(organization, options, found);
}

/**
 * One list of users, and one list of tokens for each of them. Undefined if the service cannot list them, or if the
 * roster has user ids that no stack has: an interrupted adoption continues with those.
 * @throws Error if the service cannot list its members, and no row has a user id
 */
async function membersToAdopt(
  organization: Organization,
  { onlyUnmanaged = false, onProgress, signal }: AdoptAllOptions,
): Promise<FoundMembers | undefined> {
  const { roster, offboarded, settings, openedAt } = organization;
  if (!capabilitiesOf(settings).canListUsers) {
    if (!onlyUnmanaged && roster.people.some(({ userId }) => userId !== undefined)) return undefined;
    throw new CodedError(
      "unsupported",
      "cannot list the members: this API does not support it. Copy the user ids from the service into a file, then run `orgseat adopt FILE`",
    );
  }
  const inState = await holdersIn(organization);
  const managed = new Set(inState.map(({ userId }) => userId));
  const wanting = new Set(roster.people.flatMap((row) => (row.token && !row.adoptToken ? [row.key] : [])));
  const tokenless = new Set(
    inState.flatMap((one) => (wanting.has(one.key) && !hasToken(one) ? [one.userId] : [])),
  );
  const declared = declaredPeople(organization);
  const isBegun = declared.some(({ userId }) => userId !== undefined && !managed.has(userId));
  if (isBegun && !onlyUnmanaged) return undefined;
  const members = await membersOfService(organization, {
    managed: inState,
    tokensOf: (users) => adoptableUsers(users, { managed, tokenless }).map(({ id }) => id),
    onProgress,
    signal,
  });
  const { product, subscriptionExpiresAt } = settings;
  const question = productQuestion(members.users, product);
  if (question !== undefined)
    throw new CodedError(
      "invalid-configuration",
      `cannot adopt the members: ${question}. No changes were made. ${SET_PRODUCT}, ${THEN_RUN_AGAIN}`,
    );
  const options = {
    roster,
    offboarded,
    managed,
    tokenless,
    product,
    subscriptionExpiresAt,
    now: openedAt,
    onlyUnmanaged,
  };
  return { members, adoption: adoptionOf(members, options) };
}

export interface AdoptOptions extends UpOptions {
  /** People to add to the roster, each with a user id. */
  readonly people?: readonly RosterPerson[] | undefined;
  /** The value of `on_delete` to write into a roster without one. Default: unchanged. */
  readonly onDelete?: Roster["onDelete"] | undefined;
}

/** The members that the service lists, and the rows of those to adopt. */
export interface FoundMembers {
  readonly members: ServiceMembers;
  readonly adoption: Adoption;
}

/** A member of the state who holds a user. */
type Holder = StateMember & { readonly userId: string };

async function holdersIn({ engine, stack }: Organization): Promise<Holder[]> {
  const members = membersIn(stack, await stateOf(engine, stack));
  return members.flatMap((member) =>
    member.userId === undefined ? [] : [{ ...member, userId: member.userId }],
  );
}

function hasToken({ held }: StateMember): boolean {
  return (held.users[0]?.tokens.length ?? 0) > 0;
}

export async function adoptPeople(
  organization: Organization,
  options: AdoptOptions,
  found?: FoundMembers,
): Promise<AdoptResult> {
  const { file, roster } = organization;
  const before = await readRosterText(file, roster.file);
  // Only the people of a file can have rows without a user id, and only rows in a state a meaning of their deletion.
  const isAsked = options.people !== undefined || options.onDelete !== undefined;
  const managed = new Set(isAsked ? (await holdersIn(organization)).map(({ key }) => key) : []);
  refuseOtherSettings(roster, { on_delete: options.onDelete }, managed);
  const ids = idsOf(options.people ?? [], roster, managed);
  const edited = (text: RosterText) => {
    const withThem = withAdopted(text, roster, { ...found?.adoption, ids, people: options.people });
    return options.onDelete === undefined ? withThem : setHeader(withThem, "on_delete", options.onDelete);
  };
  const text = edited(before);
  const adopted = rosterIn(text);
  const result = await applyTo(
    { ...organization, roster: adopted, members: found?.members },
    {
      ...options,
      onApply: async (preview) => {
        await rewriteRoster(file, before, text);
        await options.onApply?.(preview);
      },
    },
    { instead: (member) => asListed(member, organization), part: adoptionOnly },
  );
  // Without people to adopt there is nothing to apply, but the roster may change.
  if (result.status === "succeeded" && result.applied === undefined) {
    // The run may have written the roster's id.
    const current = await readRosterText(file, roster.file);
    await rewriteRoster(file, current, edited(current));
  }
  const left = withoutTokens(ids, roster).map((row) => ({ who: labelOf(row), text: TOKEN_LEFT }));
  return { ...result, notes: [...(found?.adoption.notes ?? []), ...left] };
}

/**
 * Adopts members without rows, for a removal by name.
 * @throws Error that says why a member cannot be adopted
 */
export async function adoptToRemove(
  organization: Organization,
  members: readonly ReturningMember[],
  { signal }: UpOptions,
): Promise<void> {
  const { roster } = organization;
  const keys = new Set(members.map(({ key }) => key));
  const people = [
    ...roster.people.filter(({ key }) => !keys.has(key)),
    ...members.map(({ key, label, userId, seat }) => ({
      // Of a person whose email a program cannot have, the id decides.
      ...(readEmail(label) === undefined ? { purpose: label } : { email: label }),
      ...{ key, userId, seat, token: false, protected: false, place: roster.file },
    })),
  ];
  const { status, preview, applied } = await applyTo(
    {
      ...{ ...organization, roster: { ...roster, people } },
      readmitted: new Set(members.map(({ userId }) => userId)),
    },
    { signal },
    {
      ...{ rowsDecide: false, ownership: false, namedOneByOne: true },
      instead: (member) => asListed(member, organization),
      part: (member) => (keys.has(member.key) ? adoptionOnly(member) : undefined),
    },
  );
  if (status === "succeeded") return;
  const reasons = [
    ...preview.violations.map(({ text }) => text),
    ...(applied?.failure === undefined ? [] : [applied.failure.text]),
    ...(applied?.results.flatMap(({ text = [] }) => text) ?? []),
  ];
  throw new Error(`cannot adopt ${members.map(({ label }) => label).join(", ")}: ${reasons.join("; ")}`);
}

/** Where the service lists no seats, the file or the row says who has one. */
function asListed(member: MemberPlan, { openedAt, settings }: Organization): MemberPlan {
  const can = capabilitiesOf(settings);
  return can.canListUsers ? member : decided(member, { trustsSeat: true }, openedAt, can);
}

/** What changes the state alone for a member whose row names a user: no request, and nothing that only `up` may do. */
function adoptionOnly(member: MemberPlan): Plan | undefined {
  const { row, plan } = member;
  if (row?.userId === undefined) return undefined;
  const isAdopting = plan.units.some((unit) => unit.steps.some(({ cause }) => cause === "adopted"));
  if (isAdopting) return unitsOf(member, isInState);
  const refused = plan.refused.filter(({ code }) => code === "cannot-adopt");
  return refused.length === 0 ? undefined : { ...plan, units: [], waits: [], refused };
}

function isInState({ steps }: Unit): boolean {
  return steps.every(({ call }) => call === undefined);
}

const TOKEN_LEFT =
  "adopted without the token, and the row now has `token: no`: the value of an existing token cannot be read. If you write yes, the next run issues a new token, and can revoke the existing one";

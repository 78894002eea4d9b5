/** Plans a roster until everything is read that the plan depends on. */
import { capabilitiesOf } from "../../provider/config/settings.ts";
import type { ServiceMembers } from "../../provider/service/members.ts";
import { messageOf } from "../../provider/util/text.ts";
import { type CheckInputs, inputCheck } from "../members/check.ts";
import { type Decision, type MemberPlan, planRoster, type RosterPlan } from "../members/plan.ts";
import { type SeenList, seenList } from "../members/seen.ts";
import type { State } from "../members/state.ts";
import type { StateMember } from "../members/state-members.ts";
import { type OffboardedPerson, onDeleteOf, withLater } from "../roster/offboarded.ts";
import { type RosterPerson, withCurrentUsers, withoutOffboarded } from "../roster/roster.ts";
import { auditLinesIn } from "../service/audit-log.ts";
import { type Interrupted, interruptedIn } from "../service/interrupted.ts";
import { listWarnings } from "../service/list-warnings.ts";
import {
  listsMembers,
  managedUsers,
  membersOfService,
  refreshedMembers,
} from "../service/service-members.ts";
import type { Organization } from "../stacks/organization.ts";
import { chosen, type PlanChoice } from "./choice.ts";
import type { PreviewOptions } from "./options.ts";
import { approvalOfUndecided, missingIn, type UndecidedMember, undecidedIn } from "./undecided.ts";

export interface Made {
  /** The rows that count. */
  readonly people: readonly RosterPerson[];
  readonly rosterPlan: RosterPlan;
  readonly list: SeenList | undefined;
  readonly undecided: readonly UndecidedMember[];
  /** Sentences. */
  readonly warnings: readonly string[];
}

export class RosterPlanner {
  readonly #organization: Organization;
  readonly #members: readonly StateMember[];
  readonly #options: PreviewOptions;
  readonly #choice: PlanChoice;
  readonly #warnings: string[] = [];
  readonly #interrupted: Interrupted;
  readonly #check: CheckInputs;

  constructor(
    organization: Organization,
    { state, members }: { readonly state: State | undefined; readonly members: readonly StateMember[] },
    options: PreviewOptions,
    choice: PlanChoice,
  ) {
    const held = new Set(members.flatMap((member) => member.held.users.map(({ id }) => id)));
    this.#interrupted = interruptedIn({
      ...{ stack: organization.stack, organizationId: organization.roster.organizationId, state },
      lines: auditLinesIn(organization.auditFile),
      isHeld: (id) => held.has(id),
    });
    const { config: values, environment, now } = organization;
    this.#check = inputCheck({ config: (key) => values.get(key), environment, now });
    this.#organization = organization;
    this.#members = members;
    this.#options = options;
    this.#choice = choice;
  }

  async plan(): Promise<Made> {
    const { offboarded: known, offboardedFile } = this.#organization;
    const offboarded = await withLater(known, offboardedFile);
    const people = this.#peopleWithout(offboarded);
    const decisions = this.#decisions(offboarded);
    const planWith = (list: SeenList | undefined, all = decisions) => this.#planWith(people, list, all);
    const first = await planWith(undefined);
    const listed = await this.#list(first);
    const second = listed === undefined ? first : await planWith(listed);
    const list = listed && (await this.#withTokens(listed, second));
    const rosterPlan = list === listed ? second : await planWith(list);
    const waiting = rosterPlan.members.filter(({ plan }) => plan.waits.length > 0);
    const undecided = waiting.length === 0 ? [] : undecidedIn(waiting);
    const warnings = this.#warningsWith(list);
    const { approve } = this.#options;
    if (undecided.length === 0 || !approvalOfUndecided(undecided, approve, this.#organization).isGiven)
      return { people, rosterPlan, list, undecided, warnings };
    const missing = new Map([...decisions, ...rosterPlan.members.flatMap(missingIn)]);
    return { people, rosterPlan: await planWith(list, missing), list, undecided: [], warnings };
  }

  #warningsWith(list: SeenList | undefined): string[] {
    const { product } = this.#organization.settings;
    return [...this.#warnings, ...(list === undefined ? [] : listWarnings(list.members, product))];
  }

  /** Those of the offboarded list, and those of the command. */
  #decisions(offboarded: readonly OffboardedPerson[]): Map<string, Decision> {
    const ruleOf = onDeleteOf(offboarded);
    const found = this.#members.flatMap(({ key, userId, email, held }) => {
      const removal = ruleOf({ key, userId, email });
      return removal === undefined ? [] : [[held.ref, { removal }] as const];
    });
    const all = new Map<string, Decision>(found);
    for (const [ref, decision] of this.#choice.decisions ?? [])
      all.set(ref, { ...all.get(ref), ...decision });
    return all;
  }

  /** The rows that count. */
  #peopleWithout(offboarded: readonly OffboardedPerson[]): RosterPerson[] {
    const { roster, readmitted } = this.#organization;
    const excluded = offboarded.filter(({ userId = "" }) => readmitted?.has(userId) !== true);
    return withoutOffboarded(withCurrentUsers(roster.people, this.#members), excluded);
  }

  #planWith(
    people: readonly RosterPerson[],
    list: SeenList | undefined,
    decisions: ReadonlyMap<string, Decision>,
  ): Promise<RosterPlan> {
    const { roster, settings, openedAt: now } = this.#organization;
    return planRoster({
      ...{ roster, people, members: this.#members, list, decisions, now },
      isRefreshed: this.#isRefreshed(),
      can: capabilitiesOf(settings),
      creationOf: this.#interrupted.creationOf,
      subscriptionExpiresAt: settings.subscriptionExpiresAt,
      check: this.#check,
    });
  }

  /** The members of a directory come and go without orgseat, so each plan of all changes reads their list. */
  #isRefreshed(): boolean {
    const { roster } = this.#organization;
    const isDirectory = roster.membership !== undefined && this.#choice.part === undefined;
    return this.#options.refresh === true || isDirectory;
  }

  async #list(first: RosterPlan): Promise<SeenList | undefined> {
    const organization = this.#organization;
    const read = organization.members ?? (listsMembers(organization) ? await this.#read(first) : undefined);
    return read && this.#seen(read);
  }

  #seen(members: ServiceMembers): SeenList {
    return seenList(members, this.#organization.settings.product, this.#interrupted.users);
  }

  async #read(first: RosterPlan): Promise<ServiceMembers | undefined> {
    const organization = this.#organization;
    const { refresh, refreshTokens, onProgress, signal } = this.#options;
    if (refresh === true) {
      const options = { refreshTokens, onProgress, signal };
      return refreshedMembers(organization, this.#members, affectedUsers(first), options);
    }
    // The list has to show these, or it proves nothing.
    const listWith = (members: readonly StateMember[]) =>
      membersOfService(organization, { managed: managedUsers(members), tokensOf: () => [], signal });
    if (this.#isRefreshed()) return listWith(this.#members);
    const mine = chosen(first.members, this.#choice);
    if (first.asksList && (this.#choice.part === undefined || mine.length > 0))
      return listWith(first.members.some(isPending) ? this.#members : []);
    const assigns = mine.some(({ plan }) =>
      plan.units.some(({ steps }) => steps.some(({ seats }) => seats > 0)),
    );
    if (!assigns) return undefined;
    try {
      return await listWith([]);
    } catch (error) {
      if (signal?.aborted) throw error;
      this.#warnings.push(
        `the plan counts the seats of the state alone, because the members of the organization cannot be read: ${messageOf(error)}`,
      );
      return undefined;
    }
  }

  async #withTokens(list: SeenList, { asksTokens }: RosterPlan): Promise<SeenList> {
    if (asksTokens.length === 0) return list;
    const { signal } = this.#options;
    const more = await membersOfService(this.#organization, { tokensOf: () => asksTokens, signal });
    return this.#seen({ ...list.members, tokens: new Map([...list.members.tokens, ...more.tokens]) });
  }
}

/** A list that lacks many people proves nothing about a request without an answer. */
function isPending({ observed }: MemberPlan): boolean {
  return observed.held.pending !== undefined;
}

/** The users of the members whom the plan changes. */
function affectedUsers({ members }: RosterPlan): Set<string> {
  const changed = members.filter(({ plan }) => plan.units.length > 0);
  return new Set(changed.flatMap(({ observed }) => observed.stored.users.map(({ id }) => id)));
}

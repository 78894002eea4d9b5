/** What a run may take from people: the guards that all methods of a provider process share. */
import type { Settings } from "../config/settings.ts";
import type {
  AccessRemoval,
  ExchangeTurn,
  Guards,
  ListedMembers,
  MissingObject,
  People,
  TokenOwner,
} from "../resources/contexts.ts";
import { unusableList } from "../resources/members/rights.ts";
import type { ResourceType } from "../resources/resource-types.ts";
import { CodedError } from "../util/error-codes.ts";
import type { Cancellation } from "../util/instants.ts";
import type { ApprovedPlan } from "./approved-plan.ts";
import { ExchangeTurns } from "./exchange-turns.ts";
import { MissingUsers } from "./missing-users.ts";
import { RemovalLimit } from "./removal-limit.ts";

interface GuardDependencies {
  readonly settings: Settings;
  /** With one, the command has counted. */
  readonly approvedPlan: ApprovedPlan | undefined;
  readonly sleep: (ms: number) => Promise<void>;
  readonly cancellation: Cancellation;
  readonly messages: { readonly people: People; once(text: string): string };
  /** Is called when no unit that takes before it gives begins any more. */
  readonly onStop: () => void;
}

export class RunGuards implements Guards {
  readonly #parts: GuardDependencies;
  readonly #limit: RemovalLimit;
  #missingUsers: MissingUsers | undefined;
  #exchanges: ExchangeTurns | undefined;

  constructor(parts: GuardDependencies) {
    this.#parts = parts;
    this.#limit = new RemovalLimit(parts.settings, parts.sleep);
  }

  /** Records a person whom this run compares, creates or reads, and what it replaces of one. Undefined: of no user. */
  see(
    type: ResourceType,
    userId: string | undefined,
    { organizationId }: Readonly<Record<string, unknown>>,
    { isReplaced = false, isDeclared = false } = {},
  ): void {
    if (!isAccessType(type) || userId === undefined) return;
    if (typeof organizationId !== "string" || this.#parts.approvedPlan) return;
    this.#limit.see({ userId, organizationId }, isDeclared);
    if (isReplaced) this.#limit.replace({ userId, organizationId });
  }

  removesUser(user: TokenOwner): boolean {
    return !(this.#parts.approvedPlan?.users.includes(user.userId) ?? this.#limit.declares(user));
  }

  async checkRemovalLimit(removal: AccessRemoval): Promise<void> {
    if (this.#parts.approvedPlan === undefined) await this.#limit.check(removal, this.#nameOf(removal));
  }

  beginExchange(organizationId: string): Promise<ExchangeTurn> {
    const { cancellation, onStop } = this.#parts;
    this.#exchanges ??= new ExchangeTurns(cancellation, onStop);
    return this.#exchanges.begin(organizationId);
  }

  noteExchange(organizationId: string, failure: Error): void {
    this.#exchanges?.note(organizationId, failure);
  }

  countMissing(missing: MissingObject): void {
    this.#limit.countMissing(missing, this.#nameOf(missing));
  }

  async countMissingUser(user: TokenOwner, listed: ListedMembers): Promise<void> {
    const { settings, sleep } = this.#parts;
    this.#missingUsers ??= new MissingUsers(settings, sleep);
    const doubt = await this.#missingUsers.add(user, listed);
    if (doubt === undefined) return;
    const { message } = unusableList(user.organizationId, doubt);
    throw new CodedError("incomplete-list", this.#parts.messages.once(message));
  }

  #nameOf({ userId }: TokenOwner): string {
    return this.#parts.messages.people.nameOf(userId);
  }
}

function isAccessType(type: ResourceType): boolean {
  return type === "OrgMember" || type === "OrgUser" || type === "SeatAssignment" || type === "UserToken";
}

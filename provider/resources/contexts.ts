/** What the methods of a resource may use, and the people and objects that they name. Types alone. */
import type { ModelApi } from "../api/calls/models.ts";
import type { OrganizationApi } from "../api/calls/organization.ts";
import type { Capabilities } from "../api/calls/platform.ts";
import type { TimeLimit } from "../util/instants.ts";
import type { Previous } from "./rotation-schedule.ts";

/** What check and diff may use: no network. */
export interface PlanContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly defaults: Defaults;
  /** What the service's platform makes possible. */
  readonly can: Capabilities;
  readonly people: People;
  readonly diagnostics: Diagnostics;
  /**
   * What the approved plan of this run has of a member, as the file has it; undefined: nothing of this member. Absent in a run
   * without an approved plan: then each step is approved.
   */
  approvedOf?(ref: string): unknown;
  readonly run: RunMemory;
}

/** What create, read, update, and delete may use. */
export interface CallContext extends PlanContext {
  readonly service: Service;
  readonly guards: Guards;
  readonly time: OperationTime;
}

/** Diagnostics of Pulumi: `warn` needs attention, `info` explains the preview. */
export interface Diagnostics {
  warn(text: string): void;
  info(text: string): void;
  /** Like `info`, for a diagnostic per person: the run shows the first 20, then `more` once. */
  infoLimited(text: string, more: string): void;
}

/** What the methods of a run share. */
export interface RunMemory {
  /** The owning resource of each object: see ownership.ts. */
  readonly owners: Map<string, string>;
  /** The service accounts that this run replaces: see previous-accounts.ts. */
  readonly replacedAccounts: Map<string, ReplacedAccount>;
  /** What methods leave for later ones: see members/written.ts. */
  readonly notes: Set<string>;
  /** Rows from check for create, by hash: the state contains no rows (see rows.ts). */
  readonly rows: Map<string, readonly TableRow[]>;
  /** The users whom this machine's runs have added without any token, by the audit log: an interrupted run can leave such ones. */
  addedWithoutToken(): ReadonlySet<string>;
  /** Adds a line about a step of a member to the run report: before its request is sent, and after its answer. */
  reportStep(line: object): void;
  /** Runs work with the same key sequentially. @param limit of the wait */
  runExclusive<T>(key: string, work: () => Promise<T>, limit: TimeLimit): Promise<T>;
  /** Caches a read; call `forget` after a write that changes it. */
  readOnce<T>(key: string, read: () => Promise<T>): Promise<T>;
  forget(key: string): void;
}

export interface Service {
  /** The organization of a resource, with the resource's own credentials or the configured ones. */
  api(resource: OrganizationAccess): OrganizationApi;
  /** The model area, with the resource's own key or the configured one. */
  models(resource: ModelAccess): ModelApi;
  /** How far this machine's clock is ahead of the service's, in milliseconds; undefined if the service does not say. */
  clockSkewMs(owner: OrganizationAccess): Promise<number | undefined>;
}

/** What a run may take from people: see provider/safety/. */
export interface Guards {
  /** Whether this run removes the user from the organization: the program no longer declares a user, seat, or token with that id. */
  removesUser(user: Omit<AccessRemoval, "type">): boolean;
  /** Call it before a removal. @throws Error if the removal is not approved or the limit is reached */
  checkRemovalLimit(removal: AccessRemoval): Promise<void>;
  /**
   * Call it before a unit of a member takes what it then gives: it waits until no other one of the organization is unfinished.
   * @throws Error if no such unit begins any more in this run
   */
  beginExchange(organizationId: string): Promise<ExchangeTurn>;
  /** Call it if the token fails that an ended turn took, such as that of a seat which moved: the next turns then know. */
  noteExchange(organizationId: string, failure: Error): void;
  /** Counts a person whose seat or token a refresh misses. @throws Error if the removal limit is reached */
  countMissing(missing: MissingObject): void;
  /** Counts a user whom a list lacks. @throws Error if the list shows nothing about those whom it lacks */
  countMissingUser(user: TokenOwner, listed: ListedMembers): Promise<void>;
}

/** The time of one method. */
export interface OperationTime {
  readonly operation: TimeLimit;
  sleep(ms: number): Promise<void>;
  /** Sleeps. @returns false, at once, if the run is cancelled */
  pause(ms: number): Promise<boolean>;
  /** Whether the run is cancelled: waits for the service end, and what they waited for goes into the state as it is. */
  isCancelled(): boolean;
  /** Milliseconds on the scale of `operation.deadline`. */
  elapsed(): number;
  /** The current time, a timestamp: `now` of the context is the time of the plan, which can be earlier. */
  sendTime(): string;
}

/** The turn of a unit that takes before it gives. */
export interface ExchangeTurn {
  /** @param hasTaken whether the failed call was to give what the unit has taken */
  end(failure: unknown, hasTaken: boolean): void;
}

/** An administrator, by username and password or by a token. */
export type AdminCredentials = {
  readonly [key in "username" | "password" | "adminToken"]?: string | undefined;
};

/** A service account. */
export type ClientCredentials = Readonly<Record<"clientId" | "clientSecret", string>>;

/** The organization and the credentials that a resource carries. */
export interface OrganizationAccess {
  readonly organizationId: string;
  readonly credentials?: AdminCredentials | ClientCredentials | undefined;
  /** A secret of the state that the service may echo: removed from error texts. */
  readonly token?: string | undefined;
  readonly clientSecret?: string | undefined;
}

export interface TokenOwner {
  readonly userId: string;
  readonly organizationId: string;
}

/** The users of a list. */
export type ListedMembers = readonly { readonly id: string; readonly email?: string | null | undefined }[];

/** A seat or a token that a member does not have. */
export interface MissingObject extends TokenOwner {
  readonly type: "UserToken" | "SeatAssignment";
}

/** The removal of a person's token, seat or membership. */
export interface AccessRemoval extends TokenOwner {
  readonly type: "UserToken" | "SeatAssignment" | "OrgUser";
  /** Whether the same call puts something in its place. */
  readonly isReplaced?: boolean;
}

/** The key that a resource of the model area carries. */
export interface ModelAccess {
  readonly credentials?: { readonly apiKey: string } | undefined;
  /** A secret of the state that the service may echo: removed from error texts. */
  readonly password?: string | null | undefined;
}

/** A row of a table: its columns' values by their names. */
export type TableRow = Readonly<Record<string, unknown>>;

/** Configuration that check copies into inputs, so that preview shows a change of it. */
interface Defaults {
  readonly organizationId: string | undefined;
  /** A timestamp in the kept form. */
  readonly subscriptionExpiresAt: string | undefined;
  /** The product code of the seats; undefined: any product counts. */
  readonly product: string | undefined;
  /** Whether each token needs a recipient. */
  readonly requireSealedTokens: boolean;
}

/** The names of users by user id, as far as this run knows them: messages name people, not GUIDs. */
export interface People {
  learn(userId: string, name: string): void;
  /** The name alone, if this run knows it. */
  find(userId: string): string | undefined;
  /** `ada@acme.example (user 7a1f…)`, or `user 7a1f…`. */
  nameOf(userId: string): string;
}

/** A replaced account that keeps working for a while. */
export interface PreviousAccount extends Previous {
  readonly clientId: string;
}

/** What the creation of a successor needs of the account that it replaces: it does not see the old state. */
export interface ReplacedAccount {
  readonly clientId: string;
  /** What the successor declares. */
  readonly successor: string;
  /** The accounts that this one keeps, and its successor will. */
  readonly previous: readonly PreviousAccount[];
}

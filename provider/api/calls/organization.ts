/**
 * The interface of the organization area for resources: one method per call, without HTTP. `areas.ts` implements it.
 * Methods throw only `ApiError`.
 */

import type { TimeLimit } from "../../util/instants.ts";
import type { ListedToken, ListedUser } from "../schemas/anaconda-schemas.ts";
import type { OddItem } from "../schemas/forgiving-list.ts";
import type {
  CreatedServiceAccount,
  CreateUserRequest,
  IssuedToken,
  OnboardingResult,
  RenewedToken,
  ServiceAccountList,
  User,
} from "../schemas/schemas.ts";

/** What became of an object that a run deletes. `gone`: it was not there, as far as the service can prove (D15). */
export type Deleted = "deleted" | "gone";

/**
 * The response to a delete. `gone`: the service responded in the form of the contract that there was nothing to delete
 * (D15); where a list can be asked, only the list proves it. `repeated`: the same, but an earlier attempt of the call,
 * whose response was lost, may have deleted it.
 */
export type DeleteAnswer = Deleted | "repeated";

/** Whether the service sends its email about a new seat or token, if the platform lets the caller choose. */
export interface EmailChoice {
  /** Default: false. */
  readonly sendEmail?: boolean | undefined;
}

/** How long a token stays valid after its expiry, in months, if the platform knows it. */
interface Tolerance {
  readonly toleranceMonths?: number | undefined;
}

/** One organization, with one set of credentials. */
export interface OrganizationApi extends ServiceAccountCalls, UserCalls, TokenCalls {}

export interface ServiceAccountCalls {
  /** The only response with `client_secret`. */
  createServiceAccount(name: string, operation: TimeLimit): Promise<CreatedServiceAccount>;
  /** A failed read is an error, never an empty list. */
  listServiceAccounts(operation: TimeLimit): Promise<ServiceAccountList>;
  deleteServiceAccount(clientId: string, operation: TimeLimit): Promise<DeleteAnswer>;
}

/** The members of an organization, as far as the response can be read. */
export interface UserList {
  readonly users: readonly ListedUser[];
  readonly odd: readonly OddItem[];
}

/** Users and their seats. */
export interface UserCalls {
  /** An email in neither list of the response was refused, if both are whole (D20, L23). */
  onboardUsers(emails: readonly string[], operation: TimeLimit): Promise<OnboardingResult>;
  createUser(user: CreateUserRequest, operation: TimeLimit): Promise<User>;
  /** All members; undefined if the platform has no list. A failed read is an error, never an empty list. */
  listUsers(operation: TimeLimit): Promise<UserList | undefined>;
  removeUser(userId: string, operation: TimeLimit): Promise<DeleteAnswer>;
  assignSeat(userId: string, operation: TimeLimit, options?: EmailChoice): Promise<void>;
  removeSeat(userId: string, operation: TimeLimit): Promise<DeleteAnswer>;
}

export interface TokenCalls {
  /** @param expiresAt a timestamp in UTC */
  issueToken(
    userId: string,
    expiresAt: string,
    operation: TimeLimit,
    options?: EmailChoice & Tolerance,
  ): Promise<IssuedToken>;
  /** @param options `expiresAt`: a timestamp in UTC; undefined extends to the end of the subscription */
  renewToken(
    userId: string,
    operation: TimeLimit,
    options?: Tolerance & { readonly expiresAt?: string | undefined },
  ): Promise<RenewedToken>;
  /** All tokens of a user, revoked ones too; undefined if the platform has no list. A failed read is an error, never an empty list. */
  listTokens(userId: string, operation: TimeLimit): Promise<readonly ListedToken[] | undefined>;
  /** @param tokenId where the platform revokes by the id of a token; others revoke the only token of the user */
  revokeToken(userId: string, operation: TimeLimit, tokenId?: string): Promise<DeleteAnswer>;
}

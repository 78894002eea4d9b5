/**
 * The organization area as resources use it: one method a call, typed, without HTTP. `Client.organization` in
 * client.ts makes one; every method fails with an `ApiError` and nothing else.
 */
import type {
  CreatedServiceAccount,
  CreateUserRequest,
  IssuedToken,
  OnboardingResult,
  RenewedToken,
  ServiceAccountList,
  User,
} from "./schemas.ts";

/**
 * `"gone"`: the service said, in the contract's own form, that there was nothing to delete (D15), and no earlier attempt of
 * the same call may have deleted it.
 */
export type Deleted = "deleted" | "gone";

/** One organization, seen with one set of credentials. */
export interface OrganizationApi {
  /** The only response with `client_secret`. */
  createServiceAccount(name: string, operation: Operation): Promise<CreatedServiceAccount>;
  /** A failure is an error, never an empty list. */
  listServiceAccounts(operation: Operation): Promise<ServiceAccountList>;
  deleteServiceAccount(clientId: string, operation: Operation): Promise<Deleted>;
  /** An email in neither list of the answer was refused (D20). */
  onboardUsers(emails: readonly string[], operation: Operation): Promise<OnboardingResult>;
  createUser(user: CreateUserRequest, operation: Operation): Promise<User>;
  assignSeat(userId: string, operation: Operation): Promise<void>;
  /** @param expiresAt an instant in the kept form. */
  issueToken(userId: string, expiresAt: string, operation: Operation): Promise<IssuedToken>;
  renewToken(userId: string, operation: Operation): Promise<RenewedToken>;
  revokeToken(userId: string, operation: Operation): Promise<Deleted>;
  removeSeat(userId: string, operation: Operation): Promise<Deleted>;
  removeUser(userId: string, operation: Operation): Promise<Deleted>;
}

/** The time one create, read, update or delete has for all its calls and their repeats. */
export interface Operation {
  /** When it is over, in milliseconds of `performance.now()`. */
  readonly deadline: number;
}

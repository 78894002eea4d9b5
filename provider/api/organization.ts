/**
 * The interface of the organization area for resources: one method per call, without HTTP. `Client.organization` in
 * client.ts implements it. Methods throw only `ApiError`.
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
 * The result of a delete. `"gone"`: the service responded in the form of the contract that there was nothing to delete
 * (D15), and no earlier attempt of the same call can have deleted it.
 */
export type Deleted = "deleted" | "gone";

/** One organization, with one set of credentials. */
export interface OrganizationApi {
  /** The only response with `client_secret`. */
  createServiceAccount(name: string, operation: TimeLimit): Promise<CreatedServiceAccount>;
  /** A failed read is an error, never an empty list. */
  listServiceAccounts(operation: TimeLimit): Promise<ServiceAccountList>;
  deleteServiceAccount(clientId: string, operation: TimeLimit): Promise<Deleted>;
  /** An email in neither list of the response was refused (D20). */
  onboardUsers(emails: readonly string[], operation: TimeLimit): Promise<OnboardingResult>;
  createUser(user: CreateUserRequest, operation: TimeLimit): Promise<User>;
  assignSeat(userId: string, operation: TimeLimit): Promise<void>;
  /** @param expiresAt an instant in UTC */
  issueToken(userId: string, expiresAt: string, operation: TimeLimit): Promise<IssuedToken>;
  renewToken(userId: string, operation: TimeLimit): Promise<RenewedToken>;
  revokeToken(userId: string, operation: TimeLimit): Promise<Deleted>;
  removeSeat(userId: string, operation: TimeLimit): Promise<Deleted>;
  removeUser(userId: string, operation: TimeLimit): Promise<Deleted>;
}

/** The time limit of one create, read, update or delete, for all its calls and retries. */
export interface TimeLimit {
  /** In milliseconds, on the scale of `performance.now()`. */
  readonly deadline: number;
}

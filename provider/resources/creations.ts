/** What is recorded of creations of managed users, as a resource asks for it; provider/creations.ts keeps the records. */

/** All that tells a managed user from others. */
export interface ManagedUser {
  readonly organizationId: string;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

/** What an earlier run has recorded of a managed user of the same names. */
export type EarlierCreation =
  /** The service answered with this user, and no state has it. */
  | { readonly kind: "known"; readonly userId: string; readonly time: string }
  /** No answer is recorded; or there is one, and whether a state has that user is not known here. */
  | {
      readonly kind: "open";
      readonly time: string;
      readonly userId?: string | undefined;
      readonly file: string;
    };

/** A creation that is recorded and may be sent. */
export interface CreationAttempt {
  readonly kind: "begun";
  /** @throws where the answer cannot be recorded: the record then has none */
  succeeded(userId: string): void;
  /** The service has surely not created the user. */
  refused(): void;
}

export interface Creations {
  /** @throws where nothing can be recorded: nothing must be sent then */
  begin(user: ManagedUser): EarlierCreation | CreationAttempt;
  /** Somebody has decided that a user of these names is the one with this id. */
  decide(user: ManagedUser, userId: string): void;
  /** The user is in the state: the record is not needed any more. */
  settle(organizationId: string, userId: string): void;
}

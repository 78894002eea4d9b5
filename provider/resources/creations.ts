/** The interface of the creation records of managed users; provider/creations.ts keeps the records. */

/** What identifies a managed user. */
export interface ManagedUser {
  readonly organizationId: string;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

/** The record of an earlier run for a managed user of the same names. */
export type RecordedCreation =
  /** The service answered with this user, and no state has it. */
  | { readonly kind: "known"; readonly userId: string; readonly time: string }
  /** No response is recorded; or there is one, but whether a state has that user is unknown. */
  | {
      readonly kind: "open";
      readonly time: string;
      readonly userId?: string | undefined;
      readonly file: string;
    };

/** A creation that is recorded and may be sent. */
export interface CreationAttempt {
  readonly kind: "begun";
  /** @throws where the response cannot be recorded: the record then has none */
  succeeded(userId: string): void;
  /** The service has certainly not created the user. */
  refused(): void;
}

export interface Creations {
  /** @throws where the creation cannot be recorded: it must not be sent then */
  begin(user: ManagedUser): RecordedCreation | CreationAttempt;
  /** `adopt` says that the user of these names has this id. */
  decide(user: ManagedUser, userId: string): void;
  /** The user is in the state: removes the record. */
  settle(organizationId: string, userId: string): void;
}

/** Service accounts that others replace. */

/** An account that keeps working for a while. */
export interface PreviousAccount {
  readonly clientId: string;
  /** When orgseat deletes it, an instant. */
  readonly removeAfter: string;
}

/** What the creation of a successor needs of the account that it replaces: it does not see the old state. */
export interface ReplacedAccount {
  readonly clientId: string;
  /** What the successor declares. */
  readonly successor: string;
  /** The accounts that this one keeps, and its successor will. */
  readonly previous: readonly PreviousAccount[];
}

/** The interface of unfinished creations of machine users; provider/unfinished/ keeps them as tags of the stack. */

/** What identifies a machine user. */
export interface MachineUser {
  readonly organizationId: string;
  readonly purpose?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  /** The stack of the resource, as Pulumi's commands name it. */
  readonly stack?: string | undefined;
}

/** The creation of a machine user of the same names by an ended run, whose user the state lacks. */
export interface EarlierCreation {
  readonly kind: "earlier";
  /** When it was sent, a timestamp. */
  readonly time: string;
  /** The created user; undefined if no answer is recorded. */
  readonly userId: string | undefined;
  /** The user in the audit log, if the tag has none: it can be that of a later creation. */
  readonly loggedId: string | undefined;
  /** Whether only the audit log shows it: the user may have been removed since. */
  readonly isAudited: boolean;
  /** Whether no audit log could show that a run has removed the user since. */
  readonly isUnchecked: boolean;
  /** The command that says that the user does not exist. */
  readonly discard: string;
  /** Whether it may have created this user: not one that was there before, or that the state has. */
  mayBe(userId: string): boolean;
  /** Whether `mayBe` is true for some users that were there before too: the record has no room for all of them. */
  readonly mayBeOlder: boolean;
  /** It created this user, whom this run puts into the state. */
  take(userId: string): Promise<void>;
  /** It created none. */
  drop(): Promise<void>;
}

/** A creation that is recorded and may be sent. */
export interface CreationAttempt {
  readonly kind: "begun";
  /** @throws if the response cannot be recorded: the record then has none */
  succeeded(userId: string): Promise<void>;
  /** The service has certainly not created the user. */
  refused(): Promise<void>;
}

export interface Creations {
  /**
   * @param isOwned whether a resource of this run has this user
   * @param before the users of the same names, if the service lists them
   * @throws if the creation cannot be recorded: it must not be sent then
   */
  begin(
    user: MachineUser,
    isOwned: (userId: string) => boolean,
    before?: readonly string[],
  ): Promise<EarlierCreation | CreationAttempt>;
  /**
   * `adopt` says that the user of these names has this id.
   * @returns when a creation was sent that this decides though it may have created another user, a timestamp
   */
  decide(user: MachineUser, userId: string): Promise<string | undefined>;
  /** The user is removed or retained: a later one of these names is another one. */
  forget(user: MachineUser, userId: string, isReleased: boolean): Promise<void>;
}

/**
 * The interface of the creation journal; provider/creation-journal.ts keeps it. Where lists tell what became of a lost
 * creation, each creation of a user, seat or token, and of the successor of a service account, is recorded before it is
 * sent, so that the next run can tell its own creations from those of others, however this one ends.
 */

/** What is created. */
export interface CreationSubject {
  readonly kind: "user" | "seat" | "token" | "account";
  readonly organizationId: string;
  /** The email or the names of a user; the user id of a seat or token; which account a service account succeeds. */
  readonly key: string;
}

/** A creation of an ended run that no state is known to have. */
export interface RecordedAttempt {
  /** When it was recorded, an instant. */
  readonly time: string;
  /** The ids that existed before and look the same. */
  readonly before: readonly string[];
  /** The id of the object, where the run learned it. */
  readonly id: string | undefined;
  /** The service has no such object, or it is replaced. */
  close(): void;
  /** The object is this one, and this run takes it into the state. */
  take(id: string): void;
}

/** A creation of this run. */
export interface Attempt {
  succeeded(id: string): void;
  /** The service has certainly not created anything, or what it created is removed again. */
  close(): void;
}

export interface Journal {
  /** A creation of an ended run of this stack, which no other creation gets then. */
  earlier(subject: CreationSubject): RecordedAttempt | undefined;
  /** @throws where the creation cannot be recorded: it must not be sent then */
  begin(subject: CreationSubject, before: readonly string[]): Attempt;
  /** The ids that this process created of a subject. */
  created(subject: CreationSubject): readonly string[];
  /** The state has the object. @param object the id of a user; the user id of a seat or token */
  settle(kind: CreationSubject["kind"], organizationId: string, object: string): void;
}

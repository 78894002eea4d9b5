/** What a report is made of: plain data, read elsewhere. */
import type { Properties, ResourceType } from "../plan/steps.ts";
import type { RosterPerson } from "../roster/roster.ts";

/** A managed resource as it stands in the state of a stack. */
export interface StateResource {
  readonly stack: string;
  readonly type: ResourceType;
  /** The resource's name in the program. */
  readonly name: string;
  /** The name of the OrgMember it belongs to; its own name where it stands alone. */
  readonly member: string;
  /** The object at the service: of user, seat and token the user id. */
  readonly id: string;
  /** Without the secret ones. */
  readonly outputs: Properties;
  /** When the state got it and last changed it, instants; undefined where the state does not say. */
  readonly created: string | undefined;
  readonly modified: string | undefined;
}

/** A line of the audit log: a write that was sent to the service. */
export interface AuditLine {
  /** An instant. */
  readonly time: string;
  /** The number of the call, such as 11 for the end of a membership. */
  readonly call: number;
  readonly organizationId?: string | undefined;
  /** What the call was about: of calls 5 to 11 the user id. */
  readonly id?: string | undefined;
  /** The HTTP status; undefined where no answer came. */
  readonly status?: number | undefined;
  readonly outcome: "done" | "refused" | "no answer";
}

export interface ReportFacts {
  /** Undefined where neither a roster nor a state says. */
  readonly organizationId: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** An instant. */
  readonly subscriptionExpiresAt: string | undefined;
  /** Seats bought, as declared. */
  readonly seats: number | undefined;
  /** The people of the roster; undefined where there is none. */
  readonly people: readonly RosterPerson[] | undefined;
  readonly resources: readonly StateResource[];
  /** Undefined where no audit log was read: who left is then not known. */
  readonly audit: readonly AuditLine[] | undefined;
  /** Who stood behind user ids that no state holds any more, as far as anybody remembers. */
  readonly names: Readonly<Record<string, string>>;
  /** What the reader of the report must know of how the facts were found, as sentences. */
  readonly notes: readonly string[];
}

/** The machine users that the audit log shows as added and not removed, and no state has: a restored state can lack them. */
import { type AuditLine, auditLinesIn } from "../../provider/api/schemas/audit-lines.ts";
import { namesHash } from "../../provider/api/schemas/user-names.ts";
import { appendAuditLines } from "../../provider/service/audit.ts";
import { type Properties, textIn } from "../plan/steps/steps.ts";
import type { Files } from "../stacks/organization.ts";

export interface AuditedUser {
  readonly userId: string;
  readonly organizationId: string | undefined;
  /** Of organization and names. */
  readonly hash: string;
  /** When it was added, a timestamp. */
  readonly time: string;
  /** Undefined if the run did not know it. */
  readonly stack: string | undefined;
}

/** The line about a decision of a person; no operation of the service has this number. */
const MISSING = { call: 0, name: "machine user missing", outcome: "done" } as const;

/** @param inStates the ids of users in the states */
export function lostUsers({ auditFile }: Files, inStates: ReadonlySet<string>): AuditedUser[] {
  const users = new Map<string, AuditedUser>();
  for (const line of auditLinesIn(auditFile)) {
    const { id, names: hash, time, stack, outcome, organizationId } = line;
    if (id === undefined || outcome !== "done") continue;
    const key = `${organizationId}/${id}`;
    if (hash !== undefined) users.set(key, { userId: id, organizationId, hash, time, stack });
    else if (isEnd(line)) users.delete(key);
  }
  return [...users.values()].filter(({ userId }) => !inStates.has(userId));
}

/** A 404 to a removal does not show that the user is gone (D15), but that no run of ours created it again. */
function isEnd({ name }: AuditLine): boolean {
  return name === "remove user" || name === MISSING.name;
}

/** Records that the service does not have the user. */
export function closeLostUser(
  { auditFile }: Files,
  { organizationId, userId: id }: AuditedUser,
  now: number,
): void {
  appendAuditLines(auditFile, [{ time: new Date(now).toISOString(), ...MISSING, organizationId, id }]);
}

/** Machine users with the same names have the same hash. */
export function hashOfUser(inputs: Properties = {}): string {
  const text = (key: string): string | undefined => textIn(inputs, key);
  return namesHash(text("organizationId") ?? "", text("purpose"), text("lastName"));
}

/** A line has the stack as PULUMI_STACK named it: with or without a project. A line without a stack is of each. */
export function isOfStack(user: Pick<AuditedUser, "stack">, stack: string): boolean {
  if (user.stack === undefined) return true;
  const [one, other] = [partsOf(user.stack), partsOf(stack)];
  if (one.name !== other.name) return false;
  return one.project === undefined || other.project === undefined || one.project === other.project;
}

/** @param stack `people`, `acme/people`, or `acme/orgseat/people` */
function partsOf(stack: string): { name: string | undefined; project: string | undefined } {
  const parts = stack.split("/");
  return { name: parts.at(-1), project: parts.length === 3 ? parts[1] : undefined };
}

/**
 * Accounts that a rotation replaced and that keep working for `keepPreviousFor`. The new resource owns them: its outputs
 * list them, its updates delete them when their time has come, and its removal deletes all of them. Pulumi calls the
 * delete of the old resource at the end of the rotation, or in the next run if this one is killed; it sends nothing then.
 */

import type { Deleted } from "../../api/calls/organization.ts";
import type {
  CallContext,
  OrganizationAccess,
  PlanContext,
  PreviousAccount,
  ReplacedAccount,
} from "../contexts.ts";
import { claimObject, ownerKey } from "../ownership.ts";
import { settledRemoval } from "../pauses.ts";
import { keptUntil } from "../rotation-schedule.ts";
import { type Knowable, unknown } from "../unknown.ts";
import { sharedAccounts } from "./created-account.ts";
import type { ServiceAccountInputs as Inputs, ServiceAccountOutputs as Outputs } from "./schema.ts";

/** Notes that the resource owns its account and the previous ones. */
export function claimAccounts(
  context: PlanContext,
  { organizationId, clientId, previous = [] }: Pick<Outputs, "organizationId" | "clientId" | "previous">,
): void {
  for (const one of [{ clientId }, ...previous])
    claimObject(context, "ServiceAccount", one.clientId, { organizationId, instance: clientId });
}

/** Whether another resource of this run, its successor, keeps the account. */
export function isKeptBySuccessor({ run }: PlanContext, id: string, { organizationId }: Outputs): boolean {
  const owner = run.owners.get(ownerKey("ServiceAccount", id, organizationId));
  return owner !== undefined && owner !== id;
}

/** Notes in diff that the account will be replaced in its organization; not while its new inputs are unknown. */
export function noteReplaced(context: PlanContext, olds: Outputs, news: Knowable<Inputs>): void {
  const { clientId, organizationId, previous = [] } = olds;
  const successor = successorOf(news);
  if (successor === undefined || news.organizationId !== organizationId) return;
  const key = ownerKey("ServiceAccount", clientId, organizationId);
  context.run.replacedAccounts.set(key, { clientId, successor, previous });
}

/** The account that a creation replaces, each one once. Those whose successors declare the same are interchangeable. */
export function takeReplaced({ run }: PlanContext, news: Inputs): ReplacedAccount | undefined {
  const successor = successorOf(news);
  const found = [...run.replacedAccounts].find(([, replaced]) => replaced.successor === successor);
  if (found === undefined) return undefined;
  const [key, replaced] = found;
  run.replacedAccounts.delete(key);
  return replaced;
}

function successorOf(news: Knowable<Inputs>): string | undefined {
  const { organizationId, name, rotation, rotateEvery, keepPreviousFor } = news;
  const declared = [organizationId, name, rotation, rotateEvery, keepPreviousFor];
  return declared.includes(unknown) ? undefined : JSON.stringify(declared);
}

/** The accounts that a new one keeps, the newest first. @param sentAt when the new one was requested, a timestamp */
export function previousOf(
  replaced: ReplacedAccount | undefined,
  news: Inputs,
  sentAt: string,
): PreviousAccount[] {
  const { keepPreviousFor } = news;
  if (replaced === undefined || keepPreviousFor === undefined) return [];
  return [
    { clientId: replaced.clientId, removeAfter: keptUntil(keepPreviousFor, sentAt) },
    ...replaced.previous,
  ];
}

/** Whether the replacement of a ServiceAccount keeps the old account for a while. */
export function keepsPrevious(
  olds: { readonly organizationId?: unknown },
  news: { readonly organizationId?: unknown; readonly keepPreviousFor?: unknown },
): boolean {
  return typeof news.keepPreviousFor === "string" && news.organizationId === olds.organizationId;
}

/** Deletes accounts, in this order. One that is gone is fine. @returns what became of the last one */
export async function deleteAccounts(
  ids: readonly string[],
  access: OrganizationAccess,
  context: CallContext,
): Promise<Deleted> {
  let last: Deleted = "gone";
  for (const id of ids) {
    // One account instead of a list does not prove that there is no other (D7).
    const isListed = async (): Promise<boolean> => {
      const { accounts, complete } = await sharedAccounts.now(access, context);
      return !complete || accounts.some(({ client_id }) => client_id === id);
    };
    const remove = () => context.service.api(access).deleteServiceAccount(id, context.time.operation);
    last = await settledRemoval(remove, { what: `service account ${id}`, isListed }, context);
  }
  return last;
}

/** `9f1c… (kept until 2026-11-22T10:00:00Z), …` */
export function describePrevious(previous: readonly PreviousAccount[]): string {
  return previous.map(({ clientId, removeAfter }) => `${clientId} (kept until ${removeAfter})`).join(", ");
}

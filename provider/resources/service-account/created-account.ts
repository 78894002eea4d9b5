/**
 * Creates service accounts: exactly one for each resource, whatever response is lost. Names are not unique, so only a
 * list from before shows which account a lost response created; it is deleted, because its secret is lost.
 */

import type { ApiError } from "../../api/calls/errors.ts";
import type {
  CreatedServiceAccount,
  ListedServiceAccount,
  ServiceAccountList,
} from "../../api/schemas/schemas.ts";
import type { CallContext, OrganizationAccess } from "../contexts.ts";
import { type Creation, createOnce, onlyNew } from "../create-once.ts";
import { withNextStep } from "../failures.ts";
import { isOwned } from "../ownership.ts";
import { sharedList } from "../shared-list.ts";
import type { ServiceAccountInputs } from "./schema.ts";

/** The accounts of an organization, as far as the service lists them. */
export const sharedAccounts = sharedList(
  ({ organizationId }: OrganizationAccess) => `service accounts of ${organizationId}`,
  (access, context) => context.service.api(access).listServiceAccounts(context.time.operation),
);

export function createAccount(
  news: ServiceAccountInputs,
  context: CallContext,
): Promise<CreatedServiceAccount> {
  return sharedAccounts.createNext(news, context, (before) => createNext(news, before, context));
}

function createNext(
  news: ServiceAccountInputs,
  before: ServiceAccountList,
  context: CallContext,
): Promise<CreatedServiceAccount> {
  const { name } = news;
  warnAboutUnmanaged(accountsOfName(before, news), news, context);
  const creation: Creation<CreatedServiceAccount> = {
    send: () => context.service.api(news).createServiceAccount(name, context.time.operation),
    // Its secret is lost: it is deleted, and created again.
    async look(lost) {
      await undoLostCreate(lost, before, news, context);
      return undefined;
    },
    giveUp: (lost, attempts) =>
      withNextStep(lost, `${attempts} attempts failed, and none left a service account behind.`),
  };
  return createOnce(creation, context.time);
}

function accountsOfName({ accounts }: ServiceAccountList, news: ServiceAccountInputs) {
  return accounts.filter(({ name }) => name === news.name);
}

/**
 * Deletes the account of a lost response, or throws why it cannot be identified. An account that another program creates
 * under the same name at the same moment looks the same: a warning names the deleted account.
 */
async function undoLostCreate(
  lost: ApiError,
  before: ServiceAccountList,
  news: ServiceAccountInputs,
  context: CallContext,
): Promise<void> {
  const mayExist = (why: string) =>
    withNextStep(
      lost,
      `A service account named ${news.name} may exist, but its secret is lost: ${why}. Delete unused service accounts of the organization, then run \`pulumi up\` again, which lists unmanaged accounts with this name.`,
      "outcome-unknown",
    );
  const known = new Set(before.accounts.map(({ client_id }) => client_id));
  const account = await onlyNew(lost, {
    what: "service accounts",
    async list() {
      const after = await sharedAccounts.now(news, context);
      if (!before.complete || !after.complete) throw mayExist("the service does not list all accounts");
      return accountsOfName(after, news).filter(({ client_id }) => !known.has(client_id));
    },
    several: (found) =>
      `several accounts were created in the meantime (${found.map(({ client_id }) => client_id).join(", ")})`,
    mayExist,
  });
  if (account === undefined) return;
  try {
    await context.service.api(news).deleteServiceAccount(account.client_id, context.time.operation);
  } catch {
    throw mayExist(`it is ${account.client_id}, and deleting it failed`);
  }
  context.diagnostics.warn(
    `ServiceAccount ${news.name}: the response to the create request was lost. The created account (client id ${account.client_id}, secret lost) was deleted; orgseat creates it again.`,
  );
}

/**
 * Warns about accounts of the same name that this run does not manage: left by an interrupted run, or of another
 * program.
 */
function warnAboutUnmanaged(
  before: readonly ListedServiceAccount[],
  news: ServiceAccountInputs,
  context: CallContext,
): void {
  const unmanaged = before.filter(
    ({ client_id }) => !isOwned(context, "ServiceAccount", client_id, news.organizationId),
  );
  if (unmanaged.length === 0) return;
  const ids = unmanaged.map((account) => account.client_id).join(", ");
  context.diagnostics.warn(
    `ServiceAccount ${news.name}: the organization already has an account with this name (client id ${ids}) that this run does not manage. If an interrupted run left it, delete it; its secret is lost.`,
  );
}

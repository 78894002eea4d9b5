/**
 * ServiceAccount: the credential of a machine such as a build server (create, list and delete service account). Id: the
 * client id. A changed name, rotation or organization replaces it, creating the new one first. Removal deletes it.
 */
import { z } from "zod";
import type { ApiError } from "../api/errors.ts";
import type { CreatedServiceAccount, ListedServiceAccount, ServiceAccountList } from "../api/schemas.ts";
import { SERVICE_ACCOUNT_NAME } from "../api/schemas.ts";
import { changedKeys, completeOrganization } from "./changes.ts";
import { MOST_ATTEMPTS, mayHaveSucceeded, RETRY_PAUSE_MS, withNextStep } from "./failures.ts";
import {
  type CallContext,
  commonOutputs,
  organizationIdSchema,
  passwordCredentialsSchema,
  type ResourceDefinition,
  rotationSchema,
  STATE_VERSION,
} from "./resource.ts";

const inputs = {
  name: z
    .string()
    .regex(
      SERVICE_ACCOUNT_NAME,
      "not a valid service account name (1 to 64 lower-case letters, digits, hyphens and underscores, for example, build-bot)",
    ),
  rotation: rotationSchema.optional(),
  organizationId: organizationIdSchema,
  credentials: passwordCredentialsSchema.optional(),
};
const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  clientId: z.string(),
  clientSecret: z.string(),
});
const inputsSchema = z.object(inputs);
type ServiceAccountInputs = z.output<typeof inputsSchema>;
type ServiceAccountOutputs = z.output<typeof outputs>;

const identity = ["name", "rotation", "organizationId"] as const;

export const serviceAccountDefinition: ResourceDefinition<ServiceAccountInputs, ServiceAccountOutputs> = {
  name: "ServiceAccount",
  area: "organization",
  inputs,
  outputs,
  secretInputs: ["credentials"],
  complete: completeOrganization,
  check: () => [],

  diff(id, olds, news, context) {
    context.owners.set(accountKey(olds.organizationId, id), id);
    const replaces = changedKeys(olds, news, identity);
    const changes = replaces.length > 0 || changedKeys(olds, news, ["credentials"]).length > 0;
    return { changes, replaces, deleteBeforeReplace: false };
  },

  async create(news, context) {
    const account = await context.runExclusive(listKey(news.organizationId), () => createOnce(news, context));
    context.owners.set(accountKey(news.organizationId, account.client_id), account.client_id);
    return { id: account.client_id, outs: outsOf(news, account.client_id, account.client_secret) };
  },

  async read(id, outs, context) {
    const api = context.api(outs);
    const list = await context.readOnce(listKey(outs.organizationId), () =>
      api.listServiceAccounts(context.operation),
    );
    const account = list.accounts.find((candidate) => candidate.client_id === id);
    if (account) return outs;
    if (list.complete) return undefined;
    context.warn(
      `ServiceAccount ${outs.name} (${id}): the service returned one other account instead of a list, which does not prove that this account is deleted; it stays in the state.`,
    );
    return outs;
  },

  async update(id, olds, news) {
    return outsOf(news, id, olds.clientSecret);
  },

  async delete(id, outs, context) {
    context.forget(listKey(outs.organizationId));
    return context.api(outs).deleteServiceAccount(id, context.operation);
  },
};

function outsOf(news: ServiceAccountInputs, clientId: string, clientSecret: string): ServiceAccountOutputs {
  return { ...news, stateVersion: STATE_VERSION, clientId, clientSecret };
}

function listKey(organizationId: string): string {
  return `service accounts of ${organizationId}`;
}

function accountKey(organizationId: string, clientId: string): string {
  return `service account ${organizationId}/${clientId}`;
}

/**
 * Creates exactly one account. Names are not unique, so only a list from before shows which account a lost response
 * created. That account is deleted, because its secret is lost, and created again.
 */
async function createOnce(news: ServiceAccountInputs, context: CallContext): Promise<CreatedServiceAccount> {
  const api = context.api(news);
  context.forget(listKey(news.organizationId));
  const before = await accountsOfName(news, context);
  warnAboutUnmanaged(before.accounts, news, context);
  for (let round = 1; ; round++) {
    try {
      return await api.createServiceAccount(news.name, context.operation);
    } catch (error) {
      if (!mayHaveSucceeded(error)) throw error;
      await undoLostCreate(error, before, news, context);
      if (round === MOST_ATTEMPTS)
        throw withNextStep(
          error,
          `${MOST_ATTEMPTS} attempts failed, and none left a service account behind.`,
        );
    }
    await context.sleep(RETRY_PAUSE_MS);
  }
}

/** The accounts of that name, and whether the list is complete. */
async function accountsOfName(news: ServiceAccountInputs, context: CallContext): Promise<ServiceAccountList> {
  const list = await context.api(news).listServiceAccounts(context.operation);
  return { ...list, accounts: list.accounts.filter((account) => account.name === news.name) };
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
      `A service account named ${news.name} may exist whose secret is lost: ${why}. Delete unused service accounts of the organization, then run \`pulumi up\` again, which names unmanaged accounts of this name.`,
    );
  const after = await accountsOfName(news, context).catch(() => {
    throw mayExist("listing the service accounts failed");
  });
  if (!before.complete || !after.complete) throw mayExist("the service does not list all accounts");
  const known = new Set(before.accounts.map((account) => account.client_id));
  const made = after.accounts.filter((account) => !known.has(account.client_id));
  const [account, ...others] = made;
  if (account === undefined) return;
  if (others.length > 0) {
    throw mayExist(
      `several accounts were created since (${made.map(({ client_id }) => client_id).join(", ")})`,
    );
  }
  try {
    await context.api(news).deleteServiceAccount(account.client_id, context.operation);
  } catch {
    throw mayExist(`it is ${account.client_id}, and deleting it failed`);
  }
  context.warn(
    `ServiceAccount ${news.name}: the response of the creation was lost. The created account (client id ${account.client_id}, secret lost) was deleted; orgseat creates it again.`,
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
    (account) => !context.owners.has(accountKey(news.organizationId, account.client_id)),
  );
  if (unmanaged.length === 0) return;
  const ids = unmanaged.map((account) => account.client_id).join(", ");
  context.warn(
    `ServiceAccount ${news.name}: the organization already has an account of this name (client id ${ids}) that this run does not manage. If an interrupted run left it, delete it; its secret is lost.`,
  );
}

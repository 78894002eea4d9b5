/**
 * ServiceAccount: the credential of a machine such as a build server (calls 1, 2, 3). Id: the client id. A changed
 * name, rotation or organization replaces it, and the new one exists before the old one goes. Removal deletes it.
 */
import { z } from "zod";
import type { ApiError } from "../api/errors.ts";
import type { CreatedServiceAccount, ServiceAccount, ServiceAccountList } from "../api/schemas.ts";
import { SERVICE_ACCOUNT_NAME } from "../api/schemas.ts";
import { changedKeys, completeOrganization } from "./changes.ts";
import { mayHaveHappened, withNextStep } from "./failures.ts";
import {
  adminCredentialsSchema,
  type CallContext,
  commonOutputs,
  organizationIdSchema,
  type ResourceDefinition,
  rotationSchema,
  STATE_VERSION,
} from "./resource.ts";

const inputs = {
  name: z
    .string()
    .regex(
      SERVICE_ACCOUNT_NAME,
      "a service account's name is 1 to 64 lower-case letters, digits, hyphens and underscores, such as build-bot",
    ),
  rotation: rotationSchema.optional(),
  organizationId: organizationIdSchema,
  credentials: adminCredentialsSchema.optional(),
};
const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  clientId: z.string(),
  clientSecret: z.string(),
});
const inputsSchema = z.object(inputs);
export type ServiceAccountInputs = z.output<typeof inputsSchema>;
export type ServiceAccountOutputs = z.output<typeof outputs>;

const identity = ["name", "rotation", "organizationId"] as const;

export const serviceAccount: ResourceDefinition<ServiceAccountInputs, ServiceAccountOutputs> = {
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
      `ServiceAccount ${outs.name} (${id}): call 2 answered one other account and no list, which does not prove that this one is gone; it is kept.`,
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

const ROUNDS = 3;
const RETRY_PAUSE_MS = 500;

/**
 * Creates one account and leaves no second one behind: names are not unique, so only a list from before shows which
 * account a lost answer made. Such an account is deleted, its secret being lost, and made again.
 */
async function createOnce(news: ServiceAccountInputs, context: CallContext): Promise<CreatedServiceAccount> {
  const api = context.api(news);
  context.forget(listKey(news.organizationId));
  const before = await namesakes(news, context);
  warnOfStrangers(before.accounts, news, context);
  for (let round = 1; ; round++) {
    try {
      return await api.createServiceAccount(news.name, context.operation);
    } catch (error) {
      if (!mayHaveHappened(error)) throw error;
      await undoLostCreate(error, before, news, context);
      if (round === ROUNDS) throw withNextStep(error, `No service account is left of ${ROUNDS} attempts.`);
    }
    await context.sleep(RETRY_PAUSE_MS);
  }
}

/** The accounts of the name, and whether they are surely all. */
async function namesakes(news: ServiceAccountInputs, context: CallContext): Promise<ServiceAccountList> {
  const list = await context.api(news).listServiceAccounts(context.operation);
  return { ...list, accounts: list.accounts.filter((account) => account.name === news.name) };
}

/**
 * Undoes what a create without an answer may have done, or says why that cannot be told. An account that another
 * program makes under the same name in the same moment cannot be told from ours: what is deleted is named.
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
      `A service account named ${news.name} may exist whose secret nobody has: ${why}. Look at the organization's service accounts and delete what nobody uses, then run \`pulumi up\` again, which names accounts of this name that it does not know.`,
    );
  const after = await namesakes(news, context).catch(() => {
    throw mayExist("the list that would tell failed");
  });
  if (!before.complete || !after.complete) throw mayExist("the service does not list all accounts");
  const known = new Set(before.accounts.map((account) => account.client_id));
  const made = after.accounts.filter((account) => !known.has(account.client_id));
  const [account, ...others] = made;
  if (account === undefined) return;
  if (others.length > 0) {
    throw mayExist(`several have appeared since (${made.map(({ client_id }) => client_id).join(", ")})`);
  }
  try {
    await context.api(news).deleteServiceAccount(account.client_id, context.operation);
  } catch {
    throw mayExist(`it is ${account.client_id}, and deleting it failed`);
  }
  context.warn(
    `ServiceAccount ${news.name}: its creation got no answer, so the account that it made (client id ${account.client_id}, secret lost) was deleted, and it is made again.`,
  );
}

/** Names accounts of the same name that this run has not met: left by an interrupted run, or another program's. */
function warnOfStrangers(
  before: readonly ServiceAccount[],
  news: ServiceAccountInputs,
  context: CallContext,
): void {
  const strangers = before.filter(
    (account) => !context.owners.has(accountKey(news.organizationId, account.client_id)),
  );
  if (strangers.length === 0) return;
  const ids = strangers.map((account) => account.client_id).join(", ");
  context.warn(
    `ServiceAccount ${news.name}: the organization has an account of this name already (client id ${ids}) that this run does not manage. If an interrupted run left it, delete it; its secret is lost.`,
  );
}

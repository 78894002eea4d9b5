/** The APIs of both areas: the messages of their calls. */
import { InternalError } from "../util/error-codes.ts";
import type { TimeLimit } from "../util/instants.ts";
import { anacondaCalls } from "./calls/anaconda-calls.ts";
import type { Call } from "./calls/call.ts";
import { ApiError } from "./calls/errors.ts";
import type { ModelApi, ModelCalls, ServerCalls, VectorCalls } from "./calls/models.ts";
import type {
  DeleteAnswer,
  Deleted,
  OrganizationApi,
  ServiceAccountCalls,
  TokenCalls,
  UserCalls,
} from "./calls/organization.ts";
import type { CallTable, Platform } from "./calls/platform.ts";
import type { Credentials } from "./client/credentials.ts";
import type { Answered, Reply } from "./client/outcomes.ts";
import type { Message, Sender, Variables } from "./client/sender.ts";
import type { Denials } from "./denials.ts";
import type { Table } from "./schemas/anaconda-model-schemas.ts";
import { hiddenIn, type OddItem, oddItemText, REPORT_ITEM } from "./schemas/forgiving-list.ts";

/** Every message contains the fields of all platforms; paths and schemas use those that their platform has. */
export function organizationApi(
  sender: Sender,
  platform: Platform,
  organizationId: string,
  credentials: Credentials,
  denials: Denials,
): OrganizationApi {
  const area: OrganizationArea = {
    ...callsOf(sender, credentials, platform.canListUsers ? undefined : denials),
    platform,
    org: { org_id: organizationId },
  };
  return { ...serviceAccountCalls(area), ...userCalls(area), ...tokenCalls(area) };
}

interface Area extends ReturnType<typeof callsOf> {
  readonly platform: Platform;
}

interface OrganizationArea extends Area {
  readonly org: { readonly org_id: string };
}

function serviceAccountCalls({
  ask,
  askList,
  remove,
  platform: { calls },
  org,
}: OrganizationArea): ServiceAccountCalls {
  return {
    createServiceAccount: (name, operation) =>
      ask(calls.createServiceAccount, { variables: org, body: { name } }, operation),
    listServiceAccounts: async (operation) => {
      const { answer, odd } = await askList(calls.listServiceAccounts, { variables: org }, operation);
      return { ...answer, complete: answer.complete && hiddenIn(odd).length === 0 };
    },
    deleteServiceAccount: (clientId, operation) =>
      remove(calls.deleteServiceAccount, { ...org, client_id: clientId }, operation),
  };
}

function userCalls({ ask, askList, remove, platform, org }: OrganizationArea): UserCalls {
  const { calls } = platform;
  return {
    onboardUsers: (emails, operation) =>
      ask(calls.onboardUsers, { variables: org, body: { user_emails: [...emails] } }, operation),
    createUser: (user, operation) => ask(calls.createUser, { variables: org, body: user }, operation),
    listUsers: async (operation) => {
      if (calls.listUsers === undefined) return undefined;
      const query = { include_groups: false };
      const { answer, odd } = await askList(calls.listUsers, { variables: org, query }, operation);
      return { users: answer.items, odd };
    },
    removeUser: (userId, operation) => remove(calls.removeUser, { ...org, user_id: userId }, operation),
    assignSeat: async (userId, operation, { sendEmail = false } = {}) => {
      const query = { send_seat_assigned_email: sendEmail };
      await ask(calls.assignSeat, { variables: { ...org, user_id: userId }, query }, operation);
    },
    removeSeat: (userId, operation) => remove(calls.removeSeat, { ...org, user_id: userId }, operation),
  };
}

function tokenCalls({ ask, askList, remove, platform, org }: OrganizationArea): TokenCalls {
  const { calls } = platform;
  return {
    issueToken: (userId, expiresAt, operation, { sendEmail = false, toleranceMonths } = {}) => {
      const body = {
        expires_at: expiresAt,
        expiration_tolerance_months: toleranceMonths,
        send_token_email: sendEmail,
      };
      return ask(calls.issueToken, { variables: { ...org, user_id: userId }, body }, operation);
    },
    renewToken: (userId, operation, { expiresAt, toleranceMonths } = {}) => {
      const body = {
        is_renewal: expiresAt === undefined,
        expires_at: expiresAt,
        expiration_tolerance_months: toleranceMonths,
      };
      return ask(calls.renewToken, { variables: { ...org, user_id: userId }, body }, operation);
    },
    listTokens: async (userId, operation) => {
      if (calls.listTokens === undefined) return undefined;
      const variables = { ...org, user_id: userId };
      const { answer, odd } = await askList(calls.listTokens, { variables }, operation);
      const [hidden] = hiddenIn(odd);
      if (hidden !== undefined) throw unreadableTokens(userId, hidden);
      return answer.items;
    },
    revokeToken: (userId, operation, tokenId) =>
      remove(calls.revokeToken, { ...org, user_id: userId, token_id: tokenId }, operation),
  };
}

export function modelApi(sender: Sender, platform: Platform, credentials: Credentials): ModelApi {
  const area: Area = { ...callsOf(sender, credentials), platform };
  return { ...modelCalls(area), ...serverCalls(area), ...vectorCalls(area) };
}

/** A lost attempt explains that there is nothing to delete. */
function deleted(answer: DeleteAnswer): Deleted {
  return answer === "gone" ? "gone" : "deleted";
}

/** The variables of a path without any. */
const none = {};

function modelCalls({ ask, platform }: Area): ModelCalls {
  return {
    listModels: async (downloaded, operation) => {
      const message = { variables: none, query: { downloaded } };
      return (await ask(supported(platform, "listModels"), message, operation)).data;
    },
    getModel: async (modelId, operation) => {
      const message = { variables: { model_id: modelId } };
      const { data } = await ask(supported(platform, "getModel"), message, operation);
      return { ...data, id: data?.id ?? modelId };
    },
    listModelFiles: async (modelId, operation) => {
      const message = { variables: { model_id: modelId } };
      return (await ask(platform.calls.listModelFiles, message, operation)).data;
    },
  };
}

function serverCalls({ ask, askList, remove, platform }: Area): ServerCalls {
  const { calls } = platform;
  return {
    listServers: async (filter, operation) => {
      const { answer, odd } = await askList(calls.listServers, { variables: none, query: filter }, operation);
      return [...answer.data, ...hiddenIn(odd).map(() => ({}))];
    },
    createServer: async (server, operation) => {
      const message = { variables: none, body: server };
      return (await ask(supported(platform, "createServer"), message, operation)).data?.id;
    },
    getServer: async (serverId, operation) => {
      const message = { variables: { server_id: serverId } };
      return { ...(await ask(supported(platform, "getServer"), message, operation)).data, id: serverId };
    },
    moveServer: async (serverId, action, operation) => {
      const message = { variables: { server_id: serverId }, body: { action } };
      await ask(supported(platform, "moveServer"), message, operation);
    },
    deleteServer: async (serverId, operation) =>
      deleted(await remove(calls.deleteServer, { server_id: serverId }, operation)),
  };
}

function vectorCalls({ ask, askList, remove, platform }: Area): VectorCalls {
  const { calls } = platform;
  return {
    listTables: async (operation) => {
      const { answer, odd } = await askList<unknown, Table[]>(
        calls.listTables,
        { variables: none },
        operation,
      );
      return [...answer, ...hiddenIn(odd).map(() => ({ name: null }))];
    },
    createTable: async (table, operation) =>
      (await ask(calls.createTable, { variables: none, body: table }, operation)).data ?? {},
    deleteTable: async (name, operation) =>
      deleted(await remove(supported(platform, "deleteTable"), { name }, operation)),
  };
}

/**
 * Sends the calls of one area with one set of credentials.
 * @param denials given if no list shows users
 */
function callsOf(sender: Sender, credentials: Credentials, denials?: Denials) {
  const send = <Request, Answer>(
    call: Call<string, Request, Answer>,
    message: Message<Request>,
    operation: TimeLimit,
  ): Promise<Reply<Answer>> => {
    const request = sender.send(call, message, credentials, operation);
    return denials && call.credential === "serviceAccount" ? denials.note(request) : request;
  };
  /** An answer, and the items of a list of which something cannot be read. */
  const askList = async <Request, Answer>(
    ...asked: Parameters<typeof send<Request, Answer>>
  ): Promise<Answered<Answer>> => {
    const reply = await send<Request, Answer>(...asked);
    if (reply.gone) throw new InternalError("only a delete finds something gone");
    return reply;
  };
  return {
    askList,
    ask: async <Request, Answer>(...asked: Parameters<typeof askList<Request, Answer>>): Promise<Answer> =>
      (await askList(...asked)).answer,
    remove: async (
      call: Call<string, unknown, unknown>,
      variables: Variables,
      operation: TimeLimit,
    ): Promise<DeleteAnswer> => {
      const reply = await send(call, { variables }, operation);
      if (!reply.gone) return "deleted";
      if (reply.mayBeOurs) return "repeated";
      if (call.path.includes("{user_id}"))
        await denials?.requireProof(call.name, variables.user_id ?? "", reply);
      return "gone";
    },
  };
}

/** One user's list: an item that may be any token of this user proves nothing about them, and concerns no one else. */
function unreadableTokens(userId: string, item: OddItem): ApiError {
  const { name: call, method, path } = anacondaCalls.listTokens;
  const reason = `${oddItemText(item)}. ${REPORT_ITEM}`;
  return new ApiError({
    code: "unreadable-item",
    call,
    method,
    path: path.replace("{user_id}", userId),
    reason,
  });
}

/** A call of the platform. @throws ApiError if it has none */
function supported<Name extends keyof CallTable>(
  { name, calls }: Platform,
  key: Name,
): NonNullable<CallTable[Name]> {
  const call = calls[key];
  if (call) return call;
  const { name: operation, method, path } = anacondaCalls[key];
  const reason = `not sent: the platform ${name} does not support this request`;
  throw new ApiError({ code: "unsupported", call: operation, method, path, reason });
}

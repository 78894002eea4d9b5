/** The APIs of both areas: the messages of their calls. */
import { InternalError } from "../util/error-codes.ts";
import type { TimeLimit } from "../util/instants.ts";
import { anacondaCalls } from "./calls/anaconda-calls.ts";
import type { Call } from "./calls/call.ts";
import { ApiError } from "./calls/errors.ts";
import type { ModelApi, ModelCalls, ServerCalls, VectorCalls } from "./calls/models.ts";
import type {
  DeleteAnswer,
  OrganizationApi,
  ServiceAccountCalls,
  TokenCalls,
  UserCalls,
} from "./calls/organization.ts";
import type { CallTable, Platform } from "./calls/platform.ts";
import type { Credentials } from "./client/credentials.ts";
import type { Answered, Reply } from "./client/outcomes.ts";
import type { Sender, Variables } from "./client/sender.ts";
import type { Denials } from "./denials.ts";
import { hiddenIn, type OddItem, oddItemText, REPORT_ITEM } from "./schemas/forgiving-list.ts";

/** Every message contains the fields of all platforms; paths and schemas use those that their platform has. */
export function organizationApi(
  sender: Sender,
  platform: Platform,
  organizationId: string,
  credentials: Credentials,
  denials: Denials,
): OrganizationApi {
  const area = { sender, platform, credentials, variables: { org_id: organizationId } };
  const calls = callsOf(area, platform.calls.listUsers === undefined ? denials : undefined);
  return { ...serviceAccountCalls(calls), ...userCalls(calls), ...tokenCalls(calls) };
}

function serviceAccountCalls({ ask, askList, remove }: Calls): ServiceAccountCalls {
  return {
    createServiceAccount: (name, operation) => ask("createServiceAccount", operation, { body: { name } }),
    listServiceAccounts: async (operation) => {
      const { answer, odd } = await askList("listServiceAccounts", operation);
      return { ...answer, complete: answer.complete && hiddenIn(odd).length === 0 };
    },
    deleteServiceAccount: (client_id, operation) => remove("deleteServiceAccount", operation, { client_id }),
  };
}

function userCalls({ ask, askList, remove, has }: Calls): UserCalls {
  return {
    onboardUsers: (emails, operation) =>
      ask("onboardUsers", operation, { body: { user_emails: [...emails] } }),
    createUser: (user, operation) => ask("createUser", operation, { body: user }),
    listUsers: async (operation) => {
      if (!has("listUsers")) return undefined;
      const { answer, odd } = await askList("listUsers", operation, { query: { include_groups: false } });
      return { users: answer.items, odd };
    },
    removeUser: (user_id, operation) => remove("removeUser", operation, { user_id }),
    assignSeat: async (user_id, operation, { sendEmail = false } = {}) => {
      const query = { send_seat_assigned_email: sendEmail };
      await ask("assignSeat", operation, { variables: { user_id }, query });
    },
    removeSeat: (user_id, operation) => remove("removeSeat", operation, { user_id }),
  };
}

function tokenCalls({ ask, askList, remove, has }: Calls): TokenCalls {
  return {
    issueToken: (user_id, expires_at, operation, { sendEmail = false, toleranceMonths } = {}) => {
      const body = { expires_at, expiration_tolerance_months: toleranceMonths, send_token_email: sendEmail };
      return ask("issueToken", operation, { variables: { user_id }, body });
    },
    renewToken: (user_id, operation, { expiresAt: expires_at, toleranceMonths } = {}) => {
      const is_renewal = expires_at === undefined;
      const body = { is_renewal, expires_at, expiration_tolerance_months: toleranceMonths };
      return ask("renewToken", operation, { variables: { user_id }, body });
    },
    listTokens: async (user_id, operation) => {
      if (!has("listTokens")) return undefined;
      const { answer, odd } = await askList("listTokens", operation, { variables: { user_id } });
      const [hidden] = hiddenIn(odd);
      if (hidden !== undefined) throw unreadableTokens(user_id, hidden);
      return answer.items;
    },
    revokeToken: (user_id, operation, token_id) => remove("revokeToken", operation, { user_id, token_id }),
  };
}

export function modelApi(sender: Sender, platform: Platform, credentials: Credentials): ModelApi {
  const calls = callsOf({ sender, platform, credentials, variables: {} });
  return { ...modelCalls(calls), ...serverCalls(calls), ...vectorCalls(calls) };
}

function modelCalls({ ask }: Calls): ModelCalls {
  return {
    listModels: async (downloaded, operation) =>
      (await ask("listModels", operation, { query: { downloaded } })).data,
    getModel: async (model_id, operation) => {
      const { data } = await ask("getModel", operation, { variables: { model_id } });
      return { ...data, id: data?.id ?? model_id };
    },
    listModelFiles: async (model_id, operation) =>
      (await ask("listModelFiles", operation, { variables: { model_id } })).data,
  };
}

function serverCalls({ ask, askList, remove }: Calls): ServerCalls {
  return {
    listServers: async (query, operation) => {
      const { answer, odd } = await askList("listServers", operation, { query });
      return [...answer.data, ...hiddenIn(odd).map(() => ({}))];
    },
    createServer: async (body, operation) => (await ask("createServer", operation, { body })).data?.id,
    getServer: async (id, operation) => ({
      ...(await ask("getServer", operation, { variables: { server_id: id } })).data,
      id,
    }),
    moveServer: async (server_id, action, operation) => {
      await ask("moveServer", operation, { variables: { server_id }, body: { action } });
    },
    deleteServer: (server_id, operation) => remove("deleteServer", operation, { server_id }),
  };
}

function vectorCalls({ ask, askList, remove }: Calls): VectorCalls {
  return {
    listTables: async (operation) => {
      const { answer, odd } = await askList("listTables", operation);
      return [...answer, ...hiddenIn(odd).map(() => ({ name: null }))];
    },
    createTable: async (body, operation) => (await ask("createTable", operation, { body })).data ?? {},
    deleteTable: (name, operation) => remove("deleteTable", operation, { name }),
  };
}

type Name = keyof CallTable;
type Parts<Key extends Name> =
  NonNullable<CallTable[Key]> extends Call<string, infer Request, infer Answer> ? [Request, Answer] : never;
type AllCalls = { readonly [Key in Name]?: Call<string, Parts<Key>[0], Parts<Key>[1]> | undefined };

/** A call without what all calls of its area have. */
interface Asked<Request> {
  readonly variables?: Variables;
  readonly query?: object;
  readonly body?: Request;
}

interface CalledArea {
  readonly sender: Sender;
  readonly platform: Platform;
  readonly credentials: Credentials;
  /** Of each path. */
  readonly variables: Variables;
}

type Calls = ReturnType<typeof callsOf>;

/**
 * Sends the calls of one area with one set of credentials, by their names.
 * @param denials given if no list shows users
 */
function callsOf({ sender, platform, credentials, variables }: CalledArea, denials?: Denials) {
  const send = async <Key extends Name>(
    key: Key,
    operation: TimeLimit,
    asked: Asked<Parts<Key>[0]> = {},
  ): Promise<Reply<Parts<Key>[1]>> => {
    const call = supported(platform, key);
    const message = { ...asked, variables: { ...variables, ...asked.variables } };
    const request = sender.send(call, message, credentials, operation);
    return denials && call.credential === "serviceAccount" ? denials.note(request) : request;
  };
  /** An answer, and the items of a list of which something cannot be read. */
  const askList = async <Key extends Name>(
    ...asked: Parameters<typeof send<Key>>
  ): Promise<Answered<Parts<Key>[1]>> => {
    const reply = await send<Key>(...asked);
    if (reply.gone) throw new InternalError("only a delete finds something gone");
    return reply;
  };
  return {
    askList,
    has: (key: Name): boolean => platform.calls[key] !== undefined,
    ask: async <Key extends Name>(...asked: Parameters<typeof askList<Key>>): Promise<Parts<Key>[1]> =>
      (await askList<Key>(...asked)).answer,
    remove: async (key: Name, operation: TimeLimit, ids: Variables): Promise<DeleteAnswer> => {
      const reply = await send(key, operation, { variables: ids });
      if (!reply.gone) return "deleted";
      if (reply.mayBeOurs) return "repeated";
      const { name, path } = supported(platform, key);
      if (path.includes("{user_id}")) await denials?.requireProof(name, ids.user_id ?? "", reply);
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
function supported<Key extends Name>({ name, calls }: Platform, key: Key): NonNullable<AllCalls[Key]> {
  const all: AllCalls = calls;
  const call = all[key];
  if (call) return call;
  const { name: operation, method, path } = anacondaCalls[key];
  const reason = `not sent: the platform ${name} does not support this request`;
  throw new ApiError({ code: "unsupported", call: operation, method, path, reason });
}

/**
 * ModelServer: an existing server, adopted by its id (list servers, delete server); the API cannot create one (D29).
 * Id: the server id. A changed `serverId` replaces it, after the new server is found. Removal deletes or keeps the server,
 * according to `onDelete`; a running server cannot be deleted and stays in the state.
 */
import { z } from "zod";
import { modelIdSchema, type Server } from "../api/model-schemas.ts";
import { nearest } from "../util/nearest.ts";
import { changedKeys } from "./changes.ts";
import { isRefused, withNextStep } from "./failures.ts";
import { claimObject, isOwnedByAnother, newInstance, ownershipOutputs } from "./ownership.ts";
import {
  apiKeyCredentialsSchema,
  type CallContext,
  commonOutputs,
  type ModelAccess,
  type ResourceDefinition,
  STATE_VERSION,
} from "./resource.ts";

const inputs = {
  serverId: modelIdSchema,
  onDelete: z.enum(
    ["delete", "keep"],
    'set what removal does with the server: "delete" deletes it, "keep" retains it',
  ),
  credentials: apiKeyCredentialsSchema.optional(),
};
const freeObject = z.record(z.string(), z.unknown());
const serviceFields = {
  tag: z.string().nullable(),
  serverProcessId: z.number().nullable(),
  modelFile: freeObject.nullable(),
  serverConfig: freeObject.nullable(),
  server: freeObject.nullable(),
  status: z.string().nullable(),
};
const outputs = z.object({ ...inputs, ...commonOutputs, ...ownershipOutputs, ...serviceFields });
const inputsSchema = z.object(inputs);
type ModelServerInputs = z.output<typeof inputsSchema>;
type ModelServerOutputs = z.output<typeof outputs>;
type ServiceFields = Pick<ModelServerOutputs, keyof typeof serviceFields>;

export const modelServerDefinition: ResourceDefinition<ModelServerInputs, ModelServerOutputs> = {
  name: "ModelServer",
  area: "model",
  inputs,
  outputs,
  secretInputs: ["credentials"],
  complete: (news) => news,
  check: () => [],

  diff(id, olds, news, context) {
    const replaces = changedKeys(olds, news, ["serverId"]);
    if (replaces.length === 0) claimObject(context, "ModelServer", id, olds);
    const rest = changedKeys(olds, news, ["onDelete", "credentials"]);
    return { changes: replaces.length + rest.length > 0, replaces, deleteBeforeReplace: false };
  },

  async create(news, context) {
    const server = (await find(news, context)) ?? (await findAgain(news, context));
    const outs = outsOf(news, { ...fieldsOf(server), instance: newInstance() });
    claimObject(context, "ModelServer", server.id, outs);
    return { id: server.id, outs };
  },

  async read(id, outs, context) {
    const server = (await listOnce(outs, context)).find((candidate) => candidate.id === id);
    return server && { ...outs, ...fieldsOf(server) };
  },

  async update(_id, olds, news) {
    const { tag, serverProcessId, modelFile, serverConfig, server, status, instance } = olds;
    return outsOf(news, { tag, serverProcessId, modelFile, serverConfig, server, status, instance });
  },

  async delete(id, outs, context) {
    if (isOwnedByAnother(context, "ModelServer", id, outs)) return "kept";
    if (outs.onDelete === "keep") {
      context.warn(
        `ModelServer ${labelOf(id, outs)} is released: nothing is deleted, and a running server keeps running.`,
      );
      return "kept";
    }
    context.forget(listKey(outs));
    try {
      return await context.models(outs).deleteServer(id, context.operation);
    } catch (error) {
      if (!isRefused(error, 409)) throw error;
      throw withNextStep(
        error,
        `Stop ${labelOf(id, outs)}, then run the command again; it stays in the state until then. To retain it in the service, put it back into the program with \`onDelete: "keep"\`, run \`pulumi up\`, then remove it.`,
      );
    }
  },
};

/** The fields of a listed server besides its id; null where the service returns none. */
export function fieldsOf(server: Server): ServiceFields {
  const { tag, serverProcessId, modelFile, serverConfig, status } = server;
  return {
    tag: tag ?? null,
    serverProcessId: serverProcessId ?? null,
    modelFile: modelFile ?? null,
    serverConfig: serverConfig ?? null,
    server: server.server ?? null,
    status: status ?? null,
  };
}

function outsOf(news: ModelServerInputs, service: ServiceFields & { instance: string }): ModelServerOutputs {
  return { ...news, stateVersion: STATE_VERSION, ...service };
}

async function find(news: ModelServerInputs, context: CallContext): Promise<Server | undefined> {
  return (await listOnce(news, context)).find(({ id }) => id === news.serverId);
}

/** Reads the list again: the cached one may be older than a server that the program just created. */
async function findAgain(news: ModelServerInputs, context: CallContext): Promise<Server> {
  context.forget(listKey(news));
  const server = await find(news, context);
  if (server) return server;
  throw unknownServer(news.serverId, await listOnce(news, context));
}

/** Lists the servers once a run for each key. */
function listOnce(owner: ModelAccess, context: CallContext): Promise<Server[]> {
  return context.readOnce(listKey(owner), () => context.models(owner).listServers({}, context.operation));
}

function listKey({ credentials }: ModelAccess): string {
  return `model servers seen by ${credentials?.apiKey ?? "the configured key"}`;
}

function labelOf(id: string, { tag }: Pick<ModelServerOutputs, "tag">): string {
  return tag === null ? `server ${id}` : `${tag} (server ${id})`;
}

const NAMED_AT_MOST = 10;

function unknownServer(serverId: string, servers: readonly Server[]): Error {
  const tagged = servers.filter(({ tag }) => tag === serverId);
  const suggestion = nearest(
    serverId,
    servers.map(({ id }) => id),
  );
  const named = servers.slice(0, NAMED_AT_MOST).map(({ id, tag }) => (tag ? `${id} (${tag})` : id));
  const more = servers.length > NAMED_AT_MOST ? `, and ${servers.length - NAMED_AT_MOST} more` : "";
  const there = servers.length === 0 ? "it lists none" : `it lists ${named.join(", ")}${more}`;
  const missing = `serverId: the service lists no server with the id ${serverId}; ${there}.`;
  if (tagged.length > 0) {
    const ids = tagged.map(({ id }) => id).join(" or ");
    return new Error(`${missing} ${serverId} is a tag. Set the id, ${ids}.`);
  }
  const hint = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
  return new Error(
    `${missing}${hint} The API cannot create servers: create it in the service, set its id here, then run \`pulumi up\` again.`,
  );
}

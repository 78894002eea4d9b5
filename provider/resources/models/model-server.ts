/**
 * ModelServer: a server that it creates from `serverConfig`, starts and stops, or an existing one, adopted by `serverId`.
 * The basic platform can only adopt (D29). Id: the server id. A changed `serverId` or `serverConfig` replaces it, the
 * new server first. Removal deletes or keeps the server, according to `onDelete`; a running server is stopped first only
 * with `stopOnDelete`, and otherwise stays in the state.
 */

import { z } from "zod";
import { modelIdSchema } from "../../api/schemas/model-schemas.ts";
import { THEN_RUN_AGAIN } from "../../util/text.ts";
import { changedKeys, givenInputs, inputIssue } from "../changes.ts";
import type { CallContext, PlanContext } from "../contexts.ts";
import { isRefused, keepIfFailed, withNextStep } from "../failures.ts";
import { keepingUnread } from "../members/unreadable.ts";
import { claimObject, isOwnedByAnother, newInstance, ownershipOutputs } from "../ownership.ts";
import { settledRemoval } from "../pauses.ts";
import {
  apiKeyCredentialsSchema,
  commonOutputs,
  type InputIssue,
  type ResourceDefinition,
} from "../resource.ts";
import { STATE_VERSION } from "../resource-types.ts";
import { type Knowable, known } from "../unknown.ts";
import { createServer } from "./created-server.ts";
import {
  findServer,
  isSettled,
  type KnownServer,
  NotSettled,
  readServer,
  serverFields,
  serverMove,
  serverWithId,
  settleServer,
  sharedServers,
} from "./server-calls.ts";

const freeObject = z.record(z.string(), z.unknown());
const configSchema = z.strictObject({
  modelFileName: z.string().min(1),
  apiParams: freeObject.nullish(),
  loadParams: freeObject.nullish(),
  inferParams: freeObject.nullish(),
  logsDir: z.string().nullish(),
});
const inputs = {
  serverId: modelIdSchema.optional(),
  serverConfig: configSchema.nullish(),
  running: z.boolean().optional(),
  onDelete: z.enum(
    ["delete", "retain"],
    'set what happens to the server on removal: "delete" deletes it, "retain" leaves it',
  ),
  stopOnDelete: z.boolean().optional(),
  credentials: apiKeyCredentialsSchema.optional(),
};
const serviceFields = {
  tag: z.string().nullable(),
  serverProcessId: z.number().nullable(),
  modelFile: freeObject.nullable(),
  endpoint: freeObject.nullable(),
  status: z.string().nullable(),
};
const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  ...ownershipOutputs,
  ...serviceFields,
  /** The declared configuration, or that of an adopted server, whatever it is. */
  serverConfig: configSchema.extend({ modelFileName: z.string() }).nullish(),
});
const inputsSchema = z.object(inputs);
type ModelServerInputs = z.output<typeof inputsSchema>;
type ModelServerOutputs = z.output<typeof outputs>;
type ServiceFields = Pick<ModelServerOutputs, keyof typeof serviceFields | "serverConfig">;
/** The inputs, and what identifies this resource. */
type Declared = ModelServerInputs & Pick<ModelServerOutputs, "instance">;

const identity = ["serverId", "serverConfig"] as const;

export const modelServerDefinition: ResourceDefinition<ModelServerInputs, ModelServerOutputs> = {
  name: "ModelServer",
  area: "model",
  inputs,
  outputs,
  stableOutputs: ["tag", "modelFile"],
  identity,

  complete(news, { can }) {
    const isCreated = can.canCreateServers && news.serverConfig !== undefined;
    return isCreated && news.running === undefined ? { ...news, running: true } : news;
  },

  check: (news, _olds, { can }) => (can.canCreateServers ? checkSource(news) : refuseCreation(news)),

  diff(id, olds, news, context) {
    const replaces = changedKeys(inputsOf(olds), news, identity);
    if (replaces.length === 0) claimObject(context, "ModelServer", id, olds);
    const rest = changedKeys(olds, news, ["running", "onDelete", "stopOnDelete", "credentials"]);
    const isMoved = serverMove(olds, known(news.running)) !== undefined;
    const changes = replaces.length + rest.length > 0 || isMoved;
    return { changes, replaces };
  },

  async create(news, context) {
    const { serverConfig, running = true } = news;
    const declared = { ...news, instance: newInstance() };
    const claim = ({ id }: KnownServer) => claimObject(context, "ModelServer", id, declared);
    const server = serverConfig
      ? await createServer({ ...news, serverConfig, running }, context, claim)
      : await findServer(news.serverId ?? "", news, context);
    claim(server);
    const write = serverConfig && running ? "sent" : "due";
    return settle(server.id, serverFields(server), declared, context, write);
  },

  async find(id, given, context) {
    const server = await readServer(id, given, context);
    const source = given.serverConfig ? {} : { serverId: id };
    const declared = { ...source, onDelete: "retain" as const, ...given, instance: newInstance() };
    return server && outsOf(declared, serverFields(server));
  },

  inputsOf,

  async read(id, outs, context) {
    const read = async () => {
      const server = await readServer(id, outs, context);
      return server && outsOf(outs, serverFields(server));
    };
    return keepingUnread(outs, read, context);
  },

  async update(id, olds, news, context) {
    const isPlanned = serverMove(olds, news.running) !== undefined;
    const declared = { ...news, instance: olds.instance };
    return (await settle(id, olds, declared, context, isPlanned ? "due" : "unplanned")).outs;
  },

  async delete(id, outs, context) {
    if (isOwnedByAnother(context, "ModelServer", id, outs)) return "kept";
    if (outs.onDelete === "retain") {
      context.diagnostics.warn(
        `ModelServer ${labelOf(id, outs)} is retained: nothing is deleted, and a running server keeps running.`,
      );
      return "kept";
    }
    sharedServers.forget(outs, context);
    const isListed = async (): Promise<boolean> => {
      sharedServers.forget(outs, context);
      return (await serverWithId(id, outs, context)) !== undefined;
    };
    const remove = () => {
      const call = () => context.service.models(outs).deleteServer(id, context.time.operation);
      return settledRemoval(call, { what: labelOf(id, outs), isListed }, context);
    };
    try {
      return await remove();
    } catch (error) {
      if (!isRefused(error, 409)) throw error;
      if (!outs.stopOnDelete) throw withNextStep(error, howToDelete(id, outs, context), "not-ready");
    }
    await settleServer(id, { running: false }, outs, context);
    return remove();
  },
};

function howToDelete(id: string, outs: ModelServerOutputs, { can }: PlanContext): string {
  const server = labelOf(id, outs);
  const byItself = can.canCreateServers
    ? " With `stopOnDelete: true` in the state, orgseat stops it first."
    : "";
  return `Stop ${server}, ${THEN_RUN_AGAIN}; it stays in the state until then.${byItself} To retain it in the service, put it back in the program with \`onDelete: "retain"\`, run \`pulumi up\`, then remove it.`;
}

/** Exactly one of the two inputs says which server it is. */
function checkSource({ serverId, serverConfig }: Knowable<ModelServerInputs>): InputIssue[] {
  if (serverId === undefined && serverConfig === undefined) {
    return [inputIssue("serverId", "set `serverId` to adopt a server, or `serverConfig` to create one")];
  }
  if (serverId === undefined || serverConfig === undefined) return [];
  return [inputIssue("serverConfig", "set either `serverId` or `serverConfig`, not both")];
}

function refuseCreation(news: Knowable<ModelServerInputs>): InputIssue[] {
  const reason =
    "this service (orgseat:platform) cannot create, start, or stop servers. Remove this input, and adopt an existing server by `serverId`";
  const given = givenInputs(news, ["serverConfig", "running", "stopOnDelete"], reason);
  if (given.length > 0) return given;
  return news.serverId === undefined ? [inputIssue("serverId", "missing (expected a string)")] : [];
}

/** The configuration of an adopted server is not an input. */
function inputsOf(outs: ModelServerOutputs): ModelServerInputs {
  return outs.serverId === undefined ? outs : { ...outs, serverConfig: undefined };
}

/** Brings a server to the declared state. If it does not get there, the state keeps it as it was last seen. */
async function settle(
  id: string,
  fields: ServiceFields,
  declared: Declared,
  context: CallContext,
  write: "due" | "sent" | "unplanned",
): Promise<{ id: string; outs: ModelServerOutputs }> {
  const { running } = declared;
  const outs = outsOf(declared, fields);
  if (running === undefined || isSettled(outs.status, running)) return { id, outs };
  const settled = await keepIfFailed(
    id,
    async () => {
      const server = await settleServer(id, { running, write }, declared, context);
      return outsOf(declared, serverFields(server));
    },
    (failure) => (failure instanceof NotSettled ? outsOf(declared, serverFields(failure.server)) : outs),
  );
  return { id, outs: settled };
}

function outsOf(declared: Declared, service: ServiceFields): ModelServerOutputs {
  const { tag, serverProcessId, modelFile, endpoint, status } = service;
  const { serverConfig = null } = declared.serverId === undefined ? declared : service;
  const fields = { tag, serverProcessId, modelFile, endpoint, status, serverConfig };
  const { instance, ...news } = declared;
  return { ...news, ...fields, instance, stateVersion: STATE_VERSION };
}

function labelOf(id: string, { tag }: Pick<ModelServerOutputs, "tag">): string {
  return tag === null ? `server ${id}` : `${tag} (server ${id})`;
}

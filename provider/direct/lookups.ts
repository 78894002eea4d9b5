/**
 * Lookups for programs, with the rules of the provider process: the same configuration, one client for each process and
 * configuration, the same messages. The sdk loads this at the first lookup of a program. Arguments are validated before
 * anything is sent. A failed read is an error, never an empty list.
 */

import { z } from "zod";
import type { Area } from "../api/calls/call.ts";
import { ApiError, saysAbsent } from "../api/calls/errors.ts";
import type { ModelApi } from "../api/calls/models.ts";
import type { OrganizationApi } from "../api/calls/organization.ts";
import type { Client } from "../api/client.ts";
import { modelIdSchema, serverFilterSchema } from "../api/schemas/model-schemas.ts";
import { type ServerFilter, serverStatuses } from "../api/schemas/model-types.ts";
import type { Settings } from "../config/settings.ts";
import { formatIssues, inputIssuesOf, schemaErrorMessage } from "../config/validation.ts";
import { indexMembers, requireList, seatOf } from "../resources/members/member-list.ts";
import { productQuestion, productWarning } from "../resources/members/seat-codes.ts";
import {
  adminCredentialsSchema,
  apiKeyCredentialsSchema,
  clientCredentialsSchema,
} from "../resources/resource.ts";
import {
  connect,
  describeFailedCall,
  missingConfiguration,
  organizationCredentials,
} from "../service/connection.ts";
import { CodedError } from "../util/error-codes.ts";
import { systemClock, type TimeLimit } from "../util/instants.ts";
import { nearest } from "../util/nearest.ts";
import { THEN_RUN_AGAIN } from "../util/text.ts";
import {
  type ModelFilter,
  modelFilters,
  requireFiltered,
  requireModel,
  serverFilters,
} from "./lookup-filters.ts";
import { accountOf, fileOf, modelOf, serverOf, tableOf, userOf } from "./lookup-results.ts";
import {
  type Lookup,
  remedyOf,
  requireSettings,
  type SettingOptions,
  settingOptions,
} from "./lookup-settings.ts";

export { type Lookup, settingsOf } from "./lookup-settings.ts";

const adminOptionsSchema = z.strictObject({
  ...settingOptions.organization,
  credentials: adminCredentialsSchema.optional(),
});
const userOptionsSchema = z.strictObject({
  ...settingOptions.organization,
  product: z.string().min(1).optional(),
  credentials: clientCredentialsSchema.optional(),
});
type OrganizationOptions = z.output<typeof adminOptionsSchema> | z.output<typeof userOptionsSchema>;
const modelOptionsSchema = z.strictObject({
  ...settingOptions.model,
  credentials: apiKeyCredentialsSchema.optional(),
});
type ModelOptions = z.output<typeof modelOptionsSchema>;

/** All lookups by their names: the schema of the arguments, and what is found. */
export const lookups = {
  getServiceAccounts: ofOrganization(adminOptionsSchema, async (api, { lookup, operation }) => {
    const { accounts, complete } = await api.listServiceAccounts(operation);
    if (!complete)
      await lookup.warn(
        `${lookup.name}: the service did not return a whole list that orgseat can read; there may be others.`,
      );
    return accounts.map(accountOf);
  }),
  getUsers: ofOrganization(userOptionsSchema, async (api, { lookup, settings, operation }) => {
    const { product } = settings;
    const list = indexMembers(requireList(await api.listUsers(operation)));
    const question = productQuestion(list.users, product);
    if (question !== undefined) await lookup.warn(`${lookup.name}: ${productWarning(question)}`);
    return list.users.map((user) => userOf(user, seatOf(list, user, product)));
  }),
  getModelServers: ofModels(
    modelOptionsSchema.extend(serverFilterSchema.shape),
    async (api, { credentials: _, modelUrl: _url, platform: _platform, ...filter }, operation) => {
      const listed = await api.listServers(filter, operation);
      // One that cannot be read has nothing to return, and a warning names it.
      const servers = listed.filter((server) => Object.keys(server).length > 0);
      const list = (other: ServerFilter) => api.listServers(other, operation);
      await requireFiltered(serverFilters, filter, servers, list);
      return servers.map(serverOf);
    },
  ),
  getModels: ofModels(
    modelOptionsSchema.extend({ downloaded: z.boolean().optional() }),
    async (api, { downloaded }, operation) => {
      const list = (query: ModelFilter) => api.listModels(query.downloaded, operation);
      const found = await list({ downloaded });
      await requireFiltered(modelFilters, { downloaded }, found, list);
      return found.map(modelOf);
    },
  ),
  getModel: ofOneModel(async (api, id, operation) => {
    const model = await api.getModel(id, operation);
    requireModel(id, model);
    return modelOf(model);
  }),
  getModelFiles: ofOneModel(async (api, id, operation) =>
    (await api.listModelFiles(id, operation)).map(fileOf),
  ),
  getVectorTables: ofModels(modelOptionsSchema, async (api, _, operation) =>
    (await api.listTables(operation)).map(tableOf),
  ),
};

/** The arguments of a lookup of members. */
export function readUserOptions(lookup: Lookup, options: unknown) {
  return read(lookup, userOptionsSchema.pick({ organizationId: true, credentials: true }), [options]);
}

/** @param given objects that together have the arguments: a program separates filters from options */
type Find<Found> = (lookup: Lookup, ...given: readonly unknown[]) => Promise<Found>;

/** What a lookup asks with. */
interface Asking {
  readonly lookup: Lookup;
  readonly client: Client;
  readonly settings: Settings;
  readonly operation: TimeLimit;
}

function ofOrganization<Options extends OrganizationOptions, Found>(
  schema: z.ZodType<Options>,
  find: (api: OrganizationApi, asking: Asking) => Promise<Found>,
): Find<Found> {
  return lookupOf("organization", schema, ({ credentials }, asking) => {
    const { client, settings, lookup } = asking;
    const { organizationId: id } = settings;
    const missing = missingConfiguration(settings, "organization", remedyOf(lookup));
    if (id === undefined) throw new CodedError("invalid-configuration", missing);
    return find(client.organization(id, organizationCredentials(settings, credentials)), asking);
  });
}

function ofOneModel<Found>(
  find: (api: ModelApi, id: string, operation: TimeLimit) => Promise<Found>,
): Find<Found> {
  return ofModels(
    modelOptionsSchema.extend({ modelId: modelIdSchema }),
    (api, { modelId }, operation) => find(api, modelId, operation),
    ({ modelId }) => `No model has the id ${modelId}. Correct it, ${THEN_RUN_AGAIN}.`,
  );
}

function ofModels<Args extends ModelOptions, Found>(
  schema: z.ZodType<Args>,
  find: (api: ModelApi, args: Args, operation: TimeLimit) => Promise<Found>,
  ifNotFound?: (args: Args) => string,
): Find<Found> {
  const byKey = (args: Args, { client, settings: { apiKey }, operation }: Asking) =>
    find(client.models(args.credentials ?? { apiKey }), args, operation);
  return lookupOf("model", schema, byKey, ifNotFound);
}

/** @param ifNotFound the next step if the service returns 404 */
function lookupOf<Args extends SettingOptions, Found>(
  area: Area,
  schema: z.ZodType<Args>,
  find: (args: Args, asking: Asking) => Promise<Found>,
  ifNotFound?: (args: Args) => string,
): Find<Found> {
  return async (lookup, ...given) => {
    const { name } = lookup;
    const args = read(lookup, schema, given);
    try {
      const settings = requireSettings(lookup, area, args, placesIn(schema).keys());
      const operation = { deadline: systemClock.monotonic() + settings.operationTimeoutMs };
      return await find(args, { lookup, client: clientOf(settings, lookup), settings, operation });
    } catch (error) {
      if (error instanceof ApiError) {
        const step = error.code === "missing-credentials" ? remedyOf(lookup) : undefined;
        const message = describeFailedCall(error, saysAbsent(error) ? ifNotFound?.(args) : step);
        throw new Error(`${name}: ${ofLookup(message)}`, { cause: error });
      }
      throw error instanceof Error ? new Error(`${name}: ${error.message}`, { cause: error }) : error;
    }
  };
}

/** The clients of this process by their settings: several lookups share one. */
const clients = new Map<string, Client>();

function clientOf(settings: Settings, { warn }: Lookup): Client {
  const { orgUrl, tokenUrl, modelUrl, platform, timeoutMs, concurrency } = settings;
  const key = JSON.stringify([orgUrl, tokenUrl, modelUrl, platform, timeoutMs, concurrency]);
  const client = clients.get(key) ?? connect(settings, systemClock, (text) => void warn(text));
  clients.set(key, client);
  return client;
}

/** Messages of the client speak of resources; lookups take credentials and an organization in the same way. */
function ofLookup(message: string): string {
  return message.replaceAll("the resource's `", "the lookup's `");
}

/** The arguments by their schema. */
function read<Args>({ name }: Lookup, schema: z.ZodType<Args>, given: readonly unknown[]): Args {
  const odd = given.find((part) => typeof part !== "object" || part === null || Array.isArray(part));
  const value = odd === undefined ? Object.assign({}, ...given) : odd;
  const result = schema.safeParse(value, { error: (issue) => reasonOf(issue) ?? schemaErrorMessage(issue) });
  if (result.success) return result.data;
  const places = placesIn(schema);
  const issues = inputIssuesOf(result.error).map(({ property, reason }) => {
    const meant = places.get(property) === property ? undefined : nearest(property, [...places.keys()]);
    if (meant === undefined) return { property, reason };
    return { property, reason: `${reason}; did you mean ${places.get(meant)}?` };
  });
  const message = formatIssues(issues);
  throw new CodedError(
    "invalid-input",
    `${name}: ${message}${message.endsWith("?") ? "" : "."} Nothing was sent.`,
  );
}

/** The keys of an object and of the objects in it, each with its place: `apiKey` belongs to `credentials.apiKey`. */
function placesIn(schema: unknown): Map<string, string> {
  if (!(schema instanceof z.ZodObject)) return new Map();
  return new Map(
    Object.entries(schema.shape).flatMap(([key, value]) => {
      const inner = placesIn(value instanceof z.ZodOptional ? value.unwrap() : value);
      return [[key, key], ...[...inner].map(([deep, place]) => [deep, `${key}.${place}`] as const)] as const;
    }),
  );
}

function reasonOf({ path, input }: z.core.$ZodRawIssue): string | undefined {
  if (path?.[0] === "port") return "not a port: a whole number from 1 to 65535";
  if (path?.[0] !== "status") return undefined;
  const meant = typeof input === "string" ? nearest(input, serverStatuses) : undefined;
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return `not a server status (${serverStatuses.join(", ")})${hint}`;
}

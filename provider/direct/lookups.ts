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
import { serverStatuses } from "../api/schemas/model-types.ts";
import { organizationIdSchema } from "../api/schemas/schemas.ts";
import { readSettings, type Settings } from "../config/settings.ts";
import { formatIssues, inputIssuesOf, schemaErrorMessage } from "../config/validation.ts";
import { indexMembers, requireList, seatOf } from "../resources/members/member-list.ts";
import { productQuestion, productWarning } from "../resources/members/seat-codes.ts";
import {
  apiKeyCredentialsSchema,
  clientCredentialsSchema,
  passwordCredentialsSchema,
} from "../resources/resource.ts";
import {
  configurationErrorOf,
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
  controlsOf,
  requireControlled,
  requireModel,
  requireModels,
  requireServers,
} from "./lookup-filters.ts";
import { accountOf, fileOf, modelOf, serverOf, tableOf, userOf } from "./lookup-results.ts";

/** A lookup as messages name it, the configuration, read at its first use, and where its warnings go. */
export interface Lookup {
  readonly name: string;
  readonly settings: () => Settings;
  readonly warn: (text: string) => Promise<void> | void;
}

/** @param config a value of the stack's configuration by its full key */
export function settingsOf(config: (key: string) => string | undefined): Settings {
  return readSettings(config, process.env);
}

const organizationOptionsSchema = z.strictObject({
  organizationId: organizationIdSchema.optional(),
  credentials: passwordCredentialsSchema.optional(),
});
const userOptionsSchema = z.strictObject({
  organizationId: organizationIdSchema.optional(),
  credentials: clientCredentialsSchema.optional(),
});
const modelFilterSchema = z.strictObject({ downloaded: z.boolean().optional() });
const modelOptionsSchema = z.strictObject({ credentials: apiKeyCredentialsSchema.optional() });

export async function lookUpServiceAccounts(lookup: Lookup, options: unknown) {
  const given = read(lookup, organizationOptionsSchema, options);
  return organization(lookup, given, async (api, _, operation) => {
    const { accounts, complete } = await api.listServiceAccounts(operation);
    if (!complete) {
      await lookup.warn(
        `${lookup.name}: the service did not return a whole list that orgseat can read; there may be others.`,
      );
    }
    return accounts.map(accountOf);
  });
}

/** The arguments of a lookup of members. */
export function readUserOptions(lookup: Lookup, options: unknown) {
  return read(lookup, userOptionsSchema, options);
}

export async function lookUpUsers(lookup: Lookup, options: unknown) {
  const given = readUserOptions(lookup, options);
  return organization(lookup, given, async (api, { product }, operation) => {
    const list = indexMembers(requireList(await api.listUsers(operation)));
    const question = productQuestion(list.users, product);
    if (question !== undefined) await lookup.warn(`${lookup.name}: ${productWarning(question)}`);
    return list.users.map((user) => userOf(user, seatOf(list, user, product)));
  });
}

type OrganizationOptions = z.output<typeof organizationOptionsSchema> | z.output<typeof userOptionsSchema>;

function organization<T>(
  lookup: Lookup,
  { organizationId, credentials }: OrganizationOptions,
  call: (api: OrganizationApi, settings: Settings, operation: TimeLimit) => Promise<T>,
): Promise<T> {
  return ask(lookup, "organization", (client, settings, operation) => {
    const id = organizationId ?? settings.organizationId;
    if (id === undefined)
      throw new CodedError("invalid-configuration", missingConfiguration(settings, "organization"));
    return call(client.organization(id, organizationCredentials(settings, credentials)), settings, operation);
  });
}

export async function lookUpServers(lookup: Lookup, filter: unknown, options: unknown) {
  const wanted = read(lookup, serverFilterSchema, filter);
  return models(lookup, options, async (api, operation) => {
    const listed = await api.listServers(wanted, operation);
    // One that cannot be read has nothing to return, and a warning names it.
    const servers = listed.filter((server) => Object.keys(server).length > 0);
    requireServers(wanted, servers);
    for (const control of controlsOf(wanted, servers))
      requireControlled(control, await api.listServers(control.other, operation));
    return servers.map(serverOf);
  });
}

export async function lookUpModels(lookup: Lookup, filter: unknown, options: unknown) {
  const { downloaded } = read(lookup, modelFilterSchema, filter);
  return models(lookup, options, async (api, operation) => {
    const found = await api.listModels(downloaded, operation);
    if (downloaded !== undefined && found.length > 0)
      requireModels(downloaded, found, await api.listModels(!downloaded, operation));
    return found.map(modelOf);
  });
}

export async function lookUpModel(lookup: Lookup, modelId: unknown, options: unknown) {
  const id = read(lookup, modelIdSchema, modelId, "modelId");
  return models(
    lookup,
    options,
    async (api, operation) => {
      const model = await api.getModel(id, operation);
      requireModel(id, model);
      return modelOf(model);
    },
    unknownModel(id),
  );
}

export async function lookUpModelFiles(lookup: Lookup, modelId: unknown, options: unknown) {
  const id = read(lookup, modelIdSchema, modelId, "modelId");
  return models(
    lookup,
    options,
    async (api, operation) => (await api.listModelFiles(id, operation)).map(fileOf),
    unknownModel(id),
  );
}

function unknownModel(id: string): string {
  return `No model has the id ${id}. Correct it, ${THEN_RUN_AGAIN}.`;
}

export async function lookUpTables(lookup: Lookup, options: unknown) {
  return models(lookup, options, async (api, operation) => (await api.listTables(operation)).map(tableOf));
}

function models<T>(
  lookup: Lookup,
  options: unknown,
  call: (api: ModelApi, operation: TimeLimit) => Promise<T>,
  ifNotFound?: string,
): Promise<T> {
  const { credentials } = read(lookup, modelOptionsSchema, options);
  const byKey = (client: Client, { apiKey }: Settings, operation: TimeLimit) =>
    call(client.models(credentials ?? { apiKey }), operation);
  return ask(lookup, "model", byKey, ifNotFound);
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

/** @param ifNotFound the next step if the service returns 404 */
async function ask<T>(
  lookup: Lookup,
  area: Area,
  call: (client: Client, settings: Settings, operation: TimeLimit) => Promise<T>,
  ifNotFound?: string,
): Promise<T> {
  const { name } = lookup;
  try {
    const settings = lookup.settings();
    const error = configurationErrorOf(settings, area);
    if (error !== undefined) throw new CodedError("invalid-configuration", error);
    const deadline = systemClock.monotonic() + settings.operationTimeoutMs;
    return await call(clientOf(settings, lookup), settings, { deadline });
  } catch (error) {
    if (error instanceof ApiError) {
      const message = describeFailedCall(error, saysAbsent(error) ? ifNotFound : undefined);
      throw new Error(`${name}: ${ofLookup(message)}`, { cause: error });
    }
    throw error instanceof Error ? new Error(`${name}: ${error.message}`, { cause: error }) : error;
  }
}

/** Messages of the client speak of resources; lookups take credentials and an organization in the same way. */
function ofLookup(message: string): string {
  return message.replaceAll("the resource's `", "the lookup's `");
}

/** An argument by its schema. @param at its name, if it is not an object of named ones */
function read<Output>({ name }: Lookup, schema: z.ZodType<Output>, value: unknown, at?: string): Output {
  const result = schema.safeParse(value, { error: (issue) => reasonOf(issue) ?? schemaErrorMessage(issue) });
  if (result.success) return result.data;
  const places = placesIn(schema);
  const issues = inputIssuesOf(result.error, at === undefined ? [] : [at]).map(({ property, reason }) => {
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

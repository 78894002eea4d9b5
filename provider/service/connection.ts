/**
 * Connects to the configured service: the client, the credentials of a call, and the message of a failed call. The
 * provider process and the lookups of programs share it.
 */

import { anacondaCalls } from "../api/calls/anaconda-calls.ts";
import { type Area, areaOf } from "../api/calls/call.ts";
import { calls } from "../api/calls/calls.ts";
import { type ApiError, type ApiErrorFields, saysAbsent } from "../api/calls/errors.ts";
import { platforms } from "../api/calls/platform.ts";
import type { Credentials } from "../api/client/credentials.ts";
import type { Observer } from "../api/client/observer.ts";
import { SHORTEST_SECRET } from "../api/client/redact.ts";
import { type Client, createClient } from "../api/client.ts";
import { auditLinesIn, removedObjects } from "../api/schemas/audit-lines.ts";
import { missingKeys, readSettings, type Settings } from "../config/settings.ts";
import type { AdminCredentials, ClientCredentials } from "../resources/contexts.ts";
import { CodedError } from "../util/error-codes.ts";
import type { Clock, TimeLimit } from "../util/instants.ts";
import { THEN_RUN_AGAIN, withoutStop } from "../util/text.ts";
import { Audit } from "./audit.ts";

/** The error for invalid configuration, in one sentence; undefined if it is valid. */
export function configurationError({ issues }: Settings): string | undefined {
  return issues.length === 0 ? undefined : `invalid orgseat configuration: ${issues.join("; ")}`;
}

const SET_KEYS =
  "Set each variable in the environment, or each key in the configuration of the stack, with all addresses and credentials of an area in one place";

/** The error for missing configuration of an area, with all missing keys. */
export function missingConfiguration(settings: Settings, area: Area, remedy = SET_KEYS): string {
  return `missing orgseat configuration: ${missingKeys(settings, area).join(", ")}. ${remedy}`;
}

/**
 * The error that prevents all calls of an area: invalid configuration, otherwise a missing address; undefined if there is
 * none.
 */
export function configurationErrorOf(settings: Settings, area: Area, remedy?: string): string | undefined {
  const { orgUrl, tokenUrl, modelUrl } = settings;
  const needed = area === "model" ? [modelUrl] : [orgUrl, tokenUrl];
  return (
    configurationError(settings) ??
    (needed.includes(undefined) ? missingConfiguration(settings, area, remedy) : undefined)
  );
}

/**
 * A client of the areas whose addresses are configured; the platform is known if an address is.
 * @param warn gets what no error can say: a write was sent and is missing in the audit log
 * @param first is asked before the audit log, and notified before it
 */
export function connect(
  settings: Settings,
  clock: Clock,
  warn: (text: string) => void,
  first?: Observer,
): Client {
  const { platform = "basic", proxies, audit } = settings;
  return createClient({
    ...settings,
    platform: platforms[platform],
    clock,
    environment: proxies,
    warn,
    observer: inTurn([first, audit && new Audit(audit, warn)]),
    removedEarlier: audit && (() => removedObjects(auditLinesIn(audit.file))),
  });
}

/** Where settings come from. */
export interface SettingsSource {
  /** A value of the stack's configuration by its full key, `orgseat:orgUrl`. */
  readonly config: (key: string) => string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A client for work outside of a run. */
export interface Connection {
  readonly client: Client;
  readonly settings: Settings;
  /** Starts the time limit of one operation: call it when the operation runs, not when it is queued. */
  readonly startOperation: () => TimeLimit;
}

/**
 * Connects to the organization area, and closes the connections when the work has ended.
 * @param purpose what the error of an invalid configuration begins with, `cannot revoke tokens`
 * @throws Error if configuration is invalid or missing: nothing was sent
 */
export async function withClient<T>(
  { config, environment }: SettingsSource,
  {
    purpose,
    warn,
    clock,
  }: { readonly purpose?: string; readonly warn: (text: string) => void; readonly clock: Clock },
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const settings = readSettings(config, environment);
  const error = configurationErrorOf(settings, "organization");
  if (error !== undefined)
    throw new CodedError("invalid-configuration", purpose === undefined ? error : `${purpose}: ${error}`);
  const client = connect(settings, clock, warn);
  const startOperation = () => ({ deadline: clock.monotonic() + settings.operationTimeoutMs });
  try {
    return await work({ client, settings, startOperation });
  } finally {
    await client.close();
  }
}

function inTurn(all: readonly (Observer | undefined)[]): Observer {
  const observers = all.filter((one) => one !== undefined);
  return {
    beforeSend: (write) =>
      observers.map((one) => one.beforeSend?.(write)).find((reason) => reason !== undefined),
    afterSend: (write) => {
      for (const one of observers) one.afterSend(write);
    },
  };
}

/** The credentials for calls of the organization area: those of the resource, otherwise the configured ones. */
export function organizationCredentials(
  { admin, account }: Settings,
  own: AdminCredentials | ClientCredentials | undefined,
): Credentials {
  if (own === undefined) return { user: admin, serviceAccount: account };
  return "clientId" in own ? { user: admin, serviceAccount: own } : { user: own, serviceAccount: account };
}

/** A warning for each secret that is too short to be removed from messages. */
export function weakSecrets({ user: { password, adminToken } = {}, serviceAccount }: Credentials): string[] {
  const secrets = { password, adminToken, clientSecret: serviceAccount?.clientSecret };
  return Object.entries(secrets).flatMap(([name, secret]) =>
    isWeak(secret) ? [`${name} has ${WEAKNESS}. Choose a longer one.`] : [],
  );
}

export const WEAKNESS = `fewer than ${SHORTEST_SECRET} characters, so orgseat does not redact it in messages of the service`;

export function isWeak(secret: string | undefined): boolean {
  return secret !== undefined && secret.length < SHORTEST_SECRET;
}

/** The message of a failed call with its next step: the given one, otherwise the one of the call, if it has one. */
export function describeFailedCall(error: ApiError, given?: string): string {
  const step = given ?? nextStep(error);
  return step === undefined ? error.message : `${withoutStop(error.message)}. ${step}`;
}

/** Calls about the organization alone: their 404 means that it is unknown. */
const ORGANIZATION_CALLS: readonly string[] = Object.values(calls)
  .filter(({ path }) => path.split("{").length === 2 && path.includes("{org_id}"))
  .map(({ name }) => name);

function isModelCall(call: string): boolean {
  return Object.values(anacondaCalls).some((one) => one.name === call && areaOf(one) === "model");
}

/** Whether the service lacks the operation by its own answer: products of one platform differ in their model area. */
function isMissing(error: ApiErrorFields): boolean {
  const { code, call, serviceCode } = error;
  // The path of "create table" names nothing that could be absent.
  const isPathUnknown = call === calls.createTable.name && saysAbsent(error) && serviceCode === undefined;
  return (code === "unknown-route" || isPathUnknown) && isModelCall(call);
}

/** The next step for a failed call, independent of resources. */
function nextStep(error: ApiError): string | undefined {
  const { code, call, serviceCode } = error;
  if (code === "unauthorized") return `Correct the credentials, ${THEN_RUN_AGAIN}.`;
  // The reason of an unknown route names the settings to check.
  if (isMissing(error))
    return `${code === "unknown-route" ? "If they are right, this" : "This"} service does not support "${call}".`;
  if (isDatabaseStopped(error)) {
    const lacks = serviceCode === undefined ? `This service has no vector database, or it is stopped. ` : "";
    return `${lacks}Start the vector database in the service, ${THEN_RUN_AGAIN}.`;
  }
  if (!saysAbsent(error) || !ORGANIZATION_CALLS.includes(call)) return undefined;
  return `Correct orgseat:organizationId (or the resource's \`organizationId\`), ${THEN_RUN_AGAIN}.`;
}

/** Whether the vector database does not run. For "list tables" the status alone says so (D24). */
export function isDatabaseStopped(error: ApiErrorFields): boolean {
  const { code, call, serviceCode } = error;
  const isSaid = code === "refused" && serviceCode === "DATABASE_NOT_RUNNING";
  return isSaid || (saysAbsent(error) && call === calls.listTables.name);
}

/**
 * From configuration to the service: the client, whose credentials a call takes, and how a failed call reads. The
 * provider process and the lookups of programs share it.
 */
import type { Area } from "./api/call.ts";
import { type Client, createClient } from "./api/client.ts";
import type { Clock } from "./api/clock.ts";
import type { Credentials } from "./api/credentials.ts";
import { dialects } from "./api/dialect.ts";
import type { ApiError, ApiErrorFields } from "./api/errors.ts";
import type { Observer } from "./api/observer.ts";
import { SHORTEST_SECRET } from "./api/redact.ts";
import { Audit } from "./audit.ts";
import type { AccountCredentials, AdminCredentials } from "./resources/resource.ts";
import { missingKeys, type Settings } from "./settings.ts";

/** What keeps every call from being made, in one sentence; undefined where nothing does. */
export function configurationFault({ problems }: Settings): string | undefined {
  return problems.length === 0 ? undefined : `orgseat is configured wrongly: ${problems.join("; ")}`;
}

/** Whether an area's address is missing, without which none of its calls can be sent. */
export function lacksAddress({ orgUrl, tokenUrl, modelUrl }: Settings, area: Area): boolean {
  return area === "model" ? modelUrl === undefined : orgUrl === undefined || tokenUrl === undefined;
}

/** The sentence about all that an area lacks. */
export function missingConfiguration(settings: Settings, area: Area): string {
  return `orgseat is not configured; missing: ${missingKeys(settings, area).join(", ")}. Set each by \`pulumi config set <key> <value>\` or in the environment`;
}

/** What keeps the calls of an area from being made: wrong configuration, else a missing address; undefined where nothing does. */
export function obstacleTo(settings: Settings, area: Area): string | undefined {
  return (
    configurationFault(settings) ??
    (lacksAddress(settings, area) ? missingConfiguration(settings, area) : undefined)
  );
}

/**
 * A client of the areas whose addresses are configured; the dialect is known where an address is.
 * @param warn tells the person what no error can: that a write which was sent is missing in the audit
 */
export function connect(settings: Settings, clock: Clock, warn: (text: string) => void): Client {
  const { orgUrl, tokenUrl, modelUrl, dialect = "documented", timeoutMs, concurrency, proxies } = settings;
  return createClient({
    orgUrl,
    tokenUrl,
    modelUrl,
    dialect: dialects[dialect],
    timeoutMs,
    concurrency,
    clock,
    environment: proxies,
    observer: observerOf(settings, warn),
  });
}

/** The observer of an adopt-only run (`ORGSEAT_ADOPT_ONLY=1`): blocks every write. */
const refuseWrites: Observer = {
  beforeSend: () =>
    "this run only adopts existing resources and writes nothing (ORGSEAT_ADOPT_ONLY). Remove from the program what it would create, change or remove, or adopt it (`adopt`)",
  afterSend: () => {},
};

/** An adopt-only run writes nothing, so it has nothing to audit. */
function observerOf({ adoptOnly, audit }: Settings, warn: (text: string) => void): Observer | undefined {
  if (adoptOnly) return refuseWrites;
  return audit && new Audit(audit, warn);
}

/** Whose credentials calls of the organization area take: those that a resource carries, else the configured ones. */
export function organizationCredentials(
  { admin, account }: Settings,
  own: AdminCredentials | AccountCredentials | undefined,
): Credentials {
  if (own === undefined) return { user: admin, serviceAccount: account };
  return "username" in own ? { user: own, serviceAccount: account } : { user: admin, serviceAccount: own };
}

/** Secrets that are too short to be removed from messages, one sentence each. */
export function weakSecrets({ user, serviceAccount }: Credentials): string[] {
  const secrets = { password: user?.password, clientSecret: serviceAccount?.clientSecret };
  return Object.entries(secrets).flatMap(([name, secret]) =>
    isWeak(secret) ? [`${name} has ${WEAKNESS}. Choose a longer one.`] : [],
  );
}

export const WEAKNESS = `fewer than ${SHORTEST_SECRET} characters, so orgseat does not remove it from messages of the service`;

export function isWeak(secret: string | undefined): boolean {
  return secret !== undefined && secret.length < SHORTEST_SECRET;
}

/** A failed call in a person's words, with the next step: the one that is given, else the call's own, if it has one. */
export function describeFailure(error: ApiError, given?: string): string {
  const step = given ?? nextStep(error);
  return step === undefined ? error.message : `${error.message.replace(/[.\s]*$/, "")}. ${step}`;
}

/** What to do about an error whose call knows nothing of resources. */
function nextStep(error: ApiError): string | undefined {
  const { code, status, call } = error;
  if (code === "unauthorized") return "Correct the credentials and run the command again.";
  if (code !== "refused") return undefined;
  if (isDatabaseStopped(error)) {
    return "Start the vector database at the service and run the command again.";
  }
  if (status !== 404) return undefined;
  // Calls 1, 2, 4 and 5 are about the organization alone, so a 404 speaks of that.
  if (/^call [1245] /.test(call)) {
    return "Correct orgseat:organizationId (or the resource's `organizationId`) and run the command again.";
  }
  return undefined;
}

/** Whether the vector database does not run. Call 15 says it by its status alone (D24); never are there no tables then. */
export function isDatabaseStopped({ code, status, call, serviceCode }: ApiErrorFields): boolean {
  if (code !== "refused") return false;
  return serviceCode === "DATABASE_NOT_RUNNING" || (status === 404 && /^call 15 /.test(call));
}

/**
 * `orgseat doctor`: checks the configuration, the credentials, the organization and the platform. It sends only token
 * requests and GETs.
 */

import type { OrganizationCredential } from "../api/calls/call.ts";
import { calls } from "../api/calls/calls.ts";
import { type ApiErrorFields, describeError, isAbsence } from "../api/calls/errors.ts";
import { platforms } from "../api/calls/platform.ts";
import { credentialOf } from "../api/client/credentials.ts";
import { shownAddress } from "../api/client/endpoint.ts";
import { Redactor } from "../api/client/redact.ts";
import { environmentName, secretKeys } from "../config/setting-values.ts";
import { readSettings, type Settings } from "../config/settings.ts";
import { unknownSettings } from "../config/unknown-settings.ts";
import { type Clock, systemClock } from "../util/instants.ts";
import { counted } from "../util/text.ts";
import {
  checkConfiguration,
  checkNames,
  howToSet,
  isOrganizationWanted,
  type RawConfiguration,
} from "./configuration.ts";
import { checkMembers } from "./members.ts";
import { checkModelArea } from "./model-area.ts";
import {
  firstHalf,
  isForeign,
  type ProbeParts,
  type ProbeResult,
  probeCall,
  probeToken,
  probeTokenEndpoint,
} from "./probe.ts";
import { type Check, type DoctorReport, doctorReportOf, failed, missing, ok, unchecked } from "./report.ts";
import { checkRoster, type RosterFacts, rosterVariables } from "./roster.ts";
import { readStackConfig } from "./stack-config.ts";

export interface DoctorOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder in which, or above which, to find the Pulumi project. */
  readonly folder: string;
  /** Default: the selected stack. */
  readonly stack?: string | undefined;
  readonly clock?: Clock | undefined;
  /** The roster of the folder, if any. */
  readonly roster?: RosterFacts | undefined;
  /** The time limit of all checks, in milliseconds. Default: 8,500. */
  readonly totalMs?: number | undefined;
}

const TOTAL_MS = 8500;
/** The share of the time for `pulumi`; the service gets the rest. */
const CONFIGURATION_SHARE = 0.6;

/** Runs all checks. A failed check does not reject. */
export async function diagnose(options: DoctorOptions): Promise<DoctorReport> {
  const { folder, stack, clock = systemClock, roster, totalMs = TOTAL_MS } = options;
  const until = clock.monotonic() + totalMs;
  const redactor = new Redactor();
  for (const key of secretKeys) redactor.add(options.environment[environmentName(key)]);
  const configured = await readStackConfig({
    ...{ folder, stack, redactor, environment: options.environment },
    timeoutMs: totalMs * CONFIGURATION_SHARE,
    isOfRoster: roster !== undefined,
    runsCode: roster === undefined || roster.hasModule === true,
  });
  const config = (key: string): string | undefined => configured.values.get(key);
  for (const key of secretKeys) redactor.add(config(`orgseat:${key}`));
  const writtenIn = (environment: DoctorOptions["environment"]) => (key: string) =>
    environment[environmentName(key)] || config(`orgseat:${key}`) || undefined;
  const configuredAlone = writtenIn(options.environment);
  const environment = { ...options.environment, ...rosterVariables(roster, configuredAlone) };
  const settings = readSettings(config, environment);
  const written = writtenIn(environment);
  const { timeoutMs, proxies, platform = "basic" } = settings;
  const parts: ProbeParts = { clock, redactor, timeoutMs, until, proxies, platform: platforms[platform] };
  const [service, models] = await Promise.all([
    isOrganizationWanted(written) ? checkService(settings, written, roster, parts) : [],
    checkModelArea(settings, written, parts),
  ]);
  return doctorReportOf([
    ...(roster === undefined ? [] : checkRoster(roster, configuredAlone)),
    ...configured.checks,
    ...checkNames(unknownSettings(configured.values.keys(), options.environment)),
    ...checkConfiguration(settings, written, clock.now()),
    ...service,
    ...models,
  ]);
}

const names: Record<OrganizationCredential, { check: string; keys: [string, string]; what: string }> = {
  user: { check: "administrator", keys: ["username", "password"], what: "service accounts" },
  serviceAccount: {
    check: "service account",
    keys: ["clientId", "clientSecret"],
    what: "onboarding, users, seats, and tokens",
  },
};
const NO_TOKEN_URL = "tokenUrl is missing or invalid";
const kinds = ["user", "serviceAccount"] as const;

/** The results of the token endpoint for the configured credentials. */
type Tokens = Partial<Record<OrganizationCredential, ProbeResult<string>>>;

async function checkService(
  settings: Settings,
  written: RawConfiguration,
  roster: RosterFacts | undefined,
  parts: ProbeParts,
): Promise<Check[]> {
  const { tokenUrl } = settings;
  const tokens = tokenUrl === undefined ? {} : await askTokens(tokenUrl, settings, firstHalf(parts));
  const first = tokens.user ?? tokens.serviceAccount;
  const endpoint =
    tokenUrl === undefined
      ? unchecked("token endpoint", NO_TOKEN_URL)
      : checkEndpoint(tokenUrl, first ?? (await probeTokenEndpoint(tokenUrl, firstHalf(parts))));
  const account = tokens.serviceAccount?.value;
  const [members, organization] = await Promise.all([
    account === undefined ? undefined : checkMembers(settings, account, roster, parts),
    checkOrganization(settings, tokens, parts),
  ]);
  return [
    endpoint,
    ...kinds.map((kind) => checkCredential(kind, settings, written, tokens)),
    ...(members?.checks ?? []),
    // The list of users shows more than the refusal of the list of service accounts.
    ...organization.filter(({ status }) => members?.isKnown !== true || status !== "cannot be checked"),
    ...checkClock(first?.response?.headers.date, parts.clock.now()),
  ];
}

async function askTokens(tokenUrl: string, settings: Settings, parts: ProbeParts): Promise<Tokens> {
  const ask = (kind: OrganizationCredential) => {
    const credential = credentialOf({ user: settings.admin, serviceAccount: settings.account }, kind);
    return credential && probeToken(tokenUrl, credential, parts);
  };
  const [user, serviceAccount] = await Promise.all([ask("user"), ask("serviceAccount")]);
  return { ...(user && { user }), ...(serviceAccount && { serviceAccount }) };
}

/** Whether a failed token request is due to the credential, and not to the endpoint. */
function isRefusal(error: ApiErrorFields): boolean {
  return error.code === "unauthorized";
}

function checkEndpoint(tokenUrl: string, { error }: ProbeResult<unknown>): Check {
  if (error === undefined || isRefusal(error))
    return ok("token endpoint", `${shownAddress(tokenUrl)} answers`);
  return failed(
    "token endpoint",
    error.code,
    describeError(error),
    "check orgseat:tokenUrl, and that the service is running",
  );
}

function checkCredential(
  kind: OrganizationCredential,
  settings: Settings,
  written: RawConfiguration,
  tokens: Tokens,
): Check {
  const { check, keys, what } = names[kind];
  const isSet = (kind === "user" ? settings.admin : settings.account) !== undefined;
  // `settings.issues` reports why they do not count.
  if (!isSet && keys.every((key) => written(key) !== undefined))
    return unchecked(check, `${keys.join(" and ")} are not used: see configuration`);
  if (!isSet) {
    const both = settings.admin === undefined && settings.account === undefined;
    const text = `${keys.join(" and ")} are not set; ${what} need both`;
    return missing(check, text, howToSet(...keys), both);
  }
  const look = tokens[kind];
  if (look === undefined) return unchecked(check, NO_TOKEN_URL);
  const { error } = look;
  if (error === undefined) return ok(check, `the token endpoint accepts it; manages ${what}`);
  const isFirst = look === (tokens.user ?? tokens.serviceAccount);
  // The check of the token endpoint reports the failure of the first request.
  if (!isRefusal(error) && isFirst) return unchecked(check, "the request to the token endpoint failed");
  const next = `correct ${keys.join(" and ")}; the environment takes precedence over the stack's configuration`;
  return failed(check, error.code, describeError(error), next);
}

async function checkOrganization(settings: Settings, tokens: Tokens, parts: ProbeParts): Promise<Check[]> {
  const { organizationId, orgUrl } = settings;
  if (organizationId === undefined || orgUrl === undefined) {
    return [unchecked("organization", "organizationId or orgUrl is missing or invalid")];
  }
  const adminToken = tokens.user?.value;
  // Without an administrator the service refuses the list: the form of the refusal shows that it responds.
  const token = adminToken ?? tokens.serviceAccount?.value;
  const variables = { org_id: organizationId };
  const { error, response, value } = await probeCall(
    calls.listServiceAccounts,
    variables,
    orgUrl,
    token,
    parts,
  );
  if (value !== undefined) {
    const count = counted(value.accounts.length, "service account");
    return [ok("organization", `${organizationId} answers at ${shownAddress(orgUrl)}, with ${count}`)];
  }
  if (error !== undefined && isForeign(error, response)) {
    const name = adminToken === undefined ? "organization service" : "organization";
    return [failed(name, error.code, describeError(error), ADVICE)];
  }
  if (error !== undefined && (adminToken !== undefined || isAbsence(error.status))) {
    const rights =
      adminToken === undefined ? "" : ", and that the administrator administers this organization";
    return [
      failed("organization", error.code, describeError(error), `check orgseat:organizationId${rights}`),
    ];
  }
  const text = `only an administrator can list service accounts; the first change shows whether ${organizationId} is correct`;
  return [ok("organization service", `${shownAddress(orgUrl)} answers`), unchecked("organization", text)];
}

const ADVICE = "check orgseat:orgUrl with its path, orgseat:platform, and that the service is running";

const SKEW_MS = 60_000;

/** Two timestamps within a minute are equal, so a smaller difference of the clocks does not matter. */
function checkClock(header: string | string[] | undefined, now: number): Check[] {
  const at = Date.parse(String(header));
  if (Number.isNaN(at)) return [];
  const skew = now - at;
  if (Math.abs(skew) <= SKEW_MS)
    return [ok("clock", "differs from the service's clock by less than a minute")];
  const text = `this machine's clock is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"} the service's`;
  return [
    failed(
      "clock",
      "clock-skew",
      text,
      "correct this machine's clock; renewBefore and checks for dates in the past use it",
    ),
  ];
}

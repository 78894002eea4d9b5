/** The checks of `orgseat doctor` without a network: missing and invalid configuration. */
import { platforms } from "../api/calls/platform.ts";
import { shownAddress } from "../api/client/endpoint.ts";
import { environmentName } from "../config/setting-values.ts";
import type { Settings } from "../config/settings.ts";
import type { UnknownSetting } from "../config/unknown-settings.ts";
import { isWeak, WEAKNESS } from "../service/connection.ts";
import { DAY_MS, instantMs } from "../util/instants.ts";
import { counted } from "../util/text.ts";
import { type Check, failed, missing, ok, unchecked } from "./report.ts";

/** The raw value of a configuration key, from any source; undefined if it is not set. */
export type RawConfiguration = (key: string) => string | undefined;

const SOON_DAYS = 30;

export function checkConfiguration(settings: Settings, written: RawConfiguration, now: number): Check[] {
  const problems = [
    ...settings.issues.map((problem) =>
      failed(
        "configuration",
        "invalid-configuration",
        problem,
        "correct the value; docs/configuration.md lists all keys",
      ),
    ),
    ...[...ORGANIZATION_KEYS, "apiKey"]
      .filter((key) => LINE_BREAK_AT_END.test(written(key) ?? ""))
      .map(endsInLineBreak),
  ];
  const { organizationId, orgUrl, tokenUrl, modelUrl } = settings;
  if (!isOrganizationWanted(written)) {
    const text = "not configured; service accounts, onboarding, users, seats, and tokens need it";
    const next = howToSet("organizationId", "orgUrl", "tokenUrl");
    return [
      ...problems,
      missing("organization area", text, next, false),
      ...userInfo("modelUrl", modelUrl),
      ...checkPlatform(settings),
    ];
  }
  return [
    ...problems,
    ...needed("organizationId", organizationId, written),
    ...needed("orgUrl", orgUrl && shownAddress(orgUrl), written),
    ...needed("tokenUrl", tokenUrl && shownAddress(tokenUrl), written),
    ...userInfo("orgUrl", orgUrl),
    ...userInfo("tokenUrl", tokenUrl),
    ...userInfo("modelUrl", modelUrl),
    ...checkPlatform(settings),
    ...checkSubscription(settings.subscriptionExpiresAt, written, now),
    ...["password", "clientSecret"]
      .filter((key) => isWeak(written(key)))
      .map((key) => ok(key, WEAKNESS, "choose a longer one")),
  ];
}

/** A value copied from a file with its line. */
const LINE_BREAK_AT_END = /[\r\n]$/;

function endsInLineBreak(key: string): Check {
  const next = "set the value again, without the line break";
  return failed(
    key,
    "invalid-configuration",
    "ends in a line break, which is then a part of the value",
    next,
  );
}

const ORGANIZATION_KEYS = [
  "organizationId",
  "orgUrl",
  "tokenUrl",
  "username",
  "password",
  "clientId",
  "clientSecret",
];

/** Whether any key of the model area is set. */
export function isModelAreaWritten(written: RawConfiguration): boolean {
  return written("modelUrl") !== undefined || written("apiKey") !== undefined;
}

/** Whether to check the organization area: always, unless only the model area is configured. */
export function isOrganizationWanted(written: RawConfiguration): boolean {
  return !isModelAreaWritten(written) || ORGANIZATION_KEYS.some((key) => written(key) !== undefined);
}

/** Checks unknown names. One without a similar known name can be a variable of another tool. */
export function checkNames(unknown: readonly UnknownSetting[]): Check[] {
  return unknown.map(({ name, meant }) => {
    const text = `unknown name ${name}, which orgseat ignores`;
    return meant === undefined
      ? unchecked("configuration", text, "docs/configuration.md lists all keys")
      : failed(
          "configuration",
          "invalid-configuration",
          `${text}; did you mean ${meant}?`,
          `set ${meant} and remove ${name}`,
        );
  });
}

/** How to set some keys of the configuration. */
export function howToSet(...keys: readonly string[]): string {
  return `set ${keys.map(environmentName).join(" and ")} in the environment, or ${keys.map((key) => `orgseat:${key}`).join(" and ")} in the configuration of a stack`;
}

function needed(key: string, value: string | undefined, written: RawConfiguration): Check[] {
  if (value !== undefined) return [ok(key, value)];
  // `settings.issues` reports an invalid value.
  if (written(key) !== undefined) return [];
  return [missing(key, "not set; every request of the organization area needs it", howToSet(key), true)];
}

function userInfo(key: string, address: string | undefined): Check[] {
  const { username = "", password = "" } = address === undefined ? {} : new URL(address);
  if (username + password === "") return [];
  return [
    failed(
      key,
      "invalid-configuration",
      "the address contains a username or password",
      "remove them from the address",
    ),
  ];
}

function checkPlatform({ platform, orgUrl, modelUrl }: Settings): Check[] {
  // `settings.issues` reports an address without a platform.
  if (platform === undefined)
    return orgUrl === undefined && modelUrl === undefined
      ? [unchecked("platform", "its default depends on orgUrl")]
      : [];
  const { name, canListUsers, canListTokens } = platforms[platform];
  const named = [
    ["service accounts", true],
    ["users", canListUsers],
    ["seats", canListUsers],
    ["tokens", canListTokens],
  ] as const;
  const pick = (wanted: boolean) => named.flatMap(([noun, seen]) => (seen === wanted ? [noun] : []));
  const hidden = pick(false);
  const blind =
    hidden.length === 0 ? "" : `; cannot list ${hidden.join(", ")}, so refresh does not check them`;
  return [ok("platform", `${name}; can list ${pick(true).join(", ")}${blind}`)];
}

function checkSubscription(end: string | undefined, written: RawConfiguration, now: number): Check[] {
  const key = "subscriptionExpiresAt";
  if (end === undefined) {
    if (written(key) !== undefined) return [];
    const text = "not set; tokens without an expiresAt need it";
    return [missing(key, text, howToSet(key), false)];
  }
  const days = Math.floor((instantMs(end) - now) / DAY_MS);
  const next =
    "renew the subscription in the service, then set the new date; the next `up` renews the tokens";
  if (days < 0)
    return [failed(key, "subscription-ended", `${end} is in the past; no token can be issued`, next)];
  if (days >= SOON_DAYS) return [ok(key, end)];
  return [ok(key, `${end}, in ${counted(days, "day")}`, next)];
}

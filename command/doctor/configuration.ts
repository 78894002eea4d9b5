/** The checks of `orgseat doctor` without a network: missing and invalid configuration. */
import { platforms } from "../../provider/api/calls/platform.ts";
import { shownAddress } from "../../provider/api/client/endpoint.ts";
import { credentialsOf, keysIn } from "../../provider/config/setting-groups.ts";
import { environmentName, settingKeys } from "../../provider/config/setting-values.ts";
import { NEEDED } from "../../provider/config/settings.ts";
import { unknownSettings } from "../../provider/config/unknown-settings.ts";
import { isWeak, WEAKNESS } from "../../provider/service/connection.ts";
import { DAY_MS, instantMs } from "../../provider/util/instants.ts";
import { stateGroup } from "../../provider/util/pulumi-command.ts";
import { counted } from "../../provider/util/text.ts";
import type { Check, Facts } from "./facts.ts";
import { type Finding, failed, missing, ok, unchecked } from "./report.ts";

const SOON_DAYS = 30;
const ORGANIZATION = environmentName("organizationId");
const SUBSCRIPTION = environmentName("subscriptionExpiresAt");
/** A value copied from a file with its line. */
const LINE_BREAK_AT_END = /[\r\n]$/;

const ORGANIZATION_KEYS = [...NEEDED.organization, ...credentialsOf("organization").flat()];

/** Whether any key of the model area is set. */
export function isModelAreaWanted({ written }: Pick<Facts, "written">): boolean {
  return written("modelUrl") !== undefined || written("apiKey") !== undefined;
}

/** Whether to check the organization area: always, unless only the model area is configured. */
export function isOrganizationWanted({ written }: Pick<Facts, "written">): boolean {
  return !isModelAreaWanted({ written }) || ORGANIZATION_KEYS.some((key) => written(key) !== undefined);
}

/** How to set some keys of the configuration. */
export function howToSet(...keys: readonly string[]): string {
  return `set ${keys.map(environmentName).join(" and ")} in the environment, or ${keys.map((key) => `orgseat:${key}`).join(" and ")} in the configuration of a stack`;
}

/** The next step for credentials that the service refuses. */
export function correct(...keys: readonly string[]): string {
  return `correct ${keys.join(" and ")}; the environment takes precedence over the stack's configuration`;
}

/** The next step if something else than the service answers. */
export function checkAddress(key: "orgUrl" | "modelUrl"): string {
  return `check orgseat:${key} with its path, orgseat:platform, and that the service is running`;
}

export const configurationChecks: readonly Check[] = [
  { name: "sources", says: checkSources },
  { name: "configuration", says: checkNames },
  {
    name: "configuration",
    says: ({ settings }) =>
      settings.issues.map((problem) =>
        failed("invalid-configuration", problem, "correct the value; docs/configuration.md lists all keys"),
      ),
  },
  ...[...ORGANIZATION_KEYS, "apiKey"].map((key) => ({
    name: key,
    when: ({ written }: Facts) => LINE_BREAK_AT_END.test(written(key) ?? ""),
    says: () =>
      failed(
        "invalid-configuration",
        "ends in a line break, which is then a part of the value",
        "set the value again, without the line break",
      ),
  })),
  {
    name: "organization area",
    when: (facts) => !isOrganizationWanted(facts),
    says: () =>
      missing(
        "not configured; service accounts, onboarding, users, seats, and tokens need it",
        howToSet(...NEEDED.organization),
        false,
      ),
  },
  ...NEEDED.organization.map((key) => ({
    name: key,
    when: isOrganizationWanted,
    says: ({ settings, written }: Facts) => {
      const value = settings[key];
      if (value !== undefined) return ok(key === "organizationId" ? value : shownAddress(value));
      // `settings.issues` reports an invalid value.
      if (written(key) !== undefined) return [];
      return missing("not set; every request of the organization area needs it", howToSet(key), true);
    },
  })),
  ...(["orgUrl", "tokenUrl", "modelUrl"] as const).map((key) => ({
    name: key,
    when: ({ settings }: Facts) => {
      const { username, password } = new URL(settings[key] ?? "https://localhost");
      return username + password !== "";
    },
    says: () =>
      failed(
        "invalid-configuration",
        "the address contains a username or password",
        "remove them from the address",
      ),
  })),
  { name: "platform", says: checkPlatform },
  { name: "subscriptionExpiresAt", when: isOrganizationWanted, says: checkSubscription },
  ...["password", "adminToken", "clientSecret"].map((key) => ({
    name: key,
    when: ({ written }: Facts) => isWeak(written(key)),
    says: () => ok(WEAKNESS, "choose a longer one"),
  })),
];

/** Where each value comes from. */
function checkSources({ values, environment, taken, roster }: Facts): Finding | [] {
  const { file, names = [] } = taken ?? {};
  const isOfRoster = (name: string) =>
    roster !== undefined && (name === ORGANIZATION || name === SUBSCRIPTION);
  const shell = [...settingKeys.map(environmentName), ...keysIn(stateGroup)].filter(
    (name) => environment[name] && !names.includes(name) && !isOfRoster(name),
  );
  const stack = [...(values?.keys() ?? [])].filter((key) => key.startsWith("orgseat:"));
  const sources = [
    [file ?? "", names],
    ["the environment", shell],
    ["the configuration of the stack", stack],
  ] as const;
  const texts = sources.flatMap(([place, of]) => (of.length === 0 ? [] : [`${place} has ${of.join(", ")}`]));
  return texts.length === 0 ? [] : ok(texts.join("; "));
}

/** Unknown names. One without a similar known name can be a variable of another tool. */
function checkNames({ values, environment }: Facts): Finding[] {
  return unknownSettings(values?.keys() ?? [], environment).map(({ name, meant }) => {
    const text = `unknown name ${name}, which orgseat ignores`;
    return meant === undefined
      ? unchecked(text, "docs/configuration.md lists all keys")
      : failed("invalid-configuration", `${text}; did you mean ${meant}?`, `set ${meant} and remove ${name}`);
  });
}

function checkPlatform({ settings: { platform, orgUrl, modelUrl } }: Facts): Finding | [] {
  // `settings.issues` reports an address without a platform.
  if (platform === undefined)
    return orgUrl === undefined && modelUrl === undefined ? unchecked("its default depends on orgUrl") : [];
  const { name, canListUsers, canListTokens } = platforms[platform];
  const listed = {
    "service accounts": true,
    users: canListUsers,
    seats: canListUsers,
    tokens: canListTokens,
  };
  const { seen = [], hidden = [] } = Object.groupBy(Object.entries(listed), ([, is]) =>
    is ? "seen" : "hidden",
  );
  const nouns = (of: typeof seen) => of.map(([noun]) => noun).join(", ");
  const blind = hidden.length === 0 ? "" : `; cannot list ${nouns(hidden)}, so refresh does not check them`;
  return ok(`${name}; can list ${nouns(seen)}${blind}`);
}

function checkSubscription({ settings, written, now }: Facts): Finding | [] {
  const { subscriptionExpiresAt: end } = settings;
  const key = "subscriptionExpiresAt";
  if (end === undefined)
    return written(key) === undefined
      ? missing("not set; tokens without an expiresAt need it", howToSet(key), false)
      : [];
  const days = Math.floor((instantMs(end) - now) / DAY_MS);
  const next =
    "renew the subscription in the service, then set the new date; the next `up` renews the tokens";
  if (days < 0) return failed("subscription-ended", `${end} is in the past; no token can be issued`, next);
  return days >= SOON_DAYS ? ok(end) : ok(`${end}, in ${counted(days, "day")}`, next);
}

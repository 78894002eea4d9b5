/** The checks of `orgseat doctor` for the organization area: token endpoint, credentials, their rights, and the clock. */

import { describeSkew, isTooFar, skewIn } from "../../provider/api/calls/clock-skew.ts";
import { describeError, isAbsence } from "../../provider/api/calls/errors.ts";
import { shownAddress } from "../../provider/api/client/endpoint.ts";
import { isPrivileged, roleOf } from "../../provider/resources/members/member-list.ts";
import { productQuestion, SET_PRODUCT, seatsIn } from "../../provider/resources/members/seat-codes.ts";
import { counted } from "../../provider/util/text.ts";
import { howToSet, isOrganizationWanted } from "./configuration.ts";
import type { CheckRow, Facts } from "./facts.ts";
import { type Finding, failed, missing, ok, unchecked } from "./report.ts";
import { foreignError } from "./requests.ts";

const NO_TOKEN_URL = "tokenUrl is missing or invalid";
const NO_ORGANIZATION = "organizationId or orgUrl is missing or invalid";
const ADVICE = "check orgseat:orgUrl with its path, orgseat:platform, and that the service is running";

const SKEW_MS = 60_000;

interface CredentialNames {
  readonly kind: "admin" | "account";
  readonly keys: readonly [string, string];
  readonly what: string;
}

const administrator = {
  kind: "admin",
  keys: ["username", "password"],
  what: "service accounts",
} as const;
const serviceAccount = {
  kind: "account",
  keys: ["clientId", "clientSecret"],
  what: "onboarding, users, seats, and tokens",
} as const;

export const organizationChecks: readonly CheckRow[] = [
  { name: "token endpoint", when: isOrganizationWanted, says: checkEndpoint },
  {
    name: "administrator",
    when: isOrganizationWanted,
    says: (facts) => checkCredential(administrator, facts),
  },
  {
    name: "service account",
    when: isOrganizationWanted,
    says: (facts) => checkCredential(serviceAccount, facts),
  },
  {
    name: "service account's rights",
    when: ({ account }) => account?.value !== undefined,
    says: checkRights,
  },
  {
    name: "organization service",
    when: ({ admin, accounts }) => admin?.value === undefined && accounts?.value === undefined,
    says: checkResponds,
  },
  { name: "organization", when: isOrganizationWanted, says: checkOrganization },
  { name: "clock", says: checkClock },
];

function checkEndpoint({ settings: { tokenUrl }, endpoint }: Facts): Finding {
  if (tokenUrl === undefined) return unchecked(NO_TOKEN_URL);
  const error = endpoint?.error;
  // A refused credential is not a failure of the endpoint.
  if (error === undefined || error.code === "unauthorized") return ok(`${shownAddress(tokenUrl)} answers`);
  const next = "check orgseat:tokenUrl, and that the service is running";
  return failed(error.code, describeError(error), next);
}

function checkCredential({ kind, keys, what }: CredentialNames, facts: Facts): Finding {
  const { settings, written, endpoint } = facts;
  const answer = facts[kind];
  if (settings[kind] === undefined) {
    // `settings.issues` reports why they do not count.
    if (keys.every((key) => written(key) !== undefined))
      return unchecked(`${keys.join(" and ")} are not used: see configuration`);
    const both = settings.admin === undefined && settings.account === undefined;
    return missing(`${keys.join(" and ")} are not set; ${what} need both`, howToSet(...keys), both);
  }
  if (answer === undefined) return unchecked(NO_TOKEN_URL);
  const { error } = answer;
  if (error === undefined) return ok(`the token endpoint accepts it; manages ${what}`);
  // The check of the token endpoint reports the failure of the first request.
  if (error.code !== "unauthorized" && answer === endpoint)
    return unchecked("the request to the token endpoint failed");
  const next = `correct ${keys.join(" and ")}; the environment takes precedence over the stack's configuration`;
  return failed(error.code, describeError(error), next);
}

/** The list of users, if the service has such a request. */
function checkRights({ settings, canListUsers, users }: Facts): Finding {
  const { platform = "basic", product } = settings;
  if (canListUsers !== true) {
    return unchecked(
      `the platform ${platform} has no request to check them; the first change shows whether the service account can manage this organization`,
    );
  }
  if (users === undefined) return unchecked(NO_ORGANIZATION);
  const { value, error } = users;
  if (value === undefined) {
    const next = "check that the service account belongs to the organization, and orgseat:organizationId";
    const reason = error === undefined ? "no response" : describeError(error);
    return failed(error?.code ?? "bad-answer", reason, next);
  }
  const { items } = value;
  const question = productQuestion(items, product);
  if (question !== undefined) return failed("invalid-configuration", question, SET_PRODUCT);
  const seatFor = seatsIn(items, product);
  const seated = items.filter((user) => seatFor(user) === "yes").length;
  const unknown = items.filter((user) => seatFor(user) === "unknown").length;
  const others = items.filter((user) => isPrivileged(roleOf(user))).length;
  const which = product === undefined ? "" : ` of the product ${product}`;
  return ok(
    `lists ${counted(items.length, "user")}: ${seated} with a seat${which}${unknown === 0 ? "" : `, ${unknown} of whom the list does not say it`}, ${counted(others, "administrator or billing manager", "administrators and billing managers")}`,
  );
}

/** Without an administrator the service refuses the list: the form of the refusal shows that it responds. */
function checkResponds({ settings: { orgUrl }, accounts }: Facts): Finding | [] {
  if (accounts === undefined || orgUrl === undefined) return [];
  const foreign = foreignError(accounts);
  if (foreign !== undefined) return failed(foreign.code, describeError(foreign), ADVICE);
  return isAbsence(accounts.error?.status) ? [] : ok(`${shownAddress(orgUrl)} answers`);
}

function checkOrganization({ settings, admin, accounts, users }: Facts): Finding | [] {
  const { organizationId, orgUrl } = settings;
  if (organizationId === undefined || orgUrl === undefined || accounts === undefined)
    return unchecked(NO_ORGANIZATION);
  const { value, error } = accounts;
  if (value !== undefined) {
    const count = counted(value.accounts.length, "service account");
    return ok(`${organizationId} answers at ${shownAddress(orgUrl)}, with ${count}`);
  }
  const isAdmin = admin?.value !== undefined;
  // The check of the organization service reports the failure.
  const foreign = foreignError(accounts);
  if (foreign !== undefined) return isAdmin ? failed(foreign.code, describeError(foreign), ADVICE) : [];
  if (error !== undefined && (isAdmin || isAbsence(error.status))) {
    const rights = isAdmin ? ", and that the administrator administers this organization" : "";
    return failed(error.code, describeError(error), `check orgseat:organizationId${rights}`);
  }
  // The list of users shows more.
  if (users?.value !== undefined) return [];
  return unchecked(
    `only an administrator can list service accounts; the first change shows whether ${organizationId} is correct`,
  );
}

/** Two timestamps within a minute are equal, so a smaller difference of the clocks does not matter. */
function checkClock({ endpoint, now }: Facts): Finding | [] {
  const skew = skewIn(endpoint?.response?.headers ?? {}, now);
  if (skew === undefined) return [];
  if (Math.abs(skew) <= SKEW_MS) return ok("differs from the service's clock by less than a minute");
  const effect = isTooFar(skew)
    ? "until then, no run makes a change that time decides"
    : "renewBefore and checks for dates in the past use it";
  return failed("clock-skew", describeSkew(skew), `correct this machine's clock; ${effect}`);
}

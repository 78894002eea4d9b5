/** The checks of `orgseat doctor` for the organization area: token endpoint, credentials, their rights, and the clock. */
import { describeSkew, isTooFar, skewIn } from "../../provider/api/calls/clock-skew.ts";
import { type ApiErrorFields, isAbsence } from "../../provider/api/calls/errors.ts";
import { adminTokenOf, describeCredential } from "../../provider/api/client/credentials.ts";
import { shownAddress } from "../../provider/api/client/endpoint.ts";
import { capabilitiesOf } from "../../provider/config/settings.ts";
import { isPrivileged, roleOf } from "../../provider/resources/members/member-list.ts";
import { productQuestion, SET_PRODUCT, seatsIn } from "../../provider/resources/members/seat-codes.ts";
import { counted } from "../../provider/util/text.ts";
import { checkAddress, correct, howToSet, isOrganizationWanted } from "./configuration.ts";
import type { Check, Facts } from "./facts.ts";
import { type Finding, failed, failedCall, missing, ok, unchecked } from "./report.ts";

const NO_TOKEN_URL = "tokenUrl is missing or invalid";
const NO_ORGANIZATION = "organizationId or orgUrl is missing or invalid";

const SKEW_MS = 60_000;

const CREDENTIALS = [
  {
    name: "administrator",
    kind: "admin",
    keys: ["username", "password"],
    what: "service accounts",
    or: "without a password, as with single sign-on, set ORGSEAT_ADMIN_TOKEN or orgseat:adminToken",
  },
  {
    name: "service account",
    kind: "account",
    keys: ["clientId", "clientSecret"],
    what: "onboarding, users, seats, and tokens",
    or: "without one, create one in the service's console, or with the resource ServiceAccount",
  },
] as const;

export const organizationChecks: readonly Check[] = [
  { name: "token endpoint", when: isOrganizationWanted, says: checkEndpoint },
  ...CREDENTIALS.map((credential) => ({
    name: credential.name,
    when: isOrganizationWanted,
    says: (facts: Facts) => checkCredential(credential, facts),
  })),
  {
    name: "service account's rights",
    when: ({ account }) => account?.value !== undefined,
    says: checkRights,
  },
  { name: "organization service", says: checkResponds },
  { name: "organization", when: isOrganizationWanted, says: checkOrganization },
  { name: "clock", says: checkClock },
];

function checkEndpoint({ settings: { tokenUrl }, endpoint }: Facts): Finding {
  if (tokenUrl === undefined) return unchecked(NO_TOKEN_URL);
  if (!hasFailed(endpoint)) return ok(`${shownAddress(tokenUrl)} answers`);
  return failedCall(endpoint.error, "check orgseat:tokenUrl, and that the service is running");
}

/** A refused credential is not a failure of the endpoint. */
function hasFailed<Answer extends Facts["endpoint"]>(
  endpoint: Answer,
): endpoint is Extract<Answer, { readonly error: ApiErrorFields }> {
  return endpoint?.error !== undefined && endpoint.error.code !== "unauthorized";
}

function checkCredential(credential: (typeof CREDENTIALS)[number], facts: Facts): Finding {
  const { kind, keys, what, or } = credential;
  const { settings, written, endpoint, [kind]: answer } = facts;
  if (settings[kind] === undefined) {
    // `settings.issues` reports why they do not count.
    if (keys.every((key) => written(key) !== undefined))
      return unchecked(`${keys.join(" and ")} are not used: see configuration`);
    if (kind === "admin" && written("adminToken") !== undefined)
      return unchecked("adminToken is not used: see configuration");
    const both = settings.admin === undefined && settings.account === undefined;
    const text = `${keys.join(" and ")} are not set; ${what} need both${kind === "admin" ? ", or adminToken" : ""}`;
    return missing(text, `${howToSet(...keys)}; ${or}`, both);
  }
  if (kind === "admin" && adminTokenOf({ user: settings.admin }, "user") !== undefined)
    return checkAdminToken(facts);
  if (answer === undefined) return unchecked(NO_TOKEN_URL);
  const { error } = answer;
  if (error === undefined) return ok(`the token endpoint accepts ${keys.join(" and ")}; manages ${what}`);
  // The check of the token endpoint reports the failure.
  if (error.code !== "unauthorized" && hasFailed(endpoint))
    return unchecked("the request to the token endpoint failed");
  return failedCall(error, correct(...keys));
}

/** The administrator's token, by the list of service accounts. */
function checkAdminToken({ settings, accounts }: Facts): Finding {
  if (accounts === undefined) return unchecked(NO_ORGANIZATION);
  const { error } = accounts;
  if (error === undefined) return ok("the service accepts adminToken; manages service accounts");
  if (error.code === "unauthorized") {
    const rejected = describeCredential("user", { user: settings.admin });
    const reason = `the service rejects ${rejected}: ${error.reason}`;
    return failedCall({ ...error, reason }, correct("adminToken"));
  }
  // Other checks report these.
  if (accounts.isForeign || isAbsence(error.status))
    return unchecked("the request with adminToken failed for another reason");
  return failedCall(error, "set orgseat:adminToken to a token of an administrator of this organization");
}

/** The list of users, if the service has such a request. */
function checkRights({ settings, users }: Facts): Finding {
  const { platform = "basic", product } = settings;
  if (!capabilitiesOf(settings).canListUsers)
    return unchecked(
      `the platform ${platform} has no request to check them; the first change shows whether the service account can manage this organization`,
    );
  if (users === undefined) return unchecked(NO_ORGANIZATION);
  if (users.error !== undefined) {
    const { error, isForeign } = users;
    const rights = `${checkId(error)}, and that the service account belongs to the organization`;
    return failedCall(error, isForeign ? checkAddress("orgUrl") : rights);
  }
  const { items } = users.value;
  const question = productQuestion(items, product);
  if (question !== undefined) return failed("invalid-configuration", question, SET_PRODUCT);
  const seats = Map.groupBy(items, seatsIn(items, product));
  const unknown = seats.get("unknown")?.length ?? 0;
  const others = items.filter((user) => isPrivileged(roleOf(user))).length;
  const which = product === undefined ? "" : ` of the product ${product}`;
  return ok(
    `lists ${counted(items.length, "user")}: ${seats.get("yes")?.length ?? 0} with a seat${which}${unknown === 0 ? "" : `, ${unknown} of whom the list does not say it`}, ${counted(others, "administrator or billing manager", "administrators and billing managers")}`,
  );
}

/** Without an administrator the service refuses the list: the form of the refusal shows that it responds. */
function checkResponds({ settings: { orgUrl = "" }, admin, accounts }: Facts): Finding | [] {
  if (admin?.value !== undefined || accounts?.error === undefined) return [];
  if (accounts.isForeign) return failedCall(accounts.error, checkAddress("orgUrl"));
  return isAbsence(accounts.error.status) ? [] : ok(`${shownAddress(orgUrl)} answers`);
}

function checkOrganization({ settings, admin, accounts, users }: Facts): Finding | [] {
  const { organizationId, orgUrl = "" } = settings;
  if (accounts === undefined) return unchecked(NO_ORGANIZATION);
  if (accounts.error === undefined) {
    const count = counted(accounts.value.accounts.length, "service account");
    return ok(`${organizationId} answers at ${shownAddress(orgUrl)}, with ${count}`);
  }
  const { error, isForeign } = accounts;
  const wrongId = checkId(error);
  if (admin?.value !== undefined) {
    const rights = `${wrongId}, and that the administrator administers this organization`;
    return failedCall(error, isForeign ? checkAddress("orgUrl") : rights);
  }
  // The check of the organization service reports the failure.
  if (isForeign) return [];
  if (isAbsence(error.status)) return failedCall(error, wrongId);
  // The list of users shows more.
  if (users?.value !== undefined) return [];
  return unchecked(
    `only an administrator can list service accounts; the first change shows whether ${organizationId} is correct`,
  );
}

/** A server at another address, or of another platform, has no such organization either. */
function checkId({ status }: ApiErrorFields): string {
  const address = isAbsence(status) ? ", orgseat:orgUrl, and orgseat:platform" : "";
  return `check orgseat:organizationId${address}`;
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

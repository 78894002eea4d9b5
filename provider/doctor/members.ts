/** The check of the service account's rights: lists the users, if the service has such a request. */

import { describeError } from "../api/calls/errors.ts";
import type { ListedUser } from "../api/schemas/anaconda-schemas.ts";
import type { Settings } from "../config/settings.ts";
import { hasSeat, isPrivileged } from "../resources/members/member-list.ts";
import { counted } from "../util/text.ts";
import { type ProbeParts, probeCall } from "./probe.ts";
import { type Check, failed, ok, unchecked } from "./report.ts";
import type { RosterFacts } from "./roster.ts";

const NAME = "service account's rights";

export interface MemberChecks {
  readonly checks: readonly Check[];
  /** Whether the organization answers. */
  readonly isKnown: boolean;
}

/** @param token of the service account */
export async function checkMembers(
  { organizationId, orgUrl, product, platform = "basic" }: Settings,
  token: string,
  roster: RosterFacts | undefined,
  parts: ProbeParts,
): Promise<MemberChecks> {
  const { listUsers } = parts.platform.calls;
  if (listUsers === undefined) {
    const text = `the platform ${platform} has no request to check them; the first change shows whether the service account can manage this organization`;
    return { checks: [unchecked(NAME, text)], isKnown: false };
  }
  if (organizationId === undefined || orgUrl === undefined) {
    return { checks: [unchecked(NAME, "organizationId or orgUrl is missing or invalid")], isKnown: false };
  }
  const { value, error } = await probeCall(listUsers, { org_id: organizationId }, orgUrl, token, parts);
  if (value === undefined) {
    const reason = error === undefined ? "no response" : describeError(error);
    const next = "check that the service account belongs to the organization, and orgseat:organizationId";
    return { checks: [failed(NAME, error?.code ?? "bad-answer", reason, next)], isKnown: false };
  }
  const { items } = value;
  const found = ok(NAME, `lists ${describeUsers(items, product)}`);
  return { checks: [found, ...checkUnmanaged(items, roster)], isKnown: true };
}

function describeUsers(users: readonly ListedUser[], product: string | undefined): string {
  const seated = users.filter((user) => hasSeat(user, product)).length;
  const others = users.filter(({ role }) => isPrivileged(role)).length;
  const which = product === undefined ? "" : ` of the product ${product}`;
  return `${counted(users.length, "user")}: ${seated} with a seat${which}, ${counted(others, "administrator or billing manager", "administrators and billing managers")}`;
}

/** By emails and user ids: the states have more, but reading them takes too long here. */
function checkUnmanaged(users: readonly ListedUser[], roster: RosterFacts | undefined): Check[] {
  if (roster === undefined || roster.errors.length > 0) return [];
  const listed = new Set(roster.identities);
  const others = users.filter(({ id, email }) => !listed.has(id) && !listed.has(email.toLowerCase()));
  if (others.length === 0) return [ok("unmanaged members", `every user has a row in ${roster.file}`)];
  const text = `${counted(others.length, "user has", "users have")} no row in ${roster.file}`;
  return [
    ok(
      "unmanaged members",
      text,
      "`orgseat preview --refresh` lists those that are not in any stack; `orgseat adopt` adopts them",
    ),
  ];
}

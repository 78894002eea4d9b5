/** `orgseat list` and `orgseat show`: people from the roster, the state, and the audit log, without Pulumi's engine. Only `list WHO` sends a request. */
import { environmentName } from "../../provider/config/setting-values.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { folded } from "../../provider/util/text.ts";
import { membersIn } from "../members/state-members.ts";
import { resolveMember, unknownAmong } from "../preview/resolve-members.ts";
import type { ReportedPerson } from "../report/schema.ts";
import type { PastWrite, ShownPerson } from "../report/texts/person.ts";
import { fingerprintOf } from "../roster/facts.ts";
import { describeOffboarded, lastEntryOf } from "../roster/offboarded.ts";
import { among, labelOf } from "../roster/roster.ts";
import { readAudit } from "../service/audit-log.ts";
import { listedMembers } from "../service/service-members.ts";
import type { Declaration, Organization } from "../stacks/organization.ts";
import { productsOf, reportOfState } from "./report-all.ts";

/** @param filter a text that the email, key, purpose, team, or stack contains, in any letter case. Default: everyone */
export async function listPeople(organization: Organization, filter = ""): Promise<ReportedPerson[]> {
  const { people } = await reportOfState(organization, await organization.state());
  const wanted = folded(filter);
  return people.filter(({ email, key, purpose, team, stack, who }) =>
    [who, email, key, purpose, team, stack].some((text) => folded(text ?? "").includes(wanted)),
  );
}

/** The names of the rows that the offboarded list keeps out: `listPeople` lacks those that the state does not have. */
export function ignoredRows({ roster, offboarded }: Declaration): string[] {
  const isOffboarded = among(offboarded);
  return roster.people.filter(isOffboarded).map(labelOf);
}

/** Of one list of users; undefined if the service cannot list them or does not answer: the rest is known without it. */
async function codesOf(
  organization: Organization,
): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const environment = { ...organization.environment, [environmentName("operationTimeout")]: "5s" };
  const read = listedMembers({ ...organization, environment }, new Set(), undefined);
  const members = await read.catch(() => undefined);
  return members && productsOf(members);
}

/** With the product codes of the service. @param who an email or a key @throws if the roster and the state have no such person, or several */
export async function showPerson(organization: Organization, who: string): Promise<ShownPerson> {
  const state = await organization.state();
  const { people } = await reportOfState(organization, state, {}, { products: await codesOf(organization) });
  const members = new Map(membersIn(organization.stack, state).map((member) => [member.userId, member]));
  const known = people.map((person) => {
    const userId = person.userId ?? undefined;
    const member = userId === undefined ? undefined : members.get(userId);
    const key = person.key ?? member?.key ?? userId ?? person.who;
    const { who: label, firstName, lastName } = person;
    return { key, label, userId, firstName, lastName, person, member };
  });
  const { offboarded } = organization;
  const left = lastEntryOf({ key: who, email: who }, offboarded);
  if (left !== undefined && unknownAmong([who], known).length > 0)
    throw new CodedError(
      "unknown-person",
      `${who} is not in the state, and every run ignores a row: on the offboarded list ${describeOffboarded(left)}. If the person comes back, delete the person's entries from ${organization.offboardedFile}`,
    );
  const { key, userId, person, member } = resolveMember(who, known, "the roster or the state");
  const entry = lastEntryOf({ key, userId, email: person.email ?? undefined }, offboarded);
  const [token] = member?.held.users[0]?.tokens ?? [];
  return {
    person,
    issuedAt: person.token?.issuedAt ?? null,
    offboarded: entry === undefined ? null : { leftAt: entry.leftAt, by: entry.by },
    sealedFor: [...new Set((token?.sealedFor ?? []).map(fingerprintOf))].toSorted(),
    history: await historyOf(organization, person.userId),
  };
}

async function historyOf(
  { auditFile, roster }: Organization,
  userId: string | null,
): Promise<PastWrite[] | null> {
  const read = await readAudit(auditFile);
  if (read === undefined) return null;
  return read.lines
    .filter(({ id, organizationId = roster.organizationId }) => {
      return id !== undefined && id === userId && organizationId === roster.organizationId;
    })
    .map(({ time, name, outcome, status, run }) => ({ time, name, outcome, status, run }));
}

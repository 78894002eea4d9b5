/** `orgseat report`: combines the states of all stacks, the roster and the audit log. Makes no call. */
import { readAudit } from "./audit-log.ts";
import { readNames } from "./names.ts";
import type { Organization } from "./organization.ts";
import { factsOf } from "./report/facts.ts";
import { buildReport, type ReportOptions } from "./report/report.ts";
import type { Report } from "./report/schema.ts";
import { withoutLeavers } from "./roster/roster.ts";
import { statesOf } from "./stack-state.ts";

export async function reportOf(organization: Organization, options: ReportOptions): Promise<Report> {
  const { roster, leavers, settings, auditFile, namesFile, now } = organization;
  const expected = { ...roster, people: withoutLeavers(roster.people, leavers) };
  const facts = factsOf(await statesOf(organization), expected, await readAudit(auditFile), {
    now: now(),
    subscriptionExpiresAt: settings.subscriptionExpiresAt,
    seats: settings.seats,
    names: { ...(await readNames(namesFile)), ...namesOf(leavers) },
  });
  return buildReport(facts, options);
}

/** The names of leavers by user id. */
function namesOf(leavers: Organization["leavers"]): Record<string, string> {
  const names: Record<string, string> = {};
  for (const { userId, email, key } of leavers) {
    const name = email ?? key;
    if (userId !== undefined && name !== undefined) names[userId] = name;
  }
  return names;
}

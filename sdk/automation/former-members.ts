/** People who were offboarded before and are in no state any more: which of them this organization's runs have removed. */
import { readAudit } from "./audit-log.ts";
import { type Leaver, readLeavers } from "./roster/leavers.ts";

/** Call 11 ends a membership. */
const END_MEMBERSHIP = 11;
const NOT_FOUND = 404;

/** Somebody on the leaver list. */
export interface FormerMember {
  /** As it was asked for. */
  readonly who: string;
  readonly userId: string | undefined;
  /** An instant in UTC. */
  readonly leftAt: string;
  /** Whether the audit log shows that the service ended the membership for a run of ours. */
  readonly isRemoved: boolean;
}

/** @param names that no state has; those that are on no leaver list either are left out */
export async function formerMembersAmong(
  names: readonly string[],
  { leaversFile, auditFile }: { readonly leaversFile: string; readonly auditFile: string },
): Promise<FormerMember[]> {
  if (names.length === 0) return [];
  const leavers = await readLeavers(leaversFile);
  const found = names.flatMap((who) => {
    const leaver = leavers.findLast((one) => isNamed(one, who));
    return leaver === undefined ? [] : [{ who, userId: leaver.userId, leftAt: leaver.leftAt }];
  });
  if (found.length === 0) return [];
  const lines = (await readAudit(auditFile)) ?? [];
  const removed = new Set(
    lines
      .filter(
        ({ call, outcome, status }) => call === END_MEMBERSHIP && outcome === "done" && status !== NOT_FOUND,
      )
      .map(({ id }) => id),
  );
  return found.map((one) => ({ ...one, isRemoved: one.userId !== undefined && removed.has(one.userId) }));
}

/** Of people of whom nothing shows that they were removed. */
export function describeUnverifiedLeavers(former: readonly FormerMember[]): string {
  return former
    .map(({ who, userId, leftAt }) => {
      const id = userId === undefined ? "" : ` of user id ${userId}`;
      return `${who} is on the leaver list since ${leftAt}, but no stack has this person, and the audit log shows no removal${id}. Check in the service whether this person is still a member, perhaps under another user id`;
    })
    .join("\n");
}

function isNamed({ key, email }: Leaver, name: string): boolean {
  return [key, email].some((one) => one?.toLowerCase() === name.toLowerCase());
}

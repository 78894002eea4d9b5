/** `orgseat destroy`: takes out everybody whom the stacks manage, after the guards have seen the exact list. */
import { dirname, join } from "node:path";
import { writeApprovedChanges } from "../../provider/approved-changes.ts";
import { entriesOf, readState } from "./engine/state.ts";
import { exportsOf } from "./members.ts";
import { type Organization, withoutPeople } from "./organization.ts";
import { isOrgseatType, TYPE_PREFIX } from "./plan/urns.ts";
import { writeRosterId } from "./roster-id.ts";
import { withRunFolder } from "./run-folder.ts";
import { type UpOptions, type UpResult, upTo } from "./up.ts";

/** More than a few people need the override of the exact list. */
export async function destroyAll(organization: Organization, options: UpOptions): Promise<UpResult> {
  const result = await upTo({ ...withoutPeople(organization), listed: organization.roster.people }, options, {
    roster: false,
  });
  if (result.status !== "done" || organization.rosterId === undefined) return result;
  await clearStacks(organization);
  const rosterEdit = organization.roster.id === undefined ? undefined : await writeRosterId(organization, "");
  return { ...result, rosterEdit };
}

/** The markers go last, and from stacks without people only: until then they keep other rosters away. */
function clearStacks({ engine, file, roster, ...organization }: Organization): Promise<void> {
  return withRunFolder(dirname(file), async (folder) => {
    // Whoever has joined by another run since then stays.
    const approved = join(folder, "approved-changes.json");
    writeApprovedChanges(approved, { organizationId: roster.organizationId, changes: [] });
    const exported = await exportsOf({ engine, file, roster, ...organization }, organization.stacks);
    for (const { stack, deployment } of exported) {
      const left = entriesOf(readState(stack, deployment));
      const isEmptied = left.every(({ type }) => isOrgseatType(type) && !type.startsWith(TYPE_PREFIX));
      if (left.length > 0 && isEmptied)
        await engine.clearStack(stack, { ORGSEAT_APPROVED_CHANGES: approved });
    }
  });
}

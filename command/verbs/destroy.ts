/** `orgseat destroy`: removes all people whom the stacks manage, after the guards checked the exact list. */
import { dirname, join } from "node:path";
import { writeApprovedChanges } from "../../provider/safety/approved-changes.ts";
import { isOrgseatType } from "../plan/steps/steps.ts";
import type { Organization } from "../stacks/organization.ts";
import { withRunFolder } from "../stacks/run.ts";
import { entriesOf, isManaged, statesOf } from "../stacks/stack-state.ts";
import { applyTo, type UpOptions, type UpResult, writeRosterId } from "./up.ts";

export async function destroyAll(organization: Organization, options: UpOptions): Promise<UpResult> {
  const { roster } = organization;
  const emptied = { ...roster, people: [], rows: undefined };
  const withoutPeople = { ...organization, roster: emptied, listed: roster.people };
  const result = await applyTo(withoutPeople, options, { rowsDecide: false });
  if (result.status !== "succeeded" || organization.rosterId === undefined) return result;
  await clearStacks(organization);
  const rosterEdit =
    (organization.roster.id ?? result.rosterEdit?.rosterId) === undefined
      ? undefined
      : await writeRosterId(organization, "");
  return { ...result, rosterEdit };
}

/** Removes the markers last, from stacks without people only: until then they keep other rosters away. */
function clearStacks(organization: Organization): Promise<void> {
  return withRunFolder(dirname(organization.file), async (folder) => {
    // People whom another run added meanwhile stay.
    const approved = join(folder, "approved-changes.json");
    writeApprovedChanges(approved, { organizationId: organization.roster.organizationId, changes: [] });
    for (const [stack, state] of await statesOf(organization, organization.stacks)) {
      const left = entriesOf(state);
      const isEmptied = left.every((entry) => isOrgseatType(entry.type) && !isManaged(entry));
      if (left.length > 0 && isEmptied)
        await organization.engine.clearStack(stack, { ORGSEAT_APPROVED_CHANGES: approved });
    }
  });
}

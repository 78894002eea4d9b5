/** `orgseat destroy`: removes all people whom the stack manages, after the guards checked the exact list. */
import { dirname, join } from "node:path";
import { writeApprovedPlan } from "../../provider/safety/approved-plan.ts";
import { entriesOf } from "../members/state.ts";
import { MEMBER_TYPE, membersIn } from "../members/state-members.ts";
import { MARKER_TYPE } from "../roster/roster.ts";
import type { Organization } from "../stacks/organization.ts";
import { withRunFolder } from "../stacks/run.ts";
import { stateOf } from "../stacks/stack-state.ts";
import { applyTo, type UpOptions, type UpResult, writeRosterId } from "./up.ts";

export async function destroyAll(organization: Organization, options: UpOptions): Promise<UpResult> {
  const { roster } = organization;
  const emptied = { ...roster, people: [], rows: undefined };
  const withoutPeople = { ...organization, roster: emptied, listed: roster.people };
  const result = await applyTo(withoutPeople, options, { rowsDecide: false });
  if (result.status !== "succeeded") return result;
  await clearStack(organization);
  const rosterEdit =
    (organization.roster.id ?? result.rosterEdit?.rosterId) === undefined
      ? undefined
      : await writeRosterId(organization, "");
  return { ...result, rosterEdit };
}

/** Removes the marker last, from a stack without people only: until then it keeps other rosters away. */
function clearStack(organization: Organization): Promise<void> {
  return withRunFolder(dirname(organization.file), async (folder) => {
    const { engine, stack, roster, openedAt } = organization;
    const state = await stateOf(engine, stack);
    const left = state === undefined ? [] : entriesOf(state);
    if (left.length === 0 || !left.every(({ type }) => isOfRoster(type))) return;
    if (membersIn(stack, state).length > 0) return;
    // People whom another run adds meanwhile stay.
    const file = join(folder, "approved-plan.json");
    writeApprovedPlan(file, { organizationId: roster.organizationId, now: openedAt, members: {}, users: [] });
    await engine.clearStack(stack, { ORGSEAT_APPROVED_PLAN: file });
  });
}

function isOfRoster(type: string): boolean {
  return type === MARKER_TYPE || type === MEMBER_TYPE || type.startsWith("pulumi:");
}

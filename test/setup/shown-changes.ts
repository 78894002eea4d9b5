/** Approved changes as tests write them: without operations, a change may send every operation of its type. */
import { type ApprovedChange, writeApprovedChanges } from "../../provider/safety/approved-changes.ts";
import { temporaryFile } from "./temporary.ts";

type WithoutOperations<Change> = Change extends unknown ? Omit<Change, "operations"> : never;
export type ShownChange = WithoutOperations<ApprovedChange> & { readonly operations?: readonly string[] };

const OPERATIONS: Readonly<Record<ApprovedChange["type"], readonly string[]>> = {
  OrgMember: [],
  OrgUser: ["add user", "remove user"],
  SeatAssignment: ["assign seat", "remove seat"],
  UserToken: ["issue token", "renew token", "revoke token"],
  ServiceAccount: ["create service account", "delete service account"],
  Onboarding: ["onboard users"],
  ModelServer: ["create server", "start or stop server", "delete server"],
  VectorTable: ["create table", "delete table"],
};

export function writeShownChanges(
  file: string,
  { organizationId, changes }: { readonly organizationId: string; readonly changes: readonly ShownChange[] },
): void {
  writeApprovedChanges(file, {
    organizationId,
    changes: changes.map((change) => ({
      ...change,
      operations: [...(change.operations ?? OPERATIONS[change.type])],
    })),
  });
}

/** @returns the environment of a run with these approved changes */
export function approved(organizationId: string, changes: readonly ShownChange[]) {
  const ORGSEAT_APPROVED_CHANGES = temporaryFile("approved.json");
  writeShownChanges(ORGSEAT_APPROVED_CHANGES, { organizationId, changes });
  return { ORGSEAT_APPROVED_CHANGES };
}

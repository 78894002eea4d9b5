/**
 * The approved plan of one run of a roster, as a file (`ORGSEAT_APPROVED_PLAN`): by member the steps that the run may send,
 * and what the plan read. The provider sends no other step.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { organizationIdSchema } from "../api/schemas/schemas.ts";
import { formatIssues, inputIssuesOf, schemaErrorMessage } from "../config/validation.ts";
import { approvedMemberSchema } from "../member/approved.ts";
import { ownerKey } from "../resources/ownership.ts";
import { CodedError } from "../util/error-codes.ts";
import { messageOf } from "../util/text.ts";

const VERSION = 4;

const planSchema = z.strictObject({
  version: z.literal(VERSION, `unsupported version (expected ${VERSION})`),
  organizationId: organizationIdSchema,
  /** The time of the plan, in milliseconds since 1970: dates are judged at this time. */
  now: z.number(),
  /** By `ref`. */
  members: z.record(z.string(), approvedMemberSchema),
  /** The ids of the users of all other members of the state: no member of the run gets one of them. */
  users: z.array(z.string()),
});
export type ApprovedPlan = Omit<z.output<typeof planSchema>, "version">;

/** Writes a new file, of mode 0600, before the run starts. @throws if it cannot be written */
export function writeApprovedPlan(file: string, plan: ApprovedPlan): void {
  writeFileSync(file, `${JSON.stringify({ version: VERSION, ...plan })}\n`, { mode: 0o600, flag: "wx" });
}

/** @throws CodedError if it cannot be read: then nothing is approved */
export function readApprovedPlan(file: string): ApprovedPlan {
  try {
    const parsed = planSchema.safeParse(JSON.parse(readFileSync(file, "utf8")), {
      error: schemaErrorMessage,
    });
    if (parsed.success) return parsed.data;
    throw new Error(formatIssues(inputIssuesOf(parsed.error)));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "not valid JSON" : messageOf(error);
    throw new CodedError(
      "not-approved",
      `cannot read the approved plan (ORGSEAT_APPROVED_PLAN, ${file}): ${reason}. Nothing was changed. Run the preview again`,
    );
  }
}

/** In place of the instance of a resource. */
const IN_STATE = "state";

/** The owners of a run of the plan before it owns anything. */
export function ownersIn({ organizationId, users }: ApprovedPlan): Map<string, string> {
  return new Map(users.map((id) => [ownerKey("OrgUser", id, organizationId), IN_STATE]));
}

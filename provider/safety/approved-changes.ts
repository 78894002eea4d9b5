/**
 * The approved changes of one run, as a file (`ORGSEAT_APPROVED_CHANGES`): all changes that a preview showed. The
 * provider rejects every other change before it sends anything.
 */

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { organizationIdSchema } from "../api/schemas/schemas.ts";
import { formatIssues, inputIssuesOf, schemaErrorMessage } from "../config/validation.ts";
import { resourceTypes } from "../resources/resource-types.ts";
import { messageOf } from "../util/text.ts";

const VERSION = 3;

const type = z.enum(resourceTypes);
/** The resource's id in the state. */
const id = z.string().min(1);

/** The operations of the service that it may send, such as `issue token`. */
const operations = z.array(z.string());

const changeSchema = z.discriminatedUnion("action", [
  /** Once per entry; it covers the update by which Pulumi finishes a creation that failed halfway, too. */
  z.strictObject({ action: z.literal("create"), type, subject: z.string().min(1), operations }),
  /** `writes`: what it may change in the service, as `writes` of its operations names it. */
  z.strictObject({ action: z.literal("update"), type, id, writes: z.array(z.string()), operations }),
  z.strictObject({ action: z.literal("delete"), type, id, operations }),
]);

/** The shape of the file, JSON. It contains no secret. */
const approvedChangesSchema = z.strictObject({
  version: z.literal(VERSION, `unsupported version (expected ${VERSION})`),
  /** The organization that the changes are in; those of the model area name none of their own. */
  organizationId: organizationIdSchema,
  changes: z.array(changeSchema),
});
/** One change that a preview showed. A replacement is a creation and a deletion. */
export type ApprovedChange = z.output<typeof changeSchema>;
/** A list of approved changes; the version is the file's. */
export type ApprovedChanges = Omit<z.output<typeof approvedChangesSchema>, "version">;

/** Writes the file whole or not at all, of mode 0600. @throws if it cannot be written */
export function writeApprovedChanges(file: string, { organizationId, changes }: ApprovedChanges): void {
  const content = { version: VERSION, organizationId, changes };
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, file);
}

/** The approved changes of the file; or why it cannot be read. */
export function readApprovedChanges(file: string): ApprovedChanges | { readonly error: string } {
  try {
    const parsed = approvedChangesSchema.safeParse(JSON.parse(readFileSync(file, "utf8")), {
      error: schemaErrorMessage,
    });
    return parsed.success ? parsed.data : { error: formatIssues(inputIssuesOf(parsed.error)) };
  } catch (error) {
    if (error instanceof SyntaxError) return { error: "not valid JSON" };
    return { error: messageOf(error) };
  }
}

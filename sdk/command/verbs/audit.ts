/** `orgseat audit verify`. */

import { join } from "node:path";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { counted } from "../../../provider/util/text.ts";
import { type AuditCheck, verifyAudit } from "../../automation/service/audit-verify.ts";
import type { AuditFlags } from "../line/flags.ts";
import { print, printJson } from "../output.ts";

const DEFAULT_FILE = join(".orgseat", "audit.jsonl");

export async function auditVerb(given: string | undefined, { head, json }: AuditFlags): Promise<void> {
  const file = given ?? (process.env.ORGSEAT_AUDIT_LOG || DEFAULT_FILE);
  const check = await verifyAudit(file, head).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CodedError(
      "file-error",
      `cannot read the audit log ${file}: ${reason}. Pass the file: orgseat audit verify FILE`,
    );
  });
  if (json) printJson({ file, ...check });
  else print(textOf(file, check));
  if (check.problems.length > 0) process.exitCode = 1;
}

function textOf(file: string, { lines, logs, head, problems }: AuditCheck): string {
  const found = `${file}: ${counted(lines, "line")}${logs > 1 ? ` in ${counted(logs, "log")}` : ""}`;
  if (problems.length === 0)
    return [`${found}, complete`, ...(head === undefined ? [] : [`Head: ${head}`])].join("\n");
  return [`${found}, not complete:`, ...problems.map((problem) => `  ${problem}`)].join("\n");
}

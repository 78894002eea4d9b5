/** The report: seats, tokens by their end, people, and who joined and left. */
import { csvOf } from "./csv.ts";
import { htmlOf } from "./html/page.ts";
import { jsonOf } from "./json.ts";
import type { Report } from "./schema.ts";
import { textOf } from "./text.ts";

export { parseAudit } from "./audit-lines.ts";
export { type CollectOptions, factsOf } from "./collect.ts";
export type { AuditLine, ReportFacts, StateResource } from "./facts.ts";
export { type ReportOptions, report } from "./report.ts";
export { type Report, reportSchema } from "./schema.ts";
export type { StackExport } from "./states.ts";

/** The forms of a report, by name. */
export const reportForms = {
  text: textOf,
  json: jsonOf,
  csv: csvOf,
  html: htmlOf,
} as const satisfies Readonly<Record<string, (report: Report) => string>>;
export type ReportForm = keyof typeof reportForms;

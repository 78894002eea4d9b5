/** The report: seats, tokens by their end, people, and who joined and left. */
import { csvOf } from "./csv.ts";
import { htmlOf } from "./html/page.ts";
import { type Report, reportSchema } from "./schema.ts";
import { textOf } from "./text.ts";

export { factsOf } from "./facts.ts";
export { type ReportOptions, report } from "./report.ts";
export { type Report, reportSchema } from "./schema.ts";

/** The forms of a report, by name. */
export const reportForms = {
  text: textOf,
  json: (report) => `${JSON.stringify(reportSchema.parse(report), null, 2)}\n`,
  csv: csvOf,
  html: htmlOf,
} as const satisfies Readonly<Record<string, (report: Report) => string>>;
export type ReportForm = keyof typeof reportForms;

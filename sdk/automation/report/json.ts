/** The report for scripts. */
import { type Report, reportSchema } from "./schema.ts";

/** The shape is `reportSchema`; indented, with a line end. */
export function jsonOf(report: Report): string {
  return `${JSON.stringify(reportSchema.parse(report), null, 2)}\n`;
}

/** `orgseat report`. */
import { openOrganization } from "../automation/organization.ts";
import { type ReportForm, reportForms } from "../automation/report/index.ts";
import { reportOf } from "../automation/report-all.ts";
import { writeText } from "../automation/roster/text-file.ts";
import type { ReportFlags } from "./flags.ts";
import { organizationOptions } from "./options.ts";

export async function reportVerb({ month, csv, html, json, ...options }: ReportFlags): Promise<void> {
  const found = await reportOf(await openOrganization(organizationOptions(options)), { month });
  const files: readonly [ReportForm, string | undefined][] = [
    ["csv", csv],
    ["html", html],
  ];
  for (const [form, file] of files) {
    if (file === undefined) continue;
    await writeText(file, reportForms[form](found));
    console.error(`The report is in ${file}.`);
  }
  const isElsewhere = csv !== undefined || html !== undefined;
  if (json) console.log(reportForms.json(found).trimEnd());
  else if (!isElsewhere) console.log(reportForms.text(found).trimEnd());
}

/** `orgseat report`. */

import { type ReportForm, reportForms } from "../../automation/report/report.ts";
import { writePrivateText } from "../../automation/roster/formats/text-file.ts";
import { reportOf } from "../../automation/verbs/report-all.ts";
import type { ReportFlags } from "../flags.ts";
import { openForOutput } from "../open.ts";
import { organizationOptions } from "../options.ts";
import { print, printJson, printNote } from "../output.ts";

export async function reportVerb(flags: ReportFlags): Promise<void> {
  const { month, tokens, lastSeen, idleDays, csv, html, json, ...options } = flags;
  const wanted: readonly [ReportForm, string | boolean | undefined][] = [
    ["json", json],
    ["csv", csv],
    ["html", html],
  ];
  const chosen = wanted.filter(([, place]) => place !== undefined && place !== false);
  const printed = chosen.filter(([, place]) => place === true);
  if (printed.length > 1) {
    throw new Error(
      "cannot print several forms at once: pass a file for the others, such as --html report.html",
    );
  }
  const found = await reportOf(
    await openForOutput({
      ...organizationOptions(options),
      acceptEndedSubscription: true,
    }),
    { month, tokens, lastSeen, idleDays },
  );
  for (const [form, place] of chosen) {
    const text = reportForms[form](found);
    if (typeof place !== "string") {
      if (form === "json") printJson(JSON.parse(text));
      else print(text.trimEnd());
      continue;
    }
    writePrivateText(place, text);
    printNote(`Wrote the report to ${place}.`);
  }
  if (chosen.length === 0) print(reportForms.text(found, { verbose: options.verbose }).trimEnd());
}

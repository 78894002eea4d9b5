/** `orgseat report`. */

import { CodedError } from "../../../provider/util/error-codes.ts";
import { type ReportForm, reportForms } from "../../report/report.ts";
import { splitByteOrderMark, writePrivateText } from "../../roster/formats/text-file.ts";
import { reportOf } from "../../verbs/report-all.ts";
import type { ReportFlags } from "../line/flags.ts";
import { openForOutput } from "../open.ts";
import { print, printJson, printNote } from "../output.ts";
import { exitCodes } from "../results-json.ts";
import { tableForm } from "../terminal.ts";

export async function reportVerb(flags: ReportFlags): Promise<void> {
  const { month, tokens, lastSeen, idleDays, due, out, ...options } = flags;
  const form = formOf(flags);
  const organization = await openForOutput(options, { acceptEndedSubscription: true });
  const found = await reportOf(organization, { month, tokens, lastSeen, idleDays, due });
  const isFile = out !== undefined && out !== STANDARD_OUTPUT;
  const text = reportForms[form](found, { verbose: options.verbose, ...(isFile ? {} : tableForm()) });
  if (isFile) {
    writePrivateText(out, text);
    printNote(`Wrote the report to ${out}.`);
  } else if (form === "json") printJson(JSON.parse(text));
  // The mark tells a spreadsheet how to read the file, and a pipe needs none.
  else if (text !== "") print(splitByteOrderMark(text).text.replace(/\r?\n$/, ""));
  if (found.due !== null && found.due.entries.length > 0) process.exitCode = exitCodes.changes;
}

const STANDARD_OUTPUT = "-";

/** `--json` means `--format json`. */
function formOf({ format, json, due, month, tokens, lastSeen }: ReportFlags): ReportForm {
  if (due !== undefined && (format === "html" || month !== undefined || tokens || lastSeen !== undefined))
    throw new CodedError(
      "invalid-flag",
      "cannot combine --due with --month, --tokens, --last-seen, or --format html: --due prints dates alone",
    );
  if (json && format !== undefined && format !== "json")
    throw new CodedError("invalid-flag", `cannot combine --json with --format ${format}: pass one of them`);
  return json ? "json" : (format ?? "text");
}

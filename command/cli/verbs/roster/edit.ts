/** `orgseat add` and `orgseat remove`. */
import { addRows, removeRows } from "../../../verbs/edit-rows.ts";
import type { AddFlags } from "../../line/flags.ts";
import { type CommonOptions, organizationOptions } from "../../line/options.ts";
import { NOTHING_SENT, printResult } from "../../output.ts";

export async function addVerb(emails: readonly string[], options: AddFlags): Promise<void> {
  const { roster } = organizationOptions(options);
  show(roster, await addRows(roster, { ...options, emails }), options);
}

export async function removeVerb(who: readonly string[], options: CommonOptions): Promise<void> {
  const { roster } = organizationOptions(options);
  show(roster, await removeRows(roster, who), options);
}

function show(file: string, diff: string, options: CommonOptions): void {
  printResult(options, { file, diff }, () => `${diff}\n${NOTHING_SENT}`);
}

/** `orgseat preview`. */

import { formatInstant } from "../../../provider/util/instants.ts";
import { shortDigest } from "../../plan/document.ts";
import { writePlan } from "../../preview/plan-file.ts";
import { previewOf } from "../../preview/preview.ts";
import { painter } from "../color.ts";
import type { PreviewFlags } from "../line/flags.ts";
import { openForOutput, planOptions } from "../open.ts";
import { print, printJson } from "../output.ts";
import { ProgressLine } from "../progress.ts";
import { previewToText } from "../results.ts";
import { codeOfPreview, previewToJson, previewToMarkdown } from "../results-json.ts";
import { targetSummary } from "../session.ts";
import { stopOnInterrupt } from "../terminal.ts";

export async function previewVerb(options: PreviewFlags): Promise<void> {
  // The run of a plan judges dates at this time too.
  const planTime = options.at ?? (options.plan === undefined ? undefined : formatInstant(Date.now()));
  const organization = await openForOutput(options, { planTime, readsSecrets: true });
  const quiet = options.quiet === true || options.json === true || options.markdown === true;
  const line = new ProgressLine("Previewing", { color: options.color, quiet });
  const interrupt = stopOnInterrupt(organization);
  try {
    const preview = await previewOf(organization, {
      ...planOptions(options),
      ...{ onProgress: line.onRead, signal: interrupt.signal },
    });
    line.end();
    if (options.plan !== undefined) writePlan(options.plan, preview.document);
    if (options.json) printJson(previewToJson(preview));
    else if (options.markdown) print(previewToMarkdown(preview));
    else {
      const text = previewToText(preview, { verbose: options.verbose, paint: painter(options) });
      const written =
        options.plan === undefined
          ? ""
          : `\n\nWrote plan ${shortDigest(preview.document)} to ${options.plan}.`;
      print(`${targetSummary(organization)}\n\n${text}${written}`);
    }
    process.exitCode = codeOfPreview(preview, options.exitCode === true);
  } finally {
    line.end();
    interrupt.end();
  }
}

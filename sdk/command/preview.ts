/** `orgseat preview`. */
import { openOrganization } from "../automation/organization.ts";
import { inMarkdown } from "../automation/plan/markdown.ts";
import { previewAll } from "../automation/preview-all.ts";
import type { PreviewOptions } from "./flags.ts";
import { organizationOptions } from "./options.ts";
import { codeOfPreview, previewInJson, previewInText } from "./results.ts";
import { whereabouts } from "./session.ts";
import { ProgressLine, stopOnInterrupt } from "./terminal.ts";

export async function previewVerb(options: PreviewOptions): Promise<void> {
  const organization = await openOrganization(organizationOptions(options));
  const quiet = options.quiet === true || options.json === true || options.markdown === true;
  const line = new ProgressLine("Looking", quiet);
  const interrupt = stopOnInterrupt();
  try {
    const preview = await previewAll(organization, {
      ...{ refresh: options.refresh, allowRemovals: options.allowRemovals, newStack: options.newStack },
      ...{ listener: line.hear, signal: interrupt.signal },
    });
    line.end();
    if (options.json) console.log(JSON.stringify(previewInJson(preview), null, 2));
    else if (options.markdown) console.log(inMarkdown(preview));
    else console.log(`${whereabouts(organization)}\n\n${previewInText(preview)}`);
    process.exitCode = codeOfPreview(preview, options.exitCode === true);
  } finally {
    line.end();
    interrupt.end();
  }
}

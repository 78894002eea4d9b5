/** One run of a verb from its options to its exit code: shows the plan, asks for confirmation, shows progress. */
import { requireCredentials } from "../automation/apply.ts";
import { type Organization, openOrganization } from "../automation/organization.ts";
import type { TextOptions } from "../automation/plan/text.ts";
import type { Preview } from "../automation/preview.ts";
import type { UpOptions, UpResult } from "../automation/up.ts";
import { painter } from "./color.ts";
import type { RunOptions } from "./flags.ts";
import { organizationOptions } from "./options.ts";
import { codeOfRun, previewToText, resultToJson, resultToText } from "./results.ts";
import { ask, canAsk, NEEDS_YES, ProgressLine, stopOnInterrupt } from "./terminal.ts";

/** The organization and the stacks, so that a wrong backend is visible first. */
export function targetSummary({ roster, stacks, newStacks }: Organization): string {
  const [first = "", ...others] = stacks;
  const which = others.length === 0 ? `stack ${first}` : `stacks ${first} to ${others.at(-1)}`;
  const isNew =
    newStacks.length === 0
      ? ""
      : newStacks.length === stacks.length
        ? " (new)"
        : ` (${newStacks.length} of them new)`;
  return `Organization ${roster.organizationId}, ${which}${isNew}`;
}

/** @param pause removes the progress line before a question */
type VerbFunction<Result> = (
  organization: Organization,
  options: UpOptions,
  pause: () => void,
) => Promise<Result>;

/** What differs between verbs. */
interface VerbOptions<Result> {
  /** Runs before the progress line, which would overwrite a question. */
  readonly prepare?: (organization: Organization) => Promise<void>;
  /** Whether the subscription of the roster may have ended. Default: no. */
  readonly acceptEndedSubscription?: boolean;
  /** Whether to test the credentials before the confirmation. Default: yes. */
  readonly triesCredentials?: boolean;
  /** The text after the plan. Default: the results per person. */
  readonly text?: (result: Result, options: TextOptions) => string;
  /** The form of `--json`. Default: the form of every run. */
  readonly json?: (result: Result) => object;
}

/** Opens the organization and runs a verb that writes. @throws if the run cannot start */
export async function runVerb<Result extends UpResult>(
  verb: string,
  options: RunOptions,
  work: VerbFunction<Result>,
  {
    prepare,
    acceptEndedSubscription,
    triesCredentials = true,
    text = (result, given) => resultToText(result, given),
    json = resultToJson,
  }: VerbOptions<Result> = {},
): Promise<void> {
  const organization = await openOrganization({
    ...organizationOptions(options),
    acceptEndedSubscription,
  });
  if (!options.json) console.log(`${targetSummary(organization)}\n`);
  await prepare?.(organization);
  const quiet = options.quiet === true || options.json === true;
  const interrupt = stopOnInterrupt();
  const textOptions = { verbose: options.verbose, paint: painter(options) };
  let line = new ProgressLine("Previewing", {
    color: options.color,
    quiet,
    stacks: organization.stacks.length,
  });
  const isUnattended = options.yes !== true && !canAsk(options);
  let isShown = false;
  const show = (preview: Preview): void => {
    line.end();
    isShown = true;
    if (!options.json) console.log(`${previewToText(preview, textOptions)}\n`);
  };
  try {
    const result = await work(
      organization,
      {
        allowRemovals: options.allowRemovals,
        newStack: options.newStack,
        signal: interrupt.signal,
        listener: (progress) => line.onStep(progress),
        onPreviewed: (stack) => line.onPreviewed(stack),
        confirm: async (preview) => {
          show(preview);
          if (isUnattended) return false;
          if (triesCredentials) await requireCredentials(organization, preview.plan);
          return options.yes === true || ask("Apply these changes?");
        },
        onApply: ({ plan }) => {
          const steps = plan.steps.filter(({ action }) => action !== "same").length;
          line = new ProgressLine(verb, { color: options.color, quiet, steps });
        },
      },
      () => line.end(),
    );
    line.end();
    const isRefused = isUnattended && result.status === "declined";
    if (options.json) {
      const refusal = isRefused ? { status: "failed", error: NEEDS_YES } : {};
      console.log(JSON.stringify({ ...json(result), ...refusal }, null, 2));
    } else if (isRefused) throw new Error(NEEDS_YES);
    else {
      if (!isShown) console.log(previewToText(result.preview, textOptions));
      const ending = text(result, textOptions);
      if (ending !== "") console.log(isShown ? ending : `\n${ending}`);
    }
    process.exitCode = codeOfRun(result);
  } finally {
    line.end();
    interrupt.end();
  }
}

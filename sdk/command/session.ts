/** One run of a verb from its options to its exit code: the plan is shown, a person is asked, progress is told. */
import { requireCredentials } from "../automation/apply.ts";
import { type Organization, openOrganization } from "../automation/organization.ts";
import type { Preview } from "../automation/preview.ts";
import type { UpOptions, UpResult } from "../automation/up.ts";
import type { RunOptions } from "./flags.ts";
import { organizationOptions } from "./options.ts";
import { codeOfRun, previewToText, resultToJson, resultToText } from "./results.ts";
import { ask, canAsk, NEEDS_YES, ProgressLine, stopOnInterrupt } from "./terminal.ts";

/** Which organization, and which stacks: a wrong backend shows here first. */
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

/** @param pause ends the line of progress, so that a question can be asked */
type VerbFunction<Result> = (
  organization: Organization,
  options: UpOptions,
  pause: () => void,
) => Promise<Result>;

/** In what a verb differs from others. */
interface VerbOptions<Result> {
  /** May ask something: it comes before the line of progress, which would write over the question. */
  readonly prepare?: (organization: Organization) => Promise<void>;
  /** Whether a roster whose subscription has ended will do. Default: no. */
  readonly acceptEndedSubscription?: boolean;
  /** Whether credentials are tried before it is applied. Default: yes. */
  readonly triesCredentials?: boolean;
  /** What it prints after the plan. Default: what became of everybody. */
  readonly text?: (result: Result) => string;
  /** What it prints for scripts. Default: the form of every run. */
  readonly json?: (result: Result) => object;
}

/** Opens the organization and runs a verb that writes. What goes wrong before is one sentence and exit code 1. */
export async function runVerb<Result extends UpResult>(
  verb: string,
  options: RunOptions,
  work: VerbFunction<Result>,
  {
    prepare,
    acceptEndedSubscription,
    triesCredentials = true,
    text = resultToText,
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
  let line = new ProgressLine("Looking", quiet);
  const isUnattended = options.yes !== true && !canAsk(options);
  let isShown = false;
  const show = (preview: Preview): void => {
    line.end();
    isShown = true;
    if (!options.json) console.log(`${previewToText(preview)}\n`);
  };
  try {
    const result = await work(
      organization,
      {
        allowRemovals: options.allowRemovals,
        newStack: options.newStack,
        signal: interrupt.signal,
        listener: (progress) => line.hear(progress),
        confirm: async (preview) => {
          show(preview);
          if (isUnattended) return false;
          if (triesCredentials) await requireCredentials(organization, preview.plan);
          return options.yes === true || ask("Apply these changes?");
        },
        onApply: ({ plan }) => {
          line = new ProgressLine(verb, quiet);
          line.expect(plan.steps.filter(({ action }) => action !== "same").length);
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
      if (!isShown) console.log(previewToText(result.preview));
      const ending = text(result);
      if (ending !== "") console.log(isShown ? ending : `\n${ending}`);
    }
    process.exitCode = codeOfRun(result);
  } finally {
    line.end();
    interrupt.end();
  }
}

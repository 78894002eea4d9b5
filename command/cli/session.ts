/** One run of a verb from its options to its exit code: shows the plan, asks for confirmation, shows progress. */
import { CodedError } from "../../provider/util/error-codes.ts";
import type { TextOptions } from "../plan/texts/text.ts";
import type { Preview } from "../preview/preview.ts";
import type { Declaration, Organization } from "../stacks/organization.ts";
import type { Stack } from "../stacks/stack-state.ts";
import { requireCredentials, type UpOptions, type UpResult } from "../verbs/up.ts";
import { painter } from "./color.ts";
import type { RunOptions } from "./line/flags.ts";
import { type Opening, openForOutput, planOptions } from "./open.ts";
import { print, printJson } from "./output.ts";
import { ProgressLine } from "./progress.ts";
import { previewToText, resultToText } from "./results.ts";
import { codeOfRun, resultToJson } from "./results-json.ts";
import { ask, canAsk, NEEDS_YES, stopOnInterrupt } from "./terminal.ts";

/** The organization and the stack, so that a wrong backend is visible first. */
export function targetSummary({ roster, stack, isNew }: Declaration & Stack): string {
  return `Organization ${roster.organizationId}, stack ${stack}${isNew ? " (new)" : ""}`;
}

/** What a verb that asks questions passes to the terminal. */
interface Asking {
  /** Removes the progress line before a question. */
  pause(): void;
  /** After the confirmation: the progress line returns. */
  startsWriting(): void;
  /** Shows of how many users the tokens are revoked. */
  onRevoking(settled: number, all: number): void;
}

type VerbFunction<Result> = (
  organization: Organization,
  options: UpOptions,
  asking: Asking,
) => Promise<Result>;

/** What differs between verbs. */
interface VerbOptions<Result> extends Opening {
  /** Runs before the progress line, which would overwrite a question. */
  readonly prepare?: (organization: Organization) => Promise<void>;
  /** Whether to test the credentials before the confirmation. Default: yes. */
  readonly triesCredentials?: boolean;
  /** The verb that completes the run. Default: `up`, also of a rotation, whose marks are in the roster. */
  readonly resume?: "renew" | "destroy";
  /** The text after the plan. Default: the results per person. */
  readonly text?: ((result: Result, options: TextOptions) => string) | undefined;
  /** The form of `--json`. Default: the form of every run. */
  readonly json?: ((result: Result) => object) | undefined;
}

/** Opens the organization and runs a verb that writes. @throws if the run cannot start */
export async function runVerb<Result extends UpResult>(
  verb: string,
  options: RunOptions,
  work: VerbFunction<Result>,
  { prepare, triesCredentials = true, resume, text, json, ...opening }: VerbOptions<Result> = {},
): Promise<void> {
  const organization = await openForOutput(options, opening);
  if (!options.json) print(`${targetSummary(organization)}\n`);
  await prepare?.(organization);
  const interrupt = stopOnInterrupt(organization);
  const output = new VerbOutput(verb, options, resume);
  const isAgreed = options.yes === true;
  const isUnattended = !isAgreed && !canAsk(options);
  const confirm = async (preview: Preview): Promise<boolean> => {
    output.showPlan(preview);
    if (isUnattended) return false;
    if (triesCredentials) await requireCredentials(organization, preview.plan);
    const isConfirmed = isAgreed || (await ask("Apply these changes?"));
    if (isConfirmed) interrupt.startsWriting();
    return isConfirmed;
  };
  try {
    const asking: Asking = {
      pause: () => output.line.end(),
      startsWriting: () => {
        interrupt.startsWriting();
        output.show();
      },
      onRevoking: (settled, all) => output.line.onUsers("Revoking tokens", settled, all),
    };
    const { signal } = interrupt;
    const result = await work(organization, { ...output.upOptions(), signal, confirm }, asking);
    output.line.end();
    const refusal = isUnattended && result.status === "declined" ? NEEDS_YES : undefined;
    output.showResult(result, { json, text }, refusal);
    process.exitCode = codeOfRun(result);
  } finally {
    output.line.end();
    interrupt.end();
  }
}

/** The output of one run of a verb: progress, plan, result. */
class VerbOutput {
  readonly #verb: string;
  readonly #options: RunOptions;
  readonly #textOptions: TextOptions;
  #isPlanShown = false;
  line: ProgressLine;

  constructor(verb: string, options: RunOptions, resume: string | undefined) {
    this.#verb = verb;
    this.#options = options;
    this.#textOptions = { verbose: options.verbose, paint: painter(options), resume };
    this.line = this.#progress("Previewing");
  }

  /** What shows the progress. */
  upOptions(): UpOptions {
    return {
      ...planOptions(this.#options),
      listener: (progress) => this.line.onStep(progress),
      onProgress: (read, all) => this.line.onRead(read, all),
      onApply: (preview) => this.startRun(preview),
    };
  }

  showPlan(preview: Preview): void {
    this.line.end();
    this.#isPlanShown = true;
    if (!this.#options.json) print(`${previewToText(preview, this.#textOptions)}\n`);
  }

  startRun({ plan }: Preview): void {
    const changed = plan.members.filter(({ steps: own }) => own.plan.units.length > 0);
    this.show(new Set(changed.map(({ steps: own }) => own.name)));
  }

  /** A new progress line in place of the last one. */
  show(members?: ReadonlySet<string>): void {
    this.line.end();
    this.line = this.#progress(this.#verb, members);
  }

  /**
   * Prints the result after the plan. A run without a confirmation has not printed its plan yet.
   * @throws a refusal, which JSON contains
   */
  showResult<Result extends UpResult>(
    result: Result,
    { json = resultToJson, text: textOf = resultToText }: Pick<VerbOptions<Result>, "json" | "text">,
    error: string | undefined,
  ): void {
    const refusal = error === undefined ? {} : { status: "failed", error, code: "confirmation-required" };
    if (this.#options.json) {
      printJson({ ...json(result), ...refusal });
      return;
    }
    if (error !== undefined) throw new CodedError("confirmation-required", error);
    const text = textOf(result, this.#textOptions);
    if (!this.#isPlanShown) print(previewToText(result.preview, this.#textOptions));
    if (text !== "") print(this.#isPlanShown ? text : `\n${text}`);
  }

  #progress(verb: string, members?: ReadonlySet<string>): ProgressLine {
    const { color, json, quiet } = this.#options;
    return new ProgressLine(verb, { color, quiet: quiet === true || json === true, members });
  }
}

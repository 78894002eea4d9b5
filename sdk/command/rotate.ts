/** `orgseat rotate`. */
import { type RotateResult, rotateTokens, type WhoRotates } from "../automation/rotate.ts";
import type { RunOptions } from "./flags.ts";
import { runInJson, runInText } from "./results.ts";
import { runVerb } from "./session.ts";

export function rotateVerb(who: WhoRotates, options: RunOptions): Promise<void> {
  return runVerb<RotateResult>(
    "Rotating",
    options,
    (organization, up) => rotateTokens(organization, who, up),
    { text: rotateInText, json: (result) => ({ ...runInJson(result), edit: result.edit }) },
  );
}

function rotateInText(result: RotateResult): string {
  const outcome = runInText(result);
  if (result.edit === "") return outcome;
  return `${outcome}\n\nCommit this change of the roster. Until then no run rotates these tokens again, and other copies of it do not have the mark:\n\n${result.edit}`;
}

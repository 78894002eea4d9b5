/** `orgseat rotate`. */
import { type RotateResult, rotateTokens, type WhoRotates } from "../automation/tokens.ts";
import type { RunOptions } from "./flags.ts";
import { resultToJson, resultToText } from "./results.ts";
import { runVerb } from "./session.ts";

export function rotateVerb(who: WhoRotates, options: RunOptions): Promise<void> {
  return runVerb<RotateResult>(
    "Rotating",
    options,
    (organization, up) => rotateTokens(organization, who, up),
    { text: rotateToText, json: (result) => ({ ...resultToJson(result), edit: result.edit }) },
  );
}

function rotateToText(result: RotateResult): string {
  const outcome = resultToText(result);
  if (result.edit === "") return outcome;
  return `${outcome}\n\nCommit this change of the roster. Until then no run rotates these tokens again, and other copies of it do not have the mark:\n\n${result.edit}`;
}

/** `orgseat rotate`. */

import type { TextOptions } from "../../plan/texts/text.ts";
import { type RotateResult, type RotationScope, rotateTokens } from "../../verbs/tokens.ts";
import type { RunOptions } from "../line/flags.ts";
import { resultToText, rosterChangeInText } from "../results.ts";
import { resultToJson } from "../results-json.ts";
import { runVerb } from "../session.ts";

export function rotateVerb(who: RotationScope, options: RunOptions): Promise<void> {
  return runVerb<RotateResult>(
    "Rotating",
    options,
    (organization, up) => rotateTokens(organization, who, up),
    { text: rotateToText, json: (result) => ({ ...resultToJson(result), edit: result.edit }) },
  );
}

function rotateToText(result: RotateResult, options: TextOptions): string {
  const why = "The roster contains the time of the rotation.";
  return resultToText(result, options) + rosterChangeInText(result.edit, why);
}

/** `orgseat rotate`. */

import type { TextOptions } from "../../automation/plan/texts/text.ts";
import { type RotateResult, type RotationScope, rotateTokens } from "../../automation/verbs/tokens.ts";
import type { RunOptions } from "../line/flags.ts";
import { resultToText } from "../results.ts";
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
  const outcome = resultToText(result, options);
  if (result.edit === "") return outcome;
  return `${outcome}\n\nCommit this roster change, so that other copies of the roster contain the rotation too:\n\n${result.edit}`;
}

/** What the state keeps of a token's value: the value, an age file that only the recipients can read, or nothing. */

import { z } from "zod";
import { CodedError } from "../../util/error-codes.ts";
import { recipientIssues } from "../../util/recipients.ts";
import { THEN_RUN_AGAIN } from "../../util/text.ts";
import type { People, PlanContext } from "../contexts.ts";
import type { Knowable } from "../unknown.ts";
import { type Keeping, recipientsIn } from "./cause.ts";

/** What the outputs have of it: one of both, or nothing. */
export interface Kept {
  readonly value?: string | undefined;
  /** ASCII-armored. */
  readonly sealedValue?: string | undefined;
}

export const MISSING_RECIPIENT =
  "missing, and orgseat:requireSealedTokens requires it for each token. Set the age public key of the person who uses the token";

export const recipientsSchema = z
  .array(z.string().trim())
  .min(1, "empty. List at least one public key, or omit recipients")
  .superRefine((given, context) => {
    for (const message of recipientIssues(recipientsIn(given))) context.addIssue({ code: "custom", message });
  });

/** Whether each token must be sealed, and this one cannot be. An adopted token needs no seal until it gets a new value. */
export function lacksSeal(
  { recipients }: Knowable<Pick<Keeping, "recipients">>,
  { defaults }: Pick<PlanContext, "defaults">,
): boolean {
  return defaults.requireSealedTokens && recipients === undefined;
}

/** Call it before a token is issued: a value that cannot be sealed would be lost. */
export async function prepareKeeping(
  { recipients: given, keepValue, userId }: Keeping & { readonly userId: string },
  context: Pick<PlanContext, "defaults"> & { readonly people: Pick<People, "nameOf"> },
): Promise<(value: string) => Promise<Kept>> {
  if (lacksSeal({ recipients: given }, context)) {
    throw new CodedError(
      "unsealed-token",
      `cannot issue a token for ${context.people.nameOf(userId)}: \`recipients\` is ${MISSING_RECIPIENT}. Nothing was revoked`,
    );
  }
  if (given === undefined) return async (value) => (keepValue === false ? {} : { value });
  const { seal } = await import("../../util/age.ts");
  const recipients = recipientsIn(given);
  try {
    await seal("", recipients);
  } catch (error) {
    throw new CodedError(
      "invalid-input",
      `cannot seal the token: a public key in \`recipients\` cannot be used. No token was issued. Ask the owner for a new one (age-keygen), ${THEN_RUN_AGAIN}`,
      { cause: error },
    );
  }
  return async (value) => ({ sealedValue: await seal(value, recipients) });
}

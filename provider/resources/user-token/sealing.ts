/** What the state keeps of a token's value: the value, an age file that only the recipients can read, or nothing. */
import { z } from "zod";
import { recipientIssues } from "../../util/recipients.ts";
import { inputIssue } from "../changes.ts";
import { type Keeping, recipientsIn } from "../planned-writes.ts";
import type { InputIssue, PlanContext } from "../resource.ts";
import type { Knowable } from "../unknown.ts";

/** What the outputs have of it: one of both, or nothing. */
export interface Kept {
  readonly token?: string | undefined;
  /** ASCII-armored. */
  readonly sealed?: string | undefined;
}

export const recipientSchema = z
  .union([
    z.string().trim(),
    z.array(z.string().trim()).min(1, "empty. Name at least one public key, or omit recipient"),
  ])
  .superRefine((given, context) => {
    for (const message of recipientIssues(recipientsIn(given))) context.addIssue({ code: "custom", message });
  });

export function checkKeeping(news: Knowable<Keeping>, context: PlanContext): InputIssue[] {
  if (news.recipient === undefined)
    return context.defaults.sealTokens ? [inputIssue("recipient", missingRecipient)] : [];
  return news.keepToken === false ? [inputIssue("keepToken", notBoth)] : [];
}

const missingRecipient =
  "missing, and orgseat:sealTokens requires it for each token. Set the age public key of the person who uses the token";
const notBoth = "no effect together with recipient: the state keeps only the sealed value. Omit one of them";

/** Call it before a token is issued: a value that cannot be sealed would be lost. */
export async function prepareKeeping({
  recipient,
  keepToken,
}: Keeping): Promise<(value: string) => Promise<Kept>> {
  if (recipient === undefined) return async (token) => (keepToken === false ? {} : { token });
  const { seal } = await import("../../util/age.ts");
  const recipients = recipientsIn(recipient);
  try {
    await seal("", recipients);
  } catch (error) {
    throw new Error(
      "cannot seal the token: a public key in `recipient` cannot be used. No token was issued. Ask the owner for a new one (age-keygen), and run the command again",
      { cause: error },
    );
  }
  return async (value) => ({ sealed: await seal(value, recipients) });
}

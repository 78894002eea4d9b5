/** Email addresses: which texts are one, in every place that takes one, and which of the service's are readable. */
import { z } from "zod";
import { firstCharacter, folded } from "../../util/text.ts";

/**
 * The mailboxes of RFC 6531, in letters of any script, whose domain is an address or has a dot. Spaces and characters that
 * act on a terminal are excluded, even in quotes.
 */
const BEYOND_ASCII = "[^\\x00-\\x9f\\s\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff]";
const ATOM = `(?:[A-Za-z0-9!#$%&'*+/=?^_\`{|}~-]|${BEYOND_ASCII})+`;
const QUOTED = `"(?:[!#-[\\]-~]|\\\\[!-~]|${BEYOND_ASCII})*"`;
const LABEL = `(?!-)(?:[A-Za-z0-9-]|${BEYOND_ASCII})+(?<!-)`;
const MAILBOX = new RegExp(
  `^(?:${ATOM}(?:\\.${ATOM})*|${QUOTED})@(?:${LABEL}(?:\\.${LABEL})+|\\[[!-Z^-~]+\\])$`,
  "u",
);

/** What text processors and copies put into an address: it then looks like another one, which is another mailbox. */
const NOT_IN_ADDRESS: readonly (readonly [kind: RegExp, name: string])[] = [
  [/\p{Cc}/u, "a control character"],
  [/\p{White_Space}/u, "a space"],
  [/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}]/u, "an invisible character"],
  [/(?![\p{ASCII}])\p{Quotation_Mark}/u, "a typographic quote"],
  // In lower case it is an i with a second dot, which looks like an i.
  [/\u0130|(?<=[Ii]\p{M}*)\u0307/u, "a second dot of an i"],
];

/** The character for which a text is no address, with its place; undefined if there is none. */
export function addressIssue(text: string): string | undefined {
  const found = NOT_IN_ADDRESS.flatMap(([kind, name]) => {
    const one = firstCharacter(text, kind);
    return one === undefined ? [] : [{ ...one, name }];
  });
  const [first] = found.toSorted((a, b) => a.column - b.column);
  if (first === undefined) return undefined;
  return `not an email address: ${first.codePoint} in column ${first.column} is ${first.name}. Type the address again`;
}

const NO_ADDRESS = "not an email address";

function issueOf({ input }: { readonly input?: unknown }): string {
  return (typeof input === "string" ? addressIssue(input) : undefined) ?? NO_ADDRESS;
}

/** An email address on the wire, in any form: a service can list one that no one may write. */
export const mailboxSchema = z.email({ pattern: MAILBOX, error: issueOf });

/** An email address, compared and sent in lower case (D18) and in one form of letters with accents. */
export const emailSchema = mailboxSchema
  .refine((email) => addressIssue(email) === undefined, { error: issueOf })
  .refine(hasMailboxLength, "too long for an email address (at most 64 bytes before the @, and 255 after it)")
  .transform(folded);

function hasMailboxLength(email: string): boolean {
  const at = email.lastIndexOf("@");
  return Buffer.byteLength(email.slice(0, at)) <= 64 && Buffer.byteLength(email.slice(at + 1)) <= 255;
}

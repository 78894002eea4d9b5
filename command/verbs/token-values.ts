/** `orgseat token`: the values of tokens, plain or sealed. Only plain ones need the passphrase of the stack. */

import { z } from "zod";
import { CodedError } from "../../provider/util/error-codes.ts";
import { shellWord } from "../../provider/util/text.ts";
import { inRosterOrder } from "../plan/members.ts";
import { resolveMembers } from "../preview/resolve-members.ts";
import type { Organization } from "../stacks/organization.ts";
import {
  entriesOf,
  isToken,
  keyOf,
  managedMembers,
  readState,
  type StateMember,
  tokenIn,
} from "../stacks/stack-state.ts";

/** An age file for the recipients of a token. */
export interface SealedToken {
  /** The key of the person. */
  readonly key: string;
  readonly who: string;
  /** ASCII-armored. */
  readonly sealed: string;
}

export interface SealedTokens {
  readonly tokens: readonly SealedToken[];
  /** The people whose token is not sealed, in the order of the roster. */
  readonly notSealed: readonly string[];
}

/** A decrypted secret of Pulumi: its value as JSON. */
const openedSchema = z.object({ plaintext: z.string() });

/** @throws if the person is not managed, has no token, or the state does not have its value */
export async function tokenOf(organization: Organization, name: string): Promise<string> {
  const member = await memberNamed(organization, name);
  const exported = await organization.engine.exportWithSecrets(member.stack);
  const entry = entriesOf(readState(member.stack, exported)).find(
    (one) => isToken(one) && one.delete !== true && keyOf(one) === member.key,
  );
  if (entry === undefined) throw new CodedError("no-token", `${member.label} has no managed token`);
  if (entry.pendingReplacement === true) {
    throw new CodedError(
      "no-token",
      `the token of ${member.label} was revoked, and no new token was issued. Run \`orgseat up\` to issue it`,
    );
  }
  const { value, sealedValue, keepValue, isLost } = entry.outputs ?? {};
  if (value !== undefined && value !== null)
    return z.string().parse(JSON.parse(openedSchema.parse(value).plaintext));
  const reason =
    isLost === true
      ? "the response with its value was lost. Run `orgseat up`, which revokes it and issues a new one"
      : whyNoValue(member.label, sealedValue, keepValue);
  throw new CodedError("no-token", `cannot print the token of ${member.label}: ${reason}`);
}

function whyNoValue(who: string, sealed: unknown, keepValue: unknown): string {
  if (sealed !== undefined)
    return `it is sealed for its owner. To get the age file, run \`orgseat token --sealed ${shellWord(who)}\``;
  const reason =
    keepValue === false
      ? "the state does not keep it"
      : "it was adopted, and the service never returns its value again";
  return `${reason}. To issue a new value, run \`orgseat rotate ${shellWord(who)}\``;
}

/** @param who one person, or all @throws if the one person has no sealed token */
export async function sealedTokensOf(
  organization: Organization,
  who: string | { readonly all: true },
): Promise<SealedTokens> {
  if (typeof who !== "string") {
    const keys = organization.listed.map(({ key }) => key);
    return sealedAmong(inRosterOrder(await managedMembers(organization), keys));
  }
  const member = await memberNamed(organization, who);
  const found = sealedAmong([member]);
  if (found.tokens.length > 0) return found;
  const token = tokenIn(member);
  const advice =
    token === undefined
      ? "Run `orgseat up`, which issues one if the roster asks for it"
      : token.outputs.recipients === undefined
        ? `Write the person's age public key into \`recipients\` in ${organization.roster.file}, and run \`orgseat up\``
        : `The token was adopted. To issue a new one, run \`orgseat rotate ${shellWord(member.label)}\``;
  throw new CodedError("no-token", `${member.label} has no sealed token. ${advice}`);
}

function sealedAmong(members: readonly StateMember[]): SealedTokens {
  const withToken = members.flatMap((member) => {
    const token = tokenIn(member);
    return token === undefined
      ? []
      : [{ key: member.key, who: member.label, sealed: token.outputs.sealedValue }];
  });
  return {
    tokens: withToken.flatMap(({ sealed, ...person }) =>
      typeof sealed === "string" ? [{ ...person, sealed }] : [],
    ),
    notSealed: withToken.filter(({ sealed }) => typeof sealed !== "string").map(({ who }) => who),
  };
}

async function memberNamed(organization: Organization, name: string): Promise<StateMember> {
  const [member] = resolveMembers([name], await managedMembers(organization), "the state of any stack");
  if (member === undefined) throw new CodedError("unknown-person", `${name} is not managed`);
  return member;
}

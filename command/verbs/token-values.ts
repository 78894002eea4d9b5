/** `orgseat token`: the values of tokens, plain or sealed. Only plain ones need the passphrase of the stack. */

import { z } from "zod";
import { CodedError } from "../../provider/util/error-codes.ts";
import { shellWord, shortList } from "../../provider/util/text.ts";
import { entriesOf, readState } from "../members/state.ts";
import { membersIn, type StateMember } from "../members/state-members.ts";
import { inRosterOrder } from "../plan/members.ts";
import { resolveMember } from "../preview/resolve-members.ts";
import type { Organization } from "../stacks/organization.ts";

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
  const { engine, stack } = organization;
  const entries = entriesOf(readState(stack, await engine.exportWithSecrets(stack)));
  const { tokenValue } = entries.find(({ urn }) => urn === member.urn)?.outputs ?? {};
  if (tokenValue !== undefined && tokenValue !== null)
    return z.string().parse(JSON.parse(openedSchema.parse(tokenValue).plaintext));
  throw new CodedError("no-token", whyNoValue(member));
}

function whyNoValue({ label: who, held }: StateMember): string {
  const [user] = held.users;
  const [token] = user?.tokens ?? [];
  const again = `To issue a new value, run \`orgseat rotate ${shellWord(who)}\``;
  if (token === undefined && user?.unmanaged !== undefined)
    return `cannot print the token of ${who}: it has ended, and the unmanaged token ${shortList(user.unmanaged.live.map(({ id }) => id))} is live instead. ${again}, which can end that one`;
  if (token === undefined)
    return `${who} has no token in the state. If the row wants one, run \`orgseat up\` to issue it`;
  const reasons = {
    sealed: `it is sealed for its owner. To get the age file, run \`orgseat token --sealed ${shellWord(who)}\``,
    lost: "the response with its value was lost. Run `orgseat up`, which revokes it and issues a new one",
    none: token.adopted
      ? `it was adopted, and the service never returns its value again. ${again}`
      : `the state does not keep it. ${again}`,
    kept: "the state does not contain its value. Restore the state from a backup",
  } as const;
  return `cannot print the token of ${who}: ${reasons[token.value]}`;
}

/** @param who one person, or all @throws if the one person has no sealed token */
export async function sealedTokensOf(
  organization: Organization,
  who: string | { readonly all: true },
): Promise<SealedTokens> {
  if (typeof who !== "string") {
    const keys = organization.listed.map(({ key }) => key);
    return sealedAmong(inRosterOrder(await membersOf(organization), keys));
  }
  const member = await memberNamed(organization, who);
  const found = sealedAmong([member]);
  if (found.tokens.length > 0) return found;
  const [token] = member.held.users[0]?.tokens ?? [];
  const advice =
    token === undefined
      ? "Run `orgseat up`, which issues one if the roster asks for it"
      : (token.sealedFor ?? []).length === 0
        ? `Write the person's age public key into \`recipients\` in ${organization.roster.file}, and run \`orgseat up\``
        : `The token was adopted. To issue a new one, run \`orgseat rotate ${shellWord(member.label)}\``;
  throw new CodedError("no-token", `${member.label} has no sealed token. ${advice}`);
}

function sealedAmong(members: readonly StateMember[]): SealedTokens {
  const withToken = members.filter(({ held }) => (held.users[0]?.tokens.length ?? 0) > 0);
  return {
    tokens: withToken.flatMap(({ key, label: who, sealedValue: sealed }) =>
      sealed === undefined ? [] : [{ key, who, sealed }],
    ),
    notSealed: withToken.flatMap(({ label, sealedValue }) => (sealedValue === undefined ? [label] : [])),
  };
}

async function membersOf({ state, stack }: Organization): Promise<StateMember[]> {
  return membersIn(stack, await state());
}

async function memberNamed(organization: Organization, name: string): Promise<StateMember> {
  return resolveMember(name, await membersOf(organization), "the state");
}

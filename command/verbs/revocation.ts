/** The tokens that `orgseat offboard` revokes before its run, with the client. */
import { type Revocation, revokeTokens } from "../../provider/direct/revoke.ts";
import type { HeldUser } from "../../provider/member/held.ts";
import type { Seen } from "../../provider/member/wanted.ts";
import { CodedError, codeOf } from "../../provider/util/error-codes.ts";
import { messageOf, THEN_RUN_AGAIN, withoutStop } from "../../provider/util/text.ts";
import type { StateMember } from "../members/state-members.ts";
import type { LostMember } from "../preview/lost-members.ts";
import { ownTokenOf } from "../service/drift.ts";
import type { Organization } from "../stacks/organization.ts";
import { auditVariables } from "../stacks/run.ts";
import type { UnreadState } from "../stacks/stack-state.ts";

/** The revocation of the token of one user. */
export type Revoked = Revocation & { readonly who: string };

/**
 * Revokes the tokens of each user of these members, former ones too, and of the lost members with a user id.
 * @throws Error that says why nothing was sent
 */
export async function revoke(
  { config: values, environment, roster, run, auditFile }: Organization,
  people: readonly StateMember[],
  lost: readonly LostMember[],
  unread: readonly UnreadState[],
  onRevoking: (settled: number, all: number) => void = () => undefined,
): Promise<Revoked[]> {
  const { organizationId } = roster;
  const users = [
    ...people.flatMap(({ label, held }) =>
      held.users.map((user) => ({ label, userId: user.id, token: ownTokenOf(user) })),
    ),
    ...lost.flatMap(({ label, userId }) => (userId === undefined ? [] : { label, userId, token: undefined })),
  ];
  if (users.length === 0) return [];
  const source = {
    config: (key: string) => values.get(key),
    environment: { ...environment, ...auditVariables(run, auditFile) },
  };
  const holders = users.map(({ userId, token }) => ({ organizationId, userId, token }));
  const all = new Set(holders.map(({ userId }) => userId)).size;
  let settled = 0;
  onRevoking(settled, all);
  const onSettled = () => onRevoking(++settled, all);
  const answers = await revokeTokens(source, holders, { onSettled }).catch((error: unknown) => {
    if (unread.length === 0) throw error;
    // Without the state, the configuration may lack its secrets.
    const reasons = [messageOf(error), ...unread.map(({ text }) => text)];
    throw new CodedError(codeOf(error) ?? "invalid-state", reasons.join("\n"), { cause: error });
  });
  return answers.map((answer, index) => ({ ...answer, who: users[index]?.label ?? answer.userId }));
}

/** A token that was issued meanwhile is none of them. */
export function revokedIn(users: readonly HeldUser[], ids: ReadonlySet<string>): Seen["revoked"] {
  return users
    .filter(({ id }) => ids.has(id))
    .flatMap(({ id: user, tokens }) => tokens.map(({ id, issuedAt }) => ({ user, token: id ?? issuedAt })));
}

/** The error of what followed, with what was written before it. */
export function incompleteError(error: unknown, revoked: readonly Revoked[]): Error {
  const groups = Map.groupBy(revoked, ({ outcome }) =>
    outcome === "failed" ? "token not revoked" : "token revoked",
  );
  const done = (["token revoked", "token not revoked"] as const).flatMap((what) => {
    const who = groups.get(what)?.map((one) => one.who);
    return who === undefined ? [] : `${what}: ${who.join(", ")}`;
  });
  return new Error(
    `cannot remove seats and memberships: ${withoutStop(messageOf(error))}. Done so far: ${done.join("; ")}. Fix the error, ${THEN_RUN_AGAIN}`,
    { cause: error },
  );
}

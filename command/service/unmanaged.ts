/** What the service has already of the people and tokens that a preview creates, where the members were read. */

import { seatsIn } from "../../provider/resources/members/seat-codes.ts";
import { describeTokens, liveTokens } from "../../provider/resources/members/token-list.ts";
import { datesIn, mayBeIssuedEarlier } from "../../provider/resources/user-token/dates.ts";
import type { ListedToken, ListedUser } from "../../provider/service/members.ts";
import { folded } from "../../provider/util/text.ts";
import { actionsOf } from "../plan/steps/actions-of-step.ts";
import { memberPath, type Step } from "../plan/steps/steps.ts";
import type { PreviewOutcome } from "../stacks/all-stacks.ts";
import type { Organization } from "../stacks/organization.ts";
import { membersOfService } from "./service-members.ts";

/** Marks seats and tokens to adopt or to replace that do not exist, and creations of people and tokens in no state, which a run refuses. */
export async function withUnmanaged(
  organization: Organization,
  outcomes: readonly PreviewOutcome[],
  signal: AbortSignal | undefined,
): Promise<PreviewOutcome[]> {
  const { members, settings } = organization;
  if (members === undefined) return [...outcomes];
  const listed = new Map(members.users.map((user) => [user.id, user]));
  const byEmail = new Map(members.users.map((user) => [folded(user.email ?? ""), user]));
  const seatFor = seatsIn(members.users, settings.product);
  const holders = holdersIn(
    outcomes.flatMap(({ steps }) => steps),
    (id) => listed.has(id),
  );
  const lacksSeat = (step: Step): boolean => {
    const user = step.type === "SeatAssignment" ? listed.get(holders.get(step) ?? "") : undefined;
    return user !== undefined && seatFor(user) === "no";
  };
  const unread = [...holders].flatMap(([{ type }, id]) =>
    type === "UserToken" && !members.tokens.has(id) ? id : [],
  );
  const tokensOf = (): readonly string[] => unread;
  const more = unread.length === 0 ? undefined : await membersOfService(organization, { tokensOf, signal });
  const tokensFor = (step: Step): readonly ListedToken[] | undefined => {
    const id = holders.get(step) ?? "";
    return members.tokens.get(id) ?? more?.tokens.get(id);
  };
  return outcomes.map((outcome) => {
    const found = outcome.steps.map((step) => {
      const tokens = step.type !== "UserToken" || isAdopted(step) ? [] : (tokensFor(step) ?? []);
      const who = { userId: holders.get(step), byEmail, now: organization.openedAt };
      return warningAbout(step, tokens, who);
    });
    const steps = outcome.steps.map((step, place) => {
      if (found[place]?.isRefused) return { ...step, isRefused: true };
      if (lacksSeat(step)) return { ...step, lacksObject: true };
      const tokens = step.type === "UserToken" ? tokensFor(step) : undefined;
      // Of a named token the provider says that it does not exist.
      const isAny = isAdopted(step) ? step.news?.adopt === true : step.news?.replaceExisting === true;
      const isMissing = tokens !== undefined && isAny && liveTokens(tokens).length === 0;
      return isMissing ? { ...step, lacksObject: true } : step;
    });
    const warnings = found.flatMap((one) => one?.warning ?? []);
    return { ...outcome, steps, diagnostics: [...outcome.diagnostics, ...warnings] };
  });
}

/** The users whose seats and tokens the steps create, without those whom the run adds. */
function holdersIn(steps: readonly Step[], isListed: (userId: string) => boolean): Map<Step, string> {
  const users = new Map(steps.flatMap((step) => (step.type === "OrgUser" ? [[memberPath(step), step]] : [])));
  const found = new Map<Step, string>();
  for (const step of steps) {
    if ((step.type !== "UserToken" && step.type !== "SeatAssignment") || step.action !== "create") continue;
    const user = users.get(memberPath(step));
    const ids = [step.news?.userId, user?.id, user?.news?.adopt].filter((id) => typeof id === "string");
    const id = ids.find(isListed);
    if (id !== undefined) found.set(step, id);
  }
  return found;
}

/** Whether it adopts a token: the only one, or one by its id. */
function isAdopted(step: Step): boolean {
  return actionsOf(step, 0).includes("adoptToken");
}

function warningAbout(
  { stack, urn, type, action, news = {} }: Step,
  tokens: readonly ListedToken[],
  {
    userId,
    byEmail,
    now,
  }: {
    readonly userId: string | undefined;
    readonly byEmail: ReadonlyMap<string, ListedUser>;
    readonly now: number;
  },
) {
  const warn = (text: string, isRefused = true) => {
    const warning = { stack, urn, severity: "warning", text } as const;
    return { warning, isRefused };
  };
  const live = liveTokens(tokens);
  const left = live.filter(mayBeIssuedEarlier(datesIn(news), now));
  if (userId !== undefined && left.length > 0) return warn(undecidedToken(userId, left));
  if (userId !== undefined && live.length > 0) return warn(endangeredTokens(userId, live), false);
  const { email, adopt } = news;
  if (type !== "OrgUser" || action !== "create" || typeof email !== "string" || adopt) return undefined;
  const member = byEmail.get(email);
  return member && warn(memberAlready(member));
}

function undecidedToken(userId: string, left: readonly ListedToken[]): string {
  return `user ${userId} has a token that no state contains: ${describeTokens(left)}. The person or an interrupted run may have issued it, so \`orgseat up\` does not issue another one. If it is in use, run \`orgseat adopt\`, or set \`user_id\` and \`token: adopt\` in the row; if not, revoke it in the service.`;
}

function endangeredTokens(userId: string, live: readonly ListedToken[]): string {
  return `user ${userId} has a token that no state contains: ${describeTokens(live)}. The new token may end it, because the service may allow one token per user. If it is in use, adopt it instead: run \`orgseat adopt\`, or set \`adopt\` on the UserToken.`;
}

function memberAlready({ id, email }: ListedUser): string {
  return `${email} is already a member of the organization (user ${id}), so \`orgseat up\` cannot add this person. To adopt the membership, write ${id} into \`user_id\` of the row.`;
}

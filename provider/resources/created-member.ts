/**
 * Creates a user exactly once, where users can be listed: the list from before and the journal tell which user a lost
 * response or an ended run created.
 */
import type { ListedUser } from "../api/anaconda-schemas.ts";
import { ApiError } from "../api/errors.ts";
import type { User } from "../api/schemas.ts";
import { isRefused, MOST_ATTEMPTS, mayHaveSucceeded, RETRY_PAUSE_MS, withNextStep } from "./failures.ts";
import type { Attempt, CreationSubject, RecordedAttempt } from "./journal.ts";
import { describeUsers, type Identity, type MemberList, usersLike } from "./member-list.ts";
import { isOwned } from "./ownership.ts";
import { freshMembers, sharedMembers } from "./presence.ts";
import type { CallContext, OrganizationAccess, PlanContext } from "./resource.ts";

type NewMember = OrganizationAccess & Identity;

/** One creation: who, what sends it, and its subject in the journal. */
interface Creation {
  readonly news: NewMember;
  readonly who: string;
  readonly context: CallContext;
  readonly subject: CreationSubject;
  readonly send: () => Promise<User>;
}

/** The subject of a user in the journal: a person by email, a managed user by names. */
export function userSubjectOf({ organizationId, email, firstName, lastName }: NewMember): CreationSubject {
  const key = email?.toLowerCase() ?? JSON.stringify([firstName ?? null, lastName ?? null]);
  return { kind: "user", organizationId, key };
}

/** The state has the user: what earlier runs recorded about its creation is settled. */
export function settleUser(context: PlanContext, organizationId: string, userId: string): void {
  context.creations.settle(organizationId, userId);
  if (context.can.canListUsers) context.journal.settle("user", organizationId, userId);
}

/**
 * Creates a user, or takes the one that an earlier run created and no state has.
 * @throws Error where the person is a member already, or several users may be the created one
 */
export function createMember(
  news: NewMember,
  who: string,
  context: CallContext,
  send: () => Promise<User>,
): Promise<User> {
  const subject = userSubjectOf(news);
  // Managed users of the same names differ only in when they appear on the list.
  return context.runExclusive(`create ${subject.organizationId} ${subject.key}`, () =>
    createNext({ news, who, context, subject, send }),
  );
}

async function createNext(creation: Creation): Promise<User> {
  const { news, who, context, subject } = creation;
  const list = await sharedMembers(news, context);
  const earlier = context.journal.earlier(subject);
  const taken = earlier && takeEarlier(creation, earlier, list);
  if (taken) return userOf(taken);
  if (news.email !== undefined && usersLike(list, news).length > 0) {
    // The list may be older than a removal of this run.
    const [member] = usersLike(await freshMembers(news, context), news);
    if (member) throw alreadyMember(creation, member);
  }
  const before = new Set([...usersLike(list, news).map(({ id }) => id), ...context.journal.created(subject)]);
  const recorded = context.journal.begin(subject, [...before]);
  for (let round = 1; ; round++) {
    const created = await attempt(creation, before, recorded, round);
    if (created) {
      recorded.succeeded(created.id);
      return created;
    }
    context.warn(
      `OrgUser ${who}: the response of the creation was lost, and nothing was created; orgseat sends it again.`,
    );
    await context.sleep(RETRY_PAUSE_MS);
  }
}

/** The user that an ended run created; undefined where it created none. */
function takeEarlier(creation: Creation, earlier: RecordedAttempt, list: MemberList): ListedUser | undefined {
  const { who, context } = creation;
  const answered = earlier.id === undefined ? undefined : list.byId.get(earlier.id);
  const created = answered ?? onlyNewcomer(creation, new Set(earlier.before), list);
  if (created === undefined) {
    earlier.close();
    return undefined;
  }
  earlier.take(created.id);
  context.warn(
    `OrgUser ${who}: an earlier run created user ${created.id} (recorded at ${earlier.time}) and could not write it into the state. orgseat takes it into the state; nothing was sent.`,
  );
  return created;
}

/** @returns undefined where the response was lost and nothing was created */
async function attempt(
  creation: Creation,
  before: ReadonlySet<string>,
  recorded: Attempt,
  round: number,
): Promise<User | undefined> {
  try {
    return await creation.send();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (mayHaveSucceeded(error)) {
      const created = onlyNewcomer(creation, before, await listAfter(creation, error));
      if (created || round < MOST_ATTEMPTS) return created && userOf(created);
      recorded.close();
      throw withNextStep(error, `${MOST_ATTEMPTS} attempts failed, and none added a user.`);
    }
    // Refused at once, it has created nothing; later, an attempt whose response was lost may have.
    if (round === 1) recorded.close();
    const member = await memberDespite(error, creation);
    if (member && round > 1) return userOf(member);
    recorded.close();
    throw member ? alreadyMember(creation, member, error) : error;
  }
}

/** The member with the email of a refused person, added since the list was read: by a lost attempt of this run, or not. */
async function memberDespite(refusal: ApiError, creation: Creation): Promise<ListedUser | undefined> {
  const { news } = creation;
  if (news.email === undefined || !(isRefused(refusal, 422) || isRefused(refusal, 409))) return undefined;
  return usersLike(await listAfter(creation, refusal), news)[0];
}

/** Where the list cannot be read either, the journal lets the next run settle the creation. */
async function listAfter({ news, who, context }: Creation, cause: ApiError): Promise<MemberList> {
  try {
    return await freshMembers(news, context);
  } catch (error) {
    if (!mayHaveSucceeded(cause)) throw cause;
    const reason = error instanceof Error ? error.message : String(error);
    throw withNextStep(
      cause,
      `${who} may have been added, and the list of users does not tell (${reason}). Run \`pulumi up\` again, which takes the user or adds it.`,
      "user-unknown",
    );
  }
}

/** @throws Error where several users may be the created one */
function onlyNewcomer(
  { news, who, context }: Creation,
  before: ReadonlySet<string>,
  list: MemberList,
): ListedUser | undefined {
  const candidates = usersLike(list, news).filter(
    ({ id }) => !before.has(id) && !isOwned(context, "OrgUser", id, news.organizationId),
  );
  if (candidates.length < 2) return candidates[0];
  throw new Error(
    `cannot tell which user is ${who}: the response of the creation was lost, and the organization has several new users of these names: ${describeUsers(candidates)}. To adopt one, set \`adopt: "<user id>"\` and \`onDelete: "remove"\` on this OrgUser, then run \`pulumi up\` again`,
  );
}

function alreadyMember({ news, who }: Creation, { id }: ListedUser, cause?: ApiError): Error {
  const refusal =
    cause ??
    new ApiError({
      code: "blocked",
      call: "add user",
      method: "POST",
      path: `/organizations/${news.organizationId}/users`,
      reason: `not sent: ${who} is on the list of users`,
    });
  return withNextStep(
    refusal,
    `${who} is a member of the organization already. If this OrgUser was renamed or moved in the program, use \`aliases\`. If another stack or resource manages ${who}, remove one of the two. To adopt the membership, set \`adopt: "${id}"\`.`,
    "user-exists",
  );
}

function userOf({ id, email, first_name, last_name }: ListedUser): User {
  return { id, email, first_name, last_name };
}

/**
 * `orgseat offboard`: somebody has to be out tonight. Call 9 goes out at once, whoever holds the stacks; then calls 10
 * and 11 follow as a run, which waits for its turn. Later runs leave the person out, whatever the roster still says.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type Revocation, revokeTokens } from "../../provider/revoke.ts";
import { isSettled, type MemberResult } from "./member-results.ts";
import { type Organization, withoutPeople } from "./organization.ts";
import type { Step } from "./plan/steps.ts";
import { moveMembers } from "./reshard.ts";
import {
  describeUnverifiedLeavers,
  type FormerMember,
  formerMembersAmong,
  resolveMembers,
  unknownAmong,
} from "./resolve-members.ts";
import { removePeople } from "./roster/edit.ts";
import { addLeavers, readLeavers } from "./roster/leavers.ts";
import { readText } from "./roster/text-file.ts";
import { auditVariables } from "./run.ts";
import { placePeople, ShardMismatch } from "./shards.ts";
import { managedMembers, type StateMember } from "./stack-state.ts";
import { type UpOptions, type UpResult, upTo } from "./up.ts";

export interface OffboardOptions extends UpOptions {
  /** How long to wait for the stacks, in milliseconds. Default: ten minutes. */
  readonly lockTimeoutMs?: number | undefined;
  /** Who asks for it, noted in the leaver list. Default: nobody. */
  readonly by?: string | undefined;
  /** Is waited for before the first request, with the emails or purposes; whatever it throws leaves everything as it is. */
  readonly beforeRevoke?: ((who: readonly string[]) => Promise<void>) | undefined;
  /** Hears of the revocations as soon as they are answered. */
  readonly onRevoked?: ((revocations: readonly Revoked[]) => void) | undefined;
}

/** What became of one person's token. */
export type Revoked = Revocation & { readonly who: string };

export interface OffboardResult extends UpResult {
  readonly revoked: readonly Revoked[];
  /** Names that nobody has; everybody else was put out. */
  readonly unknown: readonly string[];
  /** Of these names, those on the leaver list of whom nothing shows that they were removed. */
  readonly unverified: readonly FormerMember[];
  /** Whom an earlier run has removed: no stack has them, and nothing was done. */
  readonly alreadyRemoved: readonly FormerMember[];
  /** The edit of the roster that is left to do, as a diff; empty where the person does not stand in it. */
  readonly edit: string;
}

const LOCK_TIMEOUT_MS = 600_000;
const RETRY_MS = 2000;

export async function offboardPeople(
  organization: Organization,
  names: readonly string[],
  options: OffboardOptions,
): Promise<OffboardResult> {
  const managed = await managedMembers(organization);
  const missing = unknownAmong(names, managed);
  const former = await formerMembersAmong(missing, organization);
  const alreadyRemoved = former.filter(({ isRemoved }) => isRemoved);
  const unverified = former.filter(({ isRemoved }) => !isRemoved);
  const unknown = missing.filter((name) => !alreadyRemoved.some(({ who }) => who === name));
  const meant = names.filter((name) => !missing.includes(name));
  // Tonight a misspelt name holds up nobody else; with no name left it is an error.
  const isNobodyLeft = meant.length === 0 && alreadyRemoved.length === 0;
  if (isNobodyLeft && unverified.length === names.length)
    throw new Error(describeUnverifiedLeavers(unverified));
  const people = resolveMembers(isNobodyLeft ? names : meant, managed, "the state of any stack");
  refuseProtected(organization, people);
  if (people.length > 0) await options.beforeRevoke?.(people.map(({ label }) => label));
  const revoked = people.length === 0 ? [] : await revoke(organization, people);
  if (revoked.length > 0) options.onRevoked?.(revoked);
  const { result, edit } = await removeAccess(organization, people, revoked, options).catch(
    (error: unknown) => {
      throw revoked.length === 0 ? error : incompleteError(error, revoked);
    },
  );
  const isOut = revoked.every(({ outcome }) => outcome !== "failed");
  // Whoever was not there may be there under another user id, with everything.
  const isFound = result.applied?.results.every(({ status }) => status !== "already-gone") ?? true;
  const isAll = isOut && isFound && unknown.length === 0;
  const status = isAll ? result.status : "failed";
  return {
    ...result,
    status,
    revoked,
    unknown,
    unverified: unverified,
    alreadyRemoved: alreadyRemoved,
    edit,
  };
}

/** What follows the revocations: the leaver list, and the run that takes seats and memberships away. */
async function removeAccess(
  organization: Organization,
  people: readonly StateMember[],
  revoked: readonly Revoked[],
  options: OffboardOptions,
): Promise<{ readonly result: UpResult; readonly edit: string }> {
  const { leaversFile, file, roster, now } = organization;
  await addLeavers(
    leaversFile,
    people.map(({ key, email, userId }) => ({
      ...{ key, email, userId, leftAt: new Date(now()).toISOString(), by: options.by },
    })),
  );
  const keys = new Set(people.map(({ key }) => key));
  const listed = roster.people.filter(({ key }) => keys.has(key)).map(({ key }) => key);
  const edit = listed.length === 0 ? "" : removePeople(await readText(file), roster.file, listed).diff;
  const without = { ...organization, leavers: await readLeavers(leaversFile) };
  const revokedTokens = new Set(
    revoked.filter(({ outcome }) => outcome === "revoked").map(({ userId }) => userId),
  );
  return { edit, result: await runWhenUnlocked(without, { keys, revokedTokens }, options) };
}

/** The error says what was written before it. */
function incompleteError(error: unknown, revoked: readonly Revoked[]): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const named = (isRevoked: boolean): string =>
    revoked
      .filter(({ outcome }) => (outcome !== "failed") === isRevoked)
      .map(({ who }) => who)
      .join(", ");
  const done = [
    ...(named(true) === "" ? [] : [`token revoked: ${named(true)}`]),
    ...(named(false) === "" ? [] : [`token not revoked: ${named(false)}`]),
  ].join("; ");
  return new Error(
    `cannot remove seats and memberships: ${reason.replace(/\.$/, "")}. Done so far: ${done}. Fix the error and run the same command again`,
    { cause: error },
  );
}

/** Protection is taken away first, in a change that somebody reads. */
function refuseProtected({ roster, protect }: Organization, people: readonly StateMember[]): void {
  const names = new Set([
    ...protect.map((name) => name.toLowerCase()),
    ...roster.people.filter((person) => person.protected).map(({ key }) => key.toLowerCase()),
  ]);
  const hit = people.filter(
    ({ key, label, user }) =>
      user?.isProtected || names.has(key.toLowerCase()) || names.has(label.toLowerCase()),
  );
  if (hit.length === 0) return;
  const who = hit.map(({ label }) => label).join(", ");
  throw new Error(
    `cannot offboard ${who}: protected. No changes were made. Remove the protection in ${roster.file} first`,
  );
}

async function revoke(
  { configuration, environment, roster, run, auditFile }: Organization,
  people: readonly StateMember[],
): Promise<Revoked[]> {
  const { organizationId } = roster;
  const answers = await revokeTokens(
    {
      config: (key) => configuration.config.get(key),
      environment: { ...environment, ...auditVariables(run, auditFile) },
    },
    people.map(({ userId }) => ({ organizationId, userId })),
  );
  return answers.map((answer, index) => ({ ...answer, who: people[index]?.label ?? answer.userId }));
}

/** Who is put out. */
interface Targets {
  readonly keys: ReadonlySet<string>;
  /** User ids. */
  readonly revokedTokens: ReadonlySet<string>;
}

/** Tries again as long as another run holds a stack of theirs. */
async function runWhenUnlocked(
  organization: Organization,
  whom: Targets,
  options: OffboardOptions,
): Promise<UpResult> {
  const until = organization.now() + (options.lockTimeoutMs ?? LOCK_TIMEOUT_MS);
  let before: UpResult | undefined;
  for (;;) {
    // A program of one's own still declares them; of what nobody declares, only theirs is taken away.
    const last = await upOfKeys(
      organization.program ? withoutPeople(organization) : organization,
      whom,
      options,
    );
    const result = before === undefined ? last : mergeResults(before, last);
    const isLocked = last.applied?.locked === true;
    if (!isLocked || options.signal?.aborted || organization.now() + RETRY_MS > until) return result;
    before = result;
    await pause(RETRY_MS, undefined, { signal: options.signal }).catch(() => undefined);
  }
}

async function upOfKeys(
  organization: Organization,
  { keys, revokedTokens }: Targets,
  options: UpOptions,
): Promise<UpResult> {
  const choice = {
    // The people were named, and their tokens are revoked: whose list it is does not matter any more.
    ...{ roster: false, ownership: false, namedOneByOne: true, revokedTokens },
    part: (step: Step) => keys.has(step.member) && step.action === "delete",
  };
  try {
    return await upTo(organization, options, choice);
  } catch (error) {
    if (!(error instanceof ShardMismatch)) throw error;
    // Nobody waits for the `up` that moves people to other stacks.
    await dropCopies(organization, keys);
    return upTo((await placePeople(organization)).organization, options, choice);
  }
}

/** Whoever is in two states, because a move was interrupted, loses seat and membership once: what is left is in one. */
async function dropCopies(organization: Organization, keys: ReadonlySet<string>): Promise<void> {
  const { places = new Map() } = (await placePeople(organization)).organization;
  const copies = [...keys].flatMap((key) => {
    const [to, ...others]: readonly string[] = places.get(key) ?? [];
    return to === undefined ? [] : others.map((from) => ({ key, from, to }));
  });
  // Where another run holds one of them the copy stays, and is left to the next run: what it names is gone by then.
  if (copies.length > 0) await moveMembers(organization, copies).catch(() => undefined);
}

/** What became of people whose stacks an earlier try has run is not in the result of the last one. */
function mergeResults(before: UpResult, last: UpResult): UpResult {
  const earlier = before.applied?.results.filter(isSettled) ?? [];
  const applied =
    last.applied ?? (before.applied && { ...before.applied, results: [], failures: [], locked: false });
  if (applied === undefined || earlier.length === 0) return last;
  const nameOf = ({ stack, key, who }: MemberResult): string => `${stack} ${key} ${who}`;
  const now = new Set(applied.results.map(nameOf));
  const verdicts = [...applied.results, ...earlier.filter((one) => !now.has(nameOf(one)))];
  return { ...last, applied: { ...applied, results: verdicts } };
}

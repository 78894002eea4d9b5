/**
 * Creations of machine users whose end is unknown. Nothing in the service reports such a user from others of the same names,
 * so a stack tag is set before a creation is sent, gets the user id after the answer, and is removed when the service
 * refuses. The next run, on any machine, finds it.
 */

import { z } from "zod";
import { removedUsers } from "../api/schemas/audit-lines.ts";
import type { CreationAttempt, Creations, EarlierCreation, MachineUser } from "../resources/creations.ts";
import { CodedError, codeOf, InternalError } from "../util/error-codes.ts";
import { take } from "../util/lists.ts";
import { THEN_RUN_AGAIN } from "../util/text.ts";
import { type AuditedUser, auditedIn, joinLog, type LoggedTag } from "./audited.ts";
import type { StackStore } from "./stack-store.ts";
import {
  type CreationTag,
  closeTag,
  creationTagsIn,
  hashOf,
  isCut,
  isMarked,
  marksOf,
  newTagName,
  tagValue,
} from "./tags.ts";

/** Before a creation. Each is a command of Pulumi, which takes seconds on a slow backend. */
const MOST_REMOVALS = 20;

interface Options {
  readonly store: StackStore;
  readonly auditFile: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What ended runs left in a stack, as this process found it first. A creation that takes one removes it here. */
interface Left {
  readonly tags: LoggedTag[];
  /** Tags of users whom the state has, or a run has removed, for later runs to remove. */
  readonly settled: CreationTag[];
  readonly lost: AuditedUser[];
  /** Decided to have made no user. */
  readonly closed: CreationTag[];
  /** The users of the state, and those of other creations. */
  readonly known: ReadonlySet<string | undefined>;
}

export class UnfinishedCreations implements Creations {
  readonly #options: Options;
  readonly #left = new Map<string, Promise<Left>>();
  /** Tags that this process wrote, by user. */
  readonly #own = new Map<string, string>();

  constructor(options: Options) {
    this.#options = options;
  }

  async begin(
    user: MachineUser,
    isOwned: (userId: string) => boolean,
    before: readonly string[] = [],
  ): Promise<EarlierCreation | CreationAttempt> {
    const stack = stackOf(user);
    const hash = hashOf(user);
    const left = await this.#leftIn(stack);
    const tag = take(left.tags, (one) => one.hash === hash && !(one.userId && isOwned(one.userId)));
    if (tag) return this.#earlier(stack, tag, left);
    const lost = take(left.lost, (one) => one.hash === hash && !isOwned(one.userId));
    return lost ? auditedCreation(stack, lost) : this.#attempt(stack, hash, before, left);
  }

  async decide(user: MachineUser, userId: string): Promise<string | undefined> {
    const { stack } = user;
    if (stack === undefined) return undefined;
    const left = await this.#leftIn(stack);
    const hash = hashOf(user);
    const isIts = ({ userId: id, loggedId }: LoggedTag): boolean => (id ?? loggedId) === userId;
    const mayBeIts = ({ hash: ofNames, userId: id, loggedId, before }: LoggedTag): boolean =>
      ofNames === hash && (id ?? loggedId) === undefined && !isMarked(userId, before);
    const tag = take(left.tags, isIts) ?? take(left.tags, mayBeIts);
    if (tag) await this.#remove(stack, tag.name);
    take(left.lost, (one) => one.userId === userId);
    return tag !== undefined && !isIts(tag) ? tag.time : undefined;
  }

  async forget(user: MachineUser, userId: string, isReleased: boolean): Promise<void> {
    const { stack } = user;
    if (stack === undefined) return;
    const { store, auditFile, now } = this.#options;
    const name = this.#own.get(userId) ?? (await this.#leftTagOf(stack, userId))?.name;
    // The audit log shows a retained user as added and not removed.
    const isAudited =
      isReleased && auditFile && auditedIn(auditFile, stack).some((one) => one.userId === userId);
    if (isAudited) {
      const value = tagValue({ time: new Date(now()).toISOString(), userId, isClosed: true });
      await store.setTag(stack, name ?? newTagName(hashOf(user)), value);
    } else if (name !== undefined) await this.#remove(stack, name);
  }

  #earlier(stack: string, tag: LoggedTag, { known }: Left): EarlierCreation {
    const { name, time, userId, loggedId, before } = tag;
    return {
      ...{ kind: "earlier", time, userId, loggedId, isAudited: false },
      isUnchecked: this.#options.auditFile === undefined,
      discard: discardOf(stack, { name, time, userId: userId ?? loggedId }),
      mayBe: (id) => !known.has(id) && !isMarked(id, before),
      mayBeOlder: isCut(before),
      take: async (id) => {
        if (userId === undefined) await this.#setUser(stack, name, time, id);
        this.#own.set(id, name);
      },
      drop: () => this.#remove(stack, name),
    };
  }

  async #attempt(
    stack: string,
    hash: string,
    before: readonly string[],
    { closed }: Left,
  ): Promise<CreationAttempt> {
    const { store, now } = this.#options;
    const name = take(closed, (one) => one.hash === hash)?.name ?? newTagName(hash);
    const time = new Date(now()).toISOString();
    await translate(
      `cannot record the creation of a machine user as a tag of stack ${stack}`,
      () => store.setTag(stack, name, tagValue({ time, before: marksOf(before) })),
      `. orgseat creates no machine user that it cannot record. Allow \`pulumi stack tag set\` on this backend, ${THEN_RUN_AGAIN}`,
    );
    return {
      kind: "begun",
      succeeded: async (userId) => {
        await this.#setUser(stack, name, time, userId);
        this.#own.set(userId, name);
      },
      refused: () => this.#remove(stack, name),
    };
  }

  #setUser(stack: string, name: string, time: string, userId: string): Promise<void> {
    return translate(`cannot record that user ${userId} was created as a tag of stack ${stack}`, () =>
      this.#options.store.setTag(stack, name, tagValue({ time, userId })),
    );
  }

  async #leftTagOf(stack: string, userId: string): Promise<CreationTag | undefined> {
    const { tags, settled } = await this.#leftIn(stack);
    const isOfUser = (one: CreationTag): boolean => one.userId === userId;
    return take(tags, isOfUser) ?? take(settled, isOfUser);
  }

  #leftIn(stack: string): Promise<Left> {
    // Resources of one stack can name it with and without its organization.
    const key = stack.split("/").at(-1) ?? stack;
    const found = this.#left.get(key) ?? this.#read(stack);
    this.#left.set(key, found);
    found.catch(() => this.#left.delete(key));
    return found;
  }

  /** Removes tags of users whom the state has by now, or whom a run has removed. */
  async #read(stack: string): Promise<Left> {
    const { store, auditFile } = this.#options;
    return translate(`cannot read the tags of stack ${stack}`, async () => {
      const all = creationTagsIn(await store.tags(stack));
      const audited = auditFile === undefined ? [] : auditedIn(auditFile, stack);
      const isAny = audited.length > 0 || all.some(({ isClosed }) => !isClosed);
      const ids = isAny ? await store.userIdsIn(stack) : new Set<string>();
      const over = auditFile === undefined ? ids : ids.union(removedUsers(auditFile));
      const settled = all.filter(({ userId, isClosed }) => userId && !isClosed && over.has(userId));
      const kept = settled.slice(MOST_REMOVALS);
      for (const tag of settled.slice(0, MOST_REMOVALS))
        await this.#remove(stack, tag.name).catch(() => kept.push(tag));
      const recorded = new Set(all.map(({ userId }) => userId));
      return {
        ...joinLog(
          all.filter((tag) => !tag.isClosed && !settled.includes(tag)),
          audited.filter(({ userId }) => !ids.has(userId) && !recorded.has(userId)),
        ),
        settled: kept,
        closed: all.filter(({ isClosed, userId }) => isClosed && userId === undefined),
        known: recorded.union(ids),
      };
    });
  }

  #remove(stack: string, name: string): Promise<void> {
    const { store, now } = this.#options;
    return closeTag(store, stack, { name, time: new Date(now()).toISOString() });
  }
}

/** The command that says that a creation made no user: some releases of Pulumi cannot remove the last tag of a stack. */
function discardOf(
  stack: string,
  { name, time, userId }: Pick<CreationTag, "name" | "time" | "userId">,
): string {
  const closed = tagValue({ time, userId, isClosed: true });
  return `pulumi stack tag set ${name} '${closed}' --stack ${stack}`;
}

/** The audit log outlives a restored state. */
function auditedCreation(stack: string, { hash, time, userId }: AuditedUser): EarlierCreation {
  const discard = discardOf(stack, { name: newTagName(hash), time, userId });
  const nothing = async (): Promise<void> => undefined;
  return {
    ...{ kind: "earlier", time, userId, loggedId: undefined, isAudited: true, isUnchecked: false, discard },
    ...{ mayBe: (id) => id === userId, mayBeOlder: false, take: nothing, drop: nothing },
  };
}

function stackOf({ stack }: MachineUser): string {
  if (stack !== undefined) return stack;
  throw new InternalError("cannot record the creation of a machine user: the resource names no stack");
}

async function translate<T>(cannot: string, work: () => Promise<T>, advice = ""): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason =
      error instanceof z.ZodError ? "the output of pulumi has an unexpected form" : String(error);
    throw new CodedError(
      codeOf(error) ?? "pulumi-failed",
      `${cannot}: ${reason.replace(/^Error: /, "").replace(/\.$/, "")}${advice}`,
    );
  }
}

/** Records creations outside the time limit of a method: each record is a command of Pulumi, which can take seconds. */
export function untimed(
  creations: Creations,
  operation: { deadline: number },
  elapsed: () => number,
): Creations {
  const pause = async <T>(work: () => Promise<T>): Promise<T> => {
    const since = elapsed();
    try {
      return await work();
    } finally {
      operation.deadline += elapsed() - since;
    }
  };
  return {
    begin: (user, isOwned, before) =>
      pause(async () => {
        const begun = await creations.begin(user, isOwned, before);
        return begun.kind === "begun" ? begun : { ...begun, drop: () => pause(begun.drop) };
      }),
    decide: (user, userId) => pause(() => creations.decide(user, userId)),
    forget: (user, userId, isReleased) => pause(() => creations.forget(user, userId, isReleased)),
  };
}

/** The tags of a stack that record creations of machine users: their names and values. A value has at most 256 characters. */

import { createHash, randomInt } from "node:crypto";
import { z } from "zod";
import { namesHash } from "../api/schemas/user-names.ts";
import type { MachineUser } from "../resources/creations.ts";
import { CodedError } from "../util/error-codes.ts";
import { parseJson } from "../util/json.ts";
import type { StackStore } from "./stack-store.ts";

const PREFIX = "orgseat:m:";

const valueSchema = z.object({
  /** When the creation was sent, a timestamp. */
  t: z.string(),
  /** The user that the service answered, or that a decision named. */
  u: z.string().optional(),
  /** Decided: this creation made no user, or this user is not the wanted one. */
  closed: z.literal(true).optional(),
  /** Marks of the users of these names that were there before. */
  b: z.string().optional(),
});
type Value = z.output<typeof valueSchema>;

export interface CreationTag {
  readonly name: string;
  /** Of organization and names. */
  readonly hash: string;
  readonly time: string;
  readonly userId: string | undefined;
  readonly isClosed: boolean;
  /** The marks of users of these names that were there before: see `marksOf`. */
  readonly before: string;
}

export function hashOf({ organizationId, purpose, firstName, lastName }: MachineUser): string {
  return namesHash(organizationId, purpose ?? firstName, lastName);
}

/** The name of a new tag: 40 characters. Two machine users can have the same names. */
export function newTagName(hash: string): string {
  return `${PREFIX}${hash}:${randomInt(36 ** 5)
    .toString(36)
    .padStart(5, "0")}`;
}

export function tagValue({
  time,
  userId,
  isClosed = false,
  before = "",
}: Pick<CreationTag, "time"> & Partial<Pick<CreationTag, "userId" | "isClosed" | "before">>): string {
  const value: Value = {
    t: time,
    ...(userId !== undefined && { u: userId }),
    ...(isClosed && { closed: true }),
    // Beside a known user, they would exceed the length of a value, and nothing reads them.
    ...(before !== "" && userId === undefined && { b: before }),
  };
  return JSON.stringify(value);
}

const MARK_LENGTH = 8;
const MOST_MARKS = 24;

/** Short marks of users, as many as a tag can hold: see `isCut`. */
export function marksOf(userIds: readonly string[]): string {
  const marks = userIds.map((id) => createHash("sha256").update(id).digest("hex").slice(0, MARK_LENGTH));
  return marks.slice(0, MOST_MARKS).join("");
}

/** @param marks by `marksOf` */
export function isMarked(userId: string, marks: string): boolean {
  const own = marksOf([userId]);
  return marks.match(new RegExp(`.{${MARK_LENGTH}}`, "g"))?.includes(own) ?? false;
}

/** Whether there may have been more users than those with a mark. */
export function isCut(marks: string): boolean {
  return marks.length >= MOST_MARKS * MARK_LENGTH;
}

/** The tags of creations, those with a user first, then by age. @throws if one cannot be read */
export function creationTagsIn(tags: Iterable<readonly [name: string, value: string]>): CreationTag[] {
  return [...tags]
    .filter(([name]) => name.startsWith(PREFIX))
    .map(([name, text]) => {
      const { data } = valueSchema.safeParse(parseJson(text));
      if (data === undefined)
        throw new CodedError(
          "machine-user-undecided",
          `cannot read the stack tag ${name}, the record of an earlier creation of a machine user. Check in the service whether that user exists, then remove the tag`,
        );
      const hash = name.slice(PREFIX.length).split(":", 1)[0] ?? "";
      return {
        name,
        hash,
        time: data.t,
        userId: data.u,
        isClosed: data.closed === true,
        before: data.b ?? "",
      };
    })
    .toSorted(compareTags);
}

/** The order in which creations take tags: those with a user first, then by age. */
export function compareTags(a: CreationTag, b: CreationTag): number {
  return Number(!a.userId) - Number(!b.userId) || (a.time < b.time ? -1 : 1);
}

/** Removes the tag. Some releases of Pulumi cannot remove the last tag of a stack: a closed one says the same. */
export async function closeTag(
  store: StackStore,
  stack: string,
  { name, time }: Pick<CreationTag, "name" | "time">,
): Promise<void> {
  await store
    .removeTag(stack, name)
    .catch(() => store.setTag(stack, name, tagValue({ time, isClosed: true })));
}

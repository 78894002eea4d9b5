/** The people whose access ends automatically (`access_until`): soon, or before the program ever added them. */

import { accessAt } from "../../provider/resources/org-user/access-end.ts";
import { shortInstant } from "../../provider/util/instants.ts";
import { hasAccessEnded, labelOf, type RosterPerson } from "../roster/roster.ts";

/** Someone with an `access_until` whom the plan does not remove for it. */
export interface AccessEnd {
  readonly key: string;
  /** The email or the purpose. */
  readonly who: string;
  /** A timestamp in UTC. */
  readonly accessUntil: string;
  /** `endsSoon`: within 14 days. `ended`: in no state, so no run adds the person. */
  readonly status: "endsSoon" | "ended";
}

/** Whether the access of all people has ended. @param now milliseconds since 1970 */
export function isEndedForAll(people: readonly RosterPerson[], now: number): boolean {
  return people.length > 0 && people.every((person) => hasAccessEnded(person, now));
}

/**
 * @param people of the roster @param isInState whether a state has a person, by key
 * @param now milliseconds since 1970
 */
export function accessEndsIn(
  people: readonly RosterPerson[],
  isInState: (key: string) => boolean,
  now: number,
): AccessEnd[] {
  return people.flatMap((person) => {
    const { key, accessUntil } = person;
    const status = accessAt(accessUntil, now);
    if (accessUntil === undefined || status === "open") return [];
    if (status === "ended" && isInState(key)) return [];
    return { key, who: labelOf(person), accessUntil, status };
  });
}

/** One block each for the people whose access ends soon, and for those whose access has ended. */
export function describeAccessEnds(
  ends: readonly AccessEnd[],
): { readonly title: string; readonly people: readonly string[] }[] {
  const of = (wanted: AccessEnd["status"]): string[] =>
    ends
      .filter(({ status }) => status === wanted)
      .toSorted((a, b) => (a.accessUntil < b.accessUntil ? -1 : Number(a.accessUntil > b.accessUntil)))
      .map(({ who, accessUntil }) => `${who} (${shortInstant(accessUntil)})`);
  return [
    { title: "Access ends within 14 days (access_until)", people: of("endsSoon") },
    { title: "Not added, because access has ended (access_until)", people: of("ended") },
  ].filter(({ people }) => people.length > 0);
}

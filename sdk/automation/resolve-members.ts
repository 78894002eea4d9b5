/** From what a person types to whom it means: an email or a key, in any letter case. */

import { nearest } from "../../provider/util/nearest.ts";
import type { Member } from "./plan/members.ts";

type Named = Pick<Member, "key" | "label">;

/** @param where those who are known stand @throws where a name fits nobody, naming the nearest, or several people */
export function resolveMembers<Known extends Named>(
  names: readonly string[],
  known: readonly Known[],
  where: string,
): Known[] {
  requireKnown(names, known, where);
  const found = names.map((name) => {
    const byKey = known.find(({ key }) => key === name);
    return { name, fitting: byKey === undefined ? known.filter((one) => isNamed(one, name)) : [byKey] };
  });
  const unclear = found.filter(({ fitting }) => new Set(fitting.map(({ key }) => key)).size > 1);
  if (unclear.length > 0) {
    throw new Error(
      unclear
        .map(
          ({ name, fitting }) =>
            `${name} is ambiguous (${fitting.map(({ key }) => key).join(", ")}). Use a key`,
        )
        .join("\n"),
    );
  }
  return [...new Set(found.flatMap(({ fitting }) => fitting.slice(0, 1)))];
}

/** @throws where a name fits nobody, naming the nearest */
export function requireKnown(names: readonly string[], known: readonly Named[], where: string): void {
  const unknown = unknownAmong(names, known);
  if (unknown.length === 0) return;
  const all = [...namesOf(known)];
  throw new Error(unknown.map((name) => sentence(name, all, where)).join("\n"));
}

/** The names that fit nobody. */
export function unknownAmong(names: readonly string[], known: readonly Named[]): string[] {
  const all = namesOf(known);
  return names.filter((name) => !all.has(name.toLowerCase()));
}

function namesOf(known: readonly Named[]): Set<string> {
  return new Set(known.flatMap(({ key, label }) => [key.toLowerCase(), label.toLowerCase()]));
}

function isNamed({ key, label }: Named, name: string): boolean {
  return [key, label].some((one) => one.toLowerCase() === name.toLowerCase());
}

function sentence(name: string, known: readonly string[], where: string): string {
  const meant = nearest(name.toLowerCase(), known);
  return `${name} is not in ${where}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

/** From what a person types to whom it means: an email or a key, in any letter case. */
import { nearest } from "../../provider/resources/nearest.ts";

interface Named {
  readonly key: string;
  /** The email or the purpose. */
  readonly label: string;
}

/** @throws where somebody is meant whom nobody knows, naming the nearest. @param where those who are known stand */
export function findAll<Known extends Named>(
  names: readonly string[],
  known: readonly Known[],
  where: string,
): Known[] {
  const byName = new Map<string, Known>();
  for (const one of known) {
    byName.set(one.label.toLowerCase(), one);
    byName.set(one.key.toLowerCase(), one);
  }
  const unknown = names.filter((name) => !byName.has(name.toLowerCase()));
  if (unknown.length > 0) {
    throw new Error(unknown.map((name) => sentence(name, [...byName.keys()], where)).join("\n"));
  }
  return [...new Set(names.flatMap((name) => byName.get(name.toLowerCase()) ?? []))];
}

function sentence(name: string, known: readonly string[], where: string): string {
  const meant = nearest(name.toLowerCase(), known);
  return `${name} is not in ${where}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

/** Messages about people: what several people share is shown once, with their names. */
import { type PlannedMember, withNames } from "../members.ts";

export interface Warning {
  /** If it is about several people, with other words for what differs. */
  readonly text: string;
  /** The emails or purposes of the people that it is about, in the order of the plan. */
  readonly people: readonly string[];
}

/** @param texts of warnings */
export function warningsIn(texts: readonly string[], members: readonly PlannedMember[]): Warning[] {
  const ranks = new Map(
    members.flatMap(({ userId, label }, rank) => [[userId ?? label, rank] as const, [label, rank] as const]),
  );
  const found = texts
    .map((one) => {
      const text = withNames(one, members);
      const [rank = -1] = idsAndEmailsIn(text).flatMap((name) => ranks.get(name) ?? []);
      return { text, who: members[rank]?.label, rank };
    })
    .toSorted((a, b) => a.rank - b.rank);
  return byCause(found).map(({ text, all }) => ({
    text,
    people: [...new Set(all.flatMap(({ who }) => who ?? []))],
  }));
}

/** The provider knows a resource by its user id alone, so the text has to say whom it is about. */
function idsAndEmailsIn(text: string): string[] {
  return [...text.matchAll(/\buser ([\w-]+)|([^\s:;,()`"']+@[\w.-]*\w)/g)].map(
    ([, id, email]) => id ?? email ?? "",
  );
}

/**
 * Groups messages that differ in the person alone.
 * @returns groups in the order of their first message; the text of several people has other words for them
 */
export function byCause<
  One extends { readonly text?: string | undefined; readonly who?: string | undefined },
>(messages: readonly One[]): { readonly text: string; readonly all: readonly One[] }[] {
  const groups = Map.groupBy(messages, ({ text = "", who }) => withoutPerson(text, who));
  return [...groups].map(([cause, all]) => {
    const texts = new Set(all.map(({ text }) => text));
    return { text: texts.size === 1 ? (all[0]?.text ?? "") : cause, all };
  });
}

/** In place of a name in a text that several people share; their names are beside it. */
const SOMEONE = "the person";
const OWN_ID = new RegExp(`${SOMEONE} \\(user [\\w-]+\\)`, "g");

/** The reader writes the id into this field. */
const ASKS_ID = "`user_id`";

function withoutPerson(text: string, who: string | undefined): string {
  if (who === undefined || who === "" || text.includes(ASKS_ID)) return text;
  return text
    .replaceAll(who, SOMEONE)
    .replace(OWN_ID, SOMEONE)
    .replace(/\buser [\da-f]{8}-[\w-]{27}/g, SOMEONE)
    .replace(/(?<=\/users\/)[\w-]+/g, "<user id>");
}

/** The people whom the text does not name. */
export function unnamedIn({ text, people }: Warning): readonly string[] {
  const [first] = people;
  return people.length === 1 && first !== undefined && text.includes(first) ? [] : people;
}

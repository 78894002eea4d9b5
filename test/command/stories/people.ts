/** The people of a story: `ada access_until=2026-12-31, bob, p*12 rotate_every=30d; seats=5`. */
import { csvLine } from "../../../command/roster/write.ts";

export type Fields = Readonly<Record<string, string>>;

/** Words, where one in quotes may have spaces. */
export function wordsIn(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ""));
}

/** `name=value` each. */
export function fieldsIn(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=");
      if (at < 0) throw new Error(`not a field: ${word}`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

export function peopleIn(text: string): Fields[] {
  return text.split(/, */).flatMap((one) => {
    const [name = "", ...words] = wordsIn(one);
    const [, prefix, count] = /^(\w+)\*(\d+)$/.exec(name) ?? [];
    const keys =
      prefix === undefined ? [name] : Array.from({ length: Number(count) }, (_, i) => `${prefix}${i}`);
    const fields = fieldsIn(words);
    return keys
      .filter(Boolean)
      .map((key) => ({ key, ...(!("purpose" in fields) && { email: `${key}@acme.example` }), ...fields }));
  });
}

export function csvOf(people: readonly Fields[], header: Fields): string {
  const columns = [...new Set(["key", "email", ...people.flatMap((one) => Object.keys(one))])];
  const settings = Object.entries(header).map(([name, value]) => `# ${name}: ${value}`);
  const rows = people.map((one) => csvLine(columns.map((name) => one[name])));
  return `${[...settings, columns.join(","), ...rows].join("\n")}\n`;
}

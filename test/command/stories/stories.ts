/**
 * Stories: files of command lines with what the command prints and the service gets. A line without an indent is played, the
 * indented lines below it are what came of it. To accept other outputs, set ORGSEAT_TEST_WRITE and review the difference.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Story {
  readonly title: string;
  /** How the organization differs from a usual one: `anaconda`, or the number of bought seats. */
  readonly setting: string;
  readonly lines: readonly string[];
  /** With what came of each line. */
  readonly text: string;
}

const HEAD = /^== (.+?)(?: \[(.*)\])?$/;
const isPlayed = (line: string): boolean => /^[^\s#]/.test(line);

const fileOf = (name: string): string => join(import.meta.dirname, `${name}.txt`);

/** The stories of a file; what stands above the first one is about all of them. */
export function storiesIn(name: string): Story[] {
  const [, ...parts] = readFileSync(fileOf(name), "utf8").split(/^(?=== )/m);
  return parts.map((part) => {
    const [head = "", ...lines] = part.trimEnd().split("\n");
    const [, title, setting = ""] = HEAD.exec(head) ?? [];
    if (title === undefined) throw new Error(`no story begins with ${head}`);
    return { title, setting, lines: lines.filter(isPlayed), text: part.trimEnd() };
  });
}

/** The text of a story that was played. @param outcomes the lines that came of each played line, in order */
export function textOf({ text }: Story, outcomes: readonly (readonly string[])[]): string {
  const rest = [...outcomes];
  const kept = text.split("\n").filter((line) => !line.startsWith("  "));
  return kept
    .flatMap((line, index) => {
      const came = index > 0 && isPlayed(line) ? (rest.shift() ?? []) : [];
      return [line, ...came.map((one) => `  ${one}`.trimEnd())];
    })
    .join("\n");
}

/** Puts a story into its file as it was played. @throws so that no run passes by writing down what it gets */
export function rewrite(name: string, { text }: Story, played: string): void {
  if (text === played) return;
  writeFileSync(
    fileOf(name),
    readFileSync(fileOf(name), "utf8").replace(text, () => played),
  );
  throw new Error("the story was written anew: review it, and run it again");
}

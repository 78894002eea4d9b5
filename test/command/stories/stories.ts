/**
 * Stories: files of command lines with what the command prints and the service gets. A line without an indent is played, the
 * indented lines below it are what came of it. To accept other outputs, set ORGSEAT_TEST_WRITE and review the difference.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";

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

/** The stories of a file; what stands above the first one is about all of them. */
export function storiesIn(file: string): Story[] {
  const [, ...parts] = readFileSync(file, "utf8").split(/^(?=== )/m);
  return parts.map((part) => {
    const [head = "", ...lines] = part.trimEnd().split("\n");
    const [, title, setting = ""] = HEAD.exec(head) ?? [];
    if (title === undefined) throw new Error(`no story begins with ${head}`);
    return { title, setting, lines: lines.filter(isPlayed), text: part.trimEnd() };
  });
}

/** @param outcomes the lines that came of each played line, in order */
function textOf({ text }: Story, outcomes: readonly (readonly string[])[]): string {
  const rest = [...outcomes];
  const kept = text.split("\n").filter((line) => !line.startsWith("  "));
  return kept
    .flatMap((line, index) => {
      const came = index > 0 && isPlayed(line) ? (rest.shift() ?? []) : [];
      return [line, ...came.map((one) => `  ${one}`.trimEnd())];
    })
    .join("\n");
}

/** What plays the lines of one story. */
interface Player {
  /** @returns what came of a line */
  line(text: string): Promise<readonly string[]>;
}

/**
 * A test for each story of a file.
 * @param fits whether a story can be played here. Default: all
 */
export function testStories(
  file: string,
  playerOf: (story: Story) => Player | Promise<Player>,
  fits: (story: Story) => boolean = () => true,
): void {
  const titled = storiesIn(file).flatMap((story) => (fits(story) ? [[story.title, story] as const] : []));
  test.each(titled)("%s", async (_title, story) => {
    const player = await playerOf(story);
    const outcomes: (readonly string[])[] = [];
    for (const text of story.lines) outcomes.push(await player.line(text));
    const came = textOf(story, outcomes);
    expect(came).toBe(expected(file, story, came));
  });
}

/** What a story is to be; if outputs are to be accepted, its file gets the text. */
function expected(file: string, { text }: Story, came: string): string {
  if (process.env.ORGSEAT_TEST_WRITE)
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(text, () => came),
    );
  return text;
}

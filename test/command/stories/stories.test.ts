import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Play } from "./play.ts";
import { rewrite, storiesIn, textOf } from "./stories.ts";

const files = readdirSync(import.meta.dirname).flatMap((name) => /^(.*)\.txt$/.exec(name)?.[1] ?? []);

describe.each(files)("the stories of %s", (name) => {
  test.each(storiesIn(name))("$title", async (story) => {
    const play = await Play.of(story);
    const outcomes: (readonly string[])[] = [];
    for (const line of story.lines) outcomes.push(await play.line(line));
    const played = textOf(story, outcomes);
    if (process.env.ORGSEAT_TEST_WRITE) rewrite(name, story, played);
    expect(played).toBe(story.text);
  });
});

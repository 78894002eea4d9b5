import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { Play } from "./play.ts";
import { expected, played, storiesIn } from "./stories.ts";

const files = globSync(join(import.meta.dirname, "*.txt")).toSorted();

describe.each(files.map((file) => [basename(file, ".txt"), file]))("the stories of %s", (_name, file) => {
  test.each(storiesIn(file).map((story) => [story.title, story] as const))("%s", async (_title, story) => {
    const play = await Play.of(story);
    const came = await played(story, (line) => play.line(line));
    expect(came).toBe(expected(file, story, came));
  });
});

import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { describe } from "vitest";
import { Play } from "./play.ts";
import { testStories } from "./stories.ts";

const files = globSync(join(import.meta.dirname, "*.txt")).toSorted();

describe.each(files.map((file) => [basename(file, ".txt"), file]))("the stories of %s", (_name, file) => {
  testStories(file, (story) => Play.of(story));
});

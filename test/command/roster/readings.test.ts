import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { describe } from "vitest";
import { testStories } from "../stories/stories.ts";
import { Reading } from "./readings.ts";

const files = globSync(join(import.meta.dirname, "*.txt")).toSorted();

describe.each(files.map((file) => [basename(file, ".txt"), file]))("the readings of %s", (_name, file) => {
  testStories(file, (story) => new Reading(story));
});

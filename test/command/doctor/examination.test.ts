/** The report of `orgseat doctor` by what is wrong: reports.txt. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { expected, played, type Story, storiesIn } from "../stories/stories.ts";
import { Examination } from "./examination.ts";
import { rightPlace } from "./right-place.ts";

const file = join(import.meta.dirname, "reports.txt");
const stories = storiesIn(file);
const isRight = ({ setting }: Story): boolean => setting.startsWith("right");
/** The reports on right places. */
const usual = stories
  .filter(isRight)
  .flatMap(({ text }) => text.split("\n").flatMap((line) => /^ {2}(.*)/.exec(line)?.[1] ?? []));
/** A shell script stands in for the CLI. */
const isPossible = ({ lines }: Story): boolean =>
  process.platform !== "win32" || !lines.some((line) => line.startsWith("pulumi "));

const named = stories.filter(isPossible).map((story) => [story.title, story] as const);

test.each(named)("%s", async (_title, story) => {
  const place = await rightPlace(story.setting.endsWith("anaconda") ? "anaconda" : undefined);
  const examination = new Examination(place, isRight(story) ? [] : usual);
  const came = await played(story, (line) => examination.line(line));
  expect(came).toBe(expected(file, story, came));
});

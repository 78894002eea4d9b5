/** The report of `orgseat doctor` by what is wrong: reports.txt. */
import { join } from "node:path";
import { type Story, storiesIn, testStories } from "../stories/stories.ts";
import { Examination } from "./examination.ts";
import { rightPlace } from "./right-place.ts";

const file = join(import.meta.dirname, "reports.txt");
const isRight = ({ setting }: Story): boolean => setting.startsWith("right");
/** The reports on right places. */
const usual = storiesIn(file)
  .filter(isRight)
  .flatMap(({ text }) => text.split("\n").flatMap((line) => /^ {2}(.*)/.exec(line)?.[1] ?? []));
/** A shell script stands in for the CLI. */
const isPossible = ({ lines }: Story): boolean =>
  process.platform !== "win32" || !lines.some((line) => line.startsWith("pulumi "));

testStories(
  file,
  async (story) => {
    const place = await rightPlace(story.setting.endsWith("anaconda") ? "anaconda" : undefined);
    return new Examination(place, isRight(story) ? [] : usual);
  },
  isPossible,
);

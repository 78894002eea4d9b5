/** Which rotation mark is in force, and that a token is never rotated because a roster does not know of it yet. */
import { expect, test } from "vitest";
import { markInForce } from "../../command/members/rows.ts";

const [EARLY, LATE] = ["2026-11-22T10:00:00Z", "2026-11-22T10:00:01Z"];

test.each<[string, string | undefined, string | undefined, string | undefined]>([
  ["nothing in both", undefined, undefined, undefined],
  ["a first instant", undefined, EARLY, EARLY],
  ["a first text", undefined, "leak", "leak"],
  ["the same instant in another form", EARLY, "2026-11-22T12:00:00+02:00", EARLY],
  ["a later instant, by a second", EARLY, LATE, LATE],
  ["an earlier instant", LATE, EARLY, LATE],
  ["a later date", EARLY, "2026-11-22", "2026-11-22"],
  ["an earlier date", EARLY, "2026-11-21", EARLY],
  ["another text", "leak", "leak 2", "leak 2"],
  ["an instant after a text", "leak", EARLY, EARLY],
  ["a text after an instant", EARLY, "leak", EARLY],
  ["no instant any more", EARLY, undefined, EARLY],
  ["no text any more", "leak", undefined, "leak"],
])("the mark in force: %s", (_, inState, inRoster, expected) => {
  expect(markInForce(inState, inRoster)).toBe(expected);
});

/** validation.txt, and more mistakes than anybody wants to read. */
import { expect, test } from "vitest";
import { parseRoster } from "../../../command/roster/read.ts";
import { readings } from "./readings.ts";
import { issuesOf, textOf } from "./sample.ts";

readings("validation.txt");

test("the issues of a file end after fifty, with their number", () => {
  const wrong = Array.from({ length: 60 }, (_, number) => ({ key: `k${number}`, email: "nobody" }));
  const text = textOf("csv", wrong);
  expect(issuesOf(text, "people.csv")).toHaveLength(60);
  expect(() => parseRoster(text, "people.csv")).toThrow(
    /^people\.csv is invalid \(60 errors\):\n( {2}line .*\n){50} {2}and 10 more$/,
  );
});

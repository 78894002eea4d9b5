/** csv.txt, and the time that reading takes. */
import { expect, test } from "vitest";
import { parseRoster } from "../../../command/roster/read.ts";
import { readings } from "./readings.ts";
import { ORGANIZATION } from "./sample.ts";

readings("csv.txt");
readings("rotation-lines.txt");

test("CSV reads in time that grows with its length alone, whatever a comment contains", () => {
  const people = `# organization: ${ORGANIZATION}\nemail\nada@acme.example\n`;
  for (const filler of [",", " ", ";", "a ", '"', ": "])
    expect(parseRoster(`# note: ${filler.repeat(80_000)}x\n${people}`, "p.csv").people).toHaveLength(1);
});

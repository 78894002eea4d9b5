/** Random rosters, written, read and edited in every form. */
import { type Options, parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readLines } from "../../../command/roster/formats/csv-records.ts";
import { IssueCollector } from "../../../command/roster/formats/validation.ts";
import { type NewPerson, newRoster } from "../../../command/roster/write.ts";
import { checkCases } from "../../setup/cases.ts";
import { addPeople, removePeople, setField, setHeader } from "./one-file.ts";
import { randomPeople, randomRoster } from "./random.ts";
import { formats, issuesOf, meant } from "./sample.ts";

describe("a new roster", () => {
  test("reads back as the same one, in every form", async () => {
    await checkCases({ name: "new rosters", level: "R", cases: 500 }, randomRoster, async (roster) => {
      for (const format of formats) {
        expect(meant(newRoster(roster, format), `people.${format}`)).toEqual(roster);
      }
    });
  });
});

test("a CSV text has the cells, or an error, as another reader finds", async () => {
  const texts = fc.array(fc.constantFrom(",", '"', "\n", "\r\n", " ", "a", "é"), { maxLength: 20 });
  const options = { relax_column_count: true, trim: true, record_delimiter: ["\r\n", "\n", "\r"] };
  await checkCases({ name: "CSV texts", level: "R", cases: 2000 }, texts, async (signs) => {
    const text = `a,b\n${signs.join("")}`;
    const issues = new IssueCollector(text, "people.csv");
    const found = readLines(text, issues).records.map(({ cells }) => cells.map((cell) => cell.text));
    const expected = cellsOf(text, options);
    if (expected === undefined) expect(issues.found, text).not.toEqual([]);
    else expect({ found, issues: issues.found }, text).toEqual({ found: expected, issues: [] });
  });
});

/** Of the lines that are not empty; undefined if the reader fails. */
function cellsOf(text: string, options: Options): string[][] | undefined {
  try {
    const records = z.array(z.array(z.string())).parse(parse(text, options));
    const all = records.map((cells) => cells.map((cell) => cell.trim()));
    return all.filter((cells) => cells.some((cell) => cell !== ""));
  } catch {
    return undefined;
  }
}

describe("edits", () => {
  const cases = fc.record({
    roster: randomRoster,
    joining: randomPeople(100, 3),
    gone: fc.array(fc.nat(5), { maxLength: 4 }),
    rotation: fc.constantFrom("2", "2026-11-01", "after the leak"),
    form: fc.constantFrom(...formats),
    isWindows: fc.boolean(),
  });

  test("read as what was meant in random rosters, for people, fields and header", async () => {
    await checkCases({ name: "roster edits", level: "R", cases: 500 }, cases, async (drawn) => {
      const { roster, joining, gone, rotation, form, isWindows } = drawn;
      const file = `people.${form}`;
      const written = newRoster(roster, form);
      let text = isWindows && !written.includes("a\nb") ? written.replaceAll("\n", "\r\n") : written;
      let people: NewPerson[] = [...roster.people];
      const holds = (expected: object) => expect(meant(text, file)).toEqual(expected);

      const keys = new Set(gone.flatMap((place) => people[place]?.key ?? []));
      text = removePeople(text, file, keys).text;
      people = people.filter(({ key }) => !keys.has(key));
      const rows = roster.rows === undefined ? undefined : Math.max(0, roster.rows - keys.size);
      holds({ ...roster, rows, people });

      text = addPeople(text, file, joining).text;
      people = [...people, ...joining];
      const more = rows === undefined ? undefined : rows + joining.length;
      holds({ ...roster, rows: more, people });

      text = setHeader(setHeader(text, file, "seats", 77).text, file, "rows", people.length).text;
      const [first] = people;
      if (first !== undefined) {
        text = setField(text, file, first.key, "rotation", rotation).text;
        people = [{ ...first, rotation }, ...people.slice(1)];
      }
      holds({ ...roster, seats: 77, rows: people.length, people });
    });
  });
});

describe("the edit of a rotation", () => {
  const INSTANT = "2026-11-22T10:00:00Z";
  const cases = fc.record({
    // A mark of several lines goes with all of them.
    roster: randomRoster.filter(
      ({ people }) => people.length > 0 && people.every(({ rotation }) => !rotation?.includes("\n")),
    ),
    chosen: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
    form: fc.constantFrom(...formats),
    isWindows: fc.boolean(),
  });

  test("adds or changes a line for each person, and in CSV all rows where half of the people or more need a new column", async () => {
    await checkCases({ name: "rotations", level: "R", cases: 500 }, cases, async (drawn) => {
      const { roster, chosen, form, isWindows } = drawn;
      const file = `people.${form}`;
      const written = newRoster(roster, form);
      const text = isWindows && !written.includes("a\nb") ? written.replaceAll("\n", "\r\n") : written;
      const keys = [
        ...new Set(chosen.map((place) => roster.people[place % roster.people.length]?.key ?? "")),
      ];
      const edited = setField(text, file, keys, "rotation", INSTANT).text;
      expect(meant(edited, file)).toEqual({
        ...roster,
        people: roster.people.map((one) => (keys.includes(one.key) ? { ...one, rotation: INSTANT } : one)),
      });
      const hasColumn = roster.people.some(({ rotation }) => rotation !== undefined);
      if (form === "csv" && !hasColumn && keys.length * 2 > roster.people.length) return;
      const before = text.split("\n");
      const after = edited.split("\n");
      const kept = after.filter((line) => before.includes(line));
      // A pair more in JSON puts a comma behind the last one.
      const most = keys.length * (form === "json" ? 2 : 1);
      expect(after.length - kept.length).toBeLessThanOrEqual(most);
      const lost = before.filter((line) => !after.includes(line));
      expect(lost.length).toBeLessThanOrEqual(keys.length);
    });
  });
});

describe("a text that a person has edited", () => {
  const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  const slips = fc.constantFrom(
    ..."\n,;\t\"'#:-[]{}&*!|> ax",
    "\r\n",
    "# ",
    "  ",
    "\u00e4",
    "\uFEFF",
    "- ",
    "null",
  );
  /** What people write at the end of a line. */
  const notes = fc.constantFrom(
    " ",
    "\n",
    "\n# note",
    "\n  # a, b: c",
    " # why",
    ",",
    "\n,,",
    "\n- {email: a@acme.example}",
  );
  const work = fc.record({
    roster: randomRoster,
    form: fc.constantFrom(...formats),
    indent: fc.constantFrom(undefined, 1, 4, "\t"),
    slips: fc.array(fc.record({ at: place, length: fc.nat(2), piece: slips }), { maxLength: 1 }),
    notes: fc.array(fc.record({ at: place, piece: notes }), { maxLength: 3 }),
    who: fc.nat(5),
  });

  function worked({ roster, form, ...drawn }: typeof work extends fc.Arbitrary<infer T> ? T : never): string {
    let text = newRoster(roster, form);
    if (form === "json") text = JSON.stringify(JSON.parse(text), undefined, drawn.indent);
    for (const { at, piece } of form === "json" ? [] : drawn.notes) {
      const lines = text.split("\n");
      const line = Math.floor(at * lines.length);
      text = lines.map((one, number) => (number === line ? one + piece : one)).join("\n");
    }
    for (const { at, length, piece } of drawn.slips) {
      const start = Math.floor(at * text.length);
      text = text.slice(0, start) + piece + text.slice(start + length);
    }
    return text;
  }

  test("gives its issues, or a roster whose edits say what was meant", async () => {
    await checkCases({ name: "rosters by hand", level: "R", cases: 1000 }, work, async (drawn) => {
      const file = `people.${drawn.form}`;
      const text = worked(drawn);
      const issues = issuesOf(text, file);
      const lines = text.split(/\r\n|\n|\r/).length;
      for (const { line, column, text: said } of issues) {
        expect(line > 0 && line <= lines && column > 0 && said.length > 0).toBe(true);
      }
      if (issues.length > 0) return;
      const { rows, ...before } = meant(text, file);
      const reread = (edited: string) => {
        const { rows: _, ...after } = meant(edited, file);
        return after;
      };
      const [person] = before.people.slice(drawn.who % Math.max(1, before.people.length));
      const others = before.people.filter((other) => other !== person);
      if (person !== undefined) {
        expect(reread(removePeople(text, file, [person.key]).text)).toEqual({ ...before, people: others });
        expect(reread(setField(text, file, person.key, "rotation", "2").text)).toEqual({
          ...before,
          people: before.people.map((one) => (one === person ? { ...one, rotation: "2" } : one)),
        });
      }
      const joining = { key: "joining", purpose: "a, b", seat: true, token: true, protected: false };
      const more = addPeople(text, file, [joining]).text;
      expect(reread(more)).toEqual({ ...before, people: [...before.people, joining] });
      expect(reread(removePeople(more, file, ["joining"]).text)).toEqual(before);
      expect(reread(setHeader(text, file, "seats", 7).text)).toEqual({ ...before, seats: 7 });
    });
  });
});

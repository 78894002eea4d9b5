/** Rosters in CSV, as people and spreadsheets write them. */
import { describe, expect, test } from "vitest";
import { parseRoster } from "../../../command/roster/read.ts";
import { addPeople, setHeader } from "./one-file.ts";
import { issueCases, issuesOf, namesOf, ORGANIZATION } from "./sample.ts";

const HEADER = `# organization: ${ORGANIZATION}\n`;

/** Below the header; `\n` is the end of a line. */
const issues = issueCases(String.raw`
a column that is there twice: 2:7
  email,E-Mail\n
  duplicate column email. Keep one of them
too few cells: 3:1
  email,team\na@acme.example\n
  expected 2 cells, found 1. Write a delimiter for each empty cell too
too many cells: 3:1
  email,team\na@acme.example,x, y\n
  expected 2 cells, found 3. Put a value that contains a delimiter in quotes, or remove the extra cells
a cell below no name: 3:16
  email,\na@acme.example,x\n
  "x": no column name above this cell. Name the column, or clear the cell
a quote that is never closed: 3:16
  email,team\na@acme.example,"x\n
  the quote opened here is never closed. Close it
a quote inside a value: 3:16
  email,team\na@acme.example,O"Neil\n
  a quote inside a value without quotes. Put the whole value in quotes, and double each quote inside it
text behind a quote: 3:16
  email,team\na@acme.example,"x"y\n
  unexpected text after the closing quote. Double each quote inside a value in quotes
a quote that swallows other rows, though every row has its cells: 3:16
  email,team,seat\na@acme.example,"x,yes\nb@acme.example,y,no\nc@acme.example,z",no\n
  the quote opened here closes only on line 5, with other rows inside. Close it on its own line
a comment in quotes that swallows rows: 3:1
  email,team\n"# x\na@acme.example,y\nb@acme.example,",\n
  the quote opened here closes only on line 5, with other rows inside. Close it on its own line
a header below the column names: 3:1
  email\n# on_delete: retain\na@acme.example\n
  on_delete is below the column names, where orgseat does not read it. Move it to the top
no column names: 2:1

  no line of column names (expected, for example, key,email,purpose,first_name,last_name)
`);

describe("CSV", () => {
  test("reads as a spreadsheet saves it: byte order mark, Windows lines, semicolons, comments filled up, empty lines", () => {
    const lines = [
      `\uFEFF# organization: ${ORGANIZATION};;`,
      '"# seats: 12";;',
      '"# a comment; with a ""semicolon""";;',
      ";;",
      "Team;E-Mail;",
      '"Builds ""the',
      'first""";ada@acme.example;',
      ";;",
      "Gräte;grace@acme.example;",
      ";;",
      "",
      "",
    ];
    const roster = parseRoster(lines.join("\r\n"), "p.csv");
    expect(roster.seats).toBe(12);
    expect(roster.people).toMatchObject([
      { team: 'Builds "the\r\nfirst"', place: "p.csv, line 6" },
      { team: "Gräte", email: "grace@acme.example", place: "p.csv, line 9" },
    ]);
  });

  test("reads in time that grows with its length alone, whatever a comment contains", () => {
    const people = `# organization: ${ORGANIZATION}\nemail\nada@acme.example\n`;
    for (const filler of [",", " ", ";", "a ", '"', ": "])
      expect(parseRoster(`# note: ${filler.repeat(80_000)}x\n${people}`, "p.csv").people).toHaveLength(1);
  });

  test("reads with a byte order mark and letters of several bytes, which move no column", () => {
    const text = `\uFEFF# organization: ${ORGANIZATION}, team\nfirst_name,email\nGräce 👩‍🚀,nobody\n`;
    expect(issuesOf(text, "p.csv").map(({ line, column }) => [line, column])).toEqual([
      [1, 17],
      [3, "Gräce 👩‍🚀,".length + 1],
    ]);
  });

  test.each([
    ["sep=;", ";"],
    ["\ufeffSEP=,", ","],
    ['"sep=\t"', "\t"],
    ["sep=|  ", "|"],
  ])("reads below a first line %j, and each issue and edit keeps its place", (first, delimiter) => {
    const lineOf = (...cells: string[]) => cells.join(delimiter);
    const [columns, row] = [
      lineOf("email", "team"),
      lineOf("ada@acme.example", "x;y,z".replaceAll(delimiter, "")),
    ];
    const text = [first, `# organization: ${ORGANIZATION}`, columns, row, ""].join("\r\n");
    expect(parseRoster(text, "people.csv").people).toMatchObject([
      { email: "ada@acme.example", place: "people.csv, line 4" },
    ]);
    const bare = [first, columns, lineOf("ada", "x"), ""].join("\r\n");
    expect(issuesOf(bare, "people.csv").map(({ line, column }) => [line, column])).toEqual([
      [1, 1],
      [3, 1],
    ]);
    const edited = setHeader(
      [first, columns, row, ""].join("\r\n"),
      "people.csv",
      "organization",
      ORGANIZATION,
    );
    expect(edited.text).toBe(text);
    const more = {
      key: "bob@acme.example",
      email: "bob@acme.example",
      seat: true,
      token: true,
      protected: false,
    };
    expect(addPeople(text, "people.csv", [more]).text).toBe(`${text}${lineOf("bob@acme.example", "")}\r\n`);
  });

  test("reads with tabs, in which an empty cell is one", () => {
    const text = `${HEADER}email\tfirst_name\tteam\nada@acme.example\t\tx, y\n  \nbob@acme.example\tBob; B\t \n`;
    expect(namesOf(text, "p.csv")).toEqual(["ada@acme.example: ", "bob@acme.example: Bob; B"]);
  });

  test("reads with comments and empty lines between the rows, and columns in any order and spelling", () => {
    const text = `${HEADER}# people: see the wiki\n\nFIRST-NAME , e mail\n# first floor\nAda, ada@acme.example\n\n,\n#Bob,bob@acme.example\nCyd,cyd@acme.example`;
    expect(namesOf(text, "p.csv")).toEqual(["ada@acme.example: Ada", "cyd@acme.example: Cyd"]);
    expect(parseRoster(text, "p.csv").people.map(({ place }) => place)).toEqual([
      "p.csv, line 6",
      "p.csv, line 10",
    ]);
  });

  test.each(issues)("gives an issue for $what", ({ given, places, text }) => {
    const [[line, column] = []] = places;
    expect(issuesOf(HEADER + given.replaceAll("\\n", "\n"), "p.csv")).toMatchObject([{ line, column, text }]);
  });
});

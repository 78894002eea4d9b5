/** Rosters in CSV, as people and spreadsheets write them. */
import { describe, expect, test } from "vitest";
import { parseRoster } from "../../../../sdk/automation/roster/read.ts";
import { issuesOf, namesOf, ORGANIZATION } from "./sample.ts";

const HEADER = `# organization: ${ORGANIZATION}\n`;

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

  test.each([
    ["a column that is there twice", "email,E-Mail\n", 2, 7, "duplicate column email. Keep one of them"],
    [
      "too few cells",
      "email,team\na@acme.example\n",
      3,
      1,
      "expected 2 cells, found 1. Write a delimiter for each empty cell too",
    ],
    [
      "too many cells",
      "email,team\na@acme.example,x, y\n",
      3,
      1,
      "expected 2 cells, found 3. Put a value that contains a delimiter in quotes, or remove the extra cells",
    ],
    [
      "a cell below no name",
      "email,\na@acme.example,x\n",
      3,
      16,
      '"x": no column name above this cell. Name the column, or clear the cell',
    ],
    [
      "a quote that is never closed",
      'email,team\na@acme.example,"x\n',
      3,
      16,
      "the quote opened here is never closed. Close it",
    ],
    [
      "a quote inside a value",
      'email,team\na@acme.example,O"Neil\n',
      3,
      16,
      "a quote inside a value without quotes. Put the whole value in quotes, and double each quote inside it",
    ],
    [
      "text behind a quote",
      'email,team\na@acme.example,"x"y\n',
      3,
      16,
      "unexpected text after the closing quote. Double each quote inside a value in quotes",
    ],
    [
      "a quote that swallows other rows, though every row has its cells",
      'email,team,seat\na@acme.example,"x,yes\nb@acme.example,y,no\nc@acme.example,z",no\n',
      3,
      16,
      "the quote opened here closes only in line 5, with other rows inside. Close it in its own line",
    ],
    [
      "a comment in quotes that swallows rows",
      'email,team\n"# x\na@acme.example,y\nb@acme.example,",\n',
      3,
      1,
      "the quote opened here closes only in line 5, with other rows inside. Close it in its own line",
    ],
    [
      "a header below the column names",
      "email\n# removal: release\na@acme.example\n",
      3,
      1,
      "removal is below the column names, where orgseat does not read it. Move it to the top",
    ],
    [
      "no column names",
      "",
      2,
      1,
      "no line of column names (expected, for example, key,email,purpose,first_name,last_name)",
    ],
  ])("gives an issue for %s", (_, rows, line, column, text) => {
    expect(issuesOf(HEADER + rows, "p.csv")).toMatchObject([{ line, column, text }]);
  });
});

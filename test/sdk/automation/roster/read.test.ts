/** Rosters as people and spreadsheets write them, and files that are none. */
import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseRoster, readPeople, readRoster } from "../../../../sdk/automation/roster/read.ts";
import { temporaryFile } from "../../../setup/temporary.ts";
import { faultsOf, ORGANIZATION, textOf } from "./sample.ts";

const HEADER = `# organization: ${ORGANIZATION}\n`;
const namesOf = (text: string, file: string) =>
  parseRoster(text, file).people.map(({ key, firstName }) => `${key}: ${firstName ?? ""}`);

describe("a roster", () => {
  const everything = {
    header: {
      organization: ORGANIZATION,
      subscription: "2027-12-31",
      seats: 120,
      rows: 2,
      stacks: 4,
      removal: "Release",
    },
    people: [
      {
        key: "Ada-1",
        email: "Ada@Acme.Example",
        purpose: "",
        first_name: "Ada",
        last_name: "Lovelace",
        team: "Engines",
        seat: "yes",
        token: 1,
        expires: "2027-06-30T12:00:00+02:00",
        window: "30d",
        user_id: "u-1",
        rotation: "007",
        protected: "TRUE",
      },
      { key: "ci", email: "", purpose: "Nightly builds", seat: "0" },
    ],
  };

  test.each(["csv", "yaml", "json"] as const)("says the same in %s", (format) => {
    const file = `people.${format}`;
    const roster = parseRoster(textOf(format, everything.people, everything.header), file);
    expect(roster).toMatchObject({
      file,
      organizationId: ORGANIZATION,
      subscriptionExpiresAt: "2027-12-31T23:59:59Z",
      seats: 120,
      rows: 2,
      stacks: 4,
      removal: "release",
    });
    expect(roster.people.map(({ place: _, ...person }) => person)).toEqual([
      {
        key: "Ada-1",
        email: "ada@acme.example",
        firstName: "Ada",
        lastName: "Lovelace",
        team: "Engines",
        seat: true,
        token: true,
        expires: "2027-06-30T10:00:00Z",
        window: "30d",
        userId: "u-1",
        rotation: "007",
        protected: true,
      },
      { key: "ci", purpose: "Nightly builds", seat: false, token: false, protected: false },
    ]);
  });

  test("has defaults for all but the organization and who the person is", () => {
    const { people, ...header } = parseRoster(`${HEADER}email\nADA@acme.example\n`, "people.csv");
    expect(header).toEqual({
      file: "people.csv",
      organizationId: ORGANIZATION,
      stacks: 1,
    });
    expect(people).toEqual([
      {
        key: "ada@acme.example",
        email: "ada@acme.example",
        seat: true,
        token: true,
        protected: false,
        place: "people.csv, line 3",
      },
    ]);
  });

  test.each([
    ["yes", true],
    ["No", false],
    ["TRUE", true],
    ["false", false],
    ["1", true],
    ["0", false],
    ["x", true],
    ["", true],
  ])("reads %j of a seat as %s, in every form", (text, seat) => {
    for (const format of ["csv", "yaml", "json"] as const) {
      const [person] = parseRoster(
        textOf(format, [{ email: "a@acme.example", seat: text }]),
        `p.${format}`,
      ).people;
      expect(person?.seat).toBe(seat);
    }
  });

  test("of nobody, or with another count of rows than it says, is a roster still", () => {
    for (const format of ["csv", "yaml", "json"] as const) {
      const text = textOf(format, [], { organization: ORGANIZATION, rows: 7 });
      expect(parseRoster(text, `p.${format}`)).toMatchObject({ rows: 7, people: [] });
    }
    expect(parseRoster(`organization: ${ORGANIZATION}\npeople:\n`, "p.yml").people).toEqual([]);
  });

  test("of 5,000 people is read in well under a second", () => {
    const people = Array.from({ length: 5000 }, (_, number) => ({
      key: `k${number}`,
      email: `person-${number}@acme.example`,
      first_name: "Ada",
      team: "Engines",
    }));
    const text = textOf("csv", people);
    const before = process.cpuUsage();
    expect(parseRoster(text, "people.csv").people).toHaveLength(5000);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

describe("CSV is read", () => {
  test("as a spreadsheet saves it: byte order mark, Windows lines, semicolons, comments filled up, empty lines", () => {
    const lines = [
      `\uFEFF# organization: ${ORGANIZATION};;`,
      '"# seats: 12";;',
      '"# a comment; with a ""semicolon""";;',
      ";;",
      "First Name;E-Mail;",
      '"Ada ""the',
      'first""";ada@acme.example;',
      ";;",
      "Gräce;grace@acme.example;",
      ";;",
      "",
      "",
    ];
    const roster = parseRoster(lines.join("\r\n"), "p.csv");
    expect(roster.seats).toBe(12);
    expect(roster.people).toMatchObject([
      { firstName: 'Ada "the\r\nfirst"', place: "p.csv, line 6" },
      { firstName: "Gräce", email: "grace@acme.example", place: "p.csv, line 9" },
    ]);
  });

  test("with a byte order mark and letters of several bytes, which move no column", () => {
    const text = `\uFEFF# organization: ${ORGANIZATION}, team\nfirst_name,email\nGräce 👩‍🚀,nobody\n`;
    expect(faultsOf(text, "p.csv").map(({ line, column }) => [line, column])).toEqual([
      [1, 17],
      [3, "Gräce 👩‍🚀,".length + 1],
    ]);
  });

  test("with tabs, in which an empty cell is one", () => {
    const text = `${HEADER}email\tfirst_name\tteam\nada@acme.example\t\tx, y\n  \nbob@acme.example\tBob; B\t \n`;
    expect(namesOf(text, "p.csv")).toEqual(["ada@acme.example: ", "bob@acme.example: Bob; B"]);
  });

  test("with comments and empty lines between the rows, and columns in any order and spelling", () => {
    const text = `${HEADER}# people: see the wiki\n\nFIRST-NAME , e mail\n# first floor\nAda, ada@acme.example\n\n,\n#Bob,bob@acme.example\nCyd,cyd@acme.example`;
    expect(namesOf(text, "p.csv")).toEqual(["ada@acme.example: Ada", "cyd@acme.example: Cyd"]);
    expect(parseRoster(text, "p.csv").people.map(({ place }) => place)).toEqual([
      "p.csv, line 6",
      "p.csv, line 10",
    ]);
  });

  test.each([
    [
      "a column that is there twice",
      "email,E-Mail\n",
      2,
      7,
      "the column email is there twice: keep one of the two",
    ],
    [
      "too few cells",
      "email,team\na@acme.example\n",
      3,
      1,
      "the row has 1 of the 2 cells: write a delimiter for each empty cell too",
    ],
    [
      "too many cells",
      "email,team\na@acme.example,x, y\n",
      3,
      1,
      "the row has 3 of the 2 cells: put a value that holds a delimiter in quotes, and leave out what is too much",
    ],
    [
      "a cell below no name",
      "email,\na@acme.example,x\n",
      3,
      16,
      '"x" stands below no column name: name the column, or empty the cell',
    ],
    [
      "a quote that is never closed",
      'email,team\na@acme.example,"x\n',
      3,
      16,
      "the quote that opens here is never closed: close it",
    ],
    [
      "a quote inside a value",
      'email,team\na@acme.example,O"Neil\n',
      3,
      16,
      "a quote stands inside a value without quotes: put the whole value in quotes, and write each quote inside it twice",
    ],
    [
      "text behind a quote",
      'email,team\na@acme.example,"x"y\n',
      3,
      16,
      "something follows the closing quote: write each quote inside a value in quotes twice",
    ],
    [
      "a quote that swallows other rows, though every row has its cells",
      'email,team,seat\na@acme.example,"x,yes\nb@acme.example,y,no\nc@acme.example,z",no\n',
      3,
      16,
      "the quote that opens here closes in line 5 only, with other rows inside: close it in its own line",
    ],
    [
      "a comment in quotes that swallows rows",
      'email,team\n"# x\na@acme.example,y\nb@acme.example,",\n',
      3,
      1,
      "the quote that opens here closes in line 5 only, with other rows inside: close it in its own line",
    ],
    [
      "a header below the column names",
      "email\n# removal: release\na@acme.example\n",
      3,
      1,
      "removal stands below the column names, where it is not read: move it to the top",
    ],
    [
      "no column names",
      "",
      2,
      1,
      "no line of column names is there: write one such as key,email,purpose,first_name,last_name",
    ],
  ])("with a fault for %s", (_, rows, line, column, text) => {
    expect(faultsOf(HEADER + rows, "p.csv")).toMatchObject([{ line, column, text }]);
  });
});

describe("YAML and JSON are read", () => {
  const top = `organization: ${ORGANIZATION}\n`;

  test("with comments, quotes, several lines, brackets and tabs", () => {
    const yaml = `# all\n${top}people:\n# x\n- {email: ada@acme.example, "First name": 'Ada'}\n- email: bob@acme.example # b\n  first_name: >-\n    Bob\n    B\n`;
    expect(namesOf(yaml, "p.YML")).toEqual(["ada@acme.example: Ada", "bob@acme.example: Bob B"]);
    const json = `\uFEFF{\r\n\t"organization": "${ORGANIZATION}",\r\n\t"people": [\r\n\t\t{ "email": "ada@acme.example", "seat": false, "rotation": 7 }\r\n\t]\r\n}`;
    expect(parseRoster(json, "p.json").people).toMatchObject([{ seat: false, rotation: "7" }]);
  });

  test.each([
    ["what is no YAML", `${top}people: [\n`, 3, 1, /^this cannot be read: \S/],
    ["what is no map", "- a\n", 1, 1, "the file is no map: write organization: and people: as its fields"],
    ["no people", top, 1, 1, "people is missing: write people: [] where the list has nobody"],
    [
      "people who are no list",
      `${top}people:\n  email: a@acme.example\n`,
      2,
      1,
      'people is no list: begin each person with "- "',
    ],
    [
      "somebody who is a text",
      `${top}people:\n  - a@acme.example\n`,
      3,
      5,
      "this is no person: write fields such as email: ada@acme.example",
    ],
    [
      "an alias",
      `${top}people:\n  - {key: a, email: &m a@acme.example}\n  - {key: b, email: *m}\n`,
      4,
      21,
      "an alias is not followed: write the value itself",
    ],
    [
      "a value that is a list",
      `${top}people:\n  - email: a@acme.example\n    team: [a, b]\n`,
      4,
      11,
      "team takes one value: write it as a text",
    ],
    [
      "a field that is there twice",
      `${top}people:\n  - email: a@acme.example\n    e-mail: b@acme.example\n`,
      4,
      5,
      "email stands in line 3 already: keep one of the two",
    ],
    ["an unknown tag", `${top}people: !all []\n`, 2, 9, /^this cannot be read: Unresolved tag: !all/],
    [
      "a second document",
      `${top}people: []\n---\na: b\n`,
      3,
      1,
      "a second document begins here: a roster is one",
    ],
  ])("with a fault for %s", (_, yaml, line, column, text) => {
    const [fault] = faultsOf(yaml, "p.yaml");
    expect(fault).toMatchObject({ line, column });
    if (text instanceof RegExp) expect(fault?.text).toMatch(text);
    else expect(fault?.text).toBe(text);
  });

  test.each([
    ["a comma behind the last value", `{"organization": "${ORGANIZATION}",\n"people": [],}`, 2, 14],
    ["a comment", `{"organization": "${ORGANIZATION}", # mine\n"people": []}`, 1, 58],
    ["names without quotes", `{organization: "${ORGANIZATION}", "people": []}`, 1, 2],
  ])("with a fault for %s in JSON, which YAML would allow", (_, json, line, column) => {
    const text = "this is no JSON: use double quotes, no comments, and no comma after the last value";
    expect(faultsOf(json, "p.json")).toEqual([{ line, column, text }]);
  });
});

describe("a file", () => {
  const roster = `${HEADER}email\nada@acme.example\n`;

  test("is read as its name ends, in any letter case, and named as the caller named it", async () => {
    const file = temporaryFile("People.CSV", roster);
    const read = await readRoster(file);
    expect(read).toMatchObject({ file, people: [{ place: `${file}, line 3` }] });
  });

  const unreadable: readonly [string, string | Buffer, string][] = [
    [
      "that is empty",
      "\n \n",
      "line 1, column 1: the file is empty: write the organization and its people, or bring the file back",
    ],
    [
      "of bytes",
      Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff]),
      "line 1, column 5: this is no text but a binary file: write CSV, YAML or JSON",
    ],
    [
      "in UTF-16",
      Buffer.from("\uFEFFemail", "utf16le"),
      "line 1, column 1: the file is UTF-16: save it as UTF-8",
    ],
    [
      "in Latin-1",
      Buffer.from("email\nGr\u00e4ce", "latin1"),
      "line 2, column 3: this is no UTF-8: save the file as UTF-8",
    ],
  ];
  test.each(unreadable)("%s is refused", async (_, content, fault) => {
    const file = temporaryFile("people.csv", "");
    writeFileSync(file, content);
    await expect(readRoster(file)).rejects.toThrow(`${file} has 1 fault:\n  ${fault}`);
  });

  test("of people alone needs no organization, and is refused for another one", async () => {
    const file = temporaryFile("people.csv", "email\nada@acme.example\n");
    expect(await readPeople(file, ORGANIZATION)).toMatchObject([{ key: "ada@acme.example" }]);
    writeFileSync(file, roster);
    expect(await readPeople(file, ORGANIZATION)).toHaveLength(1);
    const other = "9b4e28ba-2fa1-11d2-883f-0016d3cca427";
    await expect(readPeople(file, other)).rejects.toThrow(
      `${file}: these are people of organization ${ORGANIZATION}, and not of ${other}`,
    );
  });

  test("that is not there, a folder, or of another ending is refused with what to do", async () => {
    const file = temporaryFile("people.csv");
    await expect(readRoster(file)).rejects.toThrow(
      `${file}: there is no such file: look at the path, from the folder of this run`,
    );
    mkdirSync(file);
    await expect(readRoster(file)).rejects.toThrow(`${file}: this is a folder: name the file in it`);
    await expect(readRoster("people.xlsx")).rejects.toThrow(
      "people.xlsx: the name of a roster ends in .csv, .yaml, .yml, .json: rename the file after what is in it",
    );
  });
});

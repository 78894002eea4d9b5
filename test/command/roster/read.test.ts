/** What a roster says in every form, and files that are none. */
import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readLastSeen } from "../../../command/roster/last-seen.ts";
import { parseRoster, readPeople, readRoster } from "../../../command/roster/read.ts";
import { cpuTimeRatio } from "../../setup/cpu-time.ts";
import { temporaryFile } from "../../setup/temporary.ts";
import { issuesOf, ORGANIZATION, textOf } from "./sample.ts";

const HEADER = `# organization: ${ORGANIZATION}\n`;

describe("a roster", () => {
  test("reads 5,000 people in a time that grows with the people only", () => {
    const reading = (count: number) => {
      const people = Array.from({ length: count }, (_, number) => ({
        key: `k${number}`,
        email: `person-${number}@acme.example`,
        first_name: "Ada",
        team: "Engines",
      }));
      const text = textOf("csv", people);
      return () => parseRoster(text, "people.csv");
    };
    expect(reading(5000)().people).toHaveLength(5000);
    expect(cpuTimeRatio(reading(5000), reading(1000))).toBeLessThan(12);
  });
});

test("CSV reads in time that grows with its length alone, whatever a comment contains", () => {
  for (const filler of [",", " ", ";", "a ", '"', ": "]) {
    const text = `# note: ${filler.repeat(80_000)}x\n${HEADER}email\nada@acme.example\n`;
    expect(parseRoster(text, "p.csv").people).toHaveLength(1);
  }
});

test("the issues of a file end after fifty, with their number", () => {
  const wrong = Array.from({ length: 60 }, (_, number) => ({ key: `k${number}`, email: "nobody" }));
  const text = textOf("csv", wrong);
  expect(issuesOf(text, "people.csv")).toHaveLength(60);
  expect(() => parseRoster(text, "people.csv")).toThrow(
    /^people\.csv is invalid \(60 errors\):\n( {2}line .*\n){50} {2}and 10 more$/,
  );
});

test("the file of last uses gives an error that names it if it is missing", async () => {
  await expect(readLastSeen(temporaryFile("none.csv"), Date.now())).rejects.toThrow(
    /none\.csv: no such file/,
  );
});

describe("a file", () => {
  const roster = `${HEADER}email\nada@acme.example\n`;

  test("reads by the end of its name, in any letter case, and is named as the caller named it", async () => {
    const file = temporaryFile("People.CSV", roster);
    const read = await readRoster(file);
    expect(read).toMatchObject({ file, people: [{ place: `${file}, line 3` }] });
  });

  const unreadable: readonly [string, string | Buffer, string][] = [
    [
      "that is empty",
      "\n \n",
      "line 1, column 1: the file is empty. Write the organization and its people, or restore the file",
    ],
    [
      "of bytes",
      Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff]),
      "line 1, column 5: binary file (expected CSV, YAML, or JSON)",
    ],
    [
      "in UTF-16",
      Buffer.from("\uFEFFemail", "utf16le"),
      "line 1, column 1: the file is UTF-16. Save it as UTF-8",
    ],
    [
      "in Latin-1",
      Buffer.from("email\nGr\u00e4ce", "latin1"),
      "line 2, column 3: not valid UTF-8. Save the file as UTF-8",
    ],
  ];
  test.each(unreadable)("gives an error if it is %s", async (_, content, issue) => {
    const file = temporaryFile("people.csv", "");
    writeFileSync(file, content);
    await expect(readRoster(file)).rejects.toThrow(`${file} is invalid (1 error):\n  ${issue}`);
  });

  test("needs no organization if it has people alone, and is refused for another one", async () => {
    const file = temporaryFile("people.csv", "email\nada@acme.example\n");
    expect(await readPeople(file, ORGANIZATION)).toMatchObject([{ key: "ada@acme.example" }]);
    await expect(readPeople(file, ORGANIZATION, true)).rejects.toThrow(
      "line 2, column 1 (seat): seat unknown: this API cannot tell who has a seat. Look it up in the service, and write yes or no in seat",
    );
    writeFileSync(file, "email,seat\nada@acme.example,no\n");
    expect(await readPeople(file, ORGANIZATION, true)).toMatchObject([{ seat: false }]);
    writeFileSync(file, roster);
    expect(await readPeople(file, ORGANIZATION)).toHaveLength(1);
    const other = "9b4e28ba-2fa1-11d2-883f-0016d3cca427";
    await expect(readPeople(file, other)).rejects.toThrow(
      `${file}: expected people of organization ${other}, found people of ${ORGANIZATION}`,
    );
  });

  test("gives an error with what to do if it is missing, a folder, or of another ending", async () => {
    const file = temporaryFile("people.csv");
    await expect(readRoster(file)).rejects.toThrow(`${file}: no such file. Check the path`);
    mkdirSync(file);
    await expect(readRoster(file)).rejects.toThrow(
      `${file}: the folder has no file of a roster (.csv, .yaml, .yml, .json). Pass another folder, or a file`,
    );
    await expect(readRoster("people.xlsx")).rejects.toThrow(
      "people.xlsx: unknown file extension (expected .csv, .yaml, .yml, .json). Rename the file",
    );
  });
});

/** The rotation of a row in a comment line of a CSV roster. */
import { expect, test } from "vitest";
import { parseRoster } from "../../../command/roster/read.ts";
import { removePeople, setField } from "./one-file.ts";

const HEADER = "# organization: 1b4e28ba-2fa1-11d2-883f-0016d3cca427\n";
const [FIRST, SECOND] = ["2026-11-22T10:00:00Z", "2026-11-23T10:00:00Z"];

function rotations(text: string): Record<string, string | undefined> {
  const { people } = parseRoster(text, "p.csv");
  return Object.fromEntries(people.map(({ key, rotation }) => [key, rotation]));
}

test.each([
  ["above the column names", `# rotation of ada: ${FIRST}\n`, ""],
  ["below the rows", "", `# rotation of ada: ${FIRST}\n`],
  ["as a spreadsheet saves it", `"# rotation of ada: ${FIRST}",,\n`, ""],
  ["with other spaces and letters", `#Rotation  of ada = ${FIRST}\n`, ""],
  ["beside one about nobody", `# rotation of eve: ${SECOND}\n# rotation of ada: ${FIRST}\n`, ""],
])("a rotation line reads %s", (_, above, below) => {
  const text = `${HEADER}${above}key,email,team\nada,ada@acme.example,\nbob,bob@acme.example,\n${below}`;
  expect(rotations(text)).toEqual({ ada: FIRST, bob: undefined });
});

test("a rotation line names a row without a key by its email, in any letter case", () => {
  const text = `${HEADER}# rotation of Ada@acme.example: ${FIRST}\nemail\nada@Acme.example\n`;
  expect(rotations(text)).toEqual({ "ada@acme.example": FIRST });
});

test.each([
  [
    "a second line",
    `# rotation of ada: ${FIRST}\n# rotation of ada: ${SECOND}\nkey,email\nada,ada@acme.example\n`,
    "line 3, column 1 (rotation): duplicate rotation of ada (first on line 2). Keep one of them",
  ],
  [
    "the row's own cell",
    `# rotation of ada: ${FIRST}\nkey,email,rotation\nada,ada@acme.example,${SECOND}\n`,
    "line 4, column 22 (rotation): duplicate rotation of ada (first on line 2). Keep one of them",
  ],
])("a rotation line beside %s gives an error with both places", (_, text, message) => {
  expect(() => parseRoster(HEADER + text, "p.csv")).toThrow(message);
});

const PEOPLE = "key,email\nada,ada@acme.example\nbob,bob@acme.example\neve,eve@acme.example\n";

test("an edit adds a rotation line below the header, changes it in its place, and removes it with its row", () => {
  const text = `${HEADER}# seats: 5\n${PEOPLE}`;
  const added = setField(text, "p.csv", "bob", "rotation", FIRST).text;
  expect(added).toBe(`${HEADER}# seats: 5\n# rotation of bob: ${FIRST}\n${PEOPLE}`);
  expect(setField(added, "p.csv", "bob", "rotation", SECOND).text).toBe(added.replace(FIRST, SECOND));
  expect(removePeople(added, "p.csv", ["bob"]).text).toBe(text.replace("bob,bob@acme.example\n", ""));
});

test("an edit changes the cell where there is a column, and adds no rotation line", () => {
  const text = `${HEADER}key,email,rotation\nada,ada@acme.example,\nbob,bob@acme.example,${FIRST}\n`;
  expect(setField(text, "p.csv", ["ada", "bob"], "rotation", SECOND).text).toBe(
    text.replace("example,\n", `example,${SECOND}\n`).replace(FIRST, SECOND),
  );
});

test("an edit adds the column where most rows change, and no rotation lines", () => {
  const text = setField(HEADER + PEOPLE, "p.csv", ["ada", "bob"], "rotation", FIRST).text;
  expect(text).toContain("key,email,rotation\n");
  expect(rotations(text)).toEqual({ ada: FIRST, bob: FIRST, eve: undefined });
});

test("an edit adds the column where the line of a key would name another row", () => {
  const name = "bounce=ada@acme.example";
  const people = `email,key\n${name},\nada@acme.example,bounce\nbob@acme.example,\n`;
  const text = setField(HEADER + people, "p.csv", name, "rotation", FIRST).text;
  expect(rotations(text)).toEqual({ [name]: FIRST, bounce: undefined, "bob@acme.example": undefined });
});

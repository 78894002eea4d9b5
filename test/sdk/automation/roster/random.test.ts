/** Random rosters, written, read and edited in every form. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { setField, setHeader, withoutPeople, withPeople } from "../../../../sdk/automation/roster/edit.ts";
import type { NewPerson } from "../../../../sdk/automation/roster/field-texts.ts";
import { newRoster } from "../../../../sdk/automation/roster/new-roster.ts";
import { parseRoster } from "../../../../sdk/automation/roster/read.ts";
import type { Roster } from "../../../../sdk/automation/roster/roster.ts";
import { checkCases } from "../../../setup/cases.ts";
import { randomPeople, randomRoster } from "./random.ts";

const formats = ["csv", "yaml", "json"] as const;

/** A roster without what tells where it was read. */
function meant({ file: _file, people, ...header }: Roster) {
  return { ...header, people: people.map(({ place: _place, ...person }) => person) };
}

describe("a new roster", () => {
  test("is the same one when it is read again, in every form", async () => {
    await checkCases({ name: "new rosters", level: "R", cases: 500 }, randomRoster, async (roster) => {
      for (const format of formats) {
        expect(meant(parseRoster(newRoster(roster, format), `people.${format}`))).toEqual(roster);
      }
    });
  });
});

describe("edits", () => {
  const cases = fc.record({
    roster: randomRoster,
    joining: randomPeople(100, 3),
    gone: fc.array(fc.nat(5), { maxLength: 4 }),
    rotation: fc.constantFrom("2", "2026-11-01", "after the leak"),
    form: fc.constantFrom(...formats),
    isWindows: fc.boolean(),
  });

  test("of random rosters read as what was meant, for people, fields and header", async () => {
    await checkCases({ name: "roster edits", level: "R", cases: 500 }, cases, async (drawn) => {
      const { roster, joining, gone, rotation, form, isWindows } = drawn;
      const file = `people.${form}`;
      const written = newRoster(roster, form);
      let text = isWindows && !written.includes("a\nb") ? written.replaceAll("\n", "\r\n") : written;
      let people: NewPerson[] = [...roster.people];
      const holds = (expected: object) => expect(meant(parseRoster(text, file))).toEqual(expected);

      const keys = new Set(gone.flatMap((place) => people[place]?.key ?? []));
      text = withoutPeople(text, file, keys);
      people = people.filter(({ key }) => !keys.has(key));
      const rows = roster.rows === undefined ? undefined : Math.max(0, roster.rows - keys.size);
      holds({ ...roster, rows, people });

      text = withPeople(text, file, joining);
      people = [...people, ...joining];
      const more = rows === undefined ? undefined : rows + joining.length;
      holds({ ...roster, rows: more, people });

      text = setHeader(setHeader(text, file, "seats", 77), file, "rows", people.length);
      const [first] = people;
      if (first !== undefined) {
        text = setField(text, file, first.key, "rotation", rotation);
        people = [{ ...first, rotation }, ...people.slice(1)];
      }
      holds({ ...roster, seats: 77, rows: people.length, people });
    });
  });
});

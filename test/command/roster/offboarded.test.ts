/** The offboarded list beside a roster. */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import {
  addOffboarded,
  dropOffboarded,
  type OffboardedPerson,
  offboardedFile,
  onDeleteOf,
  readOffboarded,
} from "../../../command/roster/offboarded.ts";
import { temporaryFile } from "../../setup/temporary.ts";

const ada: OffboardedPerson = {
  key: "ada",
  email: "ada@acme.example",
  userId: "u-1",
  leftAt: "2026-11-21T18:00:00Z",
  by: "Grace; the admiral",
};
const bob: OffboardedPerson = { key: "bob", leftAt: "2026-11-22T18:00:00Z" };
const HEADER = "key,email,user_id,left_at,by,keep_member\n";

describe("the offboarded list", () => {
  test("keeps keys of programs, which a roster could not have", async () => {
    const file = temporaryFile("people.offboarded.csv", HEADER);
    const countess = { ...bob, key: "Ada Lovelace, Countess" };
    await addOffboarded(file, [countess]);
    expect(await readOffboarded(file)).toEqual([expect.objectContaining({ key: countess.key })]);
  });

  test.each([
    ["people.yaml", "people.offboarded.csv"],
    ["teams/people.v2.csv", "teams/people.v2.offboarded.csv"],
  ])("reads %s as %s", (roster, file) => {
    expect(offboardedFile(roster)).toBe(file);
  });

  test("lists nobody if there is no file, and stays missing when an entry is dropped from it", async () => {
    const file = temporaryFile("people.offboarded.csv");
    expect(await readOffboarded(file)).toEqual([]);
    await dropOffboarded(file, [ada]);
    expect(readdirSync(dirname(file))).toEqual([]);
  });

  test("fails if it is a link to a file that does not exist", async () => {
    const file = temporaryFile("people.offboarded.csv");
    symlinkSync("gone.csv", file);
    await expect(readOffboarded(file)).rejects.toThrow("a link to a file that does not exist");
  });

  test("begins with the first person, and reads as it was written", async () => {
    const file = temporaryFile("people.offboarded.csv");
    await addOffboarded(file, [ada]);
    await addOffboarded(file, [bob]);
    expect(readFileSync(file, "utf8")).toBe(
      `${HEADER}ada,ada@acme.example,u-1,2026-11-21T18:00:00Z,Grace; the admiral,\nbob,,,2026-11-22T18:00:00Z,,\n`,
    );
    expect(await readOffboarded(file)).toEqual([ada, bob]);
    expect(readdirSync(dirname(file))).toEqual(["people.offboarded.csv"]);
  });

  test("keeps what is there: order of columns, delimiter, comments, line ends", async () => {
    const before =
      "\uFEFF# tonight\r\nby;left_at;Email;Keep member;key;User ID\r\n;2026-11-01;cyd@acme.example;;;\r\n# end";
    const file = temporaryFile("people.offboarded.csv", before);
    await addOffboarded(file, [ada]);
    expect(readFileSync(file, "utf8")).toBe(
      `${before}\r\n"Grace; the admiral";2026-11-21T18:00:00Z;ada@acme.example;;ada;u-1\r\n`,
    );
    expect((await readOffboarded(file)).map(({ email }) => email)).toEqual(["cyd@acme.example", ada.email]);
  });

  test("lists nobody twice", async () => {
    const file = temporaryFile("people.offboarded.csv");
    await addOffboarded(file, [ada, bob]);
    await addOffboarded(file, [{ ...ada, leftAt: "2027-01-01T00:00:00Z" }]);
    expect(await readOffboarded(file)).toEqual([ada, bob]);
  });

  test("says who stays a member: the last entry of a person decides", async () => {
    const file = temporaryFile("people.offboarded.csv");
    const staying = { ...ada, keepMember: true } as const;
    const said: unknown[] = [];
    for (const entry of [staying, staying, ada, ada, staying, bob]) {
      await addOffboarded(file, [entry]);
      const listed = await readOffboarded(file);
      said.push([listed.length, onDeleteOf(listed)({ key: "ada" })]);
    }
    expect(said).toEqual([
      ...[
        [1, "retain"],
        [1, "retain"],
        [2, "delete"],
        [2, "delete"],
      ],
      ...[
        [3, "retain"],
        [4, "retain"],
      ],
    ]);
    const listed = await readOffboarded(file);
    expect(onDeleteOf(listed)({ key: "bob" })).toBe("delete");
    expect(onDeleteOf(listed)({ key: "ada", userId: "u-2" })).toBeUndefined();
    await dropOffboarded(file, [staying]);
    expect(await readOffboarded(file)).toEqual([ada, bob]);
  });

  test("loses nobody whom others add or drop at the same moment", async () => {
    const file = temporaryFile("people.offboarded.csv");
    const numbered = (from: number) =>
      Array.from({ length: 4 }, (_, number) => ({ ...bob, key: `bob-${from + number}` }));
    let listed: OffboardedPerson[] = [ada];
    await addOffboarded(file, listed);
    for (let round = 0; round < 25; round++) {
      const joining = numbered(round * 4);
      const drops = [dropOffboarded(file, listed), dropOffboarded(file, listed)];
      const adding = async (): Promise<void> => {
        for (const person of joining) await addOffboarded(file, [person]);
      };
      await Promise.all([adding(), ...drops]);
      listed = await readOffboarded(file);
      expect(new Set(listed.map(({ key }) => key))).toEqual(new Set(joining.map(({ key }) => key)));
    }
    expect(readdirSync(dirname(file))).toEqual(["people.offboarded.csv"]);
  });

  test("opens again after a run that died with its lock", async () => {
    const file = temporaryFile("people.offboarded.csv");
    await addOffboarded(file, [ada]);
    writeFileSync(`${file}.lock`, "");
    await dropOffboarded(file, [ada]);
    expect(await readOffboarded(file)).toEqual([ada]);
    utimesSync(`${file}.lock`, 0, 0);
    await dropOffboarded(file, [ada]);
    await dropOffboarded(file, [ada]);
    expect(await readOffboarded(file)).toEqual([]);
  });

  test("drops by person, keeps its mode, and keeps the other entries as they are written", async () => {
    const file = temporaryFile(
      "people.offboarded.csv",
      `${HEADER}# why\n ada , ,u-1, 2026-11-21,x,\nbob,,,2026-11-22T18:00:00Z,,\n`,
    );
    chmodSync(file, 0o600);
    await dropOffboarded(file, [bob, ada]);
    expect(readFileSync(file, "utf8")).toBe(`${HEADER}# why\n ada , ,u-1, 2026-11-21,x,\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe("an offboarded list with issues", () => {
  test("takes no further entry", async () => {
    const file = temporaryFile("people.offboarded.csv", "key\nada\n");
    await expect(addOffboarded(file, [bob])).rejects.toThrow("missing column left_at");
    expect(readFileSync(file, "utf8")).toBe("key\nada\n");
  });

  test("differs from an empty one if it is no file", async () => {
    const folder = temporaryFile("people.offboarded.csv");
    mkdirSync(folder);
    await expect(readOffboarded(folder)).rejects.toThrow(`${folder}: is a folder. Pass a file`);
    const empty = temporaryFile("people.offboarded.csv", "");
    await expect(readOffboarded(empty)).rejects.toThrow("no line of column names (expected");
    appendFileSync(empty, HEADER);
    expect(await readOffboarded(empty)).toEqual([]);
  });
});

/** The file of the offboarded list; offboarded.txt has its entries. */
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import {
  addOffboarded,
  dropOffboarded,
  type OffboardedPerson,
  offboardedFile,
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

describe("the offboarded list", () => {
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

  test("keeps its mode when it loses an entry", async () => {
    const file = temporaryFile("people.offboarded.csv");
    await addOffboarded(file, [ada, bob]);
    chmodSync(file, 0o640);
    await dropOffboarded(file, [bob]);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test("fails if it is a folder", async () => {
    const folder = temporaryFile("people.offboarded.csv");
    mkdirSync(folder);
    await expect(readOffboarded(folder)).rejects.toThrow(`${folder}: is a folder. Pass a file`);
  });
});

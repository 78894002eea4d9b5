/** The file that an edit changes; edits.txt has the edits. */
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readText, writeText } from "../../../command/roster/formats/text-file.ts";
import { temporaryFile } from "../../setup/temporary.ts";
import { removePeople } from "./one-file.ts";

const PEOPLE = "key,email\nada,ada@acme.example\nbob,bob@acme.example\n";

test("a file changes in place, with its mode and its links, and nothing is left beside it", async () => {
  const file = temporaryFile("people.csv", PEOPLE);
  const folder = dirname(file);
  chmodSync(file, 0o640);
  symlinkSync(file, join(folder, "link.csv"));
  const link = join(folder, "link.csv");
  await writeText(link, removePeople(await readText(link), file, ["bob"]).text);
  expect(readFileSync(file, "utf8")).toBe(removePeople(PEOPLE, file, ["bob"]).text);
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder).sort()).toEqual(["link.csv", "people.csv"]);
  expect(lstatSync(join(folder, "link.csv")).isSymbolicLink()).toBe(true);
});

/** The public API changes only on purpose, and the changelog says so. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { page } from "../docs/pages.ts";
import {
  apiOf,
  changelogSections,
  declarationsIn,
  type EntryApi,
  entryFiles,
  hashesOf,
  readReleased,
  snapshotFile,
  snapshotOf,
  unmentioned,
} from "./public-api.ts";

const entries = [...entryFiles().keys()];
const apis = new Map<string, EntryApi>();
beforeAll(async () => {
  for (const [entry, file] of entryFiles()) apis.set(entry, await apiOf(file));
});

function apiOfEntry(entry: string): EntryApi {
  return apis.get(entry) ?? declarationsIn("");
}

describe("the public API", () => {
  test.each(entries)("%s has the declarations of its file; if not, run `npm run docs`", (entry) => {
    expect(snapshotOf(apiOfEntry(entry))).toBe(readFileSync(snapshotFile(entry), "utf8"));
  });

  test("consists of one file for each entry", () => {
    const [first = ""] = entries.map(snapshotFile);
    const files = readdirSync(dirname(first)).filter((name) => name.endsWith(".txt"));
    expect(files).toHaveLength(entries.length);
  });

  test("differs from the newest release only in names that the unreleased section of CHANGELOG.md has", () => {
    const [newest] = changelogSections(page("CHANGELOG.md"));
    const current = Object.fromEntries(entries.map((entry) => [entry, hashesOf(apiOfEntry(entry))]));
    const section = newest?.isReleased === false ? newest.text : "";
    expect(unmentioned(readReleased(), current, section)).toEqual([]);
  });

  test("released.json is of the newest release; if not, run `npm run docs`", () => {
    const newest = changelogSections(page("CHANGELOG.md")).find(({ isReleased }) => isReleased);
    expect(readReleased().version).toBe(newest?.version ?? null);
  });
});

const CODE = `
import { Output } from '@pulumi/pulumi';
/** Not exported. */
interface Common { readonly id: Output<string>; }
/** A user. */
interface User extends Common { name?: string; }
declare function find(name: string): User;
declare function find(id: number): User;
interface Seat$1 { free: boolean; }
export { find };
export type { User, Seat$1 as Seat };
`;

describe("the file of an entry", () => {
  test("lists each name in order, without comments, then what they refer to", () => {
    expect(snapshotOf(declarationsIn(CODE))).toBe(`export { Seat$1 as Seat };

export interface User extends Common {
    name?: string;
}

export function find(name: string): User;
function find(id: number): User;

// What these refer to.

interface Common {
    readonly id: Output<string>;
}

interface Seat$1 {
    free: boolean;
}
`);
  });
});

describe("a change of the public API", () => {
  const hashes = (code: string) => ({ orgseat: hashesOf(declarationsIn(code)) });
  const released = { version: "1.0.0", entries: hashes(CODE) };
  const missing = (code: string, section = "") => unmentioned(released, hashes(code), section);

  test.each([
    ["a comment", CODE.replace("A user.", "A member."), []],
    ["a removed name", CODE.replace("export { find };", ""), ["orgseat: find"]],
    ["a changed signature", CODE.replace("id: number", "id: bigint"), ["orgseat: find"]],
    ["a type that an exported one extends", CODE.replace("readonly id", "id"), ["orgseat: User"]],
  ])("%s: the changelog needs %j", (_, code, names) => {
    expect(missing(code)).toEqual(names);
  });

  test("needs the name as code", () => {
    const code = CODE.replace("id: number", "id: bigint");
    expect(missing(code, "- find takes a bigint")).toEqual(["orgseat: find"]);
    expect(missing(code, "- `orgseat.find(id)` takes a bigint")).toEqual([]);
  });
});

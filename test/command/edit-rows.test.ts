/** `orgseat add` and `orgseat remove`: the roster's file changes, or stays as it is. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addOffboarded } from "../../command/roster/offboarded.ts";
import { addRows, removeRows } from "../../command/verbs/edit-rows.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const HEADER = "# organization: 1b4e28ba-2fa1-11d2-883f-0016d3cca427\n";
const CSV = `${HEADER}email,purpose,key,team\nada@acme.example,,,core\n,Linux builds,builds,core\n`;

function rosterWith(text: string): { file: string; read: () => string } {
  const file = join(temporaryFolder(), "people.csv");
  writeFileSync(file, text);
  return { file, read: () => readFileSync(file, "utf8") };
}

describe("add", () => {
  test("writes a row per email at the end, and returns the change", async () => {
    const { file, read } = rosterWith(CSV);
    const diff = await addRows(file, { emails: ["bob@acme.example", "eve@acme.example"], team: "core" });
    expect(read()).toBe(`${CSV}bob@acme.example,,,core\neve@acme.example,,,core\n`);
    expect(diff).toContain("+bob@acme.example,,,core\n+eve@acme.example,,,core");
  });

  test("changes no setting of the roster but the number of rows", async () => {
    const settings = ["subscription: 2027-12-31", "seats: 40", "max_removals: 2", "on_delete: delete"];
    const lines = [...settings, "owner: Ada", "rows: 2"].map((line) => `# ${line}\n`).join("");
    const { file, read } = rosterWith(CSV.replace(HEADER, HEADER + lines));
    await addRows(file, { emails: ["bob@acme.example"] });
    await addRows(file, { purpose: "Docs" });
    expect(read()).toContain(`${HEADER}${lines.replace("rows: 2", "rows: 4")}email,`);
  });

  test("makes the key of a machine user from its purpose, unless one is given", async () => {
    const { file, read } = rosterWith(CSV);
    await addRows(file, { purpose: "macOS builds (arm64)" });
    await addRows(file, { purpose: "Windows", key: "w" });
    expect(read()).toBe(`${CSV},macOS builds (arm64),macos-builds-arm64,\n,Windows,w,\n`);
  });

  test.each([
    [
      "a person who is there",
      { emails: ["ADA@acme.example"] },
      /^already in the roster: ada@acme\.example \(\S+people\.csv, line 3\)\./,
    ],
    ["no email", { emails: ["bob"] }, /bob/],
    ["a key that is there", { purpose: "Builds" }, /^already in the roster: Linux builds \(/],
    ["a purpose without letters", { purpose: "\u6784\u5efa" }, /key/],
    ["emails and a purpose", { emails: ["bob@acme.example"], purpose: "Docs" }, /cannot tell whom to add/],
    ["an empty list", {}, /cannot tell whom to add/],
  ])("refuses %s, and leaves the roster as it is", async (_, rows, reason) => {
    const { file, read } = rosterWith(CSV);
    await expect(addRows(file, rows)).rejects.toThrow(reason);
    expect(read()).toBe(CSV);
  });

  test("refuses a person on the offboarded list, with the entry and what to do, until the entry is deleted", async () => {
    const { file, read } = rosterWith(CSV);
    const list = file.replace(".csv", ".offboarded.csv");
    const leftAt = "2026-11-21T18:00:00Z";
    await addOffboarded(list, [
      { key: "bob@acme.example", email: "bob@acme.example", leftAt, by: "ticket 4711" },
    ]);
    await expect(addRows(file, { emails: ["eve@acme.example", "BOB@acme.example"] })).rejects.toThrow(
      /^on the offboarded list, so every run would ignore the row: BOB@acme\.example \(since 2026-11-21T18:00:00Z, by ticket 4711\)\. No row was added\. If a person comes back, delete the person's entries from \S+people\.offboarded\.csv, then add the row if it is missing$/,
    );
    expect(read()).toBe(CSV);
    rmSync(list);
    await addRows(file, { emails: ["bob@acme.example"] });
    expect(read()).toContain("bob@acme.example");
  });
});

describe("remove", () => {
  test("deletes the rows of emails, purposes, and keys, and counts them", async () => {
    const { file, read } = rosterWith(CSV.replace(HEADER, `${HEADER}# rows: 2\n`));
    const diff = await removeRows(file, ["Ada@acme.example"]);
    expect(read()).toBe(`${HEADER}# rows: 1\nemail,purpose,key,team\n,Linux builds,builds,core\n`);
    expect(diff).toContain("-ada@acme.example,,,core");
    await removeRows(file, ["linux builds"]);
    expect(read()).toBe(`${HEADER}# rows: 0\nemail,purpose,key,team\n`);
  });

  test("refuses a name of no row, without a suggestion, and a name of two", async () => {
    const two = `${HEADER}email,key\nada@acme.example,eve@acme.example\neve@acme.example,e2\n`;
    const { file, read } = rosterWith(two);
    await expect(removeRows(file, ["adda@acme.example"])).rejects.toThrow(/^\S+ is not in \S+\. Check/);
    await expect(removeRows(file, ["eve@acme.example"])).rejects.toThrow("eve@acme.example is ambiguous");
    expect(read()).toBe(two);
  });
});

import { describe, expect, test } from "vitest";
import { readLastSeen } from "../../../command/roster/last-seen.ts";
import { temporaryFile } from "../../setup/temporary.ts";

const now = Date.parse("2026-11-22T12:00:00Z");
const read = async (text: string | Buffer) =>
  Object.fromEntries(await readLastSeen(temporaryFile("seen.csv", text), now));

const ada = { "ada@acme.example": "2026-11-20T23:59:59Z" };

describe("the file of last uses", () => {
  test.each([
    ["semicolons and a byte order mark", "\ufeffemail;last_seen\r\nada@acme.example;2026-11-20\r\n"],
    ["another spelling", "Last Seen,E-Mail\n2026-11-20,Ada@Acme.example\n"],
    ["another name", "email,Last Login\nada@acme.example,2026-11-20\n"],
    ["other columns", "id,email,status,last_seen,constructor\n7,ada@acme.example,ACTIVE,2026-11-20,x\n"],
  ])("reads with %s", async (_, text) => {
    expect(await read(text)).toEqual(ada);
  });

  test("accepts instants with any offset, and empty ones for never", async () => {
    const lines = [
      "a@acme.example,2026-11-20T10:00:00+02:00",
      "b@acme.example,",
      "c@acme.example,2026-11-22",
    ];
    expect(await read(["email,last_seen", ...lines].join("\n"))).toEqual({
      "a@acme.example": "2026-11-20T08:00:00Z",
      "b@acme.example": null,
      "c@acme.example": "2026-11-22T23:59:59Z",
    });
  });

  test.each([
    ["2026-11-18", "2026-11-20"],
    ["2026-11-20", "2026-11-18"],
    ["", "2026-11-20"],
    ["2026-11-20", ""],
  ])("gives the latest use of two lines of one person, %j and %j", async (one, other) => {
    expect(await read(`email,last_seen\nada@acme.example,${one}\nADA@acme.example,${other}\n`)).toEqual(ada);
  });

  test("names all invalid lines at once, each with what to write", async () => {
    const lines = ["ada@acme,2026-11-20", "bob@acme.example,20.11.2026", ",2026-11-20", "cyd@acme.example"];
    const late = "eve@acme.example,2026-11-26";
    await expect(read(["email,last_seen", ...lines, late].join("\n"))).rejects.toThrow(
      [
        "seen.csv is invalid (5 errors):",
        '  line 2, column 1 (email): "ada@acme": not a valid email address (expected, for example, ada@acme.example)',
        '  line 3, column 18 (last_seen): "20.11.2026": not a valid date (expected a date such as 2027-06-30, or a timestamp such as 2027-06-30T12:00:00Z)',
        "  line 4, column 1 (email): missing email. Add it, or remove the line",
        "  line 5, column 1: expected 2 cells, found 1. Write a delimiter for each empty cell too",
        '  line 6, column 18 (last_seen): "2026-11-26": in the future. Write when the person was last seen (a date such as 2027-06-30, or a timestamp such as 2027-06-30T12:00:00Z), or leave it empty for never',
      ].join("\n"),
    );
  });

  test.each([
    [
      "no column of dates",
      "email,name\nada@acme.example,Ada\n",
      /missing column last_seen \(found email, name\)/,
    ],
    [
      "no column of emails",
      "user;last_seen\nada;2026-11-20\n",
      /missing column email \(found user, last_seen\)/,
    ],
    ["a column twice", "email,last_seen,last_login\nada@acme.example,,\n", /duplicate column last_seen/],
    ["nothing in it", "", /no line of column names \(expected, for example, email,last_seen\)/],
    ["a workbook", Buffer.from("PK\u0003\u0004\0\0"), /binary file/],
  ])("gives an error with %s", async (_, text, error) => {
    await expect(read(text)).rejects.toThrow(error);
  });

  test("gives an error that names it if it is missing", async () => {
    await expect(readLastSeen(temporaryFile("none.csv"), now)).rejects.toThrow(/none\.csv: no such file/);
  });
});

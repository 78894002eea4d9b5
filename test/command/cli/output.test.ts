/** What the command prints of others cannot act on the terminal of its reader. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { painter } from "../../../command/cli/color.ts";
import { print, printExactly, printJson, printNote, secrets } from "../../../command/cli/output.ts";
import { listedUserSchema } from "../../../provider/api/schemas/anaconda-schemas.ts";
import { visible } from "../../../provider/util/text.ts";

const ERASE_LINE_ABOVE = "\u001b[1A\u001b[2K";
const terminal = { isTTY: true, hasColors: () => true };

afterEach(() => void vi.restoreAllMocks());

describe.each([
  ["print", print, "log"],
  ["printNote", printNote, "error"],
] as const)("%s", (_, write, stream) => {
  const printed = (text: string): unknown => {
    const spy = vi.spyOn(console, stream).mockImplementation(() => undefined);
    write(text);
    return spy.mock.calls[0]?.[0];
  };

  test.each([
    ["an escape code", `mallory${ERASE_LINE_ABOVE}`, "mallory\\u{1b}[1A\\u{1b}[2K"],
    ["a code of one byte", "a\u009b2Kb", "a\\u{9b}2Kb"],
    ["a carriage return", "bob removed\rada", "bob removed\\u{d}ada"],
    ["a backspace", "ab\b\bc", "ab\\u{8}\\u{8}c"],
    ["text from right to left", "user\u202etxt.exe", "user\\u{202e}txt.exe"],
    ["a space without width", "a\u200bda@acme.example", "a\\u{200b}da@acme.example"],
    ["a soft hyphen", "a\u00adda@acme.example", "a\\u{ad}da@acme.example"],
    ["a joiner after a Latin letter", "ada\u200d\u00e9\u200c", "ada\\u{200d}\u00e9\\u{200c}"],
    ["a filler of another script", "a\u3164b", "a\\u{3164}b"],
    ["a tag character", "ada\u{e0041}", "ada\\u{e0041}"],
    ["a bell at the end of a title", "\u001b]0;title\u0007", "\\u{1b}]0;title\\u{7}"],
  ])("shows %s as a number", (_case, text, shown) => {
    expect(printed(text)).toBe(shown);
  });

  test("keeps lines, tabs, every script, and the colors of a plan", () => {
    const paint = painter({}, terminal) ?? String;
    const text = `Zoë 王 \u845b\u{e0100} \u06a9\u200c\u0627 \u2764\ufe0f\u200d\u{1f525}\n\t${paint("ada joins", "joining")}`;
    expect(printed(text)).toBe(text);
  });
});

describe("the output of the command", () => {
  const SECRET = "s3cret of a run";
  const logged = (write: () => void): string => {
    const spy = vi.spyOn(console, "log").mockImplementation(() => undefined);
    write();
    return String(spy.mock.calls[0]?.[0]);
  };

  test("shows no secret of the run, in no encoding", () => {
    secrets.add(SECRET);
    const inBase64 = Buffer.from(SECRET).toString("base64");
    expect(logged(() => print(`got ${SECRET} and ${inBase64}`))).toBe("got [removed] and [removed]");
  });

  test("stays JSON, with its names, whatever its texts contain", () => {
    for (const word of [SECRET, "oddFieldName"]) secrets.add(word);
    const printed = logged(() =>
      printJson({ oddFieldName: `${SECRET}\u001b[2K\u202e\u2028\u200b\u{e0041}`, none: null }),
    );
    expect(printed).toMatch(/^[\n\x20-\x7e]*$/);
    expect(JSON.parse(printed)).toEqual({
      oddFieldName: "[removed]\u001b[2K\u202e\u2028\u200b\u{e0041}",
      none: null,
    });
  });

  test("prints the value of a token exactly as it is, or not at all", () => {
    secrets.add(SECRET);
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const armor = "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n-----END AGE ENCRYPTED FILE-----\n";
    for (const value of [`${SECRET}\n`, armor]) {
      printExactly(value);
      expect(written).toHaveBeenLastCalledWith(value);
    }
    written.mockClear();
    expect(() => printExactly("token\u001b[2K\n")).toThrow(/control character U\+001B.*Use --out FILE/);
    expect(written).not.toHaveBeenCalled();
  });
});

describe("a member's own name", () => {
  test("becomes one line without control characters wherever it is used", () => {
    const { first_name, last_name } = listedUserSchema.parse({
      id: "u1",
      email: "mallory@acme.example",
      first_name: `M${ERASE_LINE_ABOVE}`,
      last_name: "A\n  ada@acme.example  stays",
      role: "member",
      subscriptions: [],
    });
    expect(first_name).toBe(visible(`M${ERASE_LINE_ABOVE}`));
    expect(last_name).toBe("A\\u{a}  ada@acme.example  stays");
  });
});

/** What a file that someone saved, merged or forged can have: each makes a file of drawn people, and says what it is worth. */
import type { Draw } from "./draw.ts";
import { type Drawn, type Raw, type Style, textOf } from "./drawn.ts";

/**
 * - same: it reads as the people that were drawn
 * - refused: it is no roster
 * - same or refused
 * - judged: it is refused, or reads as another reader says
 */
export type Worth = "same" | "refused" | "same or refused" | "judged";

export interface Hostile {
  readonly bytes: Buffer;
  readonly worth: Worth;
  /** Default: those that were drawn. */
  readonly people?: readonly Drawn[];
}

type Mutation = (people: readonly Drawn[], style: Style, draw: Draw) => Hostile;

const plain = (text: string, worth: Worth): Hostile => ({ bytes: Buffer.from(text), worth });
const inserted = (text: string, at: number, piece: string, length = 0): string =>
  text.slice(0, at) + piece + text.slice(at + length);

/** Something at a random place of the text. */
const pieces =
  (worth: Worth, all: readonly string[], length = 0): Mutation =>
  (people, style, draw) => {
    const text = textOf(people, style);
    return plain(inserted(text, draw.below(text.length), draw.pick(all), draw.below(length + 1)), worth);
  };

/** Bytes at a random place between two characters of ASCII. */
const bytes =
  (all: readonly (readonly number[])[]): Mutation =>
  (people, style, draw) => {
    const text = textOf(people, style);
    const at = text.indexOf("\n") < 0 ? 1 : draw.below(text.search(/[^ -~]|$/)) + 1;
    const [before, after] = [text.slice(0, at), text.slice(at)].map((part) => Buffer.from(part));
    return {
      bytes: Buffer.concat([before ?? Buffer.of(), Buffer.from(draw.pick(all)), after ?? Buffer.of()]),
      worth: "refused",
    };
  };

/** One value is written otherwise. */
const values =
  (worth: Worth, fields: readonly string[], write: (value: string, draw: Draw) => string): Mutation =>
  (people, style, draw) => {
    const chosen = draw.below(people.length);
    const field = draw.pick(fields);
    const given = { ...people[chosen] }[field as keyof Drawn] ?? "Ada";
    const all = people.map((one, place) => (place === chosen ? { ...one, [field]: given } : one));
    const raw: Raw = (place, name) => (place === chosen && name === field ? write(given, draw) : undefined);
    return { ...plain(textOf(all, style, raw), worth), people: all };
  };

/** One name of a field is another one. */
const names =
  (worth: Worth, all: readonly string[]): Mutation =>
  (people, style, draw) => {
    const text = textOf(people, style);
    return plain(text.replace("first_name", draw.pick(all)), /first_name/.test(text) ? worth : "same");
  };

const everywhere: Readonly<Record<string, Mutation>> = {
  "as they are": (people, style) => plain(textOf(people, style), "same"),
  "byte order mark": (people, style) => plain(`\ufeff${textOf(people, style)}`, "same"),
  "two byte order marks": (people, style) => plain(`\ufeff\ufeff${textOf(people, style)}`, "same or refused"),
  "UTF-16": (people, style, draw) => {
    const text = (draw.chance() ? "\ufeff" : "") + textOf(people, style);
    const little = Buffer.from(text, "utf16le");
    return { bytes: draw.chance() ? little : little.swap16(), worth: "refused" };
  },
  "Latin-1": (people, style) => {
    const text = textOf([{ ...(people[0] ?? { email: "" }), team: "Jörg" }], style);
    return { bytes: Buffer.from(text, "latin1"), worth: "refused" };
  },
  "bytes that are no UTF-8": bytes([
    [0xff],
    [0xc3],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xe2, 0x82],
  ]),
  "null bytes": bytes([[0], [0, 0, 0, 0]]),
  "mixed line ends": (people, style, draw) => {
    const text = textOf(people, { ...style, lineEnd: "\n" });
    return plain(
      text.replaceAll("\n", () => draw.pick(["\n", "\r\n", "\r"])),
      "same",
    );
  },
  quotes: pieces("judged", ['"', "'", '""', "''", '"""', '\\"', "“", "`"], 1),
  separators: pieces(
    "judged",
    [",", ";", "\t", ":", ": ", "|", ",,", "\n", "\r", "\n\n", " ", "- ", "\n- ", "#", " #"],
    1,
  ),
  "control characters": pieces("judged", [
    ..."\u0001 \u0007 \u001b[2J \u007f \u0085 \u00a0 \u00ad \u200b \u200e \u202e \u2028 \u2029 \u2066 \ufeff \ufffe \ufffd".split(
      " ",
    ),
    ...["\v", "\f", "\u{e0001}", "\u3000"],
  ]),
  brackets: pieces("judged", [..."[]{}()&*!|>%@?-", "<<: *a", "{}", "[]", "---", "...", "? "], 1),
  "deep nesting": (people, style, draw) => {
    const open = draw.pick(
      style.format === "csv" ? ['"'] : ["[", "{", '{"a":', "- ", "? ", "[[{a: ", "!!seq ["],
    );
    const text = textOf(people, style);
    const depth = 10 ** draw.pick([2, 3, 4, 5]) + 1;
    const at = style.format === "csv" ? text.length : draw.below(text.length);
    return plain(inserted(text, at, open.repeat(depth)), style.format === "csv" ? "refused" : "judged");
  },
  "cut off": (people, style, draw) => {
    const text = textOf(people, style);
    return plain(text.slice(0, draw.below(text.length)), "judged");
  },
  "lines again, gone or exchanged": (people, style, draw) => {
    const lines = textOf(people, { ...style, lineEnd: "\n" }).split("\n");
    const at = draw.below(lines.length);
    lines.splice(
      at,
      draw.below(3),
      ...draw.pick([[], [lines[at] ?? ""], draw.shuffled(lines.slice(at, at + 3))]),
    );
    return plain(lines.join("\n"), "judged");
  },
  "names of prototypes": names("refused", [
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "prototype",
  ]),
  "unknown names": names("refused", ["frist_name", "x", "0", "first name of", "Name", "e_mail_address"]),
  "names twice": names("refused", ["email", "E-Mail", "EMAIL", "e mail"]),
  "a name in other letters": names("same", ["First_Name", "FIRST NAME", "first-name", "firstName"]),
  "very long values": values("refused", ["email", "team", "first_name", "key"], (_, draw) =>
    "x".repeat(draw.pick([20_001, 200_000])),
  ),
  "no email": values("refused", ["email"], (_, draw) =>
    draw.pick(["ada", "ada@", "@b.example", "a@b", "a b@c.example", "0", "x".repeat(400)]),
  ),
};

const TAGS =
  "!!binary !!null !!set !!omap !!timestamp !!js/function !!python/object !!int !!float !!map !x !<tag:x,2000:y>";
const yaml: Readonly<Record<string, Mutation>> = {
  "odd scalars": values("judged", ["team", "first_name", "rotation", "key"], (_, draw) =>
    draw.pick(
      "1e999 -1e999 0o17 017 0x1F 1_000 12:30:00 2027-01-01 .inf .nan ~ null Null yes no off y true 1. +1 !!str".split(
        " ",
      ),
    ),
  ),
  anchors: values("same", ["team", "first_name", "email"], (value) => `&a ${JSON.stringify(value)}`),
  "harmless tags": values(
    "same",
    ["team", "first_name", "email"],
    (value, draw) => `${draw.pick(["!!str", "!"])} ${JSON.stringify(value)}`,
  ),
  tags: values(
    "same or refused",
    ["team", "first_name", "email"],
    (value, draw) => `${draw.pick(TAGS.split(" "))} ${JSON.stringify(value)}`,
  ),
  aliases: values("refused", ["team", "first_name", "email"], () => "*a"),
  "merge keys": (people, style, draw) => {
    const text = textOf(people, { ...style, lineEnd: "\n" });
    const piece = draw.pick(["<<: {email: eve@acme.example}", "<<: [a]", "<<: *organization"]);
    return plain(inserted(text, text.indexOf("people:"), `${piece}\n`), "refused");
  },
  "documents and directives": (people, style, draw) => {
    const text = textOf(people, { ...style, lineEnd: "\n" }).replace(/^---\n/, "");
    const second = draw.pick(["---\n", "...\n---\na: b\n", "---\npeople: [{email: eve@acme.example}]\n"]);
    const first = draw.pick([
      "%YAML 1.1\n---\n",
      "%TAG ! tag:x,2000:\n---\n",
      "%YAML 9.9\n---\n",
      "%X\n---\n",
    ]);
    return draw.chance() ? plain(text + second, "refused") : plain(first + text, "same or refused");
  },
  "a billion laughs": (people, style, draw) => {
    const levels = Array.from({ length: 9 + draw.below(20) }, (_, level) => {
      const below = level === 0 ? '"lol"' : `*l${level - 1}`;
      return `l${level}: &l${level} [${Array.from({ length: 9 }, () => below).join(",")}]\n`;
    });
    return plain(
      levels.join("") + textOf(people, { ...style, lineEnd: "\n" }).replace(/^---\n/, ""),
      "refused",
    );
  },
};

const json: Readonly<Record<string, Mutation>> = {
  "odd values": values("judged", ["team", "first_name", "email"], (_, draw) =>
    draw.pick([
      "1e999",
      "-0",
      "1E400",
      "NaN",
      "Infinity",
      "undefined",
      "0x1",
      "01",
      "+1",
      ".5",
      "1.",
      "null",
      "true",
      "[]",
      "{}",
      "'a'",
      "a",
    ]),
  ),
  escapes: values("judged", ["team", "first_name"], (_, draw) =>
    draw.pick([
      '"\\u0000"',
      '"\\u202e"',
      '"\\x41"',
      '"\\u00zz"',
      '"\\n"',
      '"a\nb"',
      '"\t"',
      '"\\/"',
      '"\\u0041da"',
    ]),
  ),
  "lone surrogates": values("refused", ["team", "first_name", "email"], (_, draw) =>
    draw.pick(['"\\ud800"', '"a\\udc00b"', '"\\udfff\\ud800"']),
  ),
  "loose JSON": (people, style, draw) => {
    const text = textOf(people, style);
    const [from, to] = draw.pick([
      [/\}\]/, "},]"],
      [/\]\}/, "],}"],
      [/\{/, "{ // note\n"],
      [/\{/, "{ /* note */"],
      [/"people"/, "people"],
      [/"people"/, "'people'"],
      [/$/, "{}"],
      [/$/, ","],
      [/^/, "\u00a0"],
    ] as const);
    return plain(text.replace(from, to), "refused");
  },
  "names twice in JSON": (people, style) =>
    plain(textOf(people, style).replace('{"organization"', '{"people": [], "organization"'), "refused"),
};

const csv: Readonly<Record<string, Mutation>> = {
  "a named delimiter": (people, style, draw) => {
    const text = textOf(people, { ...style, lineEnd: "\n" });
    return plain(
      `${draw.pick(["sep=", '"sep=', "SEP="])}${style.delimiter}\n`.replace(/^(".*)\n/, '$1"\n') + text,
      "same",
    );
  },
  "padded lines": (people, style, draw) => {
    const text = textOf(people, { ...style, lineEnd: "\n" });
    const padding = style.delimiter.repeat(draw.below(5));
    return plain(text.replace(/(\n)(.*\n)/, `$1\n${padding}\n$2`), "same");
  },
  "cells missing or too many": (people, style, draw) => {
    const [one, ...others] = textOf(people, { ...style, lineEnd: "\n" })
      .trimEnd()
      .split("\n");
    return plain([one, ...others, draw.pick(["a", `${style.delimiter.repeat(9)}a`])].join("\n"), "refused");
  },
};

const own = { csv, yaml, json };
export const classNames = [
  ...Object.keys(everywhere),
  ...Object.values(own).flatMap((one) => Object.keys(one)),
];

/** The class of a mutation, and itself; if the format has no such class, another format has. */
export function mutationOf(name: string): {
  readonly mutate: Mutation;
  readonly formats: readonly Style["format"][];
} {
  const common = everywhere[name];
  if (common !== undefined) return { mutate: common, formats: ["csv", "yaml", "json"] };
  for (const format of ["csv", "yaml", "json"] as const) {
    const mutate = own[format][name];
    if (mutate !== undefined) return { mutate, formats: [format] };
  }
  throw new Error(`no class ${name}`);
}

/**
 * Readings: stories of what a file says, or what is wrong with it, and of edits. Lines that begin with `| ` are the file, in which
 * `\n`, `\r`, `\t` and `\u{…}` are characters, and `\` at the end of the last one says that its line has no end.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { refuseOtherSettings } from "../../../command/roster/edit/settings.ts";
import { readLastSeen } from "../../../command/roster/last-seen.ts";
import {
  addOffboarded,
  dropOffboarded,
  onDeleteOf,
  readOffboarded,
} from "../../../command/roster/offboarded.ts";
import { parseRoster, readRoster } from "../../../command/roster/read.ts";
import type { NewPerson } from "../../../command/roster/write.ts";
import { temporaryFile, temporaryFolder } from "../../setup/temporary.ts";
import type { Story } from "../stories/stories.ts";
import { addPeople, removePeople, setField, setHeader } from "./one-file.ts";
import { type Fields, issuesOf, ORGANIZATION, textOf } from "./sample.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const personSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const newPersonSchema = z.looseObject({ key: z.string() });
const LEFT = "2026-11-21T18:00:00Z";
const entrySchema = z.strictObject({
  key: z.string().optional(),
  email: z.string().optional(),
  userId: z.string().optional(),
  leftAt: z.string().optional().default(LEFT),
  by: z.string().optional(),
  keepMember: z.literal(true).optional(),
});
/** What a person of an edit is like, unless it says more. */
const usual = { seat: true, token: true, protected: false };

/** Header fields that set another one, in a roster whose people are the subject. */
function headerOf(text: string | undefined): Fields {
  if (text === undefined) return { organization: ORGANIZATION };
  const given = personSchema.parse(parse(text.replace("only ", "")));
  return text.startsWith("only ") ? given : { organization: ORGANIZATION, ...given };
}

export class Reading {
  readonly #file: string;
  #text = "";
  /** The text as it is written in the story. */
  #written = "";
  #isComplete = true;
  /** The other files of its folder, by name. */
  readonly #beside = new Map<string, string>();

  constructor({ setting }: Story) {
    this.#file = setting || "people.csv";
  }

  /** @returns what came of a line */
  async line(line: string): Promise<readonly string[]> {
    const [word = "", rest = ""] = line.split(/ (.*)/s);
    if (word === "|") this.#write(rest);
    else {
      this.#isComplete = true;
      const question = this.#questions[word];
      if (question === undefined) throw new Error(`no such line: ${line}`);
      try {
        return await question(rest);
      } catch (error) {
        return String(error instanceof Error ? error.message : error)
          .replaceAll(/\S*\/(?=\w+(\.offboarded)?\.(csv|yaml))/g, "")
          .replaceAll(/\/\S+(?= is invalid)/g, "<folder>")
          .split("\n")
          .map(shown);
      }
    }
    return [];
  }

  #write(line: string): void {
    if (this.#isComplete) this.#text = "";
    this.#isComplete = false;
    const hasNoEnd = line.endsWith("\\");
    const text = line.replaceAll("<organization>", ORGANIZATION).replace(/\\$/, "");
    this.#text += unescaped(text) + (hasNoEnd ? "" : "\n");
    this.#written = this.#text;
  }

  #change({ text }: { readonly text: string }): string[] {
    this.#text = text;
    const lines = text.split("\n");
    const last = lines.pop();
    return [...lines.map((one) => `| ${shown(one)}`), ...(last ? [`| ${shown(last)}\\`] : [])];
  }

  async #editList(rest: string, edit: typeof addOffboarded): Promise<string[]> {
    const file = temporaryFile(this.#file);
    if (this.#text !== "") writeFileSync(file, this.#text);
    await edit(file, [entrySchema.parse(parse(rest))]);
    return this.#change({ text: readFileSync(file, "utf8") });
  }

  readonly #questions: Readonly<Record<string, (rest: string) => Promise<string[]> | string[]>> = {
    /** What a roster says: its header, and a line for each person. */
    read: () => {
      const { people, file: _, ...header } = parseRoster(this.#text, this.#file);
      const { organizationId, ...settings } = header;
      const own = organizationId === ORGANIZATION ? settings : header;
      return [JSON.stringify(own), ...people.map(({ place, ...person }) => `${place}: ${personal(person)}`)];
    },
    /** The same of a file, and of a clock. */
    "read-now": async () => {
      const { people } = await readRoster(temporaryFile(this.#file, this.#text), NOW);
      return [`${people.length} of ${this.#file}`];
    },
    seen: async () => {
      const seen = await readLastSeen(temporaryFile(this.#file, this.#text), NOW);
      return [...seen].map(([email, at]) => `${email}: ${at ?? "never"}`);
    },
    offboarded: async () => {
      const listed = await readOffboarded(temporaryFile(this.#file, this.#text));
      return listed.map((one) => JSON.stringify(one));
    },
    /** An entry more, or gone. */
    join: (rest) => this.#editList(rest, addOffboarded),
    drop: (rest) => this.#editList(rest, dropOffboarded),
    /** What becomes of somebody. */
    decides: async (rest) => {
      const listed = await readOffboarded(temporaryFile(this.#file, this.#text));
      return [onDeleteOf(listed)(entrySchema.parse(parse(rest))) ?? "nothing"];
    },
    /** The text becomes that of another file of the folder. */
    with: (name) => {
      this.#beside.set(name, this.#text);
      return [];
    },
    folder: async () => {
      const folder = temporaryFolder();
      for (const [name, text] of this.#beside) writeFileSync(join(folder, name), text);
      const { people } = await readRoster(folder);
      return people.map(({ place, key }) => `${place.replace(`${folder}/`, "")}: ${key}`);
    },
    /** Whether a verb may write these settings, for a state of some of the people. */
    given: (rest) => {
      const [given, managed] = rest.split(" of ");
      const settings = z.record(z.string(), z.string()).parse(parse(given ?? ""));
      const known = new Set(managed?.split(", "));
      refuseOtherSettings(parseRoster(this.#text, this.#file), settings, known);
      return ["accepted"];
    },
    /** The issues of people, perhaps under a header, in CSV and in YAML. */
    people: (rest) => {
      const [people = "", header] = rest.split(" under ");
      const rows = z.array(personSchema).parse(parse(`[${people}]`));
      return (["csv", "yaml"] as const).flatMap((format) => {
        const issues = issuesOf(textOf(format, rows, headerOf(header)), `people.${format}`);
        return issues.map(({ line, column, field, text }) => {
          const place = [format, `${line}:${column}`, field].filter(Boolean).join(" ");
          return `${place}: ${shown(text)}`;
        });
      });
    },
    /** Begins once more with the text of the story. */
    again: () => {
      this.#text = this.#written;
      return [];
    },
    add: (rest) => {
      const person: NewPerson = { ...usual, ...newPersonSchema.parse(parse(rest)) };
      return this.#change(addPeople(this.#text, this.#file, [person]));
    },
    remove: (rest) => this.#change(removePeople(this.#text, this.#file, rest.split(", "))),
    /** The rows that go, as a command shows them. */
    diff: (rest) => {
      const { diff } = removePeople(this.#text, this.#file, rest.split(", "));
      return diff === ""
        ? ["nothing"]
        : diff
            .trimEnd()
            .split("\n")
            .map((line) => `|${line}`);
    },
    set: (rest) => {
      const [keys = "", field = "", value = ""] = /^(.*) (\w+)=(.*)$/.exec(rest)?.slice(1) ?? [];
      const name = z.enum(["email", "rotation"]).parse(field);
      return this.#change(setField(this.#text, this.#file, keys.split(", "), name, value));
    },
    header: (rest) => {
      const [field = "", value = ""] = rest.split("=");
      const name = z.enum(["organization", "on_delete", "roster"]).parse(field);
      return this.#change(
        setHeader(this.#text, this.#file, name, value.replace("<organization>", ORGANIZATION)),
      );
    },
  };
}

/** Without the defaults. */
function personal(person: object): string {
  const own = Object.entries(person).filter(([key, value]) => Reflect.get(usual, key) !== value);
  return JSON.stringify(Object.fromEntries(own));
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:u\{([0-9a-f]+)\}|([nrt\\]))/g, (_, code?: string, name = "") =>
    code === undefined
      ? ({ n: "\n", r: "\r", t: "\t" }[String(name)] ?? "\\")
      : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

function shown(text: string): string {
  return text
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t")
    .replaceAll("\uFEFF", "\\u{feff}")
    .replaceAll("\u200b", "\\u{200b}");
}

/**
 * Plans: stories of the rows of an earlier run (`had`) and of now (`has`), each perhaps with a header behind `;`, and of what a
 * command says of the plan: `$ plan`. A service whose users are known has a `list`; without one it lists nobody.
 */
import { join } from "node:path";
import { type GuardContext, violationsOf } from "../../../command/plan/guards/guards.ts";
import type { Ownership } from "../../../command/plan/guards/ownership.ts";
import { withOverrideAdvice } from "../../../command/plan/guards/violation.ts";
import { needsSwap } from "../../../command/plan/seats.ts";
import { planToText } from "../../../command/plan/texts/text.ts";
import { parseRoster } from "../../../command/roster/read.ts";
import type { Roster } from "../../../command/roster/roster.ts";
import { csvOf, fieldsIn, peopleIn, wordsIn } from "../stories/people.ts";
import { type Story, testStories } from "../stories/stories.ts";
import { guardContext, ORGANIZATION, plan, rosterOf } from "./planned.ts";

type Given = Parameters<typeof plan>[0];
interface Rows {
  readonly people: Roster["people"];
  readonly settings: Partial<Roster>;
}

/** The ids of the roster and of another one. */
const ids: Readonly<Record<string, string>> = {
  own: "00000000-0000-4000-8000-000000000001",
  other: "00000000-0000-4000-8000-000000000002",
};
const empty: Ownership["owner"] = { stack: "people", project: "orgseat", rosterIds: [], otherTypes: [] };
const nobody: Rows = { people: [], settings: {} };

class Plans {
  readonly #platform: NonNullable<Given["platform"]>;
  #had: Rows = nobody;
  #has: Rows | undefined;
  #given: Given = {};
  #guards: Partial<GuardContext> = {};
  /** What is said of the stack; undefined if it is not checked. */
  #stack: Partial<Ownership> | undefined;
  /** The value for --approve of the last plan. */
  #override: string | undefined;

  constructor({ setting }: Story) {
    this.#platform = setting === "anaconda" ? "anaconda" : "basic";
  }

  /** @returns what came of a line */
  async line(text: string): Promise<readonly string[]> {
    const [word = "", rest = ""] = text.split(/ (.*)/s);
    if (word === "$") return this.#plan(rest);
    const change = this.#changes[word];
    if (change === undefined) throw new Error(`no such line: ${text}`);
    change(rest);
    return [];
  }

  readonly #changes: Readonly<Record<string, (rest: string) => void>> = {
    had: (rest) => {
      this.#had = rowsIn(rest);
    },
    has: (rest) => {
      this.#has = rowsIn(rest);
    },
    seats: (count) => {
      this.#given = { ...this.#given, declaredSeats: Number(count) };
    },
    order: (keys) => {
      this.#given = { ...this.#given, order: keys.split(", ") };
    },
    /** Users whom the service lists: `p0, ada role=admin, x id=gone`; `seat=no` is the default. */
    list: (rest) => {
      const listed = peopleIn(rest).map(({ key, email, id = `id-of-${key}`, role = "member", seat }) => ({
        ...{ id, email, first_name: null, last_name: null, role },
        subscriptions: seat === "yes" ? ["seat"] : [],
      }));
      this.#given = { ...this.#given, listed };
    },
    protect: (name) => {
      this.#guards = { ...this.#guards, protected: { names: [name], keys: [] } };
    },
    configured: (organization) => {
      this.#guards = { ...this.#guards, configuredOrganization: organization };
    },
    /** The rosters whose markers the stack has: `own`, `other`, both, or `none`. */
    owner: (names) => {
      const rosterIds = names.split(" ").flatMap((name) => ids[name] ?? []);
      this.#stack = { ...this.#stack, owner: { ...empty, rosterIds } };
    },
    /** Resources of another program in the stack. */
    foreign: (type) => {
      this.#stack = { ...this.#stack, owner: { ...empty, rosterIds: [], otherTypes: [type] } };
    },
    /** The file has no id. */
    unnamed: () => {
      this.#stack = { ...this.#stack, headerId: undefined };
    },
    /** Rows of the file that the run ignores. */
    ignored: (rest) => {
      this.#stack = { ...this.#stack, listed: rowsIn(rest).people };
    },
    "new-stack": () => {
      this.#stack = { ...this.#stack, newStack: true };
    },
    /** What the last plan offered. */
    approve: () => {
      this.#guards = { ...this.#guards, override: this.#override };
    },
    /** Each person was named by whoever runs the command. */
    named: () => {
      this.#guards = { ...this.#guards, namedOneByOne: true };
    },
  };

  async #plan(flags: string): Promise<string[]> {
    const has = this.#has ?? this.#had;
    const roster = { ...this.#had.settings, ...has.settings };
    const { people } = this.#had;
    const rows = { had: people, has: has.people, roster, before: this.#had.settings };
    const found = await plan({ ...this.#given, ...rows, platform: this.#platform });
    const context = { ...guardContext, roster: rosterOf(has.people, roster), ...this.#guards };
    const namedOneByOne = context.namedOneByOne;
    const usual = {
      file: "people.csv",
      headerId: ids.own,
      listed: has.people,
      newStack: false,
      namedOneByOne,
    };
    const ownership = this.#stack && { owner: empty, ...usual, ...this.#stack };
    const stops = withOverrideAdvice(violationsOf(found, { ...context, ownership }));
    this.#override = stops.find(({ override }) => override !== undefined)?.override;
    const text = planToText(found, stops, { verbose: flags === "plan --verbose" });
    const swap = needsSwap(found.seats) ? ["(frees seats first)"] : [];
    return [...text.split("\n").filter(Boolean), ...swap].map((line) =>
      line.replaceAll(/\b[0-9a-f]{16}(?=@)/g, "<hash>"),
    );
  }
}

function rowsIn(text: string): Rows {
  const [people = "", header = ""] = text.split(/; */);
  const given = parseRoster(
    csvOf(peopleIn(people), { organization: ORGANIZATION, ...fieldsIn(wordsIn(header)) }),
    "people.csv",
  );
  const { people: rows, file: _, ...settings } = given;
  return { people: rows, settings };
}

/** A test for each plan of a file in this folder. */
export function plans(name: string): void {
  const file = join(import.meta.dirname, name);
  testStories(file, (story) => new Plans(story));
}

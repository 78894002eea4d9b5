/** What happens on the machine of a story: its files, its variables, its clock. */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { vi } from "vitest";
import { addOffboarded } from "../../../command/roster/offboarded.ts";
import { fieldsIn, wordsIn } from "./people.ts";
import type { Change } from "./service.ts";

export const START = "2026-08-20T10:00:00Z";
export const OFFBOARDED = "people.offboarded.csv";
const DAY_MS = 86_400_000;

/** @param roster its file */
export function machineChanges(roster: string): Readonly<Record<string, Change>> {
  return {
    edit: async (rest) => {
      const [from = "", to = ""] = rest.split(" => ");
      const text = readFileSync(roster, "utf8");
      if (!text.includes(from)) throw new Error(`the roster has no ${from}`);
      writeFileSync(roster, text.replaceAll(from, to.replaceAll("\\n", "\n")));
    },
    /** An entry of the offboarded list, which someone writes by hand. */
    entry: async (rest) => {
      const { email, key, user_id: userId, keep } = fieldsIn(wordsIn(rest));
      const entry = { key, email, userId, leftAt: START, ...(keep && { keepMember: true as const }) };
      await addOffboarded(OFFBOARDED, [entry]);
    },
    /** A file, or more of it; `\n` is the end of a line. */
    write: async (rest) => {
      const [name = "", text = ""] = rest.split(/ (.*)/s);
      mkdirSync(dirname(name), { recursive: true });
      writeFileSync(name, text.replaceAll("\\n", "\n"));
    },
    append: async (rest) => {
      const [name = "", text = ""] = rest.split(/ (.*)/s);
      appendFileSync(name, text.replaceAll("\\n", "\n"));
    },
    link: async (rest) => {
      const [name = "", target = ""] = rest.split(" ");
      mkdirSync(dirname(name), { recursive: true });
      symlinkSync(target, name);
    },
    /** Only the owner can read it. */
    protect: async (name) => chmodSync(name, 0o600),
    delete: async (name) => rmSync(name, { recursive: true }),
    machine: async (rest) => setTime(rest),
    env: async (rest) => {
      for (const [name, value] of Object.entries(fieldsIn(wordsIn(rest)))) vi.stubEnv(name, value);
    },
  };
}

export function setTime(rest: string): void {
  const [, days] = /^([+-]\d+)d$/.exec(rest) ?? [];
  vi.setSystemTime(days === undefined ? Date.parse(rest) : Date.now() + Number(days) * DAY_MS);
}

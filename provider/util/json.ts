import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { z } from "zod";

/** The value of a JSON text; undefined for an invalid one. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The valid ones of JSON lines: a process that was killed, or a full disk, may leave part of a line. */
export function jsonLinesIn<Line extends z.ZodType>(text: string, schema: Line): z.output<Line>[] {
  return text.split("\n").flatMap((line) => {
    const { success, data } = schema.safeParse(parseJson(line));
    return success ? [data] : [];
  });
}

/** The text of a file; empty if there is none. */
export function textOfFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

/**
 * Writes a file that is the old one or the new one at any moment, whatever was there, and not through a link.
 * @param mode of the new file
 * @throws if it cannot be written
 */
export function writeWhole(file: string, text: string, mode: number): void {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, text, { mode, flag: "wx" });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A property of a value that can be anything; undefined if it has none. */
export function propertyOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

/** Fields of an object, as outputs have them: null for one that it lacks. */
export function fieldsOf<Item extends object, Key extends keyof Item>(item: Item, ...keys: readonly Key[]) {
  const fields = keys.map((key) => [key, item[key] ?? null] as const);
  // One for each key.
  return Object.fromEntries(fields) as { [Name in Key]-?: NonNullable<Item[Name]> | null };
}

/** The key with which Pulumi marks what is no plain value, such as a secret, encrypted or shown: in states and on the wire. */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";

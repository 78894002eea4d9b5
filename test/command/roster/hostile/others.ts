/** What other readers find in a file: the people by the fields as they are written. */
import { createRequire } from "node:module";
import { parse } from "csv-parse/sync";
import { z } from "zod";
import type { Format } from "./drawn.ts";

/** The value of each field, whose name is in lower case without blanks, `_` and `-`. */
export type Found = Readonly<Record<string, unknown>>;

/** The people; undefined if the reader fails. Several answers if the text does not say which delimiter it has. */
export function peopleByOthers(text: string, format: Format): (Found[] | undefined)[] {
  const body = text.replace(/^\ufeff/, "");
  if (format === "csv") return [",", ";", "\t"].map((delimiter) => attempt(() => csvPeople(body, delimiter)));
  return [attempt(() => peopleIn(format === "json" ? JSON.parse(body) : loadYaml(body)))];
}

function attempt(read: () => Found[]): Found[] | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Pulumi's SDK has it. */
const { load, FAILSAFE_SCHEMA } = z
  .object({
    load: z.function({ input: [z.string(), z.unknown()], output: z.unknown() }),
    FAILSAFE_SCHEMA: z.unknown(),
  })
  .parse(createRequire(import.meta.url)("js-yaml"));

function loadYaml(text: string): unknown {
  return load(text, { schema: FAILSAFE_SCHEMA });
}

const fieldsSchema = z
  .record(z.string(), z.unknown())
  .transform((fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [nameOf(name), value])),
  );

function peopleIn(whole: unknown): Found[] {
  return z.array(fieldsSchema).parse(fieldsSchema.parse(whole).people ?? []);
}

function csvPeople(text: string, delimiter: string): Found[] {
  const lines = text.replace(/^("?)sep=(.)\1[ \t]*(\r\n|\n|\r)/i, "");
  const options = {
    ...{ delimiter, trim: true, relax_column_count: true, record_delimiter: ["\r\n", "\n", "\r"] },
    ...{ comment: "#", comment_no_infix: true },
  };
  const records = z.array(z.array(z.string())).parse(parse(lines, options));
  const [columns, ...rows] = records.filter((cells) => cells.some((cell) => cell.trim() !== ""));
  return rows
    .filter(([first = "", ...more]) => !first.startsWith("#") || more.some((cell) => cell !== ""))
    .map((cells) =>
      Object.fromEntries(cells.map((cell, place) => [nameOf(columns?.[place] ?? ""), cell.trim()])),
    );
}

function nameOf(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]+/g, "");
}

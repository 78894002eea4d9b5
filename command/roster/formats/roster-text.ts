/** The text of a roster: that of one file, or those of all files in a folder. */
import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import { readText, rewriteTexts } from "./text-file.ts";
import { RosterError } from "./validation.ts";

/** How a file is written. */
export type RosterFormat = "csv" | "yaml" | "json";

const FORMATS = new Map<string, RosterFormat>([
  [".csv", "csv"],
  [".yaml", "yaml"],
  [".yml", "yaml"],
  [".json", "json"],
]);

/** @throws RosterError for an unknown ending */
export function formatOf(file: string): RosterFormat {
  const format = formatIn(file);
  if (format !== undefined) return format;
  const text = `unknown file extension (expected ${[...FORMATS.keys()].join(", ")}). Rename the file`;
  throw new RosterError(file, [{ line: 0, column: 0, text }]);
}

function formatIn(file: string): RosterFormat | undefined {
  return FORMATS.get(extname(file).toLowerCase());
}

/** One file of a roster. */
export interface FileText {
  /** As the caller named it, or below the folder that the caller named. */
  readonly file: string;
  readonly text: string;
}

export interface RosterText {
  /** The file or the folder, as the caller named it. */
  readonly roster: string;
  readonly isFolder: boolean;
  /** In the order of their names. */
  readonly files: readonly FileText[];
}

/** The text of a roster of one file. */
export function oneFile(text: string, file: string): RosterText {
  return { roster: file, isFolder: false, files: [{ file, text }] };
}

/**
 * @param path of a file, or of a folder: its files and those below, without hidden ones
 * @param name of the path in messages. Default: the path
 * @throws RosterError for a file that cannot be read, or a folder without files of a roster
 */
export async function readRosterText(path: string, name = path): Promise<RosterText> {
  if (!isFolder(path)) {
    formatOf(name);
    return oneFile(await readText(path), name);
  }
  const names = (await readdir(path, { recursive: true })).filter(
    (one) => formatIn(one) !== undefined && !/(^|\/)\./.test(one),
  );
  if (names.length === 0) {
    const text = `the folder has no file of a roster (${[...FORMATS.keys()].join(", ")}). Pass another folder, or a file`;
    throw new RosterError(name, [{ line: 0, column: 0, text }]);
  }
  const read = names.toSorted().map(async (one) => ({
    file: join(name, one),
    text: await readText(join(path, one)),
  }));
  return { roster: name, isFolder: true, files: await Promise.all(read) };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Writes the files that an edit has changed.
 * @param path of the roster
 * @throws if one of the files has changed since it was read: then all stay as they are
 */
export async function rewriteRoster(path: string, before: RosterText, { files }: RosterText): Promise<void> {
  const rewritings = files.flatMap(({ file, text }, index) => {
    const old = before.files[index]?.text;
    const place = before.isFolder ? join(path, relative(before.roster, file)) : path;
    return old === undefined ? [] : { file: place, before: old, text };
  });
  await rewriteTexts(rewritings);
}

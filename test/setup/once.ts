/** What takes long to make and is the same for all test files of a run, made once. */
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";

/** What this process is about to make. */
const underWay = new Map<string, Promise<string>>();

/**
 * Two processes that ask at the same time may both make it; whoever is ready first has made it.
 * @param name of the folder
 * @param make puts into the empty folder what it is to hold
 * @returns the folder; no one may change anything in it
 */
export function oncePerRun(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const made = join(inject("runFolder"), name);
  const known = underWay.get(made) ?? makeUnlessThere(made, make);
  underWay.set(made, known);
  return known;
}

/** Makes a folder unless it is there. @returns it */
export async function makeUnlessThere(
  made: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  if (existsSync(made)) return made;
  const folder = mkdtempSync(`${made}-`);
  await make(folder);
  try {
    renameSync(folder, made);
  } catch (error) {
    if (!existsSync(made)) throw error;
    rmSync(folder, { recursive: true, force: true });
  }
  return made;
}

/** Keeps the id of a roster in its file, which is written there once the stacks have it. */
import type { Organization } from "./organization.ts";
import { headerEdit } from "./roster/edit.ts";
import { readText, rewriteText } from "./roster/text-file.ts";

/** An edit of the roster that a run has made, or could not make. */
export interface RosterEdit {
  /** The id that the roster has now; empty where its stacks are. */
  readonly rosterId: string;
  /** A unified diff. */
  readonly diff: string;
  /** Why the file was not written; undefined where it was. */
  readonly error: string | undefined;
}

/** @param rosterId empty to forget it @returns undefined where the file says so already */
export async function writeRosterId(
  { file, roster }: Organization,
  rosterId: string,
): Promise<RosterEdit | undefined> {
  // Others may have edited it since it was read, such as the command itself.
  const before = await readText(file);
  const { text, diff } = headerEdit(before, roster.file, "roster", rosterId);
  if (diff === "") return undefined;
  try {
    await rewriteText(file, before, text);
    return { rosterId, diff, error: undefined };
  } catch (error) {
    return { rosterId, diff, error: error instanceof Error ? error.message : String(error) };
  }
}

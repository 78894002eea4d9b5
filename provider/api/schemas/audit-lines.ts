/** The lines of the audit log, one for each write that was sent to the service. */
import { z } from "zod";
import { jsonLinesIn, parseJson, textOfFile } from "../../util/json.ts";

export const auditLineSchema = z.object({
  /** A timestamp. */
  time: z.iso.datetime(),
  /** The number of the operation, such as 11 for the end of a membership. */
  call: z.int(),
  /** The name of the operation. */
  name: z.string().optional(),
  organizationId: z.string().optional(),
  /** The object of the operation: for users, seats, and tokens the user id. */
  id: z.string().optional(),
  /** Of a new machine user: which organization and names. */
  names: z.string().optional(),
  /** The HTTP status; undefined if no response came. */
  status: z.int().optional(),
  outcome: z.enum(["done", "refused", "no answer"]),
  stack: z.string().optional(),
  run: z.string().optional(),
});
export type AuditLine = Readonly<z.output<typeof auditLineSchema>>;

/** What the text of an audit log says. */
export interface AuditText {
  /** The entries, in their order. */
  readonly lines: readonly AuditLine[];
  /** The lines that a kill or a full disk cut off, and that nothing wrote again: what they recorded is unknown. */
  readonly cut: readonly string[];
  /** The numbers of the lines that are neither. */
  readonly invalid: readonly number[];
}

/** How each entry begins. */
const BEGINNING = '{"time":"';
/** The length of a beginning with the whole time: a shorter one is that of other entries too. */
const IDENTIFYING = `${BEGINNING}2026-11-03T10:00:00.000Z`.length;

export function readAuditText(text: string): AuditText {
  const all = text.split("\n");
  const odd = all.flatMap((line, index) =>
    line.trim() === "" || jsonLinesIn(line, auditLineSchema).length > 0 ? [] : [{ line, index }],
  );
  // After a kill, the next run begins a new line; after a full disk, it writes the whole entry again.
  const isCut = ({ line, index }: (typeof odd)[number]): boolean =>
    index === all.length - 1 ||
    (parseJson(line) === undefined && (line.startsWith(BEGINNING) || BEGINNING.startsWith(line)));
  const isRewritten = ({ line, index }: (typeof odd)[number]): boolean =>
    line.length >= IDENTIFYING && all.slice(index + 1).some((later) => later.startsWith(line));
  const rest = odd.filter((one) => !isRewritten(one));
  return {
    lines: jsonLinesIn(text, auditLineSchema),
    cut: rest.filter(isCut).map(({ line }) => line),
    invalid: rest.filter((one) => !isCut(one)).map(({ index }) => index + 1),
  };
}

/** The lines of a file without those that cannot be read; none if there is no file. */
export function auditLinesIn(file: string): readonly AuditLine[] {
  return readAuditText(textOfFile(file)).lines;
}

/** The ids of users whom a run has removed. A 404 to a removal does not show that (D15). */
export function removedUsers(lines: readonly AuditLine[]): ReadonlySet<string> {
  const removals = lines.filter((line) => line.name === "remove user" && isEffective(line));
  return new Set(removals.flatMap(({ id }) => id || []));
}

/**
 * The ids of users whom a run of the stack has added and for whom none has requested a token: no one has anything of them that
 * a run which takes them over would end.
 */
export function usersWithoutToken(
  lines: readonly AuditLine[],
  stack: string | undefined,
): ReadonlySet<string> {
  const added = new Set<string>();
  for (const { name, id = "", outcome, ...line } of lines.filter((one) => one.stack === stack)) {
    if (name === "add user" && isEffective({ ...line, name, outcome })) added.add(id);
    if (name === "remove user" || (name === "issue token" && outcome !== "refused")) added.delete(id);
  }
  return added;
}

/** What makes again what a removal has removed. */
const REMADE: ReadonlyMap<string | undefined, string> = new Map([
  ["issue token", "revoke token"],
  ["assign seat", "remove seat"],
]);
const REMOVALS: ReadonlySet<string | undefined> = new Set([...REMADE.values(), "remove user"]);

/** What runs have removed, and no later one has made again: `revoke token <user id>`, for users with one token. */
export function removedObjects(lines: readonly AuditLine[]): ReadonlySet<string> {
  const removed = new Set<string>();
  for (const { name, id } of lines.filter(isEffective)) {
    if (REMADE.has(name)) removed.delete(`${REMADE.get(name)} ${id}`);
    if (REMOVALS.has(name)) removed.add(`${name} ${id}`);
  }
  return removed;
}

/** The ids of users whose token was revoked, and who have got no other one: where tokens have ids, a new one comes first. */
export function revokedUsers(lines: readonly AuditLine[]): ReadonlySet<string> {
  const valid = new Map<string, number>();
  for (const { name, id = "" } of lines.filter(isEffective)) {
    const count = valid.get(id) ?? 0;
    if (name === "revoke token") valid.set(id, Math.max(0, count - 1));
    if (name === "issue token") valid.set(id, count + 1);
  }
  return new Set([...valid].flatMap(([id, count]) => (count === 0 ? [id] : [])));
}

/** Whether the write was done, and found what it is about. */
export function isEffective({ outcome, status }: AuditLine): boolean {
  return outcome === "done" && status !== 404 && status !== 410;
}

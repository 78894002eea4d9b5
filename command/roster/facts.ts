/** The facts that the marker of a roster keeps in the state. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { z } from "zod";
import type { Roster, RosterFacts, RosterFile, RosterPerson } from "./roster.ts";

const factsSchema = z.object({
  requireSealedTokens: z.literal(true).optional().catch(undefined),
  membership: z.literal("directory").optional().catch(undefined),
  keys: z.array(z.string()).optional().catch(undefined),
  files: z.array(z.string()).optional().catch(undefined),
});

/** @param inputs of a marker in a state or a program */
export function readFacts(inputs: unknown): RosterFacts {
  return factsSchema.catch({}).parse(inputs);
}

/** The first digits of the SHA-256 of a public key, or of the key of a row. */
export function fingerprintOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** A public key with its owner, without a name: the fact outlives the row. @param owner the key of the row */
export function knownKey(fingerprint: string, owner: string): string {
  return `${fingerprint} ${fingerprintOf(owner)}`;
}

/** @param before those in the state, which stay */
export function factsOf(roster: Roster, before: RosterFacts): RosterFacts {
  const declared = roster.people.flatMap(({ key, recipients = [] }) =>
    recipients.map((one) => knownKey(fingerprintOf(one), key)),
  );
  const keys = [...new Set([...(before.keys ?? []), ...declared])].toSorted();
  return {
    requireSealedTokens: roster.requireSealedTokens ? true : undefined,
    membership: roster.membership,
    keys: keys.length === 0 ? undefined : keys,
    files: roster.files && roster.people.flatMap((person) => knownFile(person, roster)).toSorted(),
  };
}

/** The files that list another number of people than they declare. */
export function miscountedFiles({ file, files, rows, people }: Roster) {
  const counts = Map.groupBy(people, (person) => person.file ?? file);
  return (files ?? [{ file, rows }]).flatMap((one) => {
    const listed = counts.get(one.file)?.length ?? 0;
    return one.rows === undefined || one.rows === listed ? [] : { file: one.file, rows: one.rows, listed };
  });
}

/** The file of a row in the folder of its roster, without a name: the fact outlives the row. */
function knownFile({ key, file }: RosterPerson, roster: Roster): string[] {
  return file === undefined ? [] : [`${fingerprintOf(key)} ${relative(roster.file, file)}`];
}

function knownFilesIn(facts: readonly RosterFacts[]): { fingerprint: string; name: string }[] {
  return facts.flatMap(({ files = [] }) =>
    files.map((one) => {
      const [fingerprint = "", ...name] = one.split(" ");
      return { fingerprint, name: name.join(" ") };
    }),
  );
}

/** The files that were part of the roster at the last run, and are still beside the only file that it is now. @param file its path */
export function unreadFiles(
  { files }: Pick<Roster, "files">,
  file: string,
  facts: readonly RosterFacts[],
): string[] {
  if (files !== undefined) return [];
  const names = new Set(knownFilesIn(facts).map(({ name }) => name));
  return [...names].filter((name) => name !== basename(file) && existsSync(join(dirname(file), name)));
}

/** In which file of several each row is or, if it was deleted, was at the last run; undefined if nothing says so. */
export function filesOf(
  roster: Roster | undefined,
  facts: readonly RosterFacts[],
): (key: string) => RosterFile | undefined {
  const { file: folder = "", files = [], people = [] } = roster ?? {};
  const known = new Map(files.map((one) => [one.file, one]));
  const before = new Map(
    knownFilesIn(facts).map(({ fingerprint, name }) => [fingerprint, join(folder, name)]),
  );
  const listed = new Map(people.map(({ key, file }) => [key, file]));
  return (key) => {
    const file = files.length === 0 ? undefined : (listed.get(key) ?? before.get(fingerprintOf(key)));
    return file === undefined ? undefined : (known.get(file) ?? { file, isHead: false });
  };
}

/** Guards about the files of a roster: each counts for itself, besides the roster as a whole. */
import { countedPeople, shortList } from "../../../provider/util/text.ts";
import { miscountedFiles } from "../../roster/facts.ts";
import type { Roster, RosterFile } from "../../roster/roster.ts";
import type { PlannedMember } from "../members.ts";
import type { Plan } from "../plan.ts";
import { type Violation, violation } from "./violation.ts";

/** A truncated file is probably an accident, so it must not remove anyone. */
export function truncatedFiles(roster: Roster): Violation[] {
  return miscountedFiles(roster).flatMap(({ file, rows, listed }) =>
    violation(
      "short-roster",
      `${file} declares ${countedPeople(rows)} (\`rows\`) but lists ${listed}. If the file is truncated, restore it; otherwise correct \`rows\`.`,
    ),
  );
}

/** A file that is still there, but lists none of its people. */
export function emptiedFiles({ losingAccess }: Plan, { files = [], people }: Roster): Violation[] {
  if (people.length === 0) return [];
  return files
    .filter(({ file }) => people.every((person) => person.file !== file))
    .flatMap((file) => {
      const lost = membersOf(file, losingAccess);
      if (lost.length === 0) return [];
      return violation(
        "short-roster",
        `${file.file} lists no people, so ${countedPeople(lost.length)} of that file would lose access. Restore the rows. To remove all its people, delete the file.`,
        lost,
      );
    });
}

/** One file in place of the folder would remove the people of the others. @param unread names of the others */
export function missedFiles(
  { losingAccess }: Plan,
  { file }: Roster,
  unread: readonly string[],
): Violation[] {
  if (unread.length === 0 || losingAccess.length === 0) return [];
  return violation(
    "short-roster",
    `${describePart(file, unread)}, so ${countedPeople(losingAccess.length)} would lose access. Pass their folder with --roster.`,
  );
}

/** A file that was renamed or deleted, perhaps by accident, takes its limit with it. @param pass as below */
export function missingFiles(losing: readonly PlannedMember[], { files }: Roster, pass: string): Violation[] {
  if (files === undefined) return [];
  const present = new Set(files.map(({ file }) => file));
  const lost = losing.filter(({ file }) => file !== undefined && !present.has(file.file));
  return [...Map.groupBy(lost, ({ file }) => file?.file ?? "")].flatMap(([file, members]) =>
    violation(
      "removal-limit",
      `${file} is missing, and ${countedPeople(members.length)} of it would lose a token, a seat, or the membership. If that is an accident, restore the file.`,
      members,
      pass,
    ),
  );
}

/** @param losing who loses more than the schedule says @param pass an override that allows exactly these removals */
export function removalsPerFile(
  losing: readonly PlannedMember[],
  { files = [] }: Roster,
  pass: string,
): Violation[] {
  return files.flatMap((file) => {
    const lost = membersOf(file, losing);
    if (file.maxRemovals === undefined || lost.length <= file.maxRemovals) return [];
    return violation(
      "removal-limit",
      `removal limit exceeded: ${countedPeople(lost.length)} of ${describeFile(file)} would lose a token, a seat, or the membership; its \`max_removals\` is ${file.maxRemovals}.`,
      lost,
      pass,
    );
  });
}

/** The seats that the people of a file have after the run. */
export function seatsPerFile({ members }: Plan, { files = [] }: Roster): Violation[] {
  return files.flatMap((file) => {
    const seated = membersOf(file, members).filter(({ steps }) => steps.row?.seat === true);
    const isGrowing = seated.some(({ actions }) => actions.includes("assignSeat"));
    if (file.seats === undefined || seated.length <= file.seats || !isGrowing) return [];
    return violation(
      "no-seats",
      `not enough seats in ${describeFile(file)}: ${countedPeople(seated.length)} would have one, and its \`seats\` is ${file.seats}. Correct \`seats\`, or remove seats.`,
    );
  });
}

function membersOf({ file }: RosterFile, members: readonly PlannedMember[]): PlannedMember[] {
  return members.filter((member) => member.file?.file === file);
}

/** @param unread names of the other files */
export function describePart(file: string, unread: readonly string[]): string {
  return `${file} is one of several files that were applied as one roster (${shortList(unread)})`;
}

/** Such as `people/data.csv (owner: data-leads)`. */
export function describeFile({ file, owner }: RosterFile): string {
  return owner === undefined ? file : `${file} (owner: ${owner})`;
}

/**
 * Rotation marks go in one direction, so that a roster without the last mark does not rotate a token again. The state has
 * the last mark of each token, which stays in force over a missing or earlier one in the row.
 */
import { instantMs, parseInstant } from "../../provider/util/instants.ts";
import { shortList } from "../../provider/util/text.ts";
import { labelOf, type Roster } from "../roster/roster.ts";
import { entriesOf, isToken, keyOf, type State } from "./stack-state.ts";

/** The last mark of each token, by key. */
export type RotationMarks = ReadonlyMap<string, string>;

/** The later of two timestamps. Other texts have no order, so a changed one counts. */
export function markInForce(inState: string | undefined, inRoster: string | undefined): string | undefined {
  if (inState === undefined || inRoster === undefined) return inRoster ?? inState;
  const [before, after] = [parseInstant(inState), parseInstant(inRoster)];
  if (before === undefined) return inRoster;
  return after !== undefined && instantMs(after) > instantMs(before) ? inRoster : inState;
}

export function rotationMarksOf(states: Iterable<State>): RotationMarks {
  const marks = new Map<string, string>();
  for (const entry of [...states].flatMap(entriesOf)) {
    if (!isToken(entry) || entry.delete === true) continue;
    const mark = typeof entry.outputs?.rotation === "string" ? entry.outputs.rotation : undefined;
    const key = keyOf(entry);
    const last = markInForce(marks.get(key), mark);
    if (last !== undefined) marks.set(key, last);
  }
  return marks;
}

export function withMarksInForce(roster: Roster, marks: RotationMarks): Roster {
  const people = roster.people.map((person) => {
    const rotation = markInForce(marks.get(person.key), person.rotation);
    return rotation === person.rotation ? person : { ...person, rotation };
  });
  return { ...roster, people };
}

/** A warning about marks in the roster that rotate nothing; undefined if there are none. */
export function ignoredMarks(roster: Roster, marks: RotationMarks): string | undefined {
  const ignored = roster.people.filter(({ key, rotation }) => {
    const last = marks.get(key);
    return rotation !== undefined && rotation !== last && markInForce(last, rotation) === last;
  });
  if (ignored.length === 0) return undefined;
  const who = shortList(ignored.map((person) => `${labelOf(person)} (${person.place})`));
  return `the rotation in the roster is not a date, or is earlier than the last rotation, so orgseat does not rotate the token of ${who}. If \`orgseat rotate\` changed the roster elsewhere, commit that change. To rotate again, run \`orgseat rotate\``;
}

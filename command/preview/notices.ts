/** What a preview says of members beside its plan: notes, and rotations that count for nothing. Pure. */
import { noteText } from "../../provider/member/texts.ts";
import { shortList } from "../../provider/util/text.ts";
import type { MemberPlan } from "../members/plan.ts";
import { markInForce, markOf } from "../members/rows.ts";
import { labelOf } from "../roster/roster.ts";

/** Sentences. Another block of the preview lists whose access ends soon. */
export function noticesOf(members: readonly MemberPlan[]): string[] {
  const notes = members.flatMap(({ plan, label: who }) =>
    plan.notes
      .filter(({ kind }) => kind !== "accessEndsSoon")
      .map((note) => noteText(note, { who, isRow: true })),
  );
  return [...notes, ...ignoredMarks(members)];
}

/** A warning about rotations in the roster that rotate nothing. */
function ignoredMarks(members: readonly MemberPlan[]): string[] {
  const ignored = members.flatMap(({ row, member }) => {
    const last = markOf(member?.held);
    const isIgnored =
      row?.rotation !== undefined && row.rotation !== last && markInForce(last, row.rotation) === last;
    return isIgnored ? [row] : [];
  });
  if (ignored.length === 0) return [];
  const who = shortList(ignored.map((person) => `${labelOf(person)} (${person.place})`));
  return [
    `the rotation in the roster is not a date, or is earlier than the last rotation, so orgseat does not rotate the token of ${who}. If \`orgseat rotate\` changed the roster elsewhere, commit that change. To rotate again, run \`orgseat rotate\``,
  ];
}

/** Edits of a roster of one file, from text to text. */
import * as edits from "../../../command/roster/edit/edit.ts";
import { oneFile, type RosterText } from "../../../command/roster/formats/roster-text.ts";

type Rest<Edit extends (text: RosterText, ...rest: never[]) => RosterText> =
  Parameters<Edit> extends [RosterText, ...infer Others] ? Others : never;

export function setField(text: string, file: string, ...rest: Rest<typeof edits.setField>) {
  const before = oneFile(text, file);
  return plain(before, edits.setField(before, ...rest));
}

export function setHeader(text: string, file: string, ...rest: Rest<typeof edits.setHeader>) {
  const before = oneFile(text, file);
  return plain(before, edits.setHeader(before, ...rest));
}

export function addPeople(text: string, file: string, ...rest: Rest<typeof edits.addPeople>) {
  const before = oneFile(text, file);
  return plain(before, edits.addPeople(before, ...rest));
}

export function removePeople(text: string, file: string, ...rest: Rest<typeof edits.removePeople>) {
  const before = oneFile(text, file);
  return plain(before, edits.removePeople(before, ...rest));
}

function plain(before: RosterText, after: RosterText): { text: string; diff: string } {
  return { text: after.files[0]?.text ?? "", diff: edits.diffOf(before, after) };
}

/** Edits of a roster of one file, from text to text. */
import * as edits from "../../../command/roster/edit/edit.ts";
import { oneFile, type RosterText } from "../../../command/roster/formats/roster-text.ts";

type Rest<Edit extends (text: RosterText, ...rest: never[]) => edits.TextEdit> =
  Parameters<Edit> extends [RosterText, ...infer Others] ? Others : never;

export function setField(text: string, file: string, ...rest: Rest<typeof edits.setField>) {
  return plain(edits.setField(oneFile(text, file), ...rest));
}

export function setHeader(text: string, file: string, ...rest: Rest<typeof edits.setHeader>) {
  return plain(edits.setHeader(oneFile(text, file), ...rest));
}

export function addPeople(text: string, file: string, ...rest: Rest<typeof edits.addPeople>) {
  return plain(edits.addPeople(oneFile(text, file), ...rest));
}

export function removePeople(text: string, file: string, ...rest: Rest<typeof edits.removePeople>) {
  return plain(edits.removePeople(oneFile(text, file), ...rest));
}

function plain({ text, diff }: edits.TextEdit): { text: string; diff: string } {
  return { text: text.files[0]?.text ?? "", diff };
}

/** Values that two rows must not share. */
import type { z } from "zod";
import type { PersonField, personSchema } from "../fields.ts";
import { isGiven, type Row } from "../formats/layout.ts";
import { type IssueCollector, quoteValue } from "../formats/validation.ts";

/** The file of a row, and its issues. */
interface Place {
  readonly file: string;
  readonly issues: IssueCollector;
}

export class UniqueValues {
  /** The place of the first occurrence of each value. */
  readonly #first = new Map<string, Place & { readonly line: number }>();

  add(
    { cells, start }: Row<PersonField>,
    { key, email, user_id }: z.output<typeof personSchema>,
    place: Place,
  ): void {
    const claim = (field: PersonField, value: string, rule: string, cell = field) =>
      this.#claim(place, { field, value, at: cells.get(cell)?.start ?? start, rule });
    const isFirst = email === undefined || claim("email", email, "each person has one row");
    if (key !== undefined) claim("key", key, "keys are unique");
    else if (email !== undefined && isFirst && !isGiven(cells, "key")) {
      claim("key", email, "keys are unique", "email");
    }
    if (user_id !== undefined) claim("user_id", user_id.toLowerCase(), "each user has one row");
  }

  #claim(place: Place, { field, value, at, rule }: Claim): boolean {
    const id = `${field} ${value}`;
    const first = this.#first.get(id);
    if (first === undefined) {
      this.#first.set(id, { ...place, line: place.issues.lines.at(at).line });
      return true;
    }
    const where =
      first.file === place.file ? `on line ${first.line}` : `in ${first.file}, line ${first.line}`;
    place.issues.add(at, `duplicate ${field} ${quoteValue(value)} (first ${where}): ${rule}`, field);
    return false;
  }
}

interface Claim {
  readonly field: PersonField;
  readonly value: string;
  readonly at: number;
  readonly rule: string;
}

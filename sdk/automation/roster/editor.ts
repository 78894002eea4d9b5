/** What can be changed in a roster's text; each form of the file has its own. */
import type { FieldValue, PersonValues } from "./field-texts.ts";
import type { HeaderField, PersonField } from "./fields.ts";
import type { Splice } from "./splices.ts";

/** Rows are counted from 0. */
export interface Editor {
  /** @param values of the rows that change */
  setField(field: PersonField, values: ReadonlyMap<number, FieldValue>): Splice[];
  remove(rows: ReadonlySet<number>): Splice[];
  /** Adds at the end. */
  add(people: readonly PersonValues[]): Splice[];
  setHeader(field: HeaderField, value: FieldValue): Splice[];
}

/** Values that two rows must not share. */
import type { z } from "zod";
import type { PersonField, personSchema } from "../fields.ts";
import { isGiven, type Row } from "../formats/layout.ts";
import { type IssueCollector, quoteValue } from "../formats/validation.ts";

export class UniqueValues {
  readonly #issues: IssueCollector;
  /** The position of the first occurrence of each value. */
  readonly #first = new Map<string, number>();

  constructor(issues: IssueCollector) {
    this.#issues = issues;
  }

  add({ cells, start }: Row<PersonField>, { key, email, user_id }: z.output<typeof personSchema>): void {
    const at = (name: PersonField): number => cells.get(name)?.start ?? start;
    const isFirst =
      email === undefined || this.#claim("email", email, at("email"), "each person has one row");
    if (key !== undefined) this.#claim("key", key, at("key"), "keys are unique");
    else if (email !== undefined && isFirst && !isGiven(cells, "key")) {
      this.#claim("key", email, at("email"), "keys are unique");
    }
    if (user_id !== undefined) {
      this.#claim("user_id", user_id.toLowerCase(), at("user_id"), "each user has one row");
    }
  }

  #claim(field: PersonField, value: string, at: number, rule: string): boolean {
    const id = `${field} ${value}`;
    const first = this.#first.get(id);
    if (first === undefined) this.#first.set(id, at);
    else {
      const { line } = this.#issues.lines.at(first);
      this.#issues.add(at, `duplicate ${field} ${quoteValue(value)} (first on line ${line}): ${rule}`, field);
    }
    return first === undefined;
  }
}

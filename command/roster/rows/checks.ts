/** Rules of one row that no single field can tell. */
import type { z } from "zod";
import { periodOf } from "../../../provider/resources/user-token/dates.ts";
import { isLater } from "../../../provider/util/instants.ts";
import { ADOPTED_TOKEN } from "../field-forms.ts";
import type { headerSchema, PersonField, personSchema } from "../fields.ts";
import { isGiven, type Row } from "../formats/layout.ts";
import type { IssueCollector } from "../formats/validation.ts";

type Header = z.output<typeof headerSchema>;
type Fields = z.output<typeof personSchema>;
type PersonRow = Row<PersonField>;

export function checkIdentity(row: PersonRow, { purpose }: Fields, issues: IssueCollector): void {
  const { cells, start, isPartial } = row;
  const [hasEmail, hasPurpose] = [isGiven(cells, "email"), isGiven(cells, "purpose")];
  if (hasEmail && hasPurpose) {
    const text =
      "both email and purpose. A person has an email, a machine user has a purpose. Remove one of them";
    issues.addOf(row, "purpose", text);
    return;
  }
  if (hasEmail || (isPartial && !hasPurpose)) return;
  if (!hasPurpose) {
    const text = "neither email nor purpose. Write the email of a person, or the purpose of a machine user";
    issues.add(start, text);
    return;
  }
  for (const name of ["first_name", "last_name"] as const)
    if (isGiven(cells, name))
      issues.addOf(
        row,
        name,
        `a machine user has no ${name}. Describe the token in purpose, and remove ${name}`,
      );
  if (!isGiven(cells, "key")) {
    const suggested = keyFor(purpose ?? "").slice(0, 40) || "ci-builds";
    const text = `missing key. A machine user has no email, so it needs a key, such as ${suggested}`;
    issues.add((cells.get("key") ?? cells.get("purpose"))?.start ?? start, text, "key");
  }
}

/** A directory knows people by their emails. */
export function checkMembership(row: PersonRow, { membership }: Header, issues: IssueCollector): void {
  if (membership === undefined || !isGiven(row.cells, "purpose") || isGiven(row.cells, "user_id")) return;
  const text =
    "missing user_id. With membership: directory, orgseat adds no machine user. Add it in the service, and write its user id";
  issues.addOf(row, "user_id", text);
}

/** For people whom a platform without lists has already. */
export function checkSeatSaid(row: PersonRow, issues: IssueCollector): void {
  if (isGiven(row.cells, "seat")) return;
  const text =
    "seat unknown: this API cannot tell who has a seat. Look it up in the service, and write yes or no in seat";
  issues.addOf(row, "seat", text);
}

/** A key made from a purpose; empty if the purpose has no letter or digit of ASCII. */
export function keyFor(purpose: string): string {
  const key = purpose.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return key.replaceAll(/^-+|-+$/g, "");
}

interface Subscription {
  /** Whether an end of the subscription is given, be it a wrong one. */
  readonly ends: boolean;
  readonly mark: string;
}

export function checkToken(
  row: PersonRow,
  { seat, token, expires, window, rotate_every, protected: isProtected }: Fields,
  { subscription, ends, mark, membership }: Header & Subscription,
  issues: IssueCollector,
): void {
  const add = (name: PersonField, text: string) => issues.addOf(row, name, text);
  if (token !== undefined && token !== false && seat === false)
    add("token", "a token needs a seat. Write yes for the seat, or no for the token");
  if (token === ADOPTED_TOKEN && membership === undefined && !isGiven(row.cells, "user_id"))
    add(
      "token",
      "an adopted token needs user_id, the user whose token it is. Write it, or yes for a new token",
    );
  if (rotate_every !== undefined && isProtected)
    add(
      "rotate_every",
      "a protected person keeps the token, so it cannot be rotated automatically. Remove rotate_every, or write no for protected",
    );
  if (window !== undefined && !ends)
    add(
      "window",
      `window requires the end of the subscription. Set it at the top: ${mark}subscription: 2027-06-30`,
    );
  const isPeriod = periodOf({ expiresAt: expires }) !== undefined;
  if (window !== undefined && isPeriod)
    add(
      "window",
      "has no effect together with a period in expires, which is renewed when half of it has passed. Remove one of them",
    );
  if (expires !== undefined && !isPeriod && subscription !== undefined && isLater(expires, subscription))
    add(
      "expires",
      `${expires} is after the end of the subscription (${subscription}). Write that date or an earlier one, or leave the field out`,
    );
}

/** What the state keeps of the token. */
export function checkKeeping(
  row: PersonRow,
  { seat = true, token = seat, keep_value, rotation, rotate_every }: Fields,
  { require_sealed_tokens }: Header,
  issues: IssueCollector,
): void {
  const isSealed = isGiven(row.cells, "recipients");
  if (isSealed && keep_value === false) {
    const text =
      "has no effect together with recipients: the state keeps only the sealed token. Remove one of them";
    issues.addOf(row, "keep_value", text);
  }
  // An adopted token has no value in the state until it is rotated.
  const isAdopted = token === ADOPTED_TOKEN && rotation === undefined && rotate_every === undefined;
  if (require_sealed_tokens === true && token !== false && !isAdopted && !isSealed) {
    const text =
      "missing recipients, and require_sealed_tokens requires it. Write the person's age public key (age1...)";
    issues.add(row.start, text, "recipients");
  }
}

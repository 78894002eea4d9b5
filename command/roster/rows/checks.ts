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

export function checkIdentity(
  { cells, start, isPartial }: PersonRow,
  { purpose }: Fields,
  issues: IssueCollector,
): void {
  const [hasEmail, hasPurpose] = [isGiven(cells, "email"), isGiven(cells, "purpose")];
  const at = (name: PersonField): number => cells.get(name)?.start ?? start;
  if (hasEmail && hasPurpose) {
    const text =
      "both email and purpose. A person has an email, a machine user has a purpose. Remove one of them";
    issues.add(at("purpose"), text, "purpose");
    return;
  }
  if (hasEmail || (isPartial && !hasPurpose)) return;
  if (!hasPurpose) {
    const text = "neither email nor purpose. Write the email of a person, or the purpose of a machine user";
    issues.add(start, text);
    return;
  }
  for (const name of ["first_name", "last_name"] as const) {
    if (!isGiven(cells, name)) continue;
    const text = `a machine user has no ${name}. Describe the token in purpose, and remove ${name}`;
    issues.add(at(name), text, name);
  }
  if (!isGiven(cells, "key")) {
    const suggested = keyFor(purpose ?? "").slice(0, 40) || "ci-builds";
    const text = `missing key. A machine user has no email, so it needs a key, such as ${suggested}`;
    issues.add(cells.get("key")?.start ?? at("purpose"), text, "key");
  }
}

/** A directory knows people by their emails. */
export function checkMembership(
  { cells, start }: PersonRow,
  { membership }: Header,
  issues: IssueCollector,
): void {
  if (membership === undefined || !isGiven(cells, "purpose") || isGiven(cells, "user_id")) return;
  const text =
    "missing user_id. With membership: directory, orgseat adds no machine user. Add it in the service, and write its user id";
  issues.add(cells.get("user_id")?.start ?? start, text, "user_id");
}

/** For people whom a platform without lists has already. */
export function checkSeatSaid({ cells, start }: PersonRow, issues: IssueCollector): void {
  if (isGiven(cells, "seat")) return;
  const text =
    "seat unknown: this API cannot tell who has a seat. Look it up in the service, and write yes or no in seat";
  issues.add(cells.get("seat")?.start ?? start, text, "seat");
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
  { cells, start }: PersonRow,
  { seat, token, expires, window, rotate_every, protected: isProtected }: Fields,
  { subscription, ends, mark, membership }: Header & Subscription,
  issues: IssueCollector,
): void {
  const at = (name: PersonField): number => cells.get(name)?.start ?? start;
  if (token !== undefined && token !== false && seat === false) {
    issues.add(at("token"), "a token needs a seat. Write yes for the seat, or no for the token", "token");
  }
  if (token === ADOPTED_TOKEN && membership === undefined && !isGiven(cells, "user_id")) {
    const text =
      "an adopted token needs user_id, the user whose token it is. Write it, or yes for a new token";
    issues.add(at("token"), text, "token");
  }
  if (rotate_every !== undefined && isProtected) {
    const text =
      "a protected person keeps the token, so it cannot be rotated automatically. Remove rotate_every, or write no for protected";
    issues.add(at("rotate_every"), text, "rotate_every");
  }
  if (window !== undefined && !ends) {
    const text = `window requires the end of the subscription. Set it at the top: ${mark}subscription: 2027-06-30`;
    issues.add(at("window"), text, "window");
  }
  const isPeriod = periodOf({ expiresAt: expires }) !== undefined;
  if (window !== undefined && isPeriod) {
    const text =
      "has no effect together with a period in expires, which is renewed when half of it has passed. Remove one of them";
    issues.add(at("window"), text, "window");
  }
  if (expires !== undefined && !isPeriod && subscription !== undefined && isLater(expires, subscription)) {
    const text = `${expires} is after the end of the subscription (${subscription}). Write that date or an earlier one, or leave the field out`;
    issues.add(at("expires"), text, "expires");
  }
}

/** What the state keeps of the token. */
export function checkKeeping(
  { cells, start }: PersonRow,
  { seat = true, token = seat, keep_value, rotation, rotate_every }: Fields,
  { require_sealed_tokens }: Header,
  issues: IssueCollector,
): void {
  const isSealed = isGiven(cells, "recipients");
  if (isSealed && keep_value === false) {
    const text =
      "has no effect together with recipients: the state keeps only the sealed token. Remove one of them";
    issues.add(cells.get("keep_value")?.start ?? start, text, "keep_value");
  }
  // An adopted token has no value in the state until it is rotated.
  const isAdopted = token === ADOPTED_TOKEN && rotation === undefined && rotate_every === undefined;
  if (require_sealed_tokens === true && token !== false && !isAdopted && !isSealed) {
    const text =
      "missing recipients, and require_sealed_tokens requires it. Write the person's age public key (age1...)";
    issues.add(start, text, "recipients");
  }
}

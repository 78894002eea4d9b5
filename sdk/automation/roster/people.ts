/** From the texts of a file to the people they name, and every issue on the way. */
import { realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { periodOf } from "../../../provider/resources/user-token/dates.ts";
import { formatInstant, isLater } from "../../../provider/util/instants.ts";
import { ADOPTED_TOKEN } from "./field-forms.ts";
import { type HeaderField, headerSchema, type PersonField, personSchema } from "./fields.ts";
import { isGiven, type Layout, type Row, readFields } from "./formats/layout.ts";
import { realPathOf } from "./formats/text-file.ts";
import { type IssueCollector, quoteValue } from "./formats/validation.ts";
import type { Roster, RosterPerson } from "./roster.ts";

type Header = z.output<typeof headerSchema>;
type Fields = z.output<typeof personSchema>;

/** What is known besides the file. */
export interface ReadContext {
  /** The organization of a file that need not name it. */
  readonly organizationId?: string | undefined;
  /** Milliseconds since 1970; a subscription that had ended by then is an error. Default: any date is good. */
  readonly now?: number | undefined;
  /** Whether the text is that of the file, so that the files that it names must be there. Default: no. */
  readonly isOnDisk?: boolean | undefined;
}

/** @returns the content of the file, which is a valid roster only if `issues` is still empty */
export function rosterOf(
  file: string,
  layout: Layout<HeaderField, PersonField>,
  issues: IssueCollector,
  known: ReadContext = {},
): Roster {
  const { organizationId } = known;
  const header = readHeader(layout, issues, { ...known, file });
  const claims = new UniqueValues(issues);
  const people = layout.rows.map((row) => {
    const fields = readFields(row.cells, personSchema, issues);
    checkIdentity(row, fields, issues);
    checkMembership(row, header, issues);
    checkToken(
      row,
      fields,
      { ...header, ends: isGiven(layout.header, "subscription"), mark: layout.mark },
      issues,
    );
    checkKeeping(row, fields, header, issues);
    claims.add(row, fields);
    return personOf(fields, `${file}, line ${issues.lines.at(row.start).line}`);
  });
  return {
    file,
    organizationId: header.organization ?? organizationId ?? "",
    id: header.roster,
    subscriptionExpiresAt: header.subscription,
    seats: header.seats,
    rows: header.rows,
    stacks: header.stacks,
    requireSealedTokens: header.require_sealed_tokens,
    onDelete: header.on_delete,
    membership: header.membership,
    deliver: header.deliver === undefined ? undefined : resolve(dirname(realPathOf(file)), header.deliver),
    people,
  };
}

function readHeader(
  { header, mark }: Layout<HeaderField, PersonField>,
  issues: IssueCollector,
  { file, organizationId, now, isOnDisk }: ReadContext & { readonly file: string },
): Header {
  if (!isGiven(header, "organization") && organizationId === undefined) {
    issues.add(
      header.get("organization")?.start ?? 0,
      `missing organization. Write its id at the top: ${mark}organization: <GUID>`,
      "organization",
    );
  }
  const fields = readFields(header, headerSchema, issues);
  if (fields.membership !== undefined && isGiven(header, "on_delete")) {
    const text =
      "has no effect together with membership: directory, which leaves every membership as it is. Remove one of them";
    issues.add(header.get("on_delete")?.start ?? 0, text, "on_delete");
  }
  const { text, start } = header.get("subscription") ?? {};
  const end = fields.subscription;
  if (now !== undefined && end !== undefined && text !== undefined && !isLater(end, formatInstant(now))) {
    issues.add(start ?? 0, `${quoteValue(text)}: in the past. ${ENDED}`, "subscription");
  }
  const issue =
    isOnDisk && fields.deliver !== undefined
      ? moduleIssue(dirname(realPathOf(file)), fields.deliver)
      : undefined;
  if (issue !== undefined) issues.add(header.get("deliver")?.start ?? 0, issue, "deliver");
  return fields;
}

/** A link must not lead out of the folder either: the roster would run code that its reviewers do not see. */
function moduleIssue(folder: string, path: string): string | undefined {
  try {
    const [root, target] = [realpathSync(folder), realpathSync(resolve(folder, path))];
    if (!target.startsWith(`${root}/`)) return `${quoteValue(path)}: is outside the folder of the roster`;
    return statSync(target).isFile()
      ? undefined
      : `${quoteValue(path)}: is not a file. Write the path of a file`;
  } catch {
    return `${quoteValue(path)}: no such file. Check the path, which is relative to the folder of the roster`;
  }
}

const ENDED = "Write the new end of the subscription, or leave the field out";

type PersonRow = Row<PersonField>;

function checkIdentity(
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
function checkMembership({ cells, start }: PersonRow, { membership }: Header, issues: IssueCollector): void {
  if (membership === undefined || !isGiven(cells, "purpose") || isGiven(cells, "user_id")) return;
  const text =
    "missing user_id. With membership: directory, orgseat adds no machine user. Add it in the service, and write its user id";
  issues.add(cells.get("user_id")?.start ?? start, text, "user_id");
}

/** A key made from a purpose; empty if the purpose has no letter or digit of ASCII. */
export function keyFor(purpose: string): string {
  const key = purpose.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return key.replaceAll(/^-+|-+$/g, "");
}

interface Subscription {
  readonly subscription?: string | undefined;
  /** Whether an end of it is given, be it a wrong one. */
  readonly ends: boolean;
  readonly mark: string;
  readonly membership?: Header["membership"];
}

function checkToken(
  { cells, start }: PersonRow,
  { seat, token, expires, window, rotate_every, protected: isProtected }: Fields,
  { subscription, ends, mark, membership }: Subscription,
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
function checkKeeping(
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

/** Values that two rows must not share. */
class UniqueValues {
  readonly #issues: IssueCollector;
  /** The position of the first occurrence of each value. */
  readonly #first = new Map<string, number>();

  constructor(issues: IssueCollector) {
    this.#issues = issues;
  }

  add({ cells, start }: PersonRow, { key, email, user_id }: Fields): void {
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

function personOf(fields: Fields, place: string): RosterPerson {
  const seat = fields.seat ?? true;
  return {
    key: fields.key ?? fields.email ?? "",
    email: fields.email,
    purpose: fields.purpose,
    firstName: fields.first_name,
    lastName: fields.last_name,
    team: fields.team,
    seat,
    token: fields.token === ADOPTED_TOKEN || (fields.token ?? seat),
    adoptToken: fields.token === ADOPTED_TOKEN || undefined,
    expires: fields.expires,
    window: fields.window,
    toleranceMonths: fields.expiration_tolerance_months,
    sendEmail: fields.send_email,
    recipients: fields.recipients,
    keepValue: fields.keep_value,
    rotation: fields.rotation,
    rotateEvery: fields.rotate_every,
    keepPrevious: fields.keep_previous,
    userId: fields.user_id,
    accessUntil: fields.access_until,
    protected: fields.protected ?? false,
    exempt: fields.exempt,
    idleNotice: fields.idle_notice,
    place,
  };
}

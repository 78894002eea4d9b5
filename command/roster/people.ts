/** From the texts of the files to the people they name, and every issue on the way. */
import { parse } from "node:path";
import type { z } from "zod";
import { InternalError } from "../../provider/util/error-codes.ts";
import { formatInstant, isLater } from "../../provider/util/instants.ts";
import { ADOPTED_TOKEN } from "./field-forms.ts";
import { type HeaderField, headerSchema, type PersonField, personSchema } from "./fields.ts";
import { isGiven, type Layout, readFields } from "./formats/layout.ts";
import type { RosterText } from "./formats/roster-text.ts";
import { type IssueCollector, quoteValue } from "./formats/validation.ts";
import type { Roster, RosterFile, RosterPerson } from "./roster.ts";
import { checkIdentity, checkKeeping, checkMembership, checkSeatSaid, checkToken } from "./rows/checks.ts";
import { UniqueValues } from "./rows/unique-values.ts";

type Header = z.output<typeof headerSchema>;
type Fields = z.output<typeof personSchema>;

/** What is known besides the file. */
export interface ReadContext {
  /** The organization of a file that need not name it. */
  readonly organizationId?: string | undefined;
  /** Milliseconds since 1970; a subscription that had ended by then is an error. Default: any date is good. */
  readonly now?: number | undefined;
  /** Whether each row must say whether the person has a seat, because nothing else can. Default: no. */
  readonly mustSaySeat?: boolean | undefined;
}

/** One file of a roster as texts. */
export interface FileLayout {
  readonly file: string;
  readonly layout: Layout<HeaderField, PersonField>;
  readonly issues: IssueCollector;
}

/** @returns the content of the files, which is a valid roster only if their `issues` are still empty */
export function rosterOf(
  { roster: name, isFolder }: Pick<RosterText, "roster" | "isFolder">,
  layouts: readonly FileLayout[],
  known: ReadContext = {},
): Roster {
  const head = headOf(layouts);
  const header = readHeader(head, known);
  const claims = new UniqueValues();
  const people = layouts.flatMap((one) => peopleIn(one, { head, header, claims, known }, isFolder));
  const whole = {
    organizationId: header.organization ?? known.organizationId ?? "",
    id: header.roster,
    subscriptionExpiresAt: header.subscription,
    seats: header.seats,
    maxRemovals: header.max_removals,
    requireSealedTokens: header.require_sealed_tokens,
    onDelete: header.on_delete,
    membership: header.membership,
    people,
  };
  if (!isFolder) return { file: name, ...whole, owner: header.owner, rows: header.rows };
  return { file: name, ...whole, files: layouts.map((one) => fileOf(one, head, header)) };
}

/** The file with the settings of the whole roster: the first one that names the organization. */
function headOf(layouts: readonly FileLayout[]): FileLayout {
  const [head = layouts[0], ...others] = layouts.filter(({ layout }) =>
    isGiven(layout.header, "organization"),
  );
  if (head === undefined) throw new InternalError("a roster has at least one file");
  for (const { layout, issues } of others) {
    const text = `is in ${head.file} too. One file of a roster names the organization, and has the settings of the whole roster`;
    issues.addOf({ cells: layout.header, start: 0 }, "organization", text);
  }
  return head;
}

function readHeader({ layout: { header, mark }, issues }: FileLayout, known: ReadContext): Header {
  const { organizationId, now } = known;
  const add = (name: HeaderField, text: string) => issues.addOf({ cells: header, start: 0 }, name, text);
  if (!isGiven(header, "organization") && organizationId === undefined)
    add("organization", `missing organization. Write its id at the top: ${mark}organization: <id>`);
  const fields = readFields(header, headerSchema, issues);
  if (fields.membership !== undefined && isGiven(header, "on_delete"))
    add(
      "on_delete",
      "has no effect together with membership: directory, which leaves every membership as it is. Remove one of them",
    );
  const { text = "" } = header.get("subscription") ?? {};
  const end = fields.subscription;
  if (now !== undefined && end !== undefined && !isLater(end, formatInstant(now)))
    add("subscription", `${quoteValue(text)}: in the past. ${ENDED}`);
  return fields;
}

/** The fields that each file of several has of its own. */
const OWN: ReadonlySet<HeaderField> = new Set(["owner", "rows", "seats", "max_removals"]);

/** Seats and removals of the first file are those of the whole roster. */
function fileOf(one: FileLayout, head: FileLayout, header: Header): RosterFile {
  const { file, layout, issues } = one;
  if (one === head) return { file, isHead: true, owner: header.owner, rows: header.rows };
  for (const [name, { start }] of layout.header) {
    if (OWN.has(name) || name === "organization") continue;
    issues.add(start, `is a setting of the whole roster. Write it in ${head.file}`, name);
  }
  const { owner, rows, seats, max_removals: maxRemovals } = readFields(layout.header, headerSchema, issues);
  return { file, isHead: false, owner, rows, seats, maxRemovals };
}

interface Shared {
  readonly head: FileLayout;
  readonly header: Header;
  readonly claims: UniqueValues;
  readonly known: ReadContext;
}

function peopleIn(
  { file, layout, issues }: FileLayout,
  { head, header, claims, known }: Shared,
  isFolder: boolean,
): RosterPerson[] {
  const { mark } = head.layout;
  const ends = isGiven(head.layout.header, "subscription");
  return layout.rows.map((row) => {
    const fields = readFields(row.cells, personSchema, issues);
    checkIdentity(row, fields, issues);
    checkMembership(row, header, issues);
    if (known.mustSaySeat) checkSeatSaid(row, issues);
    checkToken(row, fields, { ...header, ends, mark }, issues);
    checkKeeping(row, fields, header, issues);
    claims.add(row, fields, { file, issues });
    const place = `${file}, line ${issues.lines.at(row.start).line}`;
    const person = personOf(fields, place);
    return isFolder ? { ...person, file, team: person.team ?? parse(file).name } : person;
  });
}

const ENDED = "Write the new end of the subscription, or leave the field out";

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

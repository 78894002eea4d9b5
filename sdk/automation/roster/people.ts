/** From the texts of a file to the people they name, and every issue on the way. */
import { realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { formatInstant, isLater } from "../../../provider/util/instants.ts";
import { ADOPTED_TOKEN } from "./field-forms.ts";
import { type HeaderField, headerSchema, type PersonField, personSchema } from "./fields.ts";
import { isGiven, type Layout, readFields } from "./formats/layout.ts";
import { realPathOf } from "./formats/text-file.ts";
import { type IssueCollector, quoteValue } from "./formats/validation.ts";
import type { Roster, RosterPerson } from "./roster.ts";
import { checkIdentity, checkKeeping, checkMembership, checkToken } from "./rows/checks.ts";
import { UniqueValues } from "./rows/unique-values.ts";

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

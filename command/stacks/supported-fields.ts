/** Which fields of a roster the service does not support. */
import { capabilitiesOf, type Settings } from "../../provider/config/settings.ts";
import { periodOf } from "../../provider/resources/user-token/dates.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { shortList } from "../../provider/util/text.ts";
import type { PersonField } from "../roster/fields.ts";
import type { Roster, RosterPerson } from "../roster/roster.ts";

type Capabilities = ReturnType<typeof capabilitiesOf>;

interface OptionalField {
  readonly what: PersonField | "the token `adopt`" | "a period in `expires` (use `rotate_every`)";
  readonly isUsed: (person: RosterPerson) => boolean;
  readonly isSupported: (can: Capabilities) => boolean;
}

const optionalFields: readonly OptionalField[] = [
  {
    what: "send_email",
    isUsed: ({ sendEmail }) => sendEmail === true,
    isSupported: ({ canChooseEmails }) => canChooseEmails,
  },
  {
    what: "expiration_tolerance_months",
    isUsed: ({ toleranceMonths = 0 }) => toleranceMonths > 0,
    isSupported: ({ canSetExpiry }) => canSetExpiry,
  },
  {
    what: "keep_previous",
    isUsed: ({ keepPrevious }) => keepPrevious !== undefined,
    isSupported: ({ revokesByTokenId }) => revokesByTokenId,
  },
  {
    what: "a period in `expires` (use `rotate_every`)",
    isUsed: ({ expires }) => periodOf({ expiresAt: expires }) !== undefined,
    isSupported: ({ canSetExpiry }) => canSetExpiry,
  },
  {
    what: "the token `adopt`",
    isUsed: ({ adoptToken }) => adoptToken === true,
    isSupported: ({ canListTokens }) => canListTokens,
  },
];

/** @throws Error that names the rows with a field that the service does not support */
export function requireSupportedFields({ people, membership }: Roster, settings: Settings): void {
  const can = capabilitiesOf(settings);
  const unknown = people.filter(({ userId }) => userId === undefined);
  if (membership !== undefined && !can.canListUsers && unknown.length > 0) {
    throw new CodedError(
      "unsupported",
      `this API cannot list users, so with \`membership: directory\` each row needs a user_id: ${shortList(unknown.map(({ place }) => place))}. Write it, or correct orgseat:platform`,
    );
  }
  for (const { what, isUsed, isSupported } of optionalFields) {
    const rows = isSupported(can) ? [] : people.filter(isUsed);
    if (rows.length === 0) continue;
    const places = shortList(rows.map(({ place }) => place));
    throw new CodedError(
      "unsupported",
      `this API does not support ${what}: ${places}. Remove it, or correct orgseat:platform`,
    );
  }
}

/** Which fields of a roster the service does not support. */
import { capabilitiesOf, type Settings } from "../../provider/config/settings.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { shortList } from "../../provider/util/text.ts";
import type { PersonField } from "../roster/fields.ts";
import type { Roster, RosterPerson } from "../roster/roster.ts";

type Capabilities = ReturnType<typeof capabilitiesOf>;

interface OptionalField {
  readonly field: PersonField;
  readonly isUsed: (person: RosterPerson) => boolean;
  readonly isSupported: (can: Capabilities) => boolean;
}

const optionalFields: readonly OptionalField[] = [
  {
    field: "send_email",
    isUsed: ({ sendEmail }) => sendEmail === true,
    isSupported: ({ canChooseEmails }) => canChooseEmails,
  },
  {
    field: "expiration_tolerance_months",
    isUsed: ({ toleranceMonths = 0 }) => toleranceMonths > 0,
    isSupported: ({ canSetExpiry }) => canSetExpiry,
  },
  {
    field: "keep_previous",
    isUsed: ({ keepPrevious }) => keepPrevious !== undefined,
    isSupported: ({ revokesByTokenId }) => revokesByTokenId,
  },
  {
    field: "token",
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
  for (const { field, isUsed, isSupported } of optionalFields) {
    const rows = isSupported(can) ? [] : people.filter(isUsed);
    if (rows.length === 0) continue;
    const name = field === "token" ? "the token `adopt`" : field;
    const places = shortList(rows.map(({ place }) => place));
    throw new CodedError(
      "unsupported",
      `this API does not support ${name}: ${places}. Remove it, or correct orgseat:platform`,
    );
  }
}

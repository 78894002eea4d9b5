/** The checks of `orgseat doctor` for a roster: its validation errors, and differences from the configuration. */

import { environmentName } from "../config/setting-values.ts";
import { instantMs, parseInstant } from "../util/instants.ts";
import { countedPeople } from "../util/text.ts";
import type { RawConfiguration } from "./configuration.ts";
import { type Check, failed, ok } from "./report.ts";

/** The content of a roster that the checks need. */
export interface RosterFacts {
  /** The name of the file in messages. */
  readonly file: string;
  /** The validation errors. With errors, only `file` and `stacks` have values. */
  readonly errors: readonly string[];
  /** Whether commands run a module of the folder. Default: no. */
  readonly hasModule?: boolean | undefined;
  readonly organizationId?: string | undefined;
  readonly subscriptionExpiresAt?: string | undefined;
  /** The declared number of purchased seats. */
  readonly seats?: number | undefined;
  /** The declared number of rows. */
  readonly rows?: number | undefined;
  readonly people: number;
  /** The number of people with a seat whose access has not ended. */
  readonly seated: number;
  readonly stacks: readonly string[];
  /** The emails in lower case, and the user ids. */
  readonly identities?: readonly string[] | undefined;
}

const NAME = "roster";
/** The number of validation errors that are listed. */
const SHOWN = 20;

/** The values of the roster as environment variables, which replace existing ones. */
export function rosterVariables(
  roster: RosterFacts | undefined,
  written: RawConfiguration,
): Readonly<Record<string, string>> {
  const { organizationId, subscriptionExpiresAt } = roster ?? {};
  return {
    ...(organizationId !== undefined &&
      written("organizationId") === undefined && { [environmentName("organizationId")]: organizationId }),
    ...(subscriptionExpiresAt !== undefined && {
      [environmentName("subscriptionExpiresAt")]: subscriptionExpiresAt,
    }),
  };
}

/** @param written the configuration without the values of the roster */
export function checkRoster(roster: RosterFacts, written: RawConfiguration): Check[] {
  const { file, errors } = roster;
  if (errors.length > 0) {
    const more = errors.length - SHOWN;
    return [
      ...errors
        .slice(0, SHOWN)
        .map((error) => failed(NAME, "invalid-roster", `${file}, ${error}`, `correct ${file}`)),
      ...(more > 0
        ? [failed(NAME, "invalid-roster", `${file}: ${more} more errors`, `correct ${file}`)]
        : []),
    ];
  }
  return [ok(NAME, `${file}: ${peopleIn(roster)}`), ...checkCounts(roster), ...compare(roster, written)];
}

function peopleIn({ people, stacks }: RosterFacts): string {
  const [first = "", ...others] = stacks;
  const where =
    others.length === 0 ? `stack ${first}` : `${stacks.length} stacks, ${first} to ${others.at(-1)}`;
  return `${countedPeople(people)}, ${where}`;
}

function checkCounts({ file, people, rows, seated, seats }: RosterFacts): Check[] {
  return [
    ...(rows !== undefined && rows !== people
      ? [
          failed(
            NAME,
            "short-roster",
            `${file} lists ${people} people, but \`rows\` is ${rows}`,
            "restore the file if it is truncated; otherwise correct `rows`",
          ),
        ]
      : []),
    ...(seats !== undefined && seated > seats
      ? [
          failed(
            NAME,
            "no-seats",
            `${seated} people have a seat, but \`seats\` is ${seats}`,
            "buy seats and correct `seats`, or remove seats",
          ),
        ]
      : []),
  ];
}

/** The organization must be the same; the roster's subscription and seats have priority. */
function compare(
  { organizationId, subscriptionExpiresAt, seats }: RosterFacts,
  written: RawConfiguration,
): Check[] {
  const other = written("organizationId");
  const isOther = other !== undefined && organizationId?.toLowerCase() !== other.toLowerCase();
  return [
    ...(isOther
      ? [
          failed(
            NAME,
            "wrong-organization",
            `the roster is for organization ${organizationId}, but the configuration is for ${other}`,
            "use the roster, the stacks, and the credentials of the same organization",
          ),
        ]
      : []),
    ...differing("subscriptionExpiresAt", subscriptionExpiresAt, written, (text) =>
      instantMs(parseInstant(text) ?? text),
    ),
    ...differing("seats", seats === undefined ? undefined : String(seats), written, Number),
  ];
}

function differing(
  key: string,
  value: string | undefined,
  written: RawConfiguration,
  read: (text: string) => number,
): Check[] {
  const configured = written(key);
  if (value === undefined || configured === undefined || read(value) === read(configured)) return [];
  return [
    ok(
      NAME,
      `orgseat:${key} is ${configured}, but the roster says ${value}, which takes precedence`,
      `correct or remove orgseat:${key} (${environmentName(key)})`,
    ),
  ];
}

/** The checks of `orgseat doctor` about a roster: what is wrong in it, and where the configuration says something else. */
import { instantMs, parseInstant } from "../api/instants.ts";
import { environmentName } from "../settings.ts";
import { people as peopleCount } from "../util/plural.ts";
import type { CheckedConfiguration } from "./configuration.ts";
import { type Check, failed, ok } from "./report.ts";

/** A roster, as the command has read it. */
export interface RosterFacts {
  /** As messages name it. */
  readonly file: string;
  /** One line for each validation error; where there are any, only `file` and `stacks` are known besides. */
  readonly errors: readonly string[];
  readonly organizationId?: string | undefined;
  readonly subscriptionExpiresAt?: string | undefined;
  /** Seats bought, as declared. */
  readonly seats?: number | undefined;
  /** How many people the file says that it lists. */
  readonly rows?: number | undefined;
  readonly people: number;
  /** How many of them have a seat. */
  readonly seated: number;
  readonly stacks: readonly string[];
}

const NAME = "roster";
/** How many validation errors are listed. */
const SHOWN = 20;

/** What `orgseat` takes from the roster, as variables over those that are there. */
export function rosterVariables(
  roster: RosterFacts | undefined,
  written: CheckedConfiguration,
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

/** @param written the configuration without what the roster says */
export function checkRoster(roster: RosterFacts, written: CheckedConfiguration): Check[] {
  const { file, errors } = roster;
  if (errors.length > 0) {
    const more = errors.length - SHOWN;
    return [
      ...errors.slice(0, SHOWN).map((error) => failed(NAME, `${file}, ${error}`, `correct ${file}`)),
      ...(more > 0 ? [failed(NAME, `${file}: ${more} more errors`, `correct ${file}`)] : []),
    ];
  }
  return [ok(NAME, `${file}: ${peopleIn(roster)}`), ...checkCounts(roster), ...compare(roster, written)];
}

function peopleIn({ people, stacks }: RosterFacts): string {
  const [first = "", ...others] = stacks;
  const where =
    others.length === 0 ? `stack ${first}` : `${stacks.length} stacks, ${first} to ${others.at(-1)}`;
  return `${peopleCount(people)}, ${where}`;
}

function checkCounts({ file, people, rows, seated, seats }: RosterFacts): Check[] {
  return [
    ...(rows !== undefined && rows !== people
      ? [
          failed(
            NAME,
            `${file} lists ${people} people, but \`rows\` is ${rows}`,
            "restore the file if it is truncated; otherwise correct `rows`",
          ),
        ]
      : []),
    ...(seats !== undefined && seated > seats
      ? [
          failed(
            NAME,
            `${seated} people have a seat, but \`seats\` is ${seats}`,
            "buy seats and correct `seats`, or remove seats",
          ),
        ]
      : []),
  ];
}

/** The organization has to be the same; of subscription and seats the roster's count. */
function compare(
  { organizationId, subscriptionExpiresAt, seats }: RosterFacts,
  written: CheckedConfiguration,
): Check[] {
  const other = written("organizationId");
  const isOther = other !== undefined && organizationId?.toLowerCase() !== other.toLowerCase();
  return [
    ...(isOther
      ? [
          failed(
            NAME,
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
  written: CheckedConfiguration,
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

/** What `orgseat doctor` says about a roster: its validation errors, and differences from the configuration and the members. */

import { environmentName } from "../../provider/config/setting-values.ts";
import { instantMs, parseInstant } from "../../provider/util/instants.ts";
import { counted, countedPeople, folded } from "../../provider/util/text.ts";
import type { DoctorOptions } from "./doctor.ts";
import type { CheckRow, Facts } from "./facts.ts";
import { type Finding, failed, ok } from "./report.ts";

interface FileCount {
  readonly file: string;
  readonly rows?: number | undefined;
  readonly people: number;
}

/** The content of a roster that the checks need. */
export interface RosterFacts {
  /** The name of the file in messages. */
  readonly file: string;
  /** The validation errors. With errors, only `file` and `stack` have values. */
  readonly errors: readonly string[];
  readonly organizationId?: string | undefined;
  readonly subscriptionExpiresAt?: string | undefined;
  /** The declared number of purchased seats. */
  readonly seats?: number | undefined;
  /** The declared number of rows of each file, and the number of people that it lists. */
  readonly files?: readonly FileCount[] | undefined;
  readonly people: number;
  /** The number of people with a seat whose access has not ended. */
  readonly seated: number;
  readonly stack: string;
  /** The emails in lower case, and the user ids. */
  readonly identities?: readonly string[] | undefined;
}

type Environment = DoctorOptions["environment"];

const ORGANIZATION = environmentName("organizationId");
const SUBSCRIPTION = environmentName("subscriptionExpiresAt");
/** The number of validation errors that are listed. */
const SHOWN = 20;

/** How to diagnose the configuration of a roster: its own values are in the environment of its runs. */
export function optionsOf(
  roster: RosterFacts,
  environment: Environment,
): Pick<DoctorOptions, "environment" | "stack" | "createsStack" | "runsCode" | "checks"> {
  const { organizationId, subscriptionExpiresAt, stack } = roster;
  return {
    environment: {
      ...environment,
      [ORGANIZATION]: environment[ORGANIZATION] || organizationId,
      [SUBSCRIPTION]: subscriptionExpiresAt ?? environment[SUBSCRIPTION],
    },
    ...{ stack, createsStack: true, runsCode: false },
    checks: roster.errors.length > 0 ? errorChecks(roster) : checksOf(roster, environment),
  };
}

function errorChecks({ file, errors }: RosterFacts): CheckRow[] {
  const more = errors.length - SHOWN;
  const texts = errors.slice(0, SHOWN);
  if (more > 0) texts.push(`${file}: ${more} more errors`);
  const findings = texts.map((text) => failed("invalid-roster", text, `correct ${file}`));
  return [{ name: "roster", says: () => findings }];
}

function checksOf(roster: RosterFacts, environment: Environment): CheckRow[] {
  const { file, files = [], seated, seats = seated, subscriptionExpiresAt } = roster;
  const name = "roster";
  const written = (key: string, { values }: Facts) =>
    environment[environmentName(key)] || values.get(`orgseat:${key}`)?.value;
  return [
    { name, says: () => ok(`${file}: ${countedPeople(roster.people)}, stack ${roster.stack}`) },
    { name, says: () => files.flatMap(checkCount) },
    {
      name,
      when: () => seated > seats,
      says: () =>
        failed(
          "no-seats",
          `${seated} people have a seat, but \`seats\` is ${seats}`,
          "buy seats and correct `seats`, or remove seats",
        ),
    },
    { name, says: (facts) => checkOrganization(roster, written("organizationId", facts)) },
    {
      name,
      says: (facts) =>
        differing(
          "subscriptionExpiresAt",
          subscriptionExpiresAt,
          written("subscriptionExpiresAt", facts),
          (text) => instantMs(parseInstant(text) ?? text),
        ),
    },
    {
      name,
      says: (facts) => differing("seats", roster.seats?.toString(), written("seats", facts), Number),
    },
    {
      name: "unmanaged members",
      says: ({ users }) => (users?.value ? checkUnmanaged(roster, users.value.items) : []),
    },
  ];
}

function checkCount({ file, rows, people }: FileCount): Finding[] {
  if (rows === undefined || rows === people) return [];
  return [
    failed(
      "short-roster",
      `${file} lists ${people} people, but \`rows\` is ${rows}`,
      "restore the file if it is truncated; otherwise correct `rows`",
    ),
  ];
}

function checkOrganization({ organizationId }: RosterFacts, other: string | undefined): Finding | [] {
  if (!other || organizationId === other) return [];
  return failed(
    "wrong-organization",
    `the roster is for organization ${organizationId}, but the configuration is for ${other}`,
    "use the roster, the stack, and the credentials of the same organization",
  );
}

/** The roster's subscription and seats have priority. */
function differing(
  key: string,
  value: string | undefined,
  configured: string | undefined,
  read: (text: string) => number,
): Finding | [] {
  if (value === undefined || !configured || read(value) === read(configured)) return [];
  return ok(
    `orgseat:${key} is ${configured}, but the roster says ${value}, which takes precedence`,
    `correct or remove orgseat:${key} (${environmentName(key)})`,
  );
}

/** By emails and user ids: the state has more, but reading it takes too long here. */
function checkUnmanaged(
  { file, identities }: RosterFacts,
  users: readonly { readonly id: string; readonly email?: string | null | undefined }[],
): Finding {
  const listed = new Set(identities);
  const others = users.filter(({ id, email }) => !listed.has(id) && !listed.has(folded(email ?? "")));
  if (others.length === 0) return ok(`every user has a row in ${file}`);
  return ok(
    `${counted(others.length, "user has", "users have")} no row in ${file}`,
    "`orgseat preview --refresh` lists those that are not in the stack; `orgseat adopt` adopts them",
  );
}

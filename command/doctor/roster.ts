/** What `orgseat doctor` says about a roster: its validation errors, and differences from the configuration and the members. */
import { environmentName } from "../../provider/config/setting-values.ts";
import { instantMs, parseInstant } from "../../provider/util/instants.ts";
import { counted, countedPeople, folded } from "../../provider/util/text.ts";
import { miscountedFiles } from "../roster/facts.ts";
import { placeOf, RosterError } from "../roster/formats/validation.ts";
import { hasAccessEnded, type Roster } from "../roster/roster.ts";
import type { Check, Facts } from "./facts.ts";
import { type Finding, failed, ok } from "./report.ts";

/** The number of validation errors that are listed. */
const SHOWN = 20;

const NAME = "roster";

export const rosterChecks: readonly Check[] = [
  { name: NAME, says: ({ roster }) => (roster instanceof RosterError ? checkErrors(roster) : []) },
  check(NAME, (roster, { stack }) =>
    ok(`${roster.file}: ${countedPeople(roster.people.length)}, stack ${stack}`),
  ),
  check(NAME, checkCounts),
  check(NAME, checkSeats),
  check(NAME, checkOrganization),
  check(NAME, ({ subscriptionExpiresAt }, facts) =>
    differing("subscriptionExpiresAt", subscriptionExpiresAt, facts, (text) =>
      instantMs(parseInstant(text) ?? text),
    ),
  ),
  check(NAME, ({ seats }, facts) => differing("seats", seats?.toString(), facts, Number)),
  check("unmanaged members", checkUnmanaged),
];

/** A check of a valid roster. */
function check(name: string, says: (roster: Roster, facts: Facts) => ReturnType<Check["says"]>): Check {
  return {
    name,
    says: (facts) =>
      facts.roster === undefined || facts.roster instanceof RosterError ? [] : says(facts.roster, facts),
  };
}

function checkErrors({ file, issues }: RosterError): Finding[] {
  const texts = issues.slice(0, SHOWN).map((issue) => `${placeOf({ file, ...issue })}: ${issue.text}`);
  const more = issues.length - SHOWN;
  if (more > 0) texts.push(`${file}: ${more} more errors`);
  return texts.map((text) => failed("invalid-roster", text, `correct ${file}`));
}

function checkCounts(roster: Roster): Finding[] {
  return miscountedFiles(roster).map(({ file, rows, listed }) =>
    failed(
      "short-roster",
      `${file} lists ${listed} people, but \`rows\` is ${rows}`,
      "restore the file if it is truncated; otherwise correct `rows`",
    ),
  );
}

function checkSeats({ seats, people }: Roster, { now }: Facts): Finding | [] {
  const seated = people.filter((person) => person.seat && !hasAccessEnded(person, now)).length;
  if (seats === undefined || seated <= seats) return [];
  const text = `${seated} people have a seat, but \`seats\` is ${seats}`;
  return failed("no-seats", text, "buy seats and correct `seats`, or remove seats");
}

function checkOrganization({ organizationId }: Roster, { configured }: Facts): Finding | [] {
  const other = configured("organizationId");
  if (other === undefined || organizationId === other) return [];
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
  facts: Facts,
  read: (text: string) => number,
): Finding | [] {
  const configured = facts.configured(key);
  if (value === undefined || configured === undefined || read(value) === read(configured)) return [];
  return ok(
    `orgseat:${key} is ${configured}, but the roster says ${value}, which takes precedence`,
    `correct or remove orgseat:${key} (${environmentName(key)})`,
  );
}

/** By emails and user ids: the state has more, but reading it takes too long here. */
function checkUnmanaged({ file, people }: Roster, { users }: Facts): Finding | [] {
  if (users?.value === undefined) return [];
  const listed = new Set(people.flatMap(({ email, userId }) => [email, userId]));
  const others = users.value.items.filter(
    ({ id, email }) => !listed.has(id) && !listed.has(folded(email ?? "")),
  );
  if (others.length === 0) return ok(`every user has a row in ${file}`);
  return ok(
    `${counted(others.length, "user has", "users have")} no row in ${file}`,
    "`orgseat preview --refresh` lists those that are not in the stack; `orgseat adopt` adopts them",
  );
}

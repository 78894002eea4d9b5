/**
 * A data set to try: Lanternfield, an invented organization. Its names are made of syllables, and its ids are made of
 * names, so that both are always the same.
 */
import { createHash } from "node:crypto";
import { DAY_MS } from "../../../provider/util/instants.ts";
import type { Database } from "../base/database.ts";
import { type Random, seededRandom } from "../base/random.ts";
import { hashOf, newSecret } from "../base/secrets.ts";
import { insertModels } from "../models/data-set-models.ts";
import { addIndividualAccount } from "./onboarding.ts";
import { addAdmin, addServiceAccount } from "./organizations.ts";

const DOMAIN = "lanternfield.example";

/** The number of people in a department, and how many of them have a seat, and a token. */
const DEPARTMENTS = [
  { name: "research", people: 12, seats: 12, tokens: 10 },
  { name: "platform", people: 9, seats: 9, tokens: 9 },
  { name: "data", people: 8, seats: 8, tokens: 7 },
  { name: "support", people: 7, seats: 4, tokens: 2 },
  { name: "operations", people: 6, seats: 6, tokens: 3 },
  { name: "design", people: 5, seats: 2, tokens: 0 },
  { name: "finance", people: 3, seats: 0, tokens: 0 },
] as const;

/** The purposes of machine users. */
const MACHINES = [
  ["Linux builds", "platform"],
  ["Windows builds", "platform"],
  ["Nightly measurements", "research"],
  ["Report server", "data"],
  ["Preview pages", "design"],
] as const;

const SERVICE_ACCOUNTS = ["builds", "directory_sync", "token-renewal"];

const FIRST = "A Be Ca Da E Fi Ja Ka Le Ma Ni O Pe Ra Sa Te Vi".split(" ");
const FIRST_END = "bin dra len li mir na nor ria rik sa ta vio".split(" ");
const LAST = "Ald Brin Corm Dell Esk Fenn Gral Jorn Kest Marr Orr Pell Sarn Umber".split(" ");
const LAST_END = "aker berg dal enby ford ick mere onsen stad well".split(" ");

interface Person {
  readonly email: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly seat: boolean;
  readonly token: boolean;
}

/** Fills an empty organization. It then uses 46 of its 50 seats. */
export function insertDataSet(database: Database, organizationId: string, now: number): void {
  const draw = seededRandom(7);
  const members = [...people(draw), ...MACHINES.map(machine)];
  for (const [index, person] of members.entries()) plantMember(database, organizationId, person, index, now);
  for (const name of SERVICE_ACCOUNTS) {
    const account = { name, clientId: idOf(`service account ${name}`), clientSecret: newSecret("") };
    addServiceAccount(database, organizationId, account);
  }
  addAdmin(database, organizationId, `deputy@${DOMAIN}`, newSecret(""));
  for (const name of ["guest", "alumni"]) addIndividualAccount(database, `${name}@${DOMAIN}`);
  insertModels(database, now);
}

/** An id derived from a name. */
export function idOf(name: string): string {
  const hex = createHash("sha256").update(`${DOMAIN} ${name}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function people(draw: Random): Person[] {
  const taken = new Set<string>();
  return DEPARTMENTS.flatMap(({ name: department, people, seats, tokens }) =>
    Array.from({ length: people }, (_, index) => {
      const [firstName, lastName] = newName(draw, taken);
      const email = `${firstName}.${lastName}@${department}.${DOMAIN}`.toLowerCase();
      return { email, firstName, lastName, seat: index < seats, token: index < tokens };
    }),
  );
}

function newName(draw: Random, taken: Set<string>): [string, string] {
  for (;;) {
    const first = draw.one(FIRST) + draw.one(FIRST_END);
    const last = draw.one(LAST) + draw.one(LAST_END);
    const name = `${first} ${last}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return [first, last];
  }
}

function machine([firstName, lastName]: (typeof MACHINES)[number]): Person {
  return { email: null, firstName, lastName, seat: true, token: true };
}

/** Most tokens expire with the subscription; every seventh expires soon, and one in twenty has expired. */
function plantMember(
  database: Database,
  organizationId: string,
  { email, firstName, lastName, seat, token }: Person,
  index: number,
  now: number,
): void {
  const id = idOf(`user ${email ?? firstName}`);
  database.run(
    "INSERT INTO users (id, organization_id, email, first_name, last_name) VALUES (?, ?, ?, ?, ?)",
    id,
    organizationId,
    email,
    firstName,
    lastName,
  );
  if (seat) database.run("INSERT INTO seats (user_id) VALUES (?)", id);
  if (!token) return;
  const days = index % 20 === 19 ? -3 : index % 7 === 6 ? 20 : undefined;
  database.run(
    `INSERT INTO tokens (id, user_id, hash, expires_at, generation)
     SELECT ?, ?, ?, coalesce(?, subscription_expires_at), generation FROM organizations WHERE id = ?`,
    idOf(`token of ${id}`),
    id,
    hashOf(newSecret("")),
    days === undefined ? null : now + days * DAY_MS,
    organizationId,
  );
}

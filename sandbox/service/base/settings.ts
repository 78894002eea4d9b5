/** Settings of the management API that survive a restart: the clock, the switches, the seed. */
import { z } from "zod";
import { apiKeySchema } from "../../../provider/api/schemas/model-schemas.ts";
import { instantSchema, organizationIdSchema } from "../../../provider/api/schemas/schemas.ts";
import { DAY_MS, formatInstant } from "../../../provider/util/instants.ts";
import { type OddItem, oddItemSchema } from "../management/odd-items.ts";
import type { Database } from "./database.ts";

/** An organization of the sandbox: one admin with a password, seats, and a subscription with an end. */
export const newOrganizationSchema = z.strictObject({
  organizationId: organizationIdSchema,
  username: z.string().min(1),
  password: z.string().min(1),
  /** A bearer token of the admin without a sign-in, until the end of the subscription. Default: none. */
  adminToken: z.string().min(1).optional(),
  seats: z.int().min(0),
  subscriptionExpiresAt: instantSchema,
  /** A service account from the start, for programs that do not create one. Default: none. */
  serviceAccount: z
    .strictObject({ name: z.string().min(1), clientId: z.guid(), clientSecret: z.string().min(1) })
    .optional(),
  /** A key of the model area. Default: none. */
  apiKey: apiKeySchema.optional(),
});
export type NewOrganization = z.input<typeof newOrganizationSchema>;

const dataSetSchema = z.enum(["lanternfield"]);
/** The data sets, each with its organization. */
export const dataSets: Record<z.output<typeof dataSetSchema>, { username: string; seats: number }> = {
  lanternfield: { username: "admin@lanternfield.example", seats: 50 },
};

/** The first organization of a data folder. */
export const organizationSeedSchema = newOrganizationSchema.required({ apiKey: true }).extend({
  /** A data set of people, machine users, models, servers and tables. Default: none. */
  dataSet: dataSetSchema.optional(),
});
export type OrganizationSeed = z.input<typeof organizationSeedSchema>;

/** The organization of a fresh data folder. Its credentials work in a sandbox only. */
export const sandboxDefaults = {
  organizationId: "00000000-0000-4000-8000-00000000acce",
  username: "admin@acme.example",
  password: "sandbox-only-password",
  adminToken: "sandbox-only-admin-token",
  seats: 10,
  apiKey: "00000000-0000-4000-8000-0000000a91ce",
} as const;

/** The service account that the verb `service` seeds, so that its configuration is complete. */
export const sandboxServiceAccount = {
  name: "sandbox",
  clientId: "00000000-0000-4000-8000-0000000c11e2",
  clientSecret: "sandbox-only-secret",
} as const;

/** A year from `now`, to the end of that day. */
export function defaultSubscriptionEnd(now: number): string {
  return formatInstant(Math.floor((now + 365 * DAY_MS) / DAY_MS) * DAY_MS + DAY_MS - 1000);
}

/** The service's clock: real time, real time plus an offset, or one fixed time. */
export const clockSchema = z.union([
  z.strictObject({ offsetMs: z.int().default(0) }),
  z.strictObject({ fixedAt: instantSchema }),
]);
export type ClockSetting = z.input<typeof clockSchema>;

/** Behaviors in which services of the contract may differ. The first value of each is the default. */
export const switchesSchema = z.strictObject({
  /** The status of "assign seat" for a user with a seat (D16). */
  repeatSeat: z.enum(["201", "409"]).default("201"),
  /** The status of the removal of what is gone: a revoked token, a seat that no one has, a user, and the others (D15). */
  repeatRemoval: z.enum(["404", "400", "409", "410", "422"]).default("404"),
  /** The tokens of a user in platforms that list them: several, or one, so that "issue token" revokes the others. */
  liveTokens: z.enum(["several", "one"]).default("several"),
  /** `expires_at` in the response of "issue token" (D12). */
  issuedExpiry: z.enum(["date", "null"]).default("date"),
  /** The response body of "renew token" (D9). */
  renewedExpiry: z.enum(["date", "null", "no-body"]).default("date"),
  /** Whether "renew token" requires a subscription renewal since the token was issued (D41). */
  renewalNeeds: z.enum(["renewed-subscription", "nothing"]).default("renewed-subscription"),
  /** The seat counts in the response of "onboard users" (D19). */
  seatCounts: z.enum(["number", "text"]).default("number"),
  /** The list of "onboard users" for an email with an account: the unavailable ones, or neither (D20). */
  existingAccount: z.enum(["unavailable", "neither"]).default("unavailable"),
  /** The case of a server's status in "list servers", or no such field (D22). */
  serverStatus: z.enum(["upper", "lower", "none"]).default("upper"),
  /** The items of "list tables": objects, or names alone (D25). */
  tableItems: z.enum(["object", "name"]).default("object"),
  /** Whether the organization area requires the headers of a platform, which its description does not have. */
  platformHeaders: z.enum(["optional", "required"]).default("optional"),
  /** The optional fields of responses in platforms whose description says which are: all, or ids and onboarded emails. */
  optionalFields: z.enum(["sent", "omitted"]).default("sent"),
  /** The `Date` of responses: the service's clock, or no such header. */
  dateHeader: z.enum(["clock", "none"]).default("clock"),
  /** Whether "list servers" and "list models" apply their filters. */
  listFilters: z.enum(["applied", "ignored"]).default("applied"),
  /** What "list users" shows: for tests of wrong answers. */
  userList: z.enum(["all", "empty", "half", "other-organization"]).default("all"),
  /** The pages of lists: none, or the first half of each list alone, with a field that says that there is more. */
  pages: z.enum(["none", "total_count", "next", "limit", "has_more"]).default("none"),
  /** The rights of service accounts: without any, a list of users shows the administrator alone, and all else is a 404. */
  accountRights: z.enum(["all", "none"]).default("all"),
  /** A prefix of every new client secret and token, so that a search for leaks finds each of them. */
  secretMarker: z.string().default(""),
  /** The same for access tokens, which travel in a header. */
  accessTokenMarker: z
    .string()
    .regex(/^[\x21-\x7e]*$/, "printable ASCII without spaces")
    .default(""),
});
export type Switches = z.output<typeof switchesSchema>;

const seedsSchema = z.array(organizationSeedSchema);
const valueRow = z.object({ value: z.string() });

/** The settings of one data folder. */
export class ServiceSettings {
  readonly #database: Database;
  readonly #realNow: () => number;

  constructor(database: Database, realNow: () => number) {
    this.#database = database;
    this.#realNow = realNow;
  }

  /** The service's time, in milliseconds since 1970. */
  now(): number {
    const clock = this.clock();
    return "fixedAt" in clock ? Date.parse(clock.fixedAt) : this.#realNow() + clock.offsetMs;
  }

  clock(): z.output<typeof clockSchema> {
    return this.#read("clock", clockSchema) ?? { offsetMs: 0 };
  }

  setClock(clock: z.output<typeof clockSchema>): void {
    this.#write("clock", clock);
  }

  switches(): Switches {
    return this.#read("switches", switchesSchema) ?? switchesSchema.parse({});
  }

  setSwitches(switches: Switches): void {
    this.#write("switches", switches);
  }

  /** The seed, which a reset restores; undefined in a folder without one. */
  seeds(): z.output<typeof seedsSchema> | undefined {
    return this.#read("seeds", seedsSchema);
  }

  setSeeds(seeds: z.output<typeof seedsSchema>): void {
    this.#write("seeds", seeds);
  }

  /** Whether the vector database runs. */
  vectorsRun(): boolean {
    return this.#read("vectorsRun", z.boolean()) ?? true;
  }

  setVectorsRun(run: boolean): void {
    this.#write("vectorsRun", run);
  }

  /** Items of lists in a form of no description. */
  oddItems(): OddItem[] {
    return this.#read("oddItems", z.array(oddItemSchema)) ?? [];
  }

  setOddItems(items: readonly OddItem[]): void {
    this.#write("oddItems", items);
  }

  /** Sets the clock, the switches, the odd items and the vector database to their defaults. */
  reset(): void {
    this.#database.run("DELETE FROM settings WHERE key IN ('clock', 'switches', 'oddItems', 'vectorsRun')");
  }

  #read<Output>(key: string, schema: z.ZodType<Output>): Output | undefined {
    const row = this.#database.one(valueRow, "SELECT value FROM settings WHERE key = ?", key);
    return row && schema.parse(JSON.parse(row.value));
  }

  #write(key: string, value: unknown): void {
    this.#database.run(
      "INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)",
      key,
      JSON.stringify(value),
    );
  }
}

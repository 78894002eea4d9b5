/** What the management side can change and a restart keeps: the clock, the switches, the seed. */
import { z } from "zod";
import { formatInstant } from "../../provider/api/instants.ts";
import { apiKeySchema } from "../../provider/api/model-schemas.ts";
import { instantSchema } from "../../provider/api/schemas.ts";
import type { Database } from "./database.ts";

const DAY_MS = 86_400_000;

/** An organization as the sandbox makes it: one admin with a password, seats, and a subscription that ends. */
export const newOrganizationSchema = z.strictObject({
  organizationId: z.guid(),
  username: z.string().min(1),
  password: z.string().min(1),
  seats: z.int().min(0),
  subscriptionExpiresAt: instantSchema,
  /** An account that is there from the start, for programs that only use one. Default: none. */
  serviceAccount: z
    .strictObject({ name: z.string().min(1), clientId: z.guid(), clientSecret: z.string().min(1) })
    .optional(),
  /** A key of the model area. Default: none. */
  apiKey: apiKeySchema.optional(),
});
export type NewOrganization = z.input<typeof newOrganizationSchema>;

const dataSetSchema = z.enum(["lanternfield"]);
/** The data sets, with what their organization has. */
export const dataSets: Record<z.output<typeof dataSetSchema>, { username: string; seats: number }> = {
  lanternfield: { username: "admin@lanternfield.example", seats: 50 },
};

/** The organization that a data folder begins with. */
export const organizationSeedSchema = newOrganizationSchema.required({ apiKey: true }).extend({
  /** People, machines, models, servers and tables to begin with. Default: none. */
  dataSet: dataSetSchema.optional(),
});
export type OrganizationSeed = z.input<typeof organizationSeedSchema>;

/** The organization that a fresh data folder gets. Its credentials open a sandbox and nothing else. */
export const sandboxDefaults = {
  organizationId: "00000000-0000-4000-8000-00000000acce",
  username: "admin@acme.example",
  password: "sandbox-only-password",
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

/** The service's clock: real time, real time plus an offset, or one fixed instant. */
export const clockSchema = z.union([
  z.strictObject({ offsetMs: z.int().default(0) }),
  z.strictObject({ fixedAt: instantSchema }),
]);
export type ClockSetting = z.input<typeof clockSchema>;

/** Where services of the contract may differ, the sandbox does both. The first of each is the default. */
export const switchesSchema = z.strictObject({
  /** Call 6 for a user who holds a seat (D16). */
  repeatSeat: z.enum(["201", "409"]).default("201"),
  /** `expires_at` in the answer of call 7 (D12). */
  issuedExpiry: z.enum(["date", "null"]).default("date"),
  /** The body of call 8's answer (D9). */
  renewedExpiry: z.enum(["date", "null", "no-body"]).default("date"),
  /** Whether call 8 needs a subscription renewed since the token was issued, or extends to its end anyway (D41). */
  renewalNeeds: z.enum(["renewed-subscription", "nothing"]).default("renewed-subscription"),
  /** The seat counts in the answer of call 4 (D19). */
  seatCounts: z.enum(["number", "text"]).default("number"),
  /** Where call 4 answers an email that has an account already: in the list of the unavailable, or in neither (D20). */
  existingAccount: z.enum(["unavailable", "neither"]).default("unavailable"),
  /** The letters of a server's status in call 12, or no such field (D22). */
  serverStatus: z.enum(["upper", "lower", "none"]).default("upper"),
  /** The items of call 15: objects, or names alone (D25). */
  tableItems: z.enum(["object", "name"]).default("object"),
  /** What every new client secret and token begins with, so that a search for leaks finds also what nobody wrote down. */
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
export class Settings {
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

  /** What a reset goes back to; undefined in a folder that was never seeded. */
  seeds(): z.output<typeof seedsSchema> | undefined {
    return this.#read("seeds", seedsSchema);
  }

  setSeeds(seeds: z.output<typeof seedsSchema>): void {
    this.#write("seeds", seeds);
  }

  /** Whether the vector database may run. */
  vectorsRun(): boolean {
    return this.#read("vectorsRun", z.boolean()) ?? true;
  }

  setVectorsRun(run: boolean): void {
    this.#write("vectorsRun", run);
  }

  /** Clock, switches and the vector database back to their defaults. */
  reset(): void {
    this.#database.run("DELETE FROM settings WHERE key IN ('clock', 'switches', 'vectorsRun')");
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

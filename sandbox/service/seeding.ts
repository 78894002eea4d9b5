/** What a data folder begins with, and goes back to by a reset. */
import { plantDataSet } from "./data-set.ts";
import type { Database } from "./database.ts";
import { addOrganization } from "./organizations.ts";
import {
  dataSets,
  defaultSubscriptionEnd,
  type OrganizationSeed,
  organizationSeedSchema,
  type Settings,
  sandboxDefaults,
} from "./settings.ts";

/** Seeds a fresh folder. @returns what the folder was seeded with, now or earlier */
export function seedOnce(
  database: Database,
  settings: Settings,
  wanted: Partial<OrganizationSeed>,
): OrganizationSeed {
  const [known] = settings.seeds() ?? [];
  if (known) return known;
  const seed = organizationSeedSchema.parse({
    ...sandboxDefaults,
    subscriptionExpiresAt: defaultSubscriptionEnd(settings.now()),
    ...(wanted.dataSet ? dataSets[wanted.dataSet] : {}),
    ...wanted,
  });
  database.transaction(() => {
    settings.setSeeds([seed]);
    plant(database, settings);
  });
  return seed;
}

/** Puts the seed into an empty database, inside a transaction. */
export function plant(database: Database, settings: Settings): void {
  for (const seed of settings.seeds() ?? []) {
    addOrganization(database, seed);
    if (seed.dataSet !== undefined) plantDataSet(database, seed.organizationId, settings.now());
  }
}

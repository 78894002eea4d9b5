/** The seed of a data folder, which a reset restores. */
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

/** Seeds a fresh folder. @returns the folder's seed, new or old */
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

/** Inserts the seed into an empty database, inside a transaction. */
export function plant(database: Database, settings: Settings): void {
  for (const seed of settings.seeds() ?? []) {
    addOrganization(database, seed);
    if (seed.dataSet !== undefined) plantDataSet(database, seed.organizationId, settings.now());
  }
}

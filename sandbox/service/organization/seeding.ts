/** The seed of a data folder, which a reset restores. */

import type { Database } from "../base/database.ts";
import {
  dataSets,
  defaultSubscriptionEnd,
  type OrganizationSeed,
  organizationSeedSchema,
  type ServiceSettings,
  sandboxDefaults,
} from "../base/settings.ts";
import { insertDataSet } from "./data-set.ts";
import { addOrganization } from "./organizations.ts";

/** Seeds a fresh folder. @returns the folder's seed, new or old */
export function seedOnce(
  database: Database,
  settings: ServiceSettings,
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
    insertSeeds(database, settings);
  });
  return seed;
}

/** Inserts the seed into an empty database, inside a transaction. */
export function insertSeeds(database: Database, settings: ServiceSettings): void {
  for (const seed of settings.seeds() ?? []) {
    addOrganization(database, seed);
    if (seed.dataSet !== undefined) insertDataSet(database, seed.organizationId, settings.now());
  }
}

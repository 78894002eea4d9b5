/**
 * Finds users, seats, and tokens in the service as an import does: outside a run, without changes, by the definitions
 * of the resources.
 */

import { orgUserDefinition } from "../resources/org-user/definition.ts";
import { seatAssignmentDefinition } from "../resources/seat-assignment.ts";
import { userTokenDefinition } from "../resources/user-token/definition.ts";
import { DynamicProvider } from "../runtime/dynamic.ts";
import { ProviderProcess } from "../runtime/process.ts";
import type { SettingsSource } from "../service/connection.ts";
import { systemClock } from "../util/instants.ts";
import { mapConcurrently } from "../util/lists.ts";

type Properties = Readonly<Record<string, unknown>>;

export interface SoughtResource {
  readonly type: "OrgUser" | "SeatAssignment" | "UserToken";
  /** The user id. */
  readonly id: string;
  /** As a program declares them. */
  readonly inputs: object;
}

/** What a state has of the resource, or why the file cannot have it. */
export type FoundResource =
  | { readonly inputs: Properties; readonly outputs: Properties }
  | { readonly missing: string };

/** In the order of `sought`. @throws never for one resource: its reason is in the result */
export async function findResources(
  { config, environment }: SettingsSource,
  sought: readonly SoughtResource[],
): Promise<FoundResource[]> {
  const log = { write: () => undefined, flush: () => Promise.resolve() };
  const process = new ProviderProcess({ environment, clock: systemClock, log: () => log });
  process.configure(config);
  const providers = {
    OrgUser: new DynamicProvider(orgUserDefinition, process),
    SeatAssignment: new DynamicProvider(seatAssignmentDefinition, process),
    UserToken: new DynamicProvider(userTokenDefinition, process),
  };
  try {
    return await mapConcurrently(sought, process.settings.concurrency, (one) =>
      find(providers[one.type], one).catch((error: unknown) => ({
        missing: error instanceof Error ? error.message : String(error),
      })),
    );
  } finally {
    await process.close();
  }
}

async function find(
  provider: DynamicProvider,
  { id, inputs: declared }: SoughtResource,
): Promise<FoundResource> {
  const { inputs, failures = [] } = await provider.check({}, { ...declared });
  const [failure] = failures;
  if (failure !== undefined || inputs === undefined) return { missing: failure?.reason ?? "invalid inputs" };
  const { props } = await provider.read(id, inputs);
  return props === undefined ? { missing: "the service has none" } : { inputs, outputs: props };
}

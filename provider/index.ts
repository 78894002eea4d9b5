/**
 * The module that the dynamic-provider process loads: one provider for each resource. The state of every stack contains
 * these export names: never rename one.
 */

import type { dynamic } from "@pulumi/pulumi";
import { definitions } from "./definitions.ts";
import { DynamicProvider } from "./runtime/dynamic.ts";
import { onEngineCancel, onEngineEnd } from "./runtime/engine-end.ts";
import { createEngineLog } from "./runtime/log.ts";
import { ProviderProcess } from "./runtime/process.ts";
import { isPulumisProcess, reportErrorsOnce } from "./runtime/pulumi-values.ts";
import { systemClock } from "./util/instants.ts";

/** What Pulumi needs of a provider: its declaration does not name what is behind it. */
type Provider = Required<dynamic.ResourceProvider>;

// Pulumi passes the engine's address as the last argument.
const engine = process.argv.at(-1) ?? "";

const shared = new ProviderProcess({
  environment: process.env,
  log: () => createEngineLog(engine),
  clock: systemClock,
});

// Other importers keep their console, and their process.
if (isPulumisProcess(process.argv)) {
  reportErrorsOnce(console);
  onEngineCancel(() => shared.cancel());
  onEngineEnd(engine, () => void shared.end().finally(() => process.exit()));
}

export const serviceAccount: Provider = new DynamicProvider(definitions.ServiceAccount, shared);
export const orgMember: Provider = new DynamicProvider(definitions.OrgMember, shared);
export const orgUser: Provider = new DynamicProvider(definitions.OrgUser, shared);
export const seatAssignment: Provider = new DynamicProvider(definitions.SeatAssignment, shared);
export const userToken: Provider = new DynamicProvider(definitions.UserToken, shared);
export const modelServer: Provider = new DynamicProvider(definitions.ModelServer, shared);
export const vectorTable: Provider = new DynamicProvider(definitions.VectorTable, shared);
export const onboarding: Provider = new DynamicProvider(definitions.Onboarding, shared);

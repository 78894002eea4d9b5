/**
 * The module that the dynamic-provider process loads: one provider for each resource. The state of every stack contains
 * these export names: never rename one.
 */

import { definitions } from "./definitions.ts";
import { DynamicProvider } from "./runtime/dynamic.ts";
import { createEngineLog, onEngineEnd } from "./runtime/engine.ts";
import { ProviderProcess } from "./runtime/process.ts";
import { isPulumisProcess, reportErrorsOnce } from "./runtime/pulumi-result.ts";
import { systemClock } from "./util/clock.ts";

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
  onEngineEnd(engine, () => void shared.work.settled().then(() => process.exit()));
}

export const serviceAccount = new DynamicProvider(definitions.ServiceAccount, shared);
export const orgUser = new DynamicProvider(definitions.OrgUser, shared);
export const seatAssignment = new DynamicProvider(definitions.SeatAssignment, shared);
export const userToken = new DynamicProvider(definitions.UserToken, shared);
export const modelServer = new DynamicProvider(definitions.ModelServer, shared);
export const modelFile = new DynamicProvider(definitions.ModelFile, shared);
export const vectorTable = new DynamicProvider(definitions.VectorTable, shared);
export const vectorDatabase = new DynamicProvider(definitions.VectorDatabase, shared);
export const onboarding = new DynamicProvider(definitions.Onboarding, shared);

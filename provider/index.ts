/**
 * The module that the dynamic-provider process loads: one provider for each resource. The state of every stack contains
 * these export names: never rename one.
 */
import { systemClock } from "./api/clock.ts";
import { dynamicProvider } from "./dynamic.ts";
import { createEngineLog } from "./engine-log.ts";
import { ProviderProcess } from "./process.ts";
import { isPulumisProcess, reportErrorsOnce } from "./reports.ts";
import { definitions } from "./resources/definitions.ts";

const shared = new ProviderProcess({
  environment: process.env,
  // Pulumi passes the engine's address as the last argument.
  log: () => createEngineLog(process.argv.at(-1) ?? ""),
  clock: systemClock,
});

// Other importers keep their console.
if (isPulumisProcess(process.argv)) reportErrorsOnce(console);

export const serviceAccount = dynamicProvider(definitions.ServiceAccount, shared);
export const orgUser = dynamicProvider(definitions.OrgUser, shared);
export const seatAssignment = dynamicProvider(definitions.SeatAssignment, shared);
export const userToken = dynamicProvider(definitions.UserToken, shared);
export const modelServer = dynamicProvider(definitions.ModelServer, shared);
export const vectorTable = dynamicProvider(definitions.VectorTable, shared);
export const vectorDatabase = dynamicProvider(definitions.VectorDatabase, shared);
export const onboarding = dynamicProvider(definitions.Onboarding, shared);

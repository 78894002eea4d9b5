/**
 * The module that the dynamic-provider process loads: one provider for each resource. The state of every stack contains
 * these export names: never rename one.
 */
import { systemClock } from "./api/clock.ts";
import { dynamicProvider } from "./dynamic.ts";
import { createEngineLog } from "./engine-log.ts";
import { ProviderProcess } from "./process.ts";
import { isPulumisProcess, reportErrorsOnce } from "./reports.ts";
import { modelServerDefinition } from "./resources/model-server.ts";
import { onboardingDefinition } from "./resources/onboarding.ts";
import { orgUserDefinition } from "./resources/org-user.ts";
import { seatAssignmentDefinition } from "./resources/seat-assignment.ts";
import { serviceAccountDefinition } from "./resources/service-account.ts";
import { userTokenDefinition } from "./resources/user-token.ts";
import { vectorDatabaseDefinition } from "./resources/vector-database.ts";
import { vectorTableDefinition } from "./resources/vector-table.ts";

const shared = new ProviderProcess({
  environment: process.env,
  // Pulumi passes the engine's address as the last argument.
  log: () => createEngineLog(process.argv.at(-1) ?? ""),
  clock: systemClock,
});

// Other importers keep their console.
if (isPulumisProcess(process.argv)) reportErrorsOnce(console);

export const serviceAccount = dynamicProvider(serviceAccountDefinition, shared);
export const orgUser = dynamicProvider(orgUserDefinition, shared);
export const seatAssignment = dynamicProvider(seatAssignmentDefinition, shared);
export const userToken = dynamicProvider(userTokenDefinition, shared);
export const modelServer = dynamicProvider(modelServerDefinition, shared);
export const vectorTable = dynamicProvider(vectorTableDefinition, shared);
export const vectorDatabase = dynamicProvider(vectorDatabaseDefinition, shared);
export const onboarding = dynamicProvider(onboardingDefinition, shared);

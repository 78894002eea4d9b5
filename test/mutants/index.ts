/** All mutants. `npm run test:mutants` switches on one at a time. */
import { apiMutants } from "./api.ts";
import { automationMutants } from "./automation.ts";
import { commandLineMutants } from "./command-line.ts";
import { creationMutants } from "./creations.ts";
import { authenticationMutants, fieldMutants, interfaceMutants } from "./interface.ts";
import { journalMutants } from "./journal.ts";
import { modelResourceMutants } from "./model-resources.ts";
import { modelServiceMutants } from "./model-service.ts";
import type { Mutant } from "./mutant.ts";
import { onboardingMutants } from "./onboarding.ts";
import { pluginMutants } from "./plugins.ts";
import { providerMutants } from "./provider.ts";
import { resourceMutants } from "./resources.ts";
import { rosterMutants } from "./roster.ts";
import { runMutants } from "./runs.ts";
import { sdkMutants } from "./sdk.ts";
import { serviceMutants } from "./service.ts";
import { singleRunMutants } from "./single-run.ts";
import { stopMutants } from "./stops.ts";
import { vectorServiceMutants } from "./vector-service.ts";

export const mutants: readonly Mutant[] = [
  ...apiMutants,
  ...resourceMutants,
  ...creationMutants,
  ...onboardingMutants,
  ...providerMutants,
  ...sdkMutants,
  ...interfaceMutants,
  ...fieldMutants,
  ...authenticationMutants,
  ...serviceMutants,
  ...modelServiceMutants,
  ...vectorServiceMutants,
  ...modelResourceMutants,
  ...journalMutants,
  ...commandLineMutants,
  ...pluginMutants,
  ...singleRunMutants,
  ...rosterMutants,
  ...automationMutants,
  ...runMutants,
  ...stopMutants,
];

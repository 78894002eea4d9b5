/** All mutants. `npm run test:mutants` switches on one at a time. */
import { apiMutants } from "./api.ts";
import type { Mutant } from "./mutant.ts";
import { providerMutants } from "./provider.ts";
import { resourceMutants } from "./resources.ts";
import { sdkMutants } from "./sdk.ts";

export const mutants: readonly Mutant[] = [
  ...apiMutants,
  ...resourceMutants,
  ...providerMutants,
  ...sdkMutants,
];

/** All named mutants: breaks of the rows of the interface. `npm run test:mutants:named` switches on one at a time. */
import { clientMutants } from "./client.ts";
import { authenticationMutants, fieldMutants, interfaceMutants } from "./interface.ts";
import type { Mutant } from "./mutant.ts";
import { serviceMutants } from "./service.ts";

export const mutants: readonly Mutant[] = [
  ...interfaceMutants,
  ...fieldMutants,
  ...authenticationMutants,
  ...clientMutants,
  ...serviceMutants,
];

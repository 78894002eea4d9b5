/** All named mutants: breaks of the rows of the interface. `npm run test:mutants:named` switches on one at a time. */
import { clientMutants } from "./client.ts";
import { interfaceMutants } from "./interface.ts";
import { serviceMutants } from "./service.ts";

export const mutants = [...interfaceMutants, ...clientMutants, ...serviceMutants];

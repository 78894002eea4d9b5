/** All resources by name. */
import { modelFileDefinition } from "./model-file.ts";
import { modelServerDefinition } from "./model-server.ts";
import { onboardingDefinition } from "./onboarding.ts";
import { orgUserDefinition } from "./org-user.ts";
import { seatAssignmentDefinition } from "./seat-assignment.ts";
import { serviceAccountDefinition } from "./service-account.ts";
import { userTokenDefinition } from "./user-token.ts";
import { vectorDatabaseDefinition } from "./vector-database.ts";
import { vectorTableDefinition } from "./vector-table.ts";

export const definitions = {
  ServiceAccount: serviceAccountDefinition,
  OrgUser: orgUserDefinition,
  SeatAssignment: seatAssignmentDefinition,
  UserToken: userTokenDefinition,
  Onboarding: onboardingDefinition,
  ModelServer: modelServerDefinition,
  ModelFile: modelFileDefinition,
  VectorTable: vectorTableDefinition,
  VectorDatabase: vectorDatabaseDefinition,
};

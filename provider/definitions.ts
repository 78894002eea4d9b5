/** All resources by name. */
import { orgMemberDefinition } from "./member/resource/org-member.ts";
import { modelServerDefinition } from "./resources/models/model-server.ts";
import { onboardingDefinition } from "./resources/onboarding/definition.ts";
import { orgUserDefinition } from "./resources/org-user/definition.ts";
import type { AnyDefinition } from "./resources/resource.ts";
import type { ResourceType } from "./resources/resource-types.ts";
import { seatAssignmentDefinition } from "./resources/seat-assignment.ts";
import { serviceAccountDefinition } from "./resources/service-account/definition.ts";
import { userTokenDefinition } from "./resources/user-token/definition.ts";
import { vectorTableDefinition } from "./resources/vector/vector-table.ts";

export const definitions: Readonly<Record<ResourceType, AnyDefinition>> = {
  ServiceAccount: serviceAccountDefinition,
  OrgMember: orgMemberDefinition,
  OrgUser: orgUserDefinition,
  SeatAssignment: seatAssignmentDefinition,
  UserToken: userTokenDefinition,
  Onboarding: onboardingDefinition,
  ModelServer: modelServerDefinition,
  VectorTable: vectorTableDefinition,
};

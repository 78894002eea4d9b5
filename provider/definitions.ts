/** All resources by the name in their type token. */
import { seatAssignmentDefinition } from "./member/primitives/seat.ts";
import { userTokenDefinition } from "./member/primitives/token.ts";
import { orgUserDefinition } from "./member/primitives/user.ts";
import { orgMemberDefinition } from "./member/resource/org-member.ts";
import { modelServerDefinition } from "./resources/models/model-server.ts";
import { onboardingDefinition } from "./resources/onboarding/definition.ts";
import type { AnyDefinition } from "./resources/resource.ts";
import type { ResourceType } from "./resources/resource-types.ts";
import { serviceAccountDefinition } from "./resources/service-account/definition.ts";
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

/**
 * The calls of the platform `anaconda`, as data: the calls of the interface with their differences, and those that only
 * this platform has. docs/platforms.md describes them, and anaconda-model-calls.ts has those of the model area.
 */

import {
  createMemberRequestSchema,
  issueListedTokenRequestSchema,
  partialOnboardingResultSchema,
  partialUserListSchema,
  renewedListedTokenSchema,
  renewTokenRequestSchema,
  seatQuerySchema,
  tokenListSchema,
  userListQuerySchema,
  userListSchema,
} from "../schemas/anaconda-schemas.ts";
import { anacondaModelCalls } from "./anaconda-model-calls.ts";
import { call, calls } from "./calls.ts";

export const anacondaCalls = {
  ...calls,
  deleteServiceAccount: call({
    ...calls.deleteServiceAccount,
    refusals: { 404: "no such account, or gone already" },
  }),
  onboardUsers: call({ ...calls.onboardUsers, answer: partialOnboardingResultSchema, refusals: {} }),
  createUser: call({ ...calls.createUser, request: createMemberRequestSchema, refusals: {} }),
  /** All members of the organization, without pages. */
  listUsers: call({
    number: 17,
    name: "list users",
    method: "GET",
    path: "/organizations/{org_id}/users",
    credential: "serviceAccount",
    query: userListQuerySchema,
    answer: userListSchema,
    partial: partialUserListSchema,
  }),
  assignSeat: call({
    ...calls.assignSeat,
    query: seatQuerySchema,
    refusals: {
      402: "no seat is free, or the subscription has ended",
      404: "no such user",
      409: "the user already has a seat",
    },
  }),
  issueToken: call({ ...calls.issueToken, request: issueListedTokenRequestSchema, refusals: {} }),
  /** Extends the token to the end of the subscription, or changes its expiry. Keeps its value. */
  renewToken: call({
    ...calls.renewToken,
    request: renewTokenRequestSchema,
    answer: renewedListedTokenSchema,
    refusals: {},
  }),
  /** All tokens of a user, without their values. */
  listTokens: call({
    number: 18,
    name: "list tokens",
    method: "GET",
    path: "/organizations/{org_id}/users/{user_id}/tokens",
    credential: "serviceAccount",
    answer: tokenListSchema,
  }),
  revokeToken: call({
    ...calls.revokeToken,
    path: "/organizations/{org_id}/users/{user_id}/tokens/{token_id}",
    refusals: { 404: "no such token, or revoked already", 409: "the token cannot be revoked" },
  }),
  removeSeat: call({ ...calls.removeSeat, refusals: { 404: "the user has no seat" } }),
  ...anacondaModelCalls,
} as const;

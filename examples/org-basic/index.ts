// Users, seats and tokens, wired by hand. An OrgMember is all three in one: see the example org-members.
import * as pulumi from "@pulumi/pulumi";
import { OrgUser, SeatAssignment, UserToken } from "orgseat";

const ada = new OrgUser("ada", { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" });
// `ada.userId` connects the seat to the user, and `seat` the token to the seat. So a removal revokes the token first, then
// removes the seat and the membership: the service refuses any other order.
const adaSeat = new SeatAssignment("ada", { userId: ada.userId });
// Without a date a token expires with the subscription (orgseat:subscriptionExpiresAt), and is renewed with it.
const adaAccess = new UserToken("ada", { seat: adaSeat });

// A contractor, whose access ends with the contract. The date is in the configuration, so an extension does not change the
// program: a later date renews the token and keeps its value.
const contractEnd = new pulumi.Config().require("contractEnd");
const grace = new OrgUser("grace", { email: "grace@contractor.example" });
const graceSeat = new SeatAssignment("grace", { userId: grace.userId });
const graceAccess = new UserToken("grace", { seat: graceSeat, expiresAt: contractEnd });

// A machine user has no person and no email. Its name says the purpose of its token.
const builds = new OrgUser("linux-builds", { purpose: "Linux builds" });
const buildsSeat = new SeatAssignment("linux-builds", { userId: builds.userId });
const buildsAccess = new UserToken("linux-builds", { seat: buildsSeat });

// Tokens are secrets: encrypted in the state, and hidden in outputs without --show-secrets.
export const adaToken = adaAccess.value;
export const graceToken = graceAccess.value;
export const graceTokenEnds = graceAccess.validUntil;
export const linuxBuildsToken = buildsAccess.value;

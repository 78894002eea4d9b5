// The four resources of an organization, wired by hand: a service account, and for each person a user, a seat, and a token.
// An OrgMember is the last three in one: see the example org-members.
import * as pulumi from "@pulumi/pulumi";
import { OrgUser, SeatAssignment, ServiceAccount, UserToken } from "orgseat";

// Only an administrator can create it, with orgseat:username and orgseat:password, or orgseat:adminToken. Everything below uses
// it, so Pulumi creates it first and deletes it last.
const credentials = new ServiceAccount("members", { name: "acme-members" });

const email = "ada@acme.example";
const ada = new OrgUser("ada", { email, firstName: "Ada", lastName: "Lovelace", credentials });
// `ada.userId` connects the seat to the user, and `seat` the token to the seat. So a removal revokes the token first, then
// removes the seat and the membership: the service refuses any other order.
const adaSeat = new SeatAssignment("ada", { userId: ada.userId, credentials });
// Without a date a token expires with the subscription (orgseat:subscriptionExpiresAt), and is renewed with it.
const adaAccess = new UserToken("ada", { seat: adaSeat, credentials });

// A contractor, whose access ends with the contract. The date is in the configuration, so an extension does not change the
// program: a later date renews the token and keeps its value.
const contractEnd = new pulumi.Config().require("contractEnd");
const grace = new OrgUser("grace", { email: "grace@contractor.example", credentials });
const graceSeat = new SeatAssignment("grace", { userId: grace.userId, credentials });
const graceAccess = new UserToken("grace", { seat: graceSeat, expiresAt: contractEnd, credentials });

// A machine user has no person and no email. Its name says the purpose of its token.
const builds = new OrgUser("linux-builds", { purpose: "Linux builds", credentials });
const buildsSeat = new SeatAssignment("linux-builds", { userId: builds.userId, credentials });
const buildsAccess = new UserToken("linux-builds", { seat: buildsSeat, credentials });

// Tokens are secrets: encrypted in the state, and hidden in outputs without --show-secrets.
export const adaToken = adaAccess.value;
export const graceToken = graceAccess.value;
export const graceTokenEnds = graceAccess.validUntil;
export const linuxBuildsToken = buildsAccess.value;

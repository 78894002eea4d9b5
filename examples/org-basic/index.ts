// Users, seats and tokens, wired by hand. OrgMember does the same wiring: see the example org-members.
import * as pulumi from "@pulumi/pulumi";
import { OrgUser, SeatAssignment, UserToken } from "orgseat";

const ada = new OrgUser("ada", { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" });
// `ada.id` ties the seat to the user, and `seat` ties the token to the seat. Whoever leaves the program therefore
// loses the token first, then the seat, then the membership: the service refuses any other order.
const adaSeat = new SeatAssignment("ada", { userId: ada.id });
// Without a date a token runs as long as the subscription (orgseat:subscriptionExpiresAt), and is renewed with it.
const adaAccess = new UserToken("ada", { seat: adaSeat });

// A contractor, whose access ends with the contract. The date is configuration, so that extending it is no change of
// the program: a later date renews the token, and its value stays.
const contractEnd = new pulumi.Config().require("contractEnd");
const grace = new OrgUser("grace", { email: "grace@contractor.example" });
const graceSeat = new SeatAssignment("grace", { userId: grace.id });
const graceAccess = new UserToken("grace", { seat: graceSeat, expiresAt: contractEnd });

// A managed user belongs to no person and has no email. Its name says what its token is for.
const builds = new OrgUser("linux-builds", { firstName: "Linux builds" });
const buildsSeat = new SeatAssignment("linux-builds", { userId: builds.id });
const buildsAccess = new UserToken("linux-builds", { seat: buildsSeat });

// Tokens are secrets already: encrypted in the state, hidden in every output until somebody asks for one.
export const adaToken = adaAccess.token;
export const graceToken = graceAccess.token;
export const graceTokenEnds = graceAccess.validUntil;
export const linuxBuildsToken = buildsAccess.token;

// The first program of an organization: with an administrator's password or token, it creates the service account that rosters,
// other programs, and CI use. It has no members, so you can run it on an organization that already has some.
import * as pulumi from "@pulumi/pulumi";
import { ServiceAccount } from "orgseat";

// Another value replaces the account, which is the only way to get a new secret: pulumi config set rotation 2
const rotation = new pulumi.Config().get("rotation") ?? "1";

// Needs orgseat:username and orgseat:password, or orgseat:adminToken. In the same program, members can use it: `credentials: account`.
const account = new ServiceAccount("ci", { name: "acme-ci", rotation });

/** ORGSEAT_CLIENT_ID and ORGSEAT_CLIENT_SECRET of whatever manages members. */
export const clientId = account.clientId;
export const clientSecret = account.clientSecret;

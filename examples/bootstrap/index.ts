// The first program of an organization: an administrator's password creates a service account, and everything else, in
// this program and later in CI, uses that account.
import * as pulumi from "@pulumi/pulumi";
import { OrgMember, ServiceAccount } from "orgseat";

// Another value replaces the account, which is the only way to get a new secret: pulumi config set rotation 2
const rotation = new pulumi.Config().get("rotation") ?? "1";

// The one resource that needs orgseat:username and orgseat:password.
const account = new ServiceAccount("ci", { name: "acme-ci", rotation });

// The account is the credential of the members: Pulumi creates it first and deletes it last. After a rotation the members
// only get the new secret: no one loses a token.
const common = { seat: true, token: {}, credentials: account } as const;
new OrgMember("ada", { email: "ada@acme.example", ...common });
new OrgMember("grace", { email: "grace@acme.example", ...common });
new OrgMember("linux-builds", { purpose: "Linux builds", ...common });

// For CI, whose programs then need no administrator: orgseat:clientId and orgseat:clientSecret.
export const clientId = account.clientId;
export const clientSecret = account.clientSecret;

/** The types of resources, without their definitions and without packages: programs compile against the names. */

/** The shape in which outputs are written. A release refuses a newer one. */
export const STATE_VERSION = 1;

/** The names of all resources, as in the type token `pulumi-nodejs:orgseat:<name>`. */
export const resourceTypes = [
  "ServiceAccount",
  "OrgMember",
  "OrgUser",
  "SeatAssignment",
  "UserToken",
  "Onboarding",
  "ModelServer",
  "VectorTable",
] as const;
export type ResourceType = (typeof resourceTypes)[number];

/** An input that identifies the object of a resource. */
export interface Claim {
  /** The name of the input: a value, or a list of values. */
  readonly property: string;
  /** The noun for the value in messages. */
  readonly noun: string;
  /** The kind of object that one resource can claim. Default: a person; then letter case is ignored. */
  readonly subject?: "person" | "server" | "table";
  /** The name of a claim that several resource types share. Default: each type has its own. */
  readonly shared?: string;
  /** Whether the resource is a list of such objects. Default: false. */
  readonly isList?: boolean;
}

const ofUser: readonly Claim[] = [
  { property: "email", noun: "person", shared: "email" },
  { property: "adopt", noun: "membership", shared: "adopt" },
];

/** What two resources of a run must not both declare: claims.ts. */
export const claimsOf: Readonly<Record<ResourceType, readonly Claim[]>> = {
  ServiceAccount: [],
  OrgMember: ofUser,
  OrgUser: ofUser,
  SeatAssignment: [{ property: "userId", noun: "seat" }],
  UserToken: [{ property: "userId", noun: "person's token" }],
  Onboarding: [{ property: "emails", noun: "person", shared: "email", isList: true }],
  ModelServer: [{ property: "serverId", noun: "server", subject: "server" }],
  VectorTable: [{ property: "name", noun: "table", subject: "table" }],
};

/** The outputs that are secrets in every state, besides `credentials`. */
export const secretOutputs: Readonly<Record<ResourceType, readonly string[]>> = {
  ServiceAccount: ["clientSecret"],
  OrgMember: ["tokenValue"],
  OrgUser: [],
  SeatAssignment: [],
  UserToken: ["value"],
  Onboarding: [],
  ModelServer: [],
  VectorTable: [],
};

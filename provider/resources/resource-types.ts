/**
 * What is known of each type of resource without its definition: for the approval of changes, and for previews. Without
 * packages: programs compile against the names.
 */
import { folded } from "../util/text.ts";
import { holdsUnknown } from "./unknown.ts";

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

/** The names under which rosters register seats and tokens: their definitions are not those of programs. */
export const rosterTypes = { SeatAssignment: "RosterSeat", UserToken: "RosterToken" } as const;

/** The name of a resource in a type token: what rosters register alone is in no schema, and has no name in texts. */
export type RegisteredType = ResourceType | (typeof rosterTypes)[keyof typeof rosterTypes];

/** As what a roster registers a user, a seat, or a token. */
export function rosterTypeOf<Type extends ResourceType>(type: Type) {
  return isRosterType(type) ? rosterTypes[type] : type;
}

function isRosterType(type: ResourceType): type is keyof typeof rosterTypes {
  return type in rosterTypes;
}

type Inputs = Readonly<Record<string, unknown>>;

interface TypeFacts {
  /** In messages, before its name. */
  readonly noun: string;
  /**
   * The subject of a creation: a preview and its run compare creations by subject, because a new resource has no id.
   * Undefined while unknown.
   */
  readonly subject: (inputs: Inputs) => string | undefined;
  /** What can name it among others of its type, the best first. Default: nothing, or the name of its user. */
  readonly names?: (props: Inputs) => readonly unknown[];
  /** What its id is, where messages show it beside the name. */
  readonly idNoun?: string;
  /** Whether it belongs to the user whose id it has. */
  readonly isOfUser?: boolean;
}

/** The subject of a seat or token of a user whom the same run adds, where the preview cannot tell which. */
export const NEW_USER = "a new user";

/** The subject of a seat or token of an existing user. */
export function userSubject(userId: string): string {
  return `user ${userId}`;
}

/** The subject of an OrgUser: the person or the purpose, and the adopted user id; undefined while unknown. */
export function personSubject({ email, purpose, firstName, lastName, adopt }: Inputs): string | undefined {
  const who = typeof email === "string" ? folded(email) : [purpose ?? firstName ?? null, lastName ?? null];
  return textOf([who, ...(adopt === undefined || adopt === null ? [] : [adopt])]);
}

function subjectOfOwned({ userId }: Inputs): string | undefined {
  return typeof userId === "string" && !holdsUnknown(userId) ? userSubject(userId) : undefined;
}

function namesOfPerson({ email, purpose, firstName, lastName }: Inputs): unknown[] {
  return [email, [purpose ?? firstName, lastName].filter((part) => typeof part === "string").join(" ")];
}

const named = {
  subject: ({ name }: Inputs) => textOf(name),
  names: ({ name }: Inputs) => [name],
};

export const typeFacts: Readonly<Record<ResourceType, TypeFacts>> = {
  ServiceAccount: { noun: "the service account", ...named, idNoun: "client id" },
  OrgMember: { noun: "the member", subject: personSubject, names: namesOfPerson },
  OrgUser: { noun: "the membership of", subject: personSubject, names: namesOfPerson, idNoun: "user" },
  SeatAssignment: {
    noun: "the seat of",
    subject: subjectOfOwned,
    isOfUser: true,
  },
  UserToken: {
    noun: "the token of",
    subject: subjectOfOwned,
    isOfUser: true,
  },
  Onboarding: {
    noun: "the onboarding",
    subject: ({ emails }) => textOf(Array.isArray(emails) ? emails.toSorted() : emails),
  },
  ModelServer: {
    noun: "the model server",
    subject: ({ serverId, serverConfig }) => textOf(serverId ?? modelFileIn(serverConfig)),
    names: ({ serverId, serverConfig }) => [serverId, modelFileIn(serverConfig)],
  },
  VectorTable: { noun: "the vector table", ...named },
};

/** The name of the model file in the configuration of a ModelServer. */
function modelFileIn(serverConfig: unknown): unknown {
  if (typeof serverConfig !== "object" || serverConfig === null) return serverConfig;
  return "modelFileName" in serverConfig ? serverConfig.modelFileName : undefined;
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null || holdsUnknown(value) ? undefined : JSON.stringify(value);
}

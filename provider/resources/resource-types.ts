/**
 * What is known of each type of resource without its definition: for the approval of changes, and for previews. Without
 * packages: programs compile against the names.
 */
import { holdsUnknown } from "./unknown.ts";

/** The shape in which outputs are written. A release reads every older shape and refuses a newer one. */
export const STATE_VERSION = 2;

/** The names of all resources, as in the type token `pulumi-nodejs:orgseat:<name>`. */
export const resourceTypes = [
  "ServiceAccount",
  "OrgUser",
  "SeatAssignment",
  "UserToken",
  "Onboarding",
  "ModelServer",
  "ModelFile",
  "VectorTable",
  "VectorDatabase",
] as const;
export type ResourceType = (typeof resourceTypes)[number];

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
  /** What an update may write where the preview showed the creation: it completes a partial creation. */
  readonly completing?: readonly string[];
  /** Inputs and outputs that earlier releases wrote under another name, or with other values. */
  readonly former?: FormerShape;
}

interface FormerShape {
  /** The names today, by the former ones. */
  readonly names?: Readonly<Record<string, string>>;
  /** The values today, by the names today. */
  readonly values?: Readonly<Record<string, (value: unknown) => unknown>>;
}

/** The subject of a seat or token of a user whom the same run adds, where the preview cannot tell which. */
export const NEW_USER = "a new user";

/** The subject of a seat or token of an existing user. */
export function userSubject(userId: string): string {
  return `user ${userId}`;
}

/** The subject of an OrgUser: the person or the purpose, and the adopted user id; undefined while unknown. */
export function personSubject({ email, purpose, firstName, lastName, adopt }: Inputs): string | undefined {
  const who =
    typeof email === "string" ? email.toLowerCase() : [purpose ?? firstName ?? null, lastName ?? null];
  return textOf([who, ...(adopt === undefined || adopt === null ? [] : [adopt])]);
}

function subjectOfOwned({ userId }: Inputs): string | undefined {
  return typeof userId === "string" && !holdsUnknown(userId) ? userSubject(userId) : undefined;
}

const named = {
  subject: ({ name }: Inputs) => textOf(name),
  names: ({ name }: Inputs) => [name],
};

/** The values of `onDelete` in states of earlier releases. */
const formerOnDelete = new Map<unknown, string>([
  ["remove", "delete"],
  ["keep", "retain"],
]);
const values = { onDelete: (value: unknown) => formerOnDelete.get(value) ?? value };

export const typeFacts: Readonly<Record<ResourceType, TypeFacts>> = {
  ServiceAccount: { noun: "the service account", ...named, idNoun: "client id" },
  OrgUser: {
    noun: "the membership of",
    subject: personSubject,
    names: ({ email, purpose, firstName, lastName }) => [
      email,
      [purpose ?? firstName, lastName].filter((part) => typeof part === "string").join(" "),
    ],
    idNoun: "user",
    former: { names: { managed: "isMachineUser" }, values },
  },
  SeatAssignment: {
    noun: "the seat of",
    subject: subjectOfOwned,
    isOfUser: true,
    completing: ["assign seat"],
    former: { values },
  },
  UserToken: {
    noun: "the token of",
    subject: subjectOfOwned,
    isOfUser: true,
    former: {
      names: {
        token: "value",
        sealed: "sealedValue",
        serviceExpiresAt: "reportedExpiresAt",
        recipient: "recipients",
        keepToken: "keepValue",
      },
      values: { recipients: (value) => (typeof value === "string" ? [value] : value) },
    },
  },
  Onboarding: {
    noun: "the onboarding",
    subject: ({ emails }) => textOf(Array.isArray(emails) ? emails.toSorted() : emails),
    former: { names: { retry: "resend" } },
  },
  ModelServer: {
    noun: "the model server",
    subject: ({ serverId, serverConfig }) => textOf(serverId ?? modelFileIn(serverConfig)),
    names: ({ serverId, serverConfig }) => [serverId, modelFileIn(serverConfig)],
    completing: ["start server", "stop server"],
    former: { names: { server: "endpoint" }, values },
  },
  ModelFile: {
    noun: "the model file",
    subject: ({ modelId, fileId }) => textOf([modelId, fileId]),
    names: ({ name, fileId }) => [name, fileId],
    completing: ["start download", "resume download", "pause download"],
    former: { values },
  },
  VectorTable: { noun: "the vector table", ...named, former: { values } },
  VectorDatabase: { noun: "the vector database", subject: () => textOf("the vector database") },
};

/** The name of the model file in the configuration of a ModelServer. */
function modelFileIn(serverConfig: unknown): unknown {
  if (typeof serverConfig !== "object" || serverConfig === null) return serverConfig;
  return "modelFileName" in serverConfig ? serverConfig.modelFileName : undefined;
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null || holdsUnknown(value) ? undefined : JSON.stringify(value);
}

/** Inputs or outputs of a state, with the names and values of today. */
export function currentProps(type: ResourceType, props: Inputs): Inputs {
  const { values: changed = {} } = typeFacts[type].former ?? {};
  const current = Object.entries(props).map(([former, value]) => {
    const key = newPropertyName(type, former) ?? former;
    return [key, changed[key]?.(value) ?? value] as const;
  });
  return withPurpose(type, Object.fromEntries(current));
}

/** The name today of a former input or output; undefined for every other name. */
export function newPropertyName(type: ResourceType, name: string): string | undefined {
  const { names = {} } = typeFacts[type].former ?? {};
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

/** Whether an earlier release wrote the outputs. */
export function isFormerState({ stateVersion }: Inputs): boolean {
  return typeof stateVersion === "number" && stateVersion < STATE_VERSION;
}

/**
 * What a refresh leaves of outputs that an earlier release wrote: Pulumi keeps a secret encrypted under the name that the
 * program registered, and the next update registers the name of today.
 */
export function refreshedProps(
  type: ResourceType,
  olds: Inputs,
  read: Inputs,
  secrets: readonly string[],
): Inputs {
  if (!isFormerState(olds)) return read;
  const { names = {} } = typeFacts[type].former ?? {};
  const former = new Map(Object.entries(names).map(([name, today]) => [today, name]));
  const entries = Object.entries(read).map(([key, value]) => {
    const isSecret = secrets.includes(key);
    const name = former.get(key) ?? key;
    // A moved state has the name of today.
    return [isSecret && Object.hasOwn(olds, name) ? name : key, value] as const;
  });
  return { ...Object.fromEntries(entries), stateVersion: olds.stateVersion };
}

/** The names under which states have these secrets, former ones too. */
export function secretNames(type: ResourceType, secrets: readonly string[]): string[] {
  const { names = {} } = typeFacts[type].former ?? {};
  const former = Object.keys(names).filter((name) => secrets.includes(newPropertyName(type, name) ?? name));
  return [...secrets, ...former];
}

/** A machine user had its purpose as first name. */
function withPurpose(type: ResourceType, props: Inputs): Inputs {
  const { firstName, ...rest } = props;
  const isPerson = typeof rest.email === "string" || rest.purpose !== undefined;
  return type !== "OrgUser" || isPerson || firstName === undefined ? props : { ...rest, purpose: firstName };
}

/**
 * Subjects of creations, as text: a preview and its run compare creations by subject, because a new resource has no id.
 * All are pure functions of the inputs.
 */
import { holdsUnknown } from "./unknown.ts";

type Inputs = Readonly<Record<string, unknown>>;

/** The subject of a seat or token of a user whom the same run adds, where the preview cannot tell which. */
export const NEW_USER = "a new user";

/** The subject of a seat or token of an existing user. */
export function userSubject(userId: string): string {
  return `user ${userId}`;
}

/** The subject of an OrgUser: the person or the purpose, and the adopted user id; undefined while unknown. */
export function personSubject({ email, firstName, lastName, adopt }: Inputs): string | undefined {
  const who = typeof email === "string" ? email.toLowerCase() : [firstName ?? null, lastName ?? null];
  return textOf([who, ...(adopt === undefined || adopt === null ? [] : [adopt])]);
}

/** The subject of any resource; undefined while unknown. */
export function subjectOf(type: string, inputs: Inputs): string | undefined {
  const { userId, name, serverId, serverConfig, modelId, fileId, emails } = inputs;
  if (type === "OrgUser") return personSubject(inputs);
  if (type === "Onboarding") return textOf(Array.isArray(emails) ? emails.toSorted() : emails);
  if (type === "ModelServer") return textOf(serverId ?? modelFileIn(serverConfig));
  if (type === "ModelFile") return textOf([modelId, fileId]);
  if (type === "VectorDatabase") return textOf("the vector database");
  if (type === "SeatAssignment" || type === "UserToken") {
    return typeof userId === "string" && !holdsUnknown(userId) ? userSubject(userId) : undefined;
  }
  return textOf(name);
}

/** The name of the model file in the configuration of a ModelServer. */
export function modelFileIn(serverConfig: unknown): unknown {
  if (typeof serverConfig !== "object" || serverConfig === null) return serverConfig;
  return "modelFileName" in serverConfig ? serverConfig.modelFileName : undefined;
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null || holdsUnknown(value) ? undefined : JSON.stringify(value);
}

/** What a run does to a person or an object: each action with its calls, its cost and how it is described. */

import { counted } from "../../../provider/util/plural.ts";

/** What the person or the object loses. */
type Cost =
  /** Nothing. */
  | "none"
  /** Something that a later run can restore as it was. */
  | "takes"
  /** Something that no run can restore: a value, an invitation, an account. */
  | "final";

interface ActionDefinition {
  /** The numbers of the writes, in their order. */
  readonly calls: readonly number[];
  readonly cost: Cost;
  /** In a plan, beside a name. */
  readonly planned: string;
  /** In a result, beside a name. */
  readonly done: string;
  /** In a result, if there was nothing to remove. Default: `done`. */
  readonly doneIfGone?: string;
  /** What a member can have several of: the texts then follow their number. */
  readonly noun?: string;
}

/** A membership that ends after another one of the same resource begins. */
function newMembership(how: string) {
  return {
    calls: [5, 11],
    cost: "final",
    planned: `add ${how}, remove the old membership`,
    done: `added ${how}, old membership removed`,
    doneIfGone: `added ${how} (the old membership was already gone)`,
  } as const satisfies ActionDefinition;
}

/** A resource of another provider that a program registers for a member. */
const DELIVERED = "delivered resource";

/** In the order of a plan: irreversible actions come first. */
export const actions = {
  changeEmail: newMembership("with the new email"),
  changePurpose: newMembership("with the new purpose"),
  changeOrganization: {
    calls: [5, 11],
    cost: "final",
    planned: "add to the other organization, remove from the previous one",
    done: "added to the other organization, removed from the previous one",
    doneIfGone: "added to the other organization (was already gone from the previous one)",
  },
  /** A person becomes a managed user, or a managed user a person. */
  changeKind: newMembership("as a new member"),
  /** A replacement without a change of email, names or organization, for example by `pulumi up --replace`. */
  replaceMember: newMembership("again as a new member"),
  leave: {
    calls: [11],
    cost: "final",
    planned: "remove from the organization",
    done: "removed from the organization",
    doneIfGone: "was already gone from the organization under this user id",
  },
  revokeToken: {
    calls: [9],
    cost: "final",
    planned: "revoke token",
    done: "token revoked",
    doneIfGone: "had no token",
  },
  reissueToken: {
    calls: [9, 7],
    cost: "final",
    planned: "replace token (revokes the old token before it issues the new one)",
    done: "token replaced",
    doneIfGone: "new token issued (the old one was already gone)",
  },
  /** For an adopted member: no call tells whether there is a token. */
  replaceToken: {
    calls: [9, 7],
    cost: "final",
    planned: "issue token (revokes an existing one)",
    done: "token issued (an existing one is revoked)",
  },
  deleteAccount: {
    calls: [3],
    cost: "final",
    planned: "delete service account",
    done: "service account deleted",
    doneIfGone: "service account was already gone",
  },
  /** Of an earlier rotation, which kept it for a while. */
  deletePrevious: {
    calls: [3],
    cost: "final",
    planned: "delete previous service account",
    done: "previous service account deleted",
  },
  deleteServer: {
    calls: [14],
    cost: "final",
    planned: "delete model server",
    done: "model server deleted",
    doneIfGone: "model server was already gone",
  },
  deleteTable: {
    calls: [27],
    cost: "final",
    planned: "delete table with its rows",
    done: "table deleted",
    doneIfGone: "table was already gone",
  },
  returnSeat: {
    calls: [10],
    cost: "takes",
    planned: "remove seat",
    done: "seat removed",
    doneIfGone: "had no seat",
  },
  release: {
    calls: [],
    cost: "none",
    planned: "release (stays a member)",
    done: "released, stays a member",
  },
  keepSeat: {
    calls: [],
    cost: "none",
    planned: "release seat (stays assigned)",
    done: "seat released, stays assigned",
  },
  onboard: { calls: [4], cost: "none", planned: "invite by email", done: "invited by email" },
  join: { calls: [5], cost: "none", planned: "add", done: "added" },
  adopt: { calls: [], cost: "none", planned: "adopt (is already a member)", done: "adopted" },
  /** Call 6 confirms the seat, except in an adoption, which writes nothing. It uses no further seat. */
  adoptSeat: { calls: [6], cost: "none", planned: "adopt seat", done: "seat adopted" },
  /** Call 7 issues a token where there is none, except in an adoption, which writes nothing. */
  adoptToken: { calls: [7], cost: "none", planned: "adopt token", done: "token adopted" },
  assignSeat: { calls: [6], cost: "none", planned: "assign seat", done: "seat assigned" },
  issueToken: { calls: [7], cost: "none", planned: "issue token", done: "token issued" },
  renewToken: {
    calls: [8],
    cost: "none",
    planned: "renew token (value unchanged)",
    done: "token renewed, value unchanged",
  },
  createAccount: {
    calls: [1],
    cost: "none",
    planned: "create service account",
    done: "service account created",
  },
  keepPrevious: {
    calls: [],
    cost: "none",
    planned: "keep the previous one for now",
    done: "previous one kept for now",
  },
  createServer: {
    calls: [22],
    cost: "none",
    planned: "create model server",
    done: "model server created",
  },
  startServer: { calls: [24], cost: "none", planned: "start model server", done: "model server started" },
  stopServer: { calls: [24], cost: "none", planned: "stop model server", done: "model server stopped" },
  createDatabase: {
    calls: [25],
    cost: "none",
    planned: "create vector database",
    done: "vector database created",
  },
  startDatabase: {
    calls: [26],
    cost: "none",
    planned: "start vector database",
    done: "vector database started",
  },
  stopDatabase: {
    calls: [26],
    cost: "none",
    planned: "stop vector database",
    done: "vector database stopped",
  },
  createTable: { calls: [16], cost: "none", planned: "create table", done: "table created" },
  adoptResource: { calls: [], cost: "none", planned: "adopt", done: "adopted" },
  forget: {
    calls: [],
    cost: "none",
    planned: "release (stays as it is)",
    done: "released, stays as it is",
  },
  protect: { calls: [], cost: "none", planned: "protect from removal", done: "protected from removal" },
  unprotect: {
    calls: [],
    cost: "none",
    planned: "remove the protection from removal",
    done: "no longer protected from removal",
  },
  createDelivered: { calls: [], cost: "none", planned: "create", done: "created", noun: DELIVERED },
  updateDelivered: { calls: [], cost: "none", planned: "update", done: "updated", noun: DELIVERED },
  replaceDelivered: { calls: [], cost: "none", planned: "replace", done: "replaced", noun: DELIVERED },
  deleteDelivered: { calls: [], cost: "none", planned: "delete", done: "deleted", noun: DELIVERED },
  note: { calls: [], cost: "none", planned: "update the state only", done: "state updated" },
} as const satisfies Record<string, ActionDefinition>;

export type Action = keyof typeof actions;

export const actionNames = Object.keys(actions) as readonly Action[];

/** Actions by which one membership ends and another of the same resource begins. */
export const membershipReplacements = [
  "changeEmail",
  "changePurpose",
  "changeOrganization",
  "changeKind",
  "replaceMember",
] as const satisfies readonly Action[];

export function describePlanned(planned: readonly Action[]): string {
  return describeEach(planned, ({ planned: text, noun }, count) =>
    noun === undefined ? text : `${text} ${counted(count, noun)}`,
  );
}

/** @param alreadyGone those of the actions that found nothing to remove */
export function describeDone(done: readonly Action[], alreadyGone: readonly Action[]): string {
  return describeEach(done, (definition, count, action) => {
    const text = (alreadyGone.includes(action) ? definition.doneIfGone : undefined) ?? definition.done;
    return definition.noun === undefined ? text : `${counted(count, definition.noun)} ${text}`;
  });
}

/** Several of one kind are one part of the text. */
function describeEach(
  all: readonly Action[],
  textOf: (definition: ActionDefinition, count: number, action: Action) => string,
): string {
  const parts = all.flatMap((action, index) => {
    const definition: ActionDefinition = actions[action];
    const count = all.filter((one) => one === action).length;
    const isRepeated = definition.noun !== undefined && all.indexOf(action) !== index;
    return isRepeated ? [] : textOf(definition, count, action);
  });
  return parts.join(", ");
}

/** Whether the person loses a token, a seat or the membership by it. */
export function removesAccess(action: Action): boolean {
  return actions[action].cost !== "none";
}

export function isIrreversible(action: Action): boolean {
  return actions[action].cost === "final";
}

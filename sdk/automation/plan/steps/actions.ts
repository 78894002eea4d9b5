/** What a run does to a person or an object: each action with its calls, its cost and how it is described. */

import { counted } from "../../../../provider/util/text.ts";

/** Actions that change in the state who keeps access, or who can read tokens. rules.ts finds them. */
export const ruleActions = {
  changeAccessEnd: {
    operations: [],
    inState: "change access end",
    cost: "none",
    planned: "change when the access ends",
    done: "end of the access changed in the state",
  },
  changeRemoval: {
    operations: [],
    inState: "change removal",
    cost: "none",
    planned: "change what a removal does",
    done: "removal changed in the state",
  },
  changeRotationRule: {
    operations: [],
    inState: "change rotation by rule",
    cost: "none",
    planned: "change the rotation by rule",
    done: "rotation by rule changed in the state",
  },
  /** Of a roster, as the following two. */
  changeModule: {
    operations: [],
    inState: "change module",
    cost: "none",
    planned: "change the module that gets the tokens",
    done: "module noted in the state",
  },
  requireSealing: {
    operations: [],
    inState: "require sealed tokens",
    cost: "none",
    planned: "require sealed tokens",
    done: "sealed tokens required in the state",
  },
  endSealing: {
    operations: [],
    inState: "stop requiring sealed tokens",
    cost: "none",
    planned: "stop requiring sealed tokens",
    done: "sealed tokens no longer required in the state",
  },
} as const;

/** What the person or the object loses. */
type Cost =
  /** Nothing. */
  | "none"
  /** Something that a later run can restore as it was. */
  | "takes"
  /** Something that no run can restore: a value, an invitation, an account. */
  | "final";

interface ActionDefinition {
  /** The names of the service's operations, in their order. */
  readonly operations: readonly string[];
  /** The name of a change of the state alone; of an action without operations. */
  readonly inState?: string;
  /** What an update with it changes in the service, as `updateWrites` of the resource names it. */
  readonly write?: string;
  /** Operations of the service that belong to it and that it sends only where they are needed. */
  readonly mayAlsoSend?: readonly string[];
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
    operations: ["add user", "remove user"],
    cost: "final",
    planned: `add ${how}, remove the old membership`,
    done: `added ${how}, old membership removed`,
    doneIfGone: `added ${how} (the old membership was already gone)`,
  } as const satisfies ActionDefinition;
}

/** A resource of another provider that a program registers for a member. */
const DELIVERED = "delivered resource";

/** Types a table by its names alone: the declarations of the package would otherwise repeat every text. */
function byName<Name extends string>(table: Readonly<Record<Name, ActionDefinition>>): typeof table {
  return table;
}

/** In the order of a plan: irreversible actions come first. */
export const actions = byName({
  changeEmail: newMembership("with the new email"),
  changePurpose: newMembership("with the new purpose"),
  changeOrganization: {
    operations: ["add user", "remove user"],
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
    operations: ["remove user"],
    cost: "final",
    planned: "remove from the organization",
    done: "removed from the organization",
    doneIfGone: "was already gone from the organization under this user id",
  },
  revokeToken: {
    operations: ["revoke token"],
    cost: "final",
    planned: "revoke token",
    done: "token revoked",
    doneIfGone: "had no token",
  },
  reissueToken: {
    operations: ["revoke token", "issue token"],
    cost: "final",
    planned: "replace token (revokes the old token before it issues the new one)",
    done: "token replaced",
    doneIfGone: "new token issued (the old one was already gone)",
  },
  /** For an adopted member: no call tells whether there is a token. */
  replaceToken: {
    operations: ["revoke token", "issue token"],
    cost: "final",
    planned: "issue token (revokes an existing one)",
    done: "token issued (an existing one is revoked)",
  },
  deleteAccount: {
    operations: ["delete service account"],
    cost: "final",
    planned: "delete service account",
    done: "service account deleted",
    doneIfGone: "service account was already gone",
  },
  /** Of an earlier rotation, which kept it for a while. */
  deletePrevious: {
    operations: ["delete service account"],
    cost: "final",
    planned: "delete previous service account",
    done: "previous service account deleted",
  },
  deleteServer: {
    operations: ["delete server"],
    mayAlsoSend: ["start or stop server"],
    cost: "final",
    planned: "delete model server",
    done: "model server deleted",
    doneIfGone: "model server was already gone",
  },
  deleteFile: {
    operations: ["delete model file"],
    cost: "takes",
    planned: "delete downloaded model file",
    done: "downloaded model file deleted",
    doneIfGone: "model file was already gone",
  },
  deleteTable: {
    operations: ["delete table"],
    mayAlsoSend: ["start or stop vector database"],
    cost: "final",
    planned: "delete table with its rows",
    done: "table deleted",
    doneIfGone: "table was already gone",
  },
  returnSeat: {
    operations: ["remove seat"],
    cost: "takes",
    planned: "remove seat",
    done: "seat removed",
    doneIfGone: "had no seat",
  },
  release: {
    operations: [],
    inState: "release user",
    cost: "none",
    planned: "release (stays a member)",
    done: "released, stays a member",
  },
  keepSeat: {
    operations: [],
    inState: "release seat",
    cost: "none",
    planned: "release seat (stays assigned)",
    done: "seat released, stays assigned",
  },
  onboard: {
    operations: ["onboard users"],
    cost: "none",
    planned: "invite by email",
    done: "invited by email",
  },
  join: { operations: ["add user"], cost: "none", planned: "add", done: "added" },
  adopt: {
    operations: [],
    inState: "adopt user",
    cost: "none",
    planned: "adopt (is already a member)",
    done: "adopted",
  },
  /** "Assign seat" confirms the seat, except in an adoption, which writes nothing. It uses no further seat. */
  adoptSeat: {
    operations: [],
    inState: "adopt seat",
    mayAlsoSend: ["assign seat"],
    cost: "none",
    planned: "adopt seat",
    done: "seat adopted",
  },
  adoptToken: {
    operations: [],
    inState: "adopt token",
    cost: "none",
    planned: "adopt token",
    done: "token adopted",
  },
  assignSeat: {
    operations: ["assign seat"],
    write: "assign seat",
    cost: "none",
    planned: "assign seat",
    done: "seat assigned",
  },
  issueToken: { operations: ["issue token"], cost: "none", planned: "issue token", done: "token issued" },
  /** For a token that is to be adopted. */
  issueMissingToken: {
    operations: ["issue token"],
    cost: "none",
    planned: "issue token (none exists)",
    done: "token issued",
  },
  renewToken: {
    operations: ["renew token"],
    write: "renew token",
    cost: "none",
    planned: "renew token (value unchanged)",
    done: "token renewed, value unchanged",
  },
  /** A renewal to an earlier date, where the service allows it. */
  shortenToken: {
    operations: ["renew token"],
    write: "renew token",
    cost: "none",
    planned: "shorten token (value unchanged)",
    done: "token shortened, value unchanged",
  },
  /** A managed user whom an earlier run may have created: the run sends nothing for it. */
  undecided: {
    operations: [],
    inState: "wait for a decision",
    cost: "none",
    planned: "skip: needs your decision (see below)",
    done: "skipped",
  },
  createAccount: {
    operations: ["create service account"],
    cost: "none",
    planned: "create service account",
    done: "service account created",
  },
  keepPrevious: {
    operations: [],
    inState: "keep service account",
    cost: "none",
    planned: "keep the previous one for now",
    done: "previous one kept for now",
  },
  createServer: {
    operations: ["create server"],
    mayAlsoSend: ["start or stop server"],
    cost: "none",
    planned: "create model server",
    done: "model server created",
  },
  startServer: {
    operations: ["start or stop server"],
    write: "start server",
    cost: "none",
    planned: "start model server",
    done: "model server started",
  },
  stopServer: {
    operations: ["start or stop server"],
    write: "stop server",
    cost: "none",
    planned: "stop model server",
    done: "model server stopped",
  },
  /** It sends nothing where the file is downloaded, or on its way. */
  downloadFile: {
    operations: [],
    inState: "download model file",
    mayAlsoSend: ["change download"],
    cost: "none",
    planned: "download model file",
    done: "model file downloaded",
  },
  /** The file of a creation whose download is to be paused. */
  holdFile: {
    operations: [],
    inState: "manage model file",
    mayAlsoSend: ["change download"],
    cost: "none",
    planned: "manage model file, without a download",
    done: "model file managed, without a download",
  },
  startDownload: {
    operations: ["change download"],
    write: "start download",
    cost: "none",
    planned: "download model file",
    done: "model file downloaded",
  },
  resumeDownload: {
    operations: ["change download"],
    write: "resume download",
    cost: "none",
    planned: "resume download",
    done: "model file downloaded",
  },
  pauseDownload: {
    operations: ["change download"],
    write: "pause download",
    cost: "none",
    planned: "pause download",
    done: "download paused",
  },
  createDatabase: {
    operations: ["create vector database"],
    mayAlsoSend: ["start or stop vector database"],
    cost: "none",
    planned: "create vector database",
    done: "vector database created",
  },
  startDatabase: {
    operations: ["start or stop vector database"],
    write: "start vector database",
    cost: "none",
    planned: "start vector database",
    done: "vector database started",
  },
  stopDatabase: {
    operations: ["start or stop vector database"],
    write: "stop vector database",
    cost: "none",
    planned: "stop vector database",
    done: "vector database stopped",
  },
  createTable: { operations: ["create table"], cost: "none", planned: "create table", done: "table created" },
  adoptResource: { operations: [], inState: "adopt", cost: "none", planned: "adopt", done: "adopted" },
  forget: {
    operations: [],
    inState: "release",
    cost: "none",
    planned: "release (stays as it is)",
    done: "released, stays as it is",
  },
  protect: {
    operations: [],
    inState: "protect",
    cost: "none",
    planned: "protect from removal",
    done: "protected from removal",
  },
  unprotect: {
    operations: [],
    inState: "unprotect",
    cost: "none",
    planned: "remove the protection from removal",
    done: "no longer protected from removal",
  },
  ...ruleActions,
  createDelivered: {
    operations: [],
    inState: "create",
    cost: "none",
    planned: "create",
    done: "created",
    noun: DELIVERED,
  },
  updateDelivered: {
    operations: [],
    inState: "update",
    cost: "none",
    planned: "update",
    done: "updated",
    noun: DELIVERED,
  },
  replaceDelivered: {
    operations: [],
    inState: "replace",
    cost: "none",
    planned: "replace",
    done: "replaced",
    noun: DELIVERED,
  },
  deleteDelivered: {
    operations: [],
    inState: "delete",
    cost: "none",
    planned: "delete",
    done: "deleted",
    noun: DELIVERED,
  },
  /** A token whose date has passed: the provider refuses to issue it. */
  refuseToken: {
    operations: [],
    inState: "refuse new token",
    cost: "none",
    planned: "cannot issue a new token: its date has passed",
    done: "no new token issued",
  },
  refuseExpiry: {
    operations: [],
    inState: "refuse expiry",
    cost: "none",
    planned: "cannot move the token's expiry back: the date has passed",
    done: "token expiry not changed",
  },
  note: {
    operations: [],
    inState: "update state",
    cost: "none",
    planned: "update the state only",
    done: "state updated",
  },
});

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

/** What an update with the action changes in the service. */
export function writeOf(action: Action): string | undefined {
  const { write }: ActionDefinition = actions[action];
  return write;
}

/** The names of the entries of an action. */
export function operationNames(action: Action): readonly string[] {
  const { operations, inState = action }: ActionDefinition = actions[action];
  return operations.length === 0 ? [inState] : operations;
}

/** What is done after an operation, such as `token revoked`. */
export function describeOperation(operation: string): string {
  const action = actionNames.find((name) => {
    const [own, ...others] = operationNames(name);
    return own === operation && others.length === 0;
  });
  return action === undefined ? operation : actions[action].done;
}

/** The operations of the service that an action may send. */
export function sentBy(action: Action): readonly string[] {
  return [...actions[action].operations, ...alsoSentBy(action)];
}

/** Those of them that it sends only where they are needed. */
export function alsoSentBy(action: Action): readonly string[] {
  const { mayAlsoSend = [] }: ActionDefinition = actions[action];
  return mayAlsoSend;
}

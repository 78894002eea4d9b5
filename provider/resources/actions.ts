/** What a change does to a person or an object: each action with its operations and how texts describe it. */

/** What the person or the object loses. */
export type Cost =
  /** Nothing. */
  | "none"
  /** Something that a later run can restore. */
  | "takes"
  /** Something that no run can restore: a value, an invitation, an account. */
  | "final";

interface ServiceOperation {
  /** Default: `none`. */
  readonly cost?: Cost;
  /** Whether it makes the object, which has no id before. Default: false. */
  readonly makes?: boolean;
  /** Whether the next run repeats it without a second effect if the state does not know of it. Default: false. */
  readonly isRepeatable?: boolean;
  /** What its method sends to repair what it did before: the value of the new token, or the secret, was lost with the response. */
  readonly repair?: string;
}

const makes = { makes: true } as const;
const ends = { cost: "final" } as const;

/** The operations of the service that change something. */
const service = {
  "add user": makes,
  "remove user": { ...ends, isRepeatable: true },
  "assign seat": makes,
  "remove seat": { cost: "takes", isRepeatable: true },
  "issue token": { ...makes, repair: "revoke token" },
  "renew token": { isRepeatable: true },
  "revoke token": { ...ends, isRepeatable: true },
  "onboard users": makes,
  "create service account": { ...makes, repair: "delete service account" },
  "delete service account": ends,
  "create server": makes,
  "start or stop server": {},
  "delete server": ends,
  "create table": makes,
  "delete table": ends,
} as const satisfies Readonly<Record<string, ServiceOperation>>;
type ServiceName = keyof typeof service;

const byOperation: ReadonlyMap<string, ServiceOperation> = new Map(Object.entries(service));

/** Undefined for a change of the state alone. */
export function serviceOperation(name: string): ServiceOperation | undefined {
  return byOperation.get(name);
}

export interface ActionDefinition {
  /** The names of the service's operations, in their order. */
  readonly operations: readonly ServiceName[];
  /** The name of a change of the state alone; of an action without operations. */
  readonly inState?: string;
  /** Whether it takes an existing object into the state. Default: false. */
  readonly adopts?: boolean;
  /** Operations of the service that belong to it and that it sends only if they are needed. */
  readonly mayAlsoSend?: readonly ServiceName[];
  /** Whether it removes only what another action has replaced: no one loses access. Default: false. */
  readonly isExpected?: boolean;
  /** In a plan, beside a name. */
  readonly planned: string;
  /** In a result, beside a name. */
  readonly done: string;
  /** In a result, if there was nothing to remove. Default: `done`. */
  readonly doneIfGone?: string;
  /** What a member can have several of: the texts then follow their number. */
  readonly noun?: string;
}

/** The texts of an action: in a plan, in a result, and in a result if there was nothing to remove. */
type Texts = readonly [planned: string, done: string, doneIfGone?: string];

/** An action of the service. */
function sends(operations: ServiceName | readonly ServiceName[], ...texts: Texts): ActionDefinition {
  return definition([operations].flat(), texts);
}

/** A change of the state alone. */
function inState(name: string, ...texts: Texts): ActionDefinition {
  return { ...definition([], texts), inState: name };
}

/** The same for an existing object that the state gets. */
function adopts(name: string, ...texts: Texts): ActionDefinition {
  return { ...inState(name, ...texts), adopts: true };
}

function definition(
  operations: readonly ServiceName[],
  [planned, done, doneIfGone]: Texts,
): ActionDefinition {
  return { operations, planned, done, ...(doneIfGone !== undefined && { doneIfGone }) };
}

/** A membership that ends after another one of the same resource begins. */
function newMembership(how: string): ActionDefinition {
  return sends(
    ["add user", "remove user"],
    `add ${how}, remove the old membership`,
    `added ${how}, old membership removed`,
    `added ${how} (the old membership was already gone)`,
  );
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
  changeOrganization: sends(
    ["add user", "remove user"],
    "add to the other organization, remove from the previous one",
    "added to the other organization, removed from the previous one",
    "added to the other organization (was already gone from the previous one)",
  ),
  /** A person becomes a machine user, or a machine user a person. */
  changeKind: newMembership("as a new member"),
  /** A replacement without a change of email, names or organization, for example by `pulumi up --replace`. */
  replaceMember: newMembership("again as a new member"),
  leave: sends(
    "remove user",
    "remove from the organization",
    "removed from the organization",
    "was already gone from the organization under this user id",
  ),
  revokeToken: sends("revoke token", "revoke token", "token revoked", "had no token"),
  reissueToken: sends(
    ["revoke token", "issue token"],
    "replace token (the old value stops working)",
    "token replaced",
    "new token issued (the old one was already gone)",
  ),
  exchangeToken: sends(
    ["issue token", "revoke token"],
    "replace token (the new one first; then the old value stops working)",
    "token replaced",
    "new token issued (the old one was already gone)",
  ),
  /** Of an earlier rotation, which kept it for a while. */
  revokePrevious: {
    ...sends(
      "revoke token",
      "revoke the previous token",
      "previous token revoked",
      "previous token was already gone",
    ),
    isExpected: true,
  },
  /** For an adopted member: no call shows whether there is a token. */
  replaceToken: sends(
    ["revoke token", "issue token"],
    "issue token (revokes an existing one)",
    "token issued (an existing one is revoked)",
  ),
  deleteAccount: sends(
    "delete service account",
    "delete service account",
    "service account deleted",
    "service account was already gone",
  ),
  /** Of an earlier rotation, which kept it for a while. */
  deletePrevious: sends(
    "delete service account",
    "delete previous service account",
    "previous service account deleted",
  ),
  deleteServer: {
    ...sends("delete server", "delete model server", "model server deleted", "model server was already gone"),
    mayAlsoSend: ["start or stop server"],
  },
  deleteTable: sends("delete table", "delete table with its rows", "table deleted", "table was already gone"),
  returnSeat: sends("remove seat", "remove seat", "seat removed", "had no seat"),
  retain: inState("retain user", "retain (stays a member)", "retained, stays a member"),
  keepSeat: inState("retain seat", "retain seat (stays assigned)", "seat retained, stays assigned"),
  onboard: sends("onboard users", "invite by email", "invited by email"),
  join: sends("add user", "add", "added"),
  adopt: adopts("adopt user", "adopt (is already a member)", "adopted"),
  /** "Assign seat" confirms the seat, except in an adoption, which writes nothing. It uses no further seat. */
  adoptSeat: { ...adopts("adopt seat", "adopt seat", "seat adopted"), mayAlsoSend: ["assign seat"] },
  adoptToken: adopts("adopt token", "adopt token", "token adopted"),
  assignSeat: sends("assign seat", "assign seat", "seat assigned"),
  issueToken: sends("issue token", "issue token", "token issued"),
  /** For a token to adopt. */
  issueMissingToken: sends("issue token", "issue token (none exists)", "token issued"),
  renewToken: sends("renew token", "renew token (value unchanged)", "token renewed"),
  /** A renewal to an earlier date, if the service allows it. */
  shortenToken: sends("renew token", "shorten token (value unchanged)", "token shortened"),
  /** The service has the member or the token already, or may have it: the run sends nothing for it. */
  undecided: inState("wait for a decision", "skip: needs your decision (see below)", "skipped"),
  createAccount: sends("create service account", "create service account", "service account created"),
  keepToken: inState("keep token", "keep the previous token for now", "previous token kept for now"),
  keepPrevious: inState("keep service account", "keep the previous one for now", "previous one kept for now"),
  createServer: {
    ...sends("create server", "create model server", "model server created"),
    mayAlsoSend: ["start or stop server"],
  },
  startServer: sends("start or stop server", "start model server", "model server started"),
  stopServer: sends("start or stop server", "stop model server", "model server stopped"),
  createTable: sends("create table", "create table", "table created"),
  adoptResource: adopts("adopt", "adopt", "adopted"),
  forget: inState("retain", "retain (stays as it is)", "retained, stays as it is"),
  protect: inState("protect", "protect from removal", "protected from removal"),
  unprotect: inState("unprotect", "remove the protection from removal", "no longer protected from removal"),
  // These change in the state who keeps access, or who can read tokens. rules.ts finds them.
  changeAccessEnd: inState("change access end", "change the access end", "access end changed in the state"),
  changeOnDelete: inState(
    "change on_delete",
    "change what happens when the row is deleted",
    "on_delete changed in the state",
  ),
  changeRotationRule: inState(
    "change rotation schedule",
    "change the rotation rule",
    "rotation rule changed in the state",
  ),
  /** Of a roster, as the following three. */
  changeMembership: inState(
    "change membership",
    "change who adds and removes members",
    "membership changed in the state",
  ),
  changeModule: inState(
    "change module",
    "change the module that gets the tokens",
    "module recorded in the state",
  ),
  requireSealing: inState(
    "require sealed tokens",
    "require sealed tokens",
    "sealed tokens required in the state",
  ),
  endSealing: inState(
    "stop requiring sealed tokens",
    "stop requiring sealed tokens",
    "sealed tokens no longer required in the state",
  ),
  createDelivered: { ...inState("create", "create", "created"), noun: DELIVERED },
  updateDelivered: { ...inState("update", "update", "updated"), noun: DELIVERED },
  replaceDelivered: { ...inState("replace", "replace", "replaced"), noun: DELIVERED },
  deleteDelivered: { ...inState("delete", "delete", "deleted"), noun: DELIVERED },
  /** A token whose date has passed: the provider refuses to issue it. */
  refuseToken: inState(
    "refuse new token",
    "cannot issue a new token: its date has passed",
    "no new token issued",
  ),
  refuseExpiry: inState(
    "refuse expiry",
    "cannot move the token's expiry back: the date has passed",
    "token expiry not changed",
  ),
  note: inState("update state", "update the state only", "state updated"),
});

export type Action = keyof typeof actions;

export const actionNames = Object.keys(actions) as readonly Action[];

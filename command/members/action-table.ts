/** What a plan does to a person or a roster: each action with its operations, and how texts describe it. */

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
}

/** The operations of the service that change a member. */
const service = {
  "add user": {},
  "remove user": { cost: "final" },
  "assign seat": {},
  "remove seat": { cost: "takes" },
  "issue token": {},
  "renew token": {},
  "revoke token": { cost: "final" },
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
  /** Whether it removes only what another action has replaced: no one loses access. Default: false. */
  readonly isExpected?: boolean;
  /** In a plan, beside a name. */
  readonly planned: string;
  /** In a result, beside a name. */
  readonly done: string;
  /** In a result, if there was nothing to remove. Default: `done`. */
  readonly doneIfGone?: string;
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

/** Types a table by its names alone: the declarations of the package would otherwise repeat every text. */
function byName<Name extends string>(table: Readonly<Record<Name, ActionDefinition>>): typeof table {
  return table;
}

/** In the order of a plan: irreversible actions come first. */
export const actions = byName({
  changeEmail: newMembership("with the new email"),
  changePurpose: newMembership("with the new purpose"),
  /** A person becomes a machine user, or a machine user a person. */
  changeKind: newMembership("as a new member"),
  leave: sends(
    "remove user",
    "remove from the organization",
    "removed from the organization",
    "was already gone from the organization under this user id",
  ),
  /** The rest of a change of the email, purpose or kind of which a run added the new membership. */
  removePrevious: sends(
    "remove user",
    "remove the old membership",
    "old membership removed",
    "the old membership was already gone",
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
    "replace token (the new one first; the old value stops working with it, or right after it)",
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
    "token issued",
  ),
  returnSeat: sends("remove seat", "remove seat", "seat removed", "had no seat"),
  retain: inState("retain user", "retain (stays a member)", "retained, stays a member"),
  keepSeat: inState("retain seat", "retain seat (stays assigned)", "seat retained, stays assigned"),
  join: sends("add user", "add", "added"),
  adopt: inState("adopt user", "adopt (is already a member)", "adopted"),
  /** "Assign seat" confirms the seat, except in an adoption, which writes nothing. It uses no further seat. */
  adoptSeat: inState("adopt seat", "adopt seat", "seat adopted"),
  adoptToken: inState("adopt token", "adopt token", "token adopted"),
  assignSeat: sends("assign seat", "assign seat", "seat assigned"),
  issueToken: sends("issue token", "issue token", "token issued"),
  renewToken: sends("renew token", "renew token (value unchanged)", "token renewed"),
  /** A renewal to an earlier date, if the service allows it. */
  shortenToken: sends("renew token", "shorten token (value unchanged)", "token shortened"),
  /** The service has the member or the token already, or may have it: the run sends nothing for it. */
  undecided: inState("wait for a decision", "skip: needs your decision (see below)", "skipped"),
  keepToken: inState(
    "keep token",
    "keep the previous token for now (if the service lets a person have two)",
    "previous token kept for now",
  ),
  protect: inState("protect", "protect from removal", "protected from removal"),
  unprotect: inState("unprotect", "remove the protection from removal", "no longer protected from removal"),
  // These change in the state who keeps access, or who can read tokens.
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
  /** Of a roster, as the following two. */
  changeMembership: inState(
    "change membership",
    "change who adds and removes members",
    "membership changed in the state",
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

/** The name of a change of the state alone. */
export function stateOperation(action: Action): string {
  return actions[action].inState ?? action;
}

/** The names of the operations of an action. */
export function operationNames(action: Action): readonly string[] {
  const { operations } = actions[action];
  return operations.length === 0 ? [stateOperation(action)] : operations;
}

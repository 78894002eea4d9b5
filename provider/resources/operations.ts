/**
 * What a change does, as the definition of its resource says: approval, plan, texts, and results read this list. Pure.
 */
import { type Action, actions, type Cost, serviceOperation } from "./actions.ts";
import type { ResourceType } from "./resource-types.ts";

type Properties = Readonly<Record<string, unknown>>;

/** What Pulumi does to one resource. */
export interface Change {
  readonly action: "create" | "update" | "replace" | "delete";
  /** The id of the object before the change; undefined for a creation. */
  readonly id?: string | undefined;
  /** The previous outputs; secrets can be masked. */
  readonly olds?: Properties | undefined;
  /** The new inputs; unknown values have Pulumi's marker. */
  readonly news?: Properties | undefined;
  /** Whether a replacement deletes the old object before it creates the new one. Default: false. */
  readonly deleteFirst?: boolean | undefined;
  /** Of a creation: whether it completes a replacement of which an earlier run deleted the old object. Default: false. */
  readonly isHalfDone?: boolean | undefined;
  /** Of a seat or token: whether the service has none to adopt or to replace. Default: unknown. */
  readonly lacksObject?: boolean | undefined;
  /** Of the deletion of a replaced token: whether its successor keeps it for now. Default: false. */
  readonly isKept?: boolean | undefined;
  /** Of a creation: whether the service has the member or a token in no state, so that a run refuses it. Default: unknown. */
  readonly isRefused?: boolean | undefined;
}

export interface OperationContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether this run may write what only passed time makes due. Default: it may. */
  mayWriteNow?(type: ResourceType, id: string, write: string): boolean;
}

/** What someone who approves an operation must see. Each only if it applies. */
export interface OperationFacts {
  /** The date that a token is requested for, or a period. */
  readonly expiresAt?: string | undefined;
  /** The emails that the service sends: `seat`, `token`, or the addresses of an onboarding. */
  readonly emails?: readonly string[] | undefined;
  /** Whether it keeps or seals a value for the declared recipients. */
  readonly isSealed?: boolean | undefined;
}

/** One operation on one object, of the service or of the state alone. */
export interface Operation {
  /** Of the service, such as `issue token`; otherwise of a change of the state, such as `retain user`. */
  readonly name: string;
  /** What texts call it, together with the other operations of the same action. */
  readonly action: Action;
  /** The id of its object; null for one that it makes. */
  readonly id: string | null;
  readonly cost: Cost;
  /** What an approval of an update binds. */
  readonly writes: readonly string[];
  readonly facts: OperationFacts;
}

interface Details {
  /** The objects of an operation on several. Default: the object of the change. */
  readonly ids?: readonly string[];
  /** Default: the name of an operation of the service. */
  readonly writes?: (id: string | null) => readonly string[];
  /** By the name of the operation. */
  readonly facts?: Readonly<Record<string, OperationFacts>>;
}

/** The operations of an action. */
export function perform(
  { action: kind, id: own }: Pick<Change, "action" | "id">,
  action: Action,
  { ids, writes, facts = {} }: Details = {},
): Operation[] {
  const { adopts = false } = actions[action];
  return operationNames(action).flatMap((name) => {
    const sent = serviceOperation(name);
    const { cost = "none", makes = adopts } = sent ?? {};
    const isMade = makes && kind !== "update";
    const objects: readonly (string | null)[] = ids ?? [isMade ? null : (own ?? null)];
    return objects.map((id) => ({
      ...{ name, action, id, cost, facts: facts[name] ?? {} },
      writes: writes?.(id) ?? (sent === undefined ? [] : [name]),
    }));
  });
}

/** The names of the operations of an action. */
export function operationNames(action: Action): readonly string[] {
  const { operations, inState = action } = actions[action];
  return operations.length === 0 ? [inState] : operations;
}

interface Parts {
  readonly create: () => Operation[];
  readonly update: () => Operation[];
  readonly remove: () => Operation[];
}

/** The operations of a change of which a replacement creates and removes. */
export function operationsBy(
  { action, deleteFirst = false }: Change,
  { create, update, remove }: Parts,
): Operation[] {
  if (action === "create") return create();
  if (action === "update") return update();
  if (action === "delete") return remove();
  const [created, removed] = [create(), remove()];
  return deleteFirst ? [...removed, ...created] : [...created, ...removed];
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

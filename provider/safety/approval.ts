/**
 * Checks each change of a run against the approved changes (approved-changes.ts). Pulumi's dynamic providers see
 * neither URN nor name: existing resources are compared by type and id, new ones by subject (resources/resource-types.ts).
 */

import type { Settings } from "../config/settings.ts";
import type { Operation } from "../resources/operations.ts";
import type { People } from "../resources/resource.ts";
import {
  NEW_USER,
  personSubject,
  type ResourceType,
  typeFacts,
  userSubject,
} from "../resources/resource-types.ts";
import { CodedError } from "../util/error-codes.ts";
import { type ApprovedChange, type ApprovedChanges, readApprovedChanges } from "./approved-changes.ts";

type Inputs = Readonly<Record<string, unknown>>;

interface Change {
  readonly action: ApprovedChange["action"];
  readonly type: ResourceType;
  /** Undefined for a creation. */
  readonly id?: string;
  readonly props: Inputs;
}

/** The list of the file; or why it cannot be read. */
type Approved = { readonly organizationId: string; readonly list: ApprovedList } | { readonly error: string };

/** A change was rejected before anything was sent. */
export class NotApproved extends CodedError {
  constructor(message: string) {
    super("not-approved", message);
  }
}

const NOT_SHOWN =
  "the preview did not show this change, and something has changed since. Run `pulumi up` again and check its preview";

export class Approval {
  readonly #file: string;
  readonly #configured: string | undefined;
  readonly #people: People;
  /** The subjects of people by user id, as far as this run knows them. */
  readonly #subjects = new Map<string, string>();
  /** Rejected replacements: the update in their place is rejected too. */
  readonly #refused = new Set<string>();
  #read: Approved | undefined;

  constructor({ organizationId }: Pick<Settings, "organizationId">, file: string, people: People) {
    this.#file = file;
    this.#configured = organizationId;
    this.#people = people;
  }

  /** Records the person of a user id: seats and tokens of that user then match the person of a preview. */
  learn(type: ResourceType, id: string, inputs: object): void {
    const subject = type === "OrgUser" ? personSubject({ ...inputs }) : undefined;
    if (subject !== undefined) this.#subjects.set(id, subject);
  }

  /**
   * @returns the operations that the creation may send
   * @throws NotApproved if the preview showed no such creation, or fewer of them
   */
  create(type: ResourceType, inputs: object): readonly string[] {
    return this.#require({ action: "create", type, props: { ...inputs } }, (list) => {
      const subjects = this.#subjectsOf(type, { ...inputs }, list);
      const subject = subjects.find((one) => list.take(type, one));
      return subject === undefined ? undefined : list.operationsOf("create", type, subject);
    });
  }

  /**
   * @param operations of the update
   * @returns the operations that it may send
   * @throws NotApproved if the preview did not show it
   */
  update(
    type: ResourceType,
    id: string,
    inputs: object,
    operations: readonly Operation[],
  ): readonly string[] {
    return this.#require({ action: "update", type, id, props: { ...inputs } }, (list) => {
      if (this.#refused.has(keyOf(type, id))) return undefined;
      const writes = operations.flatMap((one) => one.writes);
      const writesApproved = list.writesOf(type, id);
      if (writesApproved !== undefined && writes.every((one) => writesApproved.includes(one)))
        return list.operationsOf("update", type, id);
      const subject = this.#subjectsOf(type, { ...inputs }, list).find((one) => list.creates(type, one));
      if (subject === undefined) return undefined;
      // It completes a partial creation with what the preview showed of it.
      const created = list.operationsOf("create", type, subject);
      const isShown = ({ writes, name, id: object }: Operation) =>
        writes.length === 0 || (created.includes(name) && object === id);
      return operations.every(isShown) ? created : undefined;
    });
  }

  /** @returns the operations that the deletion may send @throws NotApproved if the preview did not show it */
  delete(type: ResourceType, id: string, outs: object): readonly string[] {
    return this.#require({ action: "delete", type, id, props: { ...outs } }, (list) =>
      list.deletes(type, id) ? list.operationsOf("delete", type, id) : undefined,
    );
  }

  /** Whether the preview showed that this user is removed. */
  removesUser(id: string): boolean {
    const approved = this.#readOnce();
    return (
      !("error" in approved) && approved.list.operationsOf("delete", "OrgUser", id).includes("remove user")
    );
  }

  /**
   * Whether diff may answer a replacement that deletes first. The Pulumi CLI 3.274 does not end where such a deletion
   * fails under `--continue-on-error`, so an unapproved one becomes an update, which is then rejected.
   * @param inputs the new ones
   */
  allowsReplacement(type: ResourceType, id: string, inputs: object): boolean {
    if (this.showsReplacement(type, id, inputs)) return true;
    this.#refused.add(keyOf(type, id));
    return false;
  }

  /** Whether the preview showed this replacement. @param inputs the new ones */
  showsReplacement(type: ResourceType, id: string, inputs: object): boolean {
    const approved = this.#readOnce();
    if ("error" in approved || !approved.list.deletes(type, id)) return false;
    const subjects = this.#subjectsOf(type, { ...inputs }, approved.list);
    // While Pulumi looks for dependent replacements, the user is not known.
    return subjects.length === 0 || subjects.some((one) => approved.list.creates(type, one));
  }

  /** Whether the preview showed this write of an update. */
  showsWrite(type: ResourceType, id: string, write: string): boolean {
    const approved = this.#readOnce();
    return !("error" in approved) && (approved.list.writesOf(type, id)?.includes(write) ?? false);
  }

  /** @param find the approved operations; undefined if the list does not have the change */
  #require(change: Change, find: (list: ApprovedList) => readonly string[] | undefined): readonly string[] {
    const approved = this.#listFor(change.props.organizationId);
    const operations = "reason" in approved ? undefined : find(approved.list);
    if (operations !== undefined) return operations;
    const { action, type } = change;
    const what = ["cannot", action, typeFacts[type].noun, ...this.#namesOf(change)].join(" ");
    throw new NotApproved(`${what}: ${"reason" in approved ? approved.reason : NOT_SHOWN}`);
  }

  /** The list for changes in an organization; or why there is none. */
  #listFor(own: unknown): { readonly list: ApprovedList } | { readonly reason: string } {
    const approved = this.#readOnce();
    const source = `ORGSEAT_APPROVED_CHANGES, ${this.#file}`;
    if ("error" in approved) {
      return {
        reason: `cannot read the list of approved changes (${source}): ${approved.error}. Nothing was changed. Run the preview again`,
      };
    }
    const organizationId = typeof own === "string" ? own : this.#configured;
    if (organizationId === undefined || organizationId === approved.organizationId) return approved;
    return {
      reason: `the list of approved changes (${source}) is for organization ${approved.organizationId}, but this change is in ${organizationId}. Run the preview again for this organization`,
    };
  }

  #readOnce(): Approved {
    if (this.#read === undefined) {
      const found = readApprovedChanges(this.#file);
      this.#read =
        "error" in found ? found : { organizationId: found.organizationId, list: new ApprovedList(found) };
    }
    return this.#read;
  }

  /** The subjects under which a preview may list a creation. */
  #subjectsOf(type: ResourceType, inputs: Inputs, list: ApprovedList): string[] {
    const own = typeFacts[type].subject(inputs);
    const { userId } = inputs;
    if (own === undefined) return [];
    if (type === "OrgUser" || typeof userId !== "string") return [own];
    const person = this.#subjects.get(userId);
    const isNew =
      (person !== undefined && list.creates("OrgUser", person)) ||
      list.creates("SeatAssignment", userSubject(userId));
    return [own, ...(person === undefined ? [] : [person]), ...(isNew ? [NEW_USER] : [])];
  }

  /** What identifies the resource among others of its type, for a message; nothing if it has no others. */
  #namesOf({ type, id, props }: Change): string[] {
    const { names, idNoun, isOfUser = false } = typeFacts[type];
    if (isOfUser) return [this.#people.nameOf(String(props.userId))];
    if (names === undefined) return [];
    const label = names(props).find((text) => typeof text === "string" && text !== "");
    return [String(label), ...(idNoun === undefined || id === undefined ? [] : [`(${idNoun} ${id})`])];
  }
}

/** The approved changes of a file. */
class ApprovedList {
  readonly #created = new Map<string, number>();
  readonly #updated = new Map<string, readonly string[]>();
  readonly #deleted = new Set<string>();
  /** How many creations of each subject are used up. */
  readonly #taken = new Map<string, number>();
  readonly #operations = new Map<string, readonly string[]>();

  constructor({ changes }: ApprovedChanges) {
    for (const change of changes) {
      const { action, type, operations } = change;
      const object = `${action} ${keyOf(type, change.action === "create" ? change.subject : change.id)}`;
      this.#operations.set(object, [...(this.#operations.get(object) ?? []), ...operations]);
      if (change.action === "create") {
        const key = keyOf(change.type, change.subject);
        this.#created.set(key, (this.#created.get(key) ?? 0) + 1);
      } else if (change.action === "update") this.#updated.set(keyOf(change.type, change.id), change.writes);
      else this.#deleted.add(keyOf(change.type, change.id));
    }
  }

  creates(type: ResourceType, subject: string): boolean {
    return this.#created.has(keyOf(type, subject));
  }

  /** Uses up one creation of the subject. @returns whether there was one left */
  take(type: ResourceType, subject: string): boolean {
    const key = keyOf(type, subject);
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= (this.#created.get(key) ?? 0)) return false;
    this.#taken.set(key, taken + 1);
    return true;
  }

  operationsOf(action: ApprovedChange["action"], type: ResourceType, what: string): readonly string[] {
    return this.#operations.get(`${action} ${keyOf(type, what)}`) ?? [];
  }

  writesOf(type: ResourceType, id: string): readonly string[] | undefined {
    return this.#updated.get(keyOf(type, id));
  }

  deletes(type: ResourceType, id: string): boolean {
    return this.#deleted.has(keyOf(type, id));
  }
}

function keyOf(type: ResourceType, what: string): string {
  return [type, what].join(" ");
}

/**
 * Holds each change of a run against the approved ones (approved-changes.ts). Pulumi's dynamic providers see neither
 * URN nor name, so what exists is compared by type and id, and what does not by its subject (resources/subjects.ts).
 */
import { type ApprovedChange, type ApprovedChanges, readApprovedChanges } from "./approved-changes.ts";
import type { People, ResourceType } from "./resources/resource.ts";
import { NEW_USER, personSubject, subjectOf, userSubject } from "./resources/subjects.ts";
import type { Settings } from "./settings.ts";

type Inputs = Readonly<Record<string, unknown>>;

interface Change {
  readonly action: ApprovedChange["action"];
  readonly type: ResourceType;
  /** Of what exists. */
  readonly id?: string;
  readonly props: Inputs;
}

/** A change that was refused before anything was sent. */
export class NotApproved extends Error {
  /** Stable across releases. */
  readonly code = "not-approved";
}

const NOT_SHOWN = "the preview did not show this change";

/** What an update may write beyond its inputs where the preview showed the creation: it finishes what failed halfway. */
const WRITES_OF_CREATION: Readonly<Partial<Record<ResourceType, readonly string[]>>> = {
  SeatAssignment: ["assign seat"],
};

/** What a change is about, for messages. */
const NOUNS: Readonly<Record<ResourceType, string>> = {
  OrgUser: "the membership of",
  SeatAssignment: "the seat of",
  UserToken: "the token of",
  ServiceAccount: "the service account",
  Onboarding: "the onboarding",
  ModelServer: "the model server",
  VectorTable: "the vector table",
};

export class Approval {
  readonly #file: string;
  readonly #configured: string | undefined;
  readonly #people: People;
  /** The subjects of people, by their user ids, as far as this process has met them. */
  readonly #subjects = new Map<string, string>();
  /** Replacements that were refused: what is done instead is refused as well. */
  readonly #refused = new Set<string>();
  #read: { readonly organizationId: string; readonly list: List } | { readonly fault: string } | undefined;

  constructor({ organizationId }: Pick<Settings, "organizationId">, file: string, people: People) {
    this.#file = file;
    this.#configured = organizationId;
    this.#people = people;
  }

  /** Learns who has a user id: from then on seats and tokens of that user are those of a person whom a preview can name. */
  meet(type: ResourceType, id: string, inputs: object): void {
    const subject = type === "OrgUser" ? personSubject({ ...inputs }) : undefined;
    if (subject !== undefined) this.#subjects.set(id, subject);
  }

  /** @throws where the preview showed no such creation, or fewer of them */
  create(type: ResourceType, inputs: object): void {
    this.#admit({ action: "create", type, props: { ...inputs } }, (list) =>
      this.#subjectsOf(type, { ...inputs }, list).some((subject) => list.take(type, subject)),
    );
  }

  /** @param writes what the update will write at the service @throws where the preview did not show it */
  update(type: ResourceType, id: string, inputs: object, writes: readonly string[]): void {
    this.#admit({ action: "update", type, id, props: { ...inputs } }, (list) => {
      if (this.#refused.has(keyOf(type, id))) return false;
      const shown = list.writesOf(type, id);
      if (shown !== undefined && writes.every((one) => shown.includes(one))) return true;
      const created = WRITES_OF_CREATION[type] ?? [];
      const isCreated = this.#subjectsOf(type, { ...inputs }, list).some((one) => list.creates(type, one));
      return isCreated && writes.every((one) => created.includes(one));
    });
  }

  /** @throws where the preview did not show it */
  delete(type: ResourceType, id: string, outs: object): void {
    this.#admit({ action: "delete", type, id, props: { ...outs } }, (list) => list.deletes(type, id));
  }

  /**
   * Whether diff may answer a replacement that deletes first. The Pulumi CLI 3.260 does not end where such a deletion
   * fails under `--continue-on-error`; so what was not shown becomes an update, which is refused when it comes.
   * @param inputs the new ones
   */
  allowsReplacement(type: ResourceType, id: string, inputs: object): boolean {
    const shown = this.#readOnce();
    if (!("fault" in shown) && shown.list.deletes(type, id)) {
      const subjects = this.#subjectsOf(type, { ...inputs }, shown.list);
      // While Pulumi looks for what a replacement drags along, the user is not known.
      if (subjects.length === 0 || subjects.some((one) => shown.list.creates(type, one))) return true;
    }
    this.#refused.add(keyOf(type, id));
    return false;
  }

  #admit(change: Change, isApproved: (list: List) => boolean): void {
    const reason = this.#reasonAgainst(change.props.organizationId, isApproved);
    if (reason === undefined) return;
    const { action, type } = change;
    throw new NotApproved(
      `${["cannot", action, NOUNS[type], ...this.#namesOf(change)].join(" ")}: ${reason}`,
    );
  }

  #reasonAgainst(own: unknown, isApproved: (list: List) => boolean): string | undefined {
    const shown = this.#readOnce();
    const source = `ORGSEAT_APPROVED_CHANGES, ${this.#file}`;
    if ("fault" in shown) {
      return `the list of approved changes (${source}) cannot be read, so nothing is changed: ${shown.fault}. Run the preview again`;
    }
    const organizationId = typeof own === "string" ? own : this.#configured;
    if (organizationId !== undefined && organizationId !== shown.organizationId) {
      return `the list of approved changes (${source}) is for the organization ${shown.organizationId}, and this change is in ${organizationId}. Run the preview again, for this organization`;
    }
    if (isApproved(shown.list)) return undefined;
    return `${NOT_SHOWN}, so it is refused. Something has changed since then: run \`pulumi up\` again and look at its preview`;
  }

  #readOnce(): { readonly organizationId: string; readonly list: List } | { readonly fault: string } {
    if (this.#read === undefined) {
      const found = readApprovedChanges(this.#file);
      this.#read = "fault" in found ? found : { organizationId: found.organizationId, list: new List(found) };
    }
    return this.#read;
  }

  /** By what a preview may have named a creation. */
  #subjectsOf(type: ResourceType, inputs: Inputs, list: List): string[] {
    const own = subjectOf(type, inputs);
    const { userId } = inputs;
    if (own === undefined || type === "OrgUser" || typeof userId !== "string")
      return own === undefined ? [] : [own];
    const person = this.#subjects.get(userId);
    const isNew =
      (person !== undefined && list.creates("OrgUser", person)) ||
      list.creates("SeatAssignment", userSubject(userId));
    return [own, ...(person === undefined ? [] : [person]), ...(isNew ? [NEW_USER] : [])];
  }

  /** What tells it from others of its type, for a message; nothing of an Onboarding. */
  #namesOf({ type, id, props }: Change): string[] {
    const { email, firstName, lastName, name, serverId, userId } = props;
    if (type === "Onboarding") return [];
    if (type === "SeatAssignment" || type === "UserToken") return [this.#people.nameOf(String(userId))];
    const full = [firstName, lastName].filter((part) => typeof part === "string").join(" ");
    const label = [email, full, name, serverId].find((text) => typeof text === "string" && text !== "");
    const unit = { OrgUser: "user", ServiceAccount: "client id" }[String(type)];
    return [String(label), ...(unit === undefined || id === undefined ? [] : [`(${unit} ${id})`])];
  }
}

/** The changes of a file, to be asked for one at a time. */
class List {
  readonly #created = new Map<string, number>();
  readonly #updated = new Map<string, readonly string[]>();
  readonly #deleted = new Set<string>();
  readonly #taken = new Map<string, number>();

  constructor({ changes }: ApprovedChanges) {
    for (const change of changes) {
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

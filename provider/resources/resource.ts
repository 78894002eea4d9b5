/**
 * What a resource is: one definition with its inputs, its outputs and its lifecycle, in Pulumi's words. A definition
 * knows the organization's API by its narrow interface and Pulumi not at all; provider/dynamic.ts joins the two.
 */
import { z } from "zod";
import type { Area } from "../api/call.ts";
import { apiKeySchema } from "../api/model-schemas.ts";
import type { ModelApi } from "../api/models.ts";
import type { Deleted, Operation, OrganizationApi } from "../api/organization.ts";
import { idSchema } from "../api/schemas.ts";
import type { Creations } from "./creations.ts";
import type { Knowable } from "./unknown.ts";

/** The shape in which outputs are written. A release reads every older shape and refuses a newer one. */
export const STATE_VERSION = 1;

/** The credential of calls 1-3: the administrator. */
export const adminCredentialsSchema = z.strictObject({
  username: z.string().min(1),
  password: z.string().min(1),
});
/** The credential of calls 4-11: a service account, for example one of the same program. */
export const accountCredentialsSchema = z.strictObject({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
});
/** The credential of calls 12-16: the key of the model area. */
export const modelCredentialsSchema = z.strictObject({ apiKey: apiKeySchema });
export type AdminCredentials = z.output<typeof adminCredentialsSchema>;
export type AccountCredentials = z.output<typeof accountCredentialsSchema>;
export type ModelCredentials = z.output<typeof modelCredentialsSchema>;

/** The organization a resource lives in: its own, else the configured one, which check copies into the inputs. */
export const organizationIdSchema = idSchema;

/** A text whose change asks for a new secret. Numbers are accepted and kept as text. */
export const rotationSchema = z.union([z.string(), z.number()]).transform(String);

/** What stands in the outputs of every resource beside its inputs. */
export const commonOutputs = { stateVersion: z.literal(STATE_VERSION) };

/** One fault of the inputs: where (a property path) and what to write instead. */
export interface ValidationIssue {
  readonly property: string;
  readonly reason: string;
}

export interface Diff<Inputs> {
  /** Whether update or a replacement is due. */
  readonly changes: boolean;
  /** The inputs whose change needs a replacement. */
  readonly replaces: readonly (keyof Inputs & string)[];
  /** Whether the old one goes before the new one is made. */
  readonly deleteBeforeReplace: boolean;
}

/** What check and diff may use: no network. */
export interface PlanContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly defaults: Defaults;
  readonly people: People;
  /** Tells the person who runs Pulumi; `warn` asks for attention, `info` explains what preview shows. */
  warn(text: string): void;
  info(text: string): void;
  /** What is recorded of creations of managed users. */
  readonly creations: Creations;
  /** What resources of this run hold, by the object: see holding.ts. */
  readonly owners: Map<string, string>;
  /** Rows that check has seen, for create, by their hash: the state holds no rows (see rows.ts). */
  readonly rows: Map<string, readonly Row[]>;
}

/** What create, read, update and delete may use. */
export interface CallContext extends PlanContext {
  readonly operation: Operation;
  /** Whether this run takes over what exists and writes nothing: every write fails before it is sent. */
  readonly adoptOnly: boolean;
  /** The organization of a resource, with the resource's own credentials or the configured ones. */
  api(resource: Owner): OrganizationApi;
  /** The model area, with the resource's own key or the configured one. */
  models(resource: ModelOwner): ModelApi;
  /** Asked before a call that takes something away from a person; throws where the run must not do it. */
  checkRemovalLimit(removal: Removal): void;
  /** Runs one after another what belongs to the same key. */
  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** What has been read once in this run, shared by all who ask; `forget` after a write that changes it. */
  readOnce<T>(key: string, read: () => Promise<T>): Promise<T>;
  forget(key: string): void;
  sleep(ms: number): Promise<void>;
  /** Milliseconds on the scale of `operation.deadline`. */
  elapsed(): number;
}

/** The organization and the credentials that a resource carries. */
export interface Owner {
  readonly organizationId: string;
  readonly credentials?: AdminCredentials | AccountCredentials | undefined;
  /** What the state holds and the service may know: it must not come back in an error text. */
  readonly token?: string | undefined;
  readonly clientSecret?: string | undefined;
}

/** The names of all resources, as in the type token `pulumi-nodejs:orgseat:<name>`. */
export const resourceTypes = [
  "ServiceAccount",
  "OrgUser",
  "SeatAssignment",
  "UserToken",
  "Onboarding",
  "ModelServer",
  "VectorTable",
] as const;
export type ResourceType = (typeof resourceTypes)[number];

/** What a call is about to take away from a person (calls 9, 10, 11). */
export interface Removal {
  readonly type: "UserToken" | "SeatAssignment" | "OrgUser";
  readonly userId: string;
  readonly organizationId: string;
}

/** The key that a resource of the model area carries. */
export interface ModelOwner {
  readonly credentials?: ModelCredentials | undefined;
}

/** A row of a table: its columns' values by their names. */
export type Row = Readonly<Record<string, unknown>>;

/** Configuration that check copies into inputs, so that preview shows a change of it. */
export interface Defaults {
  readonly organizationId: string | undefined;
  /** An instant in the kept form. */
  readonly subscriptionExpiresAt: string | undefined;
}

/** Who stands behind a user id, as far as this run has come across it: messages name people, not GUIDs. */
export interface People {
  learn(userId: string, name: string): void;
  /** `ada@acme.example (user 7a1f…)`, or `user 7a1f…`. */
  nameOf(userId: string): string;
}

/** A resource: its schemas and its lifecycle. Each method fails with an Error whose message is meant for a person. */
export interface ResourceDefinition<Inputs extends object, Outputs extends Inputs> {
  readonly name: ResourceType;
  /** The area whose calls it makes, and so the configuration it needs. */
  readonly area: Area;
  /** The schema of each input, in the order of the documentation. */
  readonly inputs: { readonly [key in keyof Inputs]-?: z.ZodType };
  readonly outputs: z.ZodType<Outputs>;
  /** The inputs that are secrets: no message ever shows them. */
  readonly secretInputs: readonly (keyof Inputs & string)[];
  /** Adds what configuration supplies; runs before check. */
  complete(news: Knowable<Inputs>, context: PlanContext): Knowable<Inputs>;
  /** Faults that one schema alone cannot see. `olds` are the old inputs, undefined on creation and replacement. */
  check(news: Knowable<Inputs>, olds: Partial<Inputs> | undefined, context: PlanContext): ValidationIssue[];
  diff(id: string, olds: Outputs, news: Knowable<Inputs>, context: PlanContext): Diff<Inputs>;
  create(inputs: Inputs, context: CallContext): Promise<{ readonly id: string; readonly outs: Outputs }>;
  /** The outputs as they are now; undefined where the service has confirmed that it is gone. */
  read(id: string, outs: Outputs, context: CallContext): Promise<Outputs | undefined>;
  update(id: string, olds: Outputs, news: Inputs, context: CallContext): Promise<Outputs>;
  /**
   * What an update writes at the service, by the names of its calls; of call 4, whom it mails. Default: nothing.
   * @param now milliseconds since 1970
   */
  updateWrites?(olds: Outputs, news: Inputs, now: number): readonly string[];
  delete(id: string, outs: Outputs, context: CallContext): Promise<Removed>;
}

/** What a removal came to. `gone`: the service had nothing to remove. `kept`: nothing was to be removed there. */
export type Removed = Deleted | "kept";

/**
 * A create that made something and did not finish. Pulumi keeps `outs` under `id`, the run fails, and the next `up`
 * goes on with update().
 */
export class PartiallyCreated extends Error {
  readonly id: string;
  readonly outs: object;
  /** @param cause the failed call, where one failed */
  constructor(id: string, outs: object, reason: string, cause?: Error) {
    super(reason, { cause });
    this.name = "PartiallyCreated";
    this.id = id;
    this.outs = outs;
  }
}

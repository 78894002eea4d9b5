/**
 * The definition of a resource: inputs, outputs and lifecycle, in Pulumi's terms. A definition uses the narrow API
 * interfaces and does not depend on Pulumi; provider/runtime/dynamic.ts adapts it.
 */
import { z } from "zod";
import type { Area } from "../api/calls/call.ts";
import type { Deleted } from "../api/calls/organization.ts";
import { apiKeySchema } from "../api/schemas/model-schemas.ts";
import { bearerSchema } from "../api/schemas/schemas.ts";
import type { CallContext, PlanContext } from "./contexts.ts";
import { type ResourceType, STATE_VERSION } from "./resource-types.ts";
import { PERIOD_FORM, parsePeriod } from "./rotation-schedule.ts";
import type { Knowable } from "./unknown.ts";

/** The credential for service accounts: an administrator, by username and password or by a token. */
export const adminCredentialsSchema = z
  .strictObject({
    username: z.string().min(1).optional(),
    password: z.string().min(1).optional(),
    adminToken: bearerSchema.optional(),
  })
  .superRefine(({ adminToken, ...pair }, { addIssue }) => {
    const lacking = (["username", "password"] as const).filter((key) => pair[key] === undefined);
    if (adminToken !== undefined && lacking.length < 2)
      addIssue("pass either username and password, or adminToken alone");
    for (const key of adminToken === undefined ? lacking : [])
      addIssue({ code: "custom", path: [key], message: "missing (expected a string)" });
  });
/**
 * In place of the secret of an imported service account, which the API cannot read. Never empty, so no program uses it
 * unseen.
 */
export const IMPORTED_SECRET = "unknown-because-imported:change-rotation-for-a-new-secret";

/** The credential for users, seats, and tokens: a service account, for example one of the same program. */
export const clientCredentialsSchema = z.strictObject(
  {
    clientId: z.string().min(1),
    clientSecret: z
      .string()
      .min(1)
      .refine(
        (secret) => secret !== IMPORTED_SECRET,
        "the secret of an imported service account is not known. Set or change `rotation` of that ServiceAccount, which creates an account with a new secret",
      ),
  },
  {
    // Pulumi passes a resource as its id.
    error: ({ input }) =>
      typeof input === "string"
        ? "expected an object, got a string or a resource. Pass the clientId and the clientSecret of the ServiceAccount, not the ServiceAccount itself"
        : undefined,
  },
);
/** The credential of the model area: its key. */
export const apiKeyCredentialsSchema = z.strictObject({ apiKey: apiKeySchema });

/** A text whose change requests a new secret. Numbers are accepted and stored as text. */
export const rotationSchema = z.union([z.string(), z.number()]).transform(String);

/** How often a secret is rotated on a schedule: see rotation-schedule.ts. */
export const rotateEverySchema = z
  .string()
  .refine((text) => parsePeriod(text) !== undefined, `not ${PERIOD_FORM}`);

/** The outputs of every resource besides its inputs. */
export const commonOutputs = { stateVersion: z.literal(STATE_VERSION) };

/** One issue of the inputs: a property path, and what is wrong. */
export type InputIssue = Readonly<Record<"property" | "reason", string>>;

interface ResourceDiff<Input extends string> {
  /** Whether update or a replacement is due. */
  readonly changes: boolean;
  /** The inputs whose change needs a replacement. */
  readonly replaces: readonly Input[];
}

/** A resource: its schemas and its lifecycle. Each method fails with an Error whose message is shown to the user. */
export interface ResourceDefinition<Inputs extends object, Outputs extends Inputs> {
  readonly name: ResourceType;
  /** The area of its calls, which determines the required configuration. */
  readonly area: Area;
  /** The schema of each input, in the order of the documentation. */
  readonly inputs: { readonly [key in keyof Inputs]-?: z.ZodType };
  readonly outputs: z.ZodType<Outputs> & { readonly shape: { readonly [key in keyof Outputs]-?: z.ZodType } };
  /** The inputs that are secrets, besides `credentials`: no message ever shows them. Default: none. */
  readonly secretInputs?: readonly (keyof Inputs & string)[];
  /** The outputs that no update changes: known in the preview of an update. */
  readonly stableOutputs: readonly (keyof Outputs & string)[];
  /** The outputs that this update does not change. Default: `stableOutputs`. Pure. */
  stableIn?(olds: Outputs, news: Knowable<Inputs>, context: PlanContext): readonly (keyof Outputs & string)[];
  /** The inputs whose change always replaces the resource. */
  readonly identity: readonly (keyof Inputs & string)[];
  /** Adds what configuration supplies; runs before check. */
  complete(news: Knowable<Inputs>, context: PlanContext): Knowable<Inputs>;
  /** Issues across several inputs. `olds` are the old inputs, undefined on creation and replacement. */
  check(news: Knowable<Inputs>, olds: Partial<Inputs> | undefined, context: PlanContext): InputIssue[];
  diff(
    id: string,
    olds: Outputs,
    news: Knowable<Inputs>,
    context: PlanContext,
  ): ResourceDiff<keyof Inputs & string>;
  create(inputs: Inputs, context: CallContext): Promise<{ readonly id: string; readonly outs: Outputs }>;
  /**
   * The outputs of an object that no state has, for an import; undefined if the service has none.
   * @param given the inputs of the program, if there is one
   * @throws Error if the service does not report what a state needs; it says what to do instead
   */
  find(id: string, given: Partial<Inputs>, context: CallContext): Promise<Outputs | undefined>;
  /** The inputs of an import. Default: what the outputs have under the names of inputs. */
  inputsOf?(outs: Outputs): Inputs;
  /** The current outputs; undefined if the service confirms that the object does not exist. */
  read(id: string, outs: Outputs, context: CallContext): Promise<Outputs | undefined>;
  update(id: string, olds: Outputs, news: Inputs, context: CallContext): Promise<Outputs>;
  delete(id: string, outs: Outputs, context: CallContext): Promise<Removed>;
}

/** A definition whatever its inputs and outputs are: its schemas prove what its methods get. */
export type AnyDefinition = ResourceDefinition<
  Readonly<Record<string, unknown>>,
  Readonly<Record<string, unknown>>
>;

/** The result of a removal. `gone`: the service had nothing to remove. `kept`: retained in the service. */
export type Removed = Deleted | "kept";

/**
 * A partial creation. Pulumi keeps `outs` under `id`, the run fails, and the next `up` continues with update().
 */
export class PartiallyCreated extends Error {
  readonly id: string;
  readonly outs: object;
  /** @param cause why it is partial */
  constructor(id: string, outs: object, cause: Error) {
    super(cause.message, { cause });
    this.name = "PartiallyCreated";
    this.id = id;
    this.outs = outs;
  }
}

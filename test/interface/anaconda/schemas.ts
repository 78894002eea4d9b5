/** Words for descriptions of calls that are typed by hand. Imports nothing. */

export type Schema = Readonly<Record<string, unknown>>;
export type Fields = Readonly<Record<string, Schema>>;

export const text: Schema = { type: "string" };
export const filled: Schema = { type: "string", minLength: 1 };
export const textOrNull: Schema = { type: ["string", "null"] };
export const flag: Schema = { type: "boolean" };
export const whole: Schema = { type: "integer" };
export const free: Schema = { type: "object" };
export const email: Schema = { type: "string", format: "email" };
export const uuid: Schema = { type: "string", format: "uuid" };
export const instant: Schema = { type: "string", format: "date-time" };
export const list = (items: Schema): Schema => ({ type: "array", items });
export const oneOf = (...values: readonly string[]): Schema => ({ enum: values });
/** An object with these fields and no others. */
export const fields = (required: Fields, optional: Fields = {}): Schema => ({
  type: "object",
  required: Object.keys(required),
  additionalProperties: false,
  properties: { ...required, ...optional },
});
/** A response whose content can be missing. */
export const data = (schema: Schema): Schema => fields({}, { data: schema });
export const items = (schema: Schema): Schema => fields({ items: list(schema) });

export const number: Schema = { type: "number" };

export interface Operation {
  readonly credential?: "admin" | "serviceAccount" | "apiKey";
  readonly query?: Fields;
  readonly body?: Schema;
  /** By status; undefined: no body, or one that is not described. */
  readonly success: Readonly<Record<number, Schema | undefined>>;
  readonly errors?: readonly number[];
}

export type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

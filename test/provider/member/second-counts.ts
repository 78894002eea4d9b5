/** What the cases of the second model have to meet: every field and value of `Held`, every cause, and every way to leave. */
import { z } from "zod";
import { heldSchema } from "../../../provider/member/held.ts";
import type { Cause, Plan } from "../../../provider/member/step.ts";
import { now } from "./people.ts";
import type { Drawn } from "./second-cases.ts";
import { ms } from "./second-view.ts";

const causes: Readonly<Record<Cause, true>> = {
  ...{ new: true, missing: true, goneInService: true, adopted: true, unconfirmed: true, address: true },
  ...{ notWanted: true, leaving: true, accessEnded: true, mark: true, recipients: true, keepValue: true },
  ...{ schedule: true, newSchedule: true, lost: true, shortened: true, renewal: true, keptTimeOver: true },
  ...{ observed: true, settings: true, unknown: true },
};

/** The fields of a schema, with the values of those that have few. */
function fieldsOf(schema: z.core.$ZodType, path: string): string[] {
  if (schema instanceof z.ZodObject)
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([key, one]) =>
      fieldsOf(one, `${path}.${key}`),
    );
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element, path);
  if (schema instanceof z.ZodEnum) return schema.options.map((value) => `${path} ${value}`);
  if (schema instanceof z.ZodBoolean) return [`${path} true`];
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => `${path} ${value}`);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly || schema instanceof z.ZodCatch)
    return fieldsOf(schema.def.innerType, path);
  return [path];
}

function valuesOf(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((one) => valuesOf(one, path))];
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, one]) => valuesOf(one, `${path}.${key}`));
  return value === undefined ? [] : [path, `${path} ${value}`];
}

/** The rows for who is to leave. */
const leaving = ["row gone", "row gone, two users", "offboarded, two users", "access ended", "emptied"];

export const names: readonly string[] = [
  ...fieldsOf(heldSchema, "held"),
  ...Object.keys(causes).map((cause) => `cause ${cause}`),
  ...leaving,
];

/** The names that a case meets. */
export function met(one: Drawn, { units }: Plan): Set<string> {
  const steps = units.flatMap((unit) => unit.steps);
  const found = [...valuesOf(one.held, "held"), ...steps.map(({ cause }) => `cause ${cause}`)];
  const { wanted } = one;
  const isTwo = one.held.users.length > 1;
  if (!("seat" in wanted)) {
    const isEmptied = one.held.users.length === 0 && one.held.agreed.leaving === true;
    const how = wanted.removal === "delete" ? "offboarded" : "row gone";
    return new Set([
      ...found,
      how,
      ...(isTwo ? [`${how}, two users`] : []),
      ...(isEmptied ? ["emptied"] : []),
    ]);
  }
  const isEnded = wanted.accessUntil !== undefined && ms(wanted.accessUntil) <= now;
  return new Set([...found, ...(isEnded ? ["access ended"] : [])]);
}

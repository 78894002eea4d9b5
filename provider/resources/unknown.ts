/**
 * Values that are not known yet. Pulumi sends a marker text for them in previews, and in real runs while it looks for
 * dependent replacements; resources get this symbol, so that the compiler enforces its handling.
 */
export const unknown: unique symbol = Symbol("not known yet");
export type Unknown = typeof unknown;

/** The inputs of a resource, each of which may be unknown. */
export type Knowable<Inputs> = { readonly [key in keyof Inputs]: Inputs[key] | Unknown };

/** Pulumi's marker (`pulumi.runtime.unknownValue`). */
export const UNKNOWN_MARKER = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether a value contains Pulumi's marker. */
export function holdsUnknown(value: unknown): boolean {
  if (value === UNKNOWN_MARKER) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsUnknown);
}

/** The value if it is known, else undefined. */
export function known<T>(value: T | Unknown): T | undefined {
  return value === unknown ? undefined : value;
}

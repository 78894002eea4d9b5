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
/** Its markers for values whose kind is known: boolean, number, list, asset, archive, object. */
const MARKERS: ReadonlySet<unknown> = new Set([
  UNKNOWN_MARKER,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Whether a value contains a marker. */
export function holdsUnknown(value: unknown): boolean {
  if (MARKERS.has(value)) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsUnknown);
}

/** The value if it is known, otherwise undefined. */
export function known<T>(value: T | Unknown): T | undefined {
  return value === unknown ? undefined : value;
}

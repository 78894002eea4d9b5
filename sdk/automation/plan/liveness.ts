/** Pulumi's markers in a state that show whether the object still exists at the service. */

interface Marks {
  readonly delete?: boolean | undefined;
  readonly pendingReplacement?: boolean | undefined;
}

/** Whether the resource is neither a replaced one before its deletion nor a deleted one before its new creation. */
export function isLive(entry: Marks): boolean {
  return entry.delete !== true && entry.pendingReplacement !== true;
}

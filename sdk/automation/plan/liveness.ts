/** Pulumi's marks on what a state has, and what they say of the object at the service. */

interface Marks {
  readonly delete?: boolean | undefined;
  readonly pendingReplacement?: boolean | undefined;
}

/** Whether it is neither replaced and to be deleted, nor deleted and not made anew. */
export function isLive(entry: Marks): boolean {
  return entry.delete !== true && entry.pendingReplacement !== true;
}

/** A map of facts that all provider processes of a run share; provider/safety/run-facts.ts keeps it. */
export interface RunMap {
  get(key: string): string | undefined;
  has(key: string): boolean;
  size(): number;
  /** In the order in which the keys were set first. */
  entries(): Iterable<readonly [string, string]>;
  set(key: string, value: string): void;
  /** Sets the value unless the key has one. @returns the key's value, of several processes the first one's */
  add(key: string, value: string): string;
}

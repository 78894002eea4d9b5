/**
 * A dialect is data: the differences of a service from the documented calls. Code tests a capability
 * (`dialect.canListUsers`), never the name of a dialect.
 */
export interface Dialect {
  readonly name: string;
  /** Whether the API can read users and their seats, for refresh, drift and adoption by email. */
  readonly canListUsers: boolean;
  /** Whether the API can read a user's token, for example after a renewal. */
  readonly canListTokens: boolean;
}

export const dialects = {
  /** The calls of the interface, without differences. */
  documented: { name: "documented", canListUsers: false, canListTokens: false },
} as const satisfies Record<string, Dialect>;

export type DialectName = keyof typeof dialects;
export const dialectNames = Object.keys(dialects) as [DialectName, ...DialectName[]];

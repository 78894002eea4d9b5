/**
 * A dialect is data: what a service of the contract can do beyond, or differently from, the documented calls. Code
 * asks for a capability (`dialect.canListUsers`), never for a dialect's name.
 */
export interface Dialect {
  readonly name: string;
  /** Whether users (and with them seats) can be read, so that refresh, drift and adoption by email are possible. */
  readonly canListUsers: boolean;
  /** Whether a user's token can be read back after a renewal. */
  readonly canListTokens: boolean;
}

export const dialects = {
  /** Exactly the calls of the interface. */
  documented: { name: "documented", canListUsers: false, canListTokens: false },
} as const satisfies Record<string, Dialect>;

export type DialectName = keyof typeof dialects;
export const dialectNames = Object.keys(dialects) as [DialectName, ...DialectName[]];

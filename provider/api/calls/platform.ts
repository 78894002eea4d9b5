/**
 * A platform is data: the calls of a service, and what they make possible. Code tests a capability
 * (`can.canListUsers`), never the name of a platform.
 */
import { anacondaCalls } from "./anaconda-calls.ts";
import type { Call } from "./call.ts";
import { calls } from "./calls.ts";

/** What the calls of a platform make possible. */
export interface Capabilities {
  /** Users and their seats can be read, for refresh, drift and adoption by email. */
  readonly canListUsers: boolean;
  /** The tokens of a user can be read, for example after a renewal. */
  readonly canListTokens: boolean;
  /** A token is revoked by its own id, and a user can have several. False: a user has at most one. */
  readonly revokesByTokenId: boolean;
  /** A renewal can set another date than the end of the subscription, and a token can have a tolerance in months. */
  readonly canSetExpiry: boolean;
  /** Whether the service sends an email about a new seat or token can be chosen. */
  readonly canChooseEmails: boolean;
  /** A seat can be removed while the user has a token. */
  readonly removesSeatsWithTokens: boolean;
  /** Model servers can be created, started, and stopped. */
  readonly canCreateServers: boolean;
  /** The tables of the vector database can be deleted. */
  readonly canDeleteTables: boolean;
}

/** A call of any platform: its path is known only at run time. */
type Loose<Definition> = [Definition] extends [Call<string, infer Request, infer Answer>]
  ? Call<string, Request, Answer>
  : never;
type Basic = typeof calls;
type All = typeof anacondaCalls;

/** The calls of a platform. Undefined: the service has no such call. */
export type CallTable = { readonly [Name in keyof Basic]: Loose<Basic[Name] | All[Name]> } & {
  readonly [Name in Exclude<keyof All, keyof Basic>]?: Loose<All[Name]>;
};

/** How long to wait after a 429 or 503 without `Retry-After`: doubled with each attempt; jitter takes up to half. */
interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

export interface Platform extends Capabilities {
  readonly name: string;
  /** @internal Not declared in the package: their types are a third of its declarations, and no program needs them. */
  readonly calls: CallTable;
  /** Headers of each request to the organization area; `{org_id}` stands for the id of the organization. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly backoff: Backoff;
  /** Whether the description of the service lists the statuses of each call: the sandbox then answers no others. */
  readonly listsStatuses: boolean;
  /** Whether all fields of an error of the model area are optional: `{}` is then an error of the service. */
  readonly hasPartialErrors: boolean;
}

// Without the types of its calls, which the declarations of the package would repeat for each platform.
export const platforms: Readonly<Record<"basic" | "anaconda", Platform>> = {
  /** The calls of the interface, without differences. */
  basic: {
    name: "basic",
    calls,
    headers: [],
    listsStatuses: false,
    hasPartialErrors: false,
    backoff: { firstMs: 200, longestMs: 5_000 },
    canListUsers: false,
    canListTokens: false,
    revokesByTokenId: false,
    canSetExpiry: false,
    canChooseEmails: false,
    removesSeatsWithTokens: false,
    canCreateServers: false,
    canDeleteTables: false,
  },
  /** The calls of the live platform. */
  anaconda: {
    name: "anaconda",
    calls: anacondaCalls,
    headers: [
      ["x-org-name", "{org_id}"],
      ["x-api-version", "v1"],
    ],
    listsStatuses: true,
    hasPartialErrors: true,
    backoff: { firstMs: 2_000, longestMs: 30_000 },
    canListUsers: true,
    canListTokens: true,
    revokesByTokenId: true,
    canSetExpiry: true,
    canChooseEmails: true,
    removesSeatsWithTokens: true,
    canCreateServers: true,
    canDeleteTables: true,
  },
};

export type PlatformName = keyof typeof platforms;
export const platformNames = Object.keys(platforms) as [PlatformName, ...PlatformName[]];

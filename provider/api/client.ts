/** The client of the organization area. It knows HTTP and the contract, and no resources. */
import { type Call, calls, type PathVariables } from "./calls.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Credentials } from "./credentials.ts";
import type { Dialect } from "./dialect.ts";
import type { Deleted, Operation, OrganizationApi } from "./organization.ts";
import { Origin } from "./origin.ts";
import { Redactor } from "./redact.ts";
import { type Endpoint, Sender } from "./sender.ts";

export interface ClientSettings {
  /** The address that calls 1 to 11 are relative to (D1), such as `https://host/api/v1`; a slash at its end is fine. */
  readonly orgUrl: string;
  /** The address of the token endpoint (D3). */
  readonly tokenUrl: string;
  readonly dialect: Dialect;
  /** The time for one request, from connecting to the last byte of its answer, in milliseconds. Default 30 000. */
  readonly timeoutMs?: number | undefined;
  /** How many requests run at once at one origin; the others wait in line. Default 16. */
  readonly concurrency?: number | undefined;
  /** For tests. Default: the time of the machine. */
  readonly clock?: Clock | undefined;
}

/** Connections, access tokens and manners towards one service. To be shared: one a process is enough. */
export interface Client {
  /**
   * One organization, seen with these credentials. Cheap: equal credentials share their access tokens.
   * @param secrets what no error text may hold, besides the secrets that are sent and received
   */
  organization(
    organizationId: string,
    credentials: Credentials,
    secrets?: readonly string[],
  ): OrganizationApi;
  /** Closes the connections once the running requests have ended; no call can be made after. */
  close(): Promise<void>;
}

/** @throws TypeError where an address is no http(s) address, or holds a user name or password */
export function createClient(settings: ClientSettings): Client {
  const { timeoutMs = 30_000, concurrency = 16, clock = systemClock } = settings;
  const origins = new Map<string, Origin>();
  const open = (key: string, address: string): Endpoint => {
    const url = readAddress(key, address);
    const origin = origins.get(url.origin) ?? new Origin(url.origin, { clock, timeoutMs, concurrency });
    origins.set(url.origin, origin);
    return { origin, path: url.pathname, shown: url.origin + url.pathname };
  };
  const orgEndpoint = open("orgseat:orgUrl", settings.orgUrl);
  const tokenEndpoint = open("orgseat:tokenUrl", settings.tokenUrl);
  const redactor = new Redactor();
  const sender = new Sender({
    calls: { ...orgEndpoint, path: orgEndpoint.path.replace(/\/+$/, "") },
    tokens: { ...tokenEndpoint, path: tokenEndpoint.path + new URL(settings.tokenUrl).search },
    dialectName: settings.dialect.name,
    redactor,
    clock,
  });
  return {
    organization: (organizationId, credentials, secrets = []) => {
      for (const secret of secrets) redactor.add(secret);
      return organizationApi(sender, organizationId, credentials);
    },
    close: async () => {
      await Promise.all([...origins.values()].map((origin) => origin.close()));
    },
  };
}

function readAddress(key: string, address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError(`${key} is not an http or https address`);
  if (url.username || url.password) throw new TypeError(`${key} must not hold a user name or password`);
  return url;
}

function organizationApi(sender: Sender, organizationId: string, credentials: Credentials): OrganizationApi {
  const org = { org_id: organizationId };

  async function ask<Path extends string, Request, Answer>(
    call: Call<Path, Request, Answer>,
    variables: PathVariables<Path>,
    body: Request | undefined,
    operation: Operation,
  ): Promise<Answer> {
    const reply = await sender.send(call, variables, body, credentials, operation);
    if (reply.gone) throw new Error("only a delete finds something gone");
    return reply.answer;
  }

  async function remove<Path extends string>(
    call: Call<Path, unknown, unknown>,
    variables: PathVariables<Path>,
    operation: Operation,
  ): Promise<Deleted> {
    const reply = await sender.send(call, variables, undefined, credentials, operation);
    return reply.gone ? "gone" : "deleted";
  }

  return {
    createServiceAccount: (name, operation) => ask(calls.createServiceAccount, org, { name }, operation),
    listServiceAccounts: (operation) => ask(calls.listServiceAccounts, org, undefined, operation),
    deleteServiceAccount: (clientId, operation) =>
      remove(calls.deleteServiceAccount, { ...org, client_id: clientId }, operation),
    createUser: (user, operation) => ask(calls.createUser, org, user, operation),
    assignSeat: async (userId, operation) => {
      await ask(calls.assignSeat, { ...org, user_id: userId }, undefined, operation);
    },
    issueToken: (userId, expiresAt, operation) =>
      ask(calls.issueToken, { ...org, user_id: userId }, { expires_at: expiresAt }, operation),
    renewToken: (userId, operation) =>
      ask(calls.renewToken, { ...org, user_id: userId }, undefined, operation),
    revokeToken: (userId, operation) => remove(calls.revokeToken, { ...org, user_id: userId }, operation),
    removeSeat: (userId, operation) => remove(calls.removeSeat, { ...org, user_id: userId }, operation),
    removeUser: (userId, operation) => remove(calls.removeUser, { ...org, user_id: userId }, operation),
  };
}

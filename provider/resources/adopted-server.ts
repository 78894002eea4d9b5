/** Finds the server that a ModelServer adopts by its id. */
import type { Capabilities } from "../api/dialect.ts";
import { nearest } from "../util/nearest.ts";
import type { CallContext, ModelAccess } from "./resource.ts";
import { forgetServers, type KnownServer, listServersOnce, readServer } from "./server-calls.ts";

/** @throws where the service does not list it; the error names what it lists */
export async function findServer(
  serverId: string,
  owner: ModelAccess,
  context: CallContext,
): Promise<KnownServer> {
  const known = (await listServersOnce(owner, context)).find(({ id }) => id === serverId);
  if (known) return known;
  // The cached list may be older than a server that the program just created.
  forgetServers(owner, context);
  const server = await readServer(serverId, owner, context);
  if (server) return server;
  throw unknownServer(serverId, await listServersOnce(owner, context), context.can);
}

const NAMED_AT_MOST = 10;

function unknownServer(serverId: string, servers: readonly KnownServer[], can: Capabilities): Error {
  const tagged = servers.filter(({ tag }) => tag === serverId);
  const suggestion = nearest(
    serverId,
    servers.map(({ id }) => id),
  );
  const named = servers.slice(0, NAMED_AT_MOST).map(({ id, tag }) => (tag ? `${id} (${tag})` : id));
  const more = servers.length > NAMED_AT_MOST ? `, and ${servers.length - NAMED_AT_MOST} more` : "";
  const there = servers.length === 0 ? "it lists none" : `it lists ${named.join(", ")}${more}`;
  const missing = `serverId: the service lists no server with the id ${serverId}; ${there}.`;
  if (tagged.length > 0) {
    const ids = tagged.map(({ id }) => id).join(" or ");
    return new Error(`${missing} ${serverId} is a tag. Set the id, ${ids}.`);
  }
  const hint = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
  if (can.canCreateServers) {
    return new Error(
      `${missing}${hint} Correct the id, or set \`serverConfig\` instead to create a server, then run \`pulumi up\` again.`,
    );
  }
  return new Error(
    `${missing}${hint} The API cannot create servers: create it in the service, set its id here, then run \`pulumi up\` again.`,
  );
}

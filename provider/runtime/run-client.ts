/** The one client of a run: connects at the first request, with the credentials of a resource or the configured ones. */

import type { Area } from "../api/calls/call.ts";
import type { ModelApi } from "../api/calls/models.ts";
import type { OrganizationApi } from "../api/calls/organization.ts";
import type { Client } from "../api/client.ts";
import type { Settings } from "../config/settings.ts";
import type { ModelAccess, OrganizationAccess } from "../resources/contexts.ts";
import type { WritesByMethod } from "../safety/method-writes.ts";
import {
  configurationErrorOf,
  connect,
  organizationCredentials,
  weakSecrets,
} from "../service/connection.ts";
import { CodedError } from "../util/error-codes.ts";
import type { Clock, TimeLimit } from "../util/instants.ts";
import type { RunMessages } from "./run-messages.ts";

interface ClientDependencies {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly messages: RunMessages;
  readonly warn: (text: string) => void;
  readonly writes: WritesByMethod;
}

export class RunClient {
  readonly #parts: ClientDependencies;
  #client: Client | undefined;

  constructor(parts: ClientDependencies) {
    this.#parts = parts;
  }

  organization(owner: OrganizationAccess): OrganizationApi {
    const { settings, messages, warn } = this.#parts;
    const credentials = organizationCredentials(settings, owner.credentials);
    for (const text of weakSecrets(credentials)) if (messages.isFirst(text)) warn(text);
    const secrets = [owner.token, owner.clientSecret].filter((secret) => secret !== undefined);
    return this.#connect("organization").organization(owner.organizationId, credentials, secrets);
  }

  models(owner: ModelAccess): ModelApi {
    const secrets = typeof owner.password === "string" ? [owner.password] : [];
    const { apiKey } = this.#parts.settings;
    return this.#connect("model").models(owner.credentials ?? { apiKey }, secrets);
  }

  /**
   * How far this machine's clock is ahead of the service's, in milliseconds; undefined if the service does not say. Without a
   * response so far, gets an access token, which the next request of the resource needs anyway, or, with an administrator's token, reads. A refusal has a date too.
   */
  async clockSkewMs(owner: OrganizationAccess, operation: TimeLimit): Promise<number | undefined> {
    const client = this.#connect("organization");
    const credentials = organizationCredentials(this.#parts.settings, owner.credentials);
    if (client.clockSkewMs() === undefined) {
      const isRead = credentials.serviceAccount === undefined && credentials.user?.adminToken !== undefined;
      const first = isRead
        ? client.organization(owner.organizationId, credentials).listServiceAccounts(operation)
        : client.authenticate(credentials, operation);
      await first.catch(() => undefined);
    }
    return client.clockSkewMs();
  }

  /** Closes the connections. Pulumi ends the whole process instead. */
  async close(): Promise<void> {
    await this.#client?.close();
  }

  #connect(area: Area): Client {
    const { settings, clock, messages, warn, writes } = this.#parts;
    const error = configurationErrorOf(settings, area);
    if (error !== undefined) throw new CodedError("invalid-configuration", messages.once(error));
    this.#client ??= connect(settings, clock, warn, writes);
    return this.#client;
  }
}

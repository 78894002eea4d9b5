/** An organization whose service accounts a stack manages, on a clock that a test sets. */
import { expect } from "vitest";
import { createClient, type OrganizationApi, platforms } from "../../provider/api/index.ts";
import type { DirectResource, DirectStack } from "../setup/direct.ts";
import { type DirectOrganization, operation, organizationOn } from "./listed.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export function bot(args: Record<string, unknown>, name = "bot"): DirectResource[] {
  return [{ type: "ServiceAccount", name, args }];
}

export function credentialsIn(outs: Readonly<Record<string, unknown>> | undefined): Credentials {
  return { clientId: String(outs?.clientId), clientSecret: String(outs?.clientSecret) };
}

export class Accounts {
  readonly organization: DirectOrganization;
  stack: DirectStack;
  now = Date.parse("2026-11-22T10:00:00Z");
  #program: readonly DirectResource[] = [];

  constructor(organization: DirectOrganization, environment: Readonly<Record<string, string>>) {
    this.organization = organization;
    this.stack = organization.stack(environment);
    this.stack.now = () => this.now;
  }

  get organizationId(): string {
    return this.organization.organizationId;
  }

  get administrator() {
    const { username, password } = this.organization.service.seed;
    return { username, password };
  }

  /** @param program default: the last one @returns what the run said */
  async up(
    program = this.#program,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<readonly string[]> {
    this.#program = program;
    const { errors, messages } = await this.stack.run(program, { environment });
    expect(errors).toEqual([]);
    return messages.map(({ text }) => text);
  }

  preview(): Promise<string[]> {
    return this.stack.preview(this.#program);
  }

  async destroy(): Promise<void> {
    expect((await this.stack.destroy()).errors).toEqual([]);
  }

  outs(name = "bot"): Readonly<Record<string, unknown>> {
    return this.stack.state.get(name)?.outs ?? {};
  }

  own(name = "bot"): Credentials {
    return credentialsIn(this.outs(name));
  }

  /** Removes an output from the state, which an imported account lacks. */
  forget(output: string, name = "bot"): void {
    const recorded = this.stack.state.get(name);
    if (recorded === undefined) throw new Error(`${name} is not in the state`);
    const { [output]: _, ...outs } = recorded.outs;
    this.stack.state.set(name, { ...recorded, outs });
  }

  /** Whether the service gives an access token for the secret. */
  async works({ clientId, clientSecret }: Credentials): Promise<boolean> {
    const body = new URLSearchParams({
      ...{ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret },
    });
    return (await fetch(this.organization.service.tokenUrl, { method: "POST", body })).ok;
  }

  /** The client ids in the service, without that of the tests. */
  async ids(): Promise<Set<string>> {
    const { serviceAccounts } = await this.organization.service.management.snapshot();
    const ids = serviceAccounts.map(({ clientId }) => clientId);
    return new Set(ids.filter((id) => id !== this.organization.account.clientId));
  }

  async deleteByHand(clientId: string): Promise<void> {
    await this.#byHand((api) => api.deleteServiceAccount(clientId, operation));
  }

  async #byHand<T>(work: (api: OrganizationApi) => Promise<T>): Promise<T> {
    const { orgUrl, tokenUrl } = this.organization.service;
    const client = createClient({ orgUrl, tokenUrl, platform: platforms.basic });
    try {
      const credentials = { user: this.administrator, serviceAccount: undefined };
      return await work(client.organization(this.organizationId, credentials));
    } finally {
      await client.close();
    }
  }

  /** The calls since the last time, without those for access tokens. */
  async calls() {
    return (await this.organization.calls()).filter((call) => call !== "token");
  }
}

export async function accountsOf(environment: Readonly<Record<string, string>> = {}): Promise<Accounts> {
  return new Accounts(await organizationOn("basic", {}), environment);
}

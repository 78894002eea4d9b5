/** The client of the management API, for tests and for the verbs of the sandbox. */
import { z } from "zod";
import { type Fault, type FaultRule, faultRuleSchema } from "../base/fault-injection.ts";
import {
  type AdminChange,
  type ClockAnswer,
  clockAnswerSchema,
  type NewAdmin,
  type ProbeAnswer,
  probeAnswerSchema,
  type SubscriptionChange,
  type TokenChange,
  type UserChange,
} from "../base/management-schemas.ts";
import { type LoggedRequest, loggedRequestSchema } from "../base/request-log.ts";
import { type ClockSetting, type NewOrganization, type Switches, switchesSchema } from "../base/settings.ts";
import { type Email, outboxSchema } from "../organization/outbox.ts";
import { ModelManagement } from "./model-management.ts";
import type { OddItem } from "./odd-items.ts";
import { type ServiceSnapshot, serviceSnapshotSchema } from "./snapshot.ts";

const requestsSchema = z.array(loggedRequestSchema);
const faultsSchema = z.array(z.object({ rule: faultRuleSchema, seen: z.number(), hits: z.number() }));

/** An active fault rule. `seen` counts the requests that matched, `hits` those with the fault. */
export interface FaultState {
  readonly rule: { readonly fault: Fault };
  readonly seen: number;
  readonly hits: number;
}

/**
 * Calls the management API of a running service. Every method throws an `Error` with the text of an error response.
 */
export class Management {
  readonly #url: string;
  readonly #send: (request: Request) => Response | Promise<Response>;
  /** The model area: keys, models, servers. */
  readonly models = new ModelManagement((method, path, body) => this.#request(method, path, body));

  /**
   * @param url the `managementUrl` of the service.
   * @param send sends requests; by default over the network.
   */
  constructor(
    url: string,
    send: (request: Request) => Response | Promise<Response> = (request) => fetch(request),
  ) {
    this.#url = url;
    this.#send = send;
  }

  clock(): Promise<ClockAnswer> {
    return this.#get("/clock", clockAnswerSchema);
  }

  /** `{ offsetMs }` shifts real time, `{ fixedAt }` stops it, `{}` restores real time. */
  setClock(clock: ClockSetting): Promise<void> {
    return this.#do("PUT", "/clock", clock);
  }

  /** Advances the clock. */
  async advance(ms: number): Promise<void> {
    const { now, setting } = await this.clock();
    if ("fixedAt" in setting) return this.setClock({ fixedAt: new Date(Date.parse(now) + ms).toISOString() });
    return this.setClock({ offsetMs: setting.offsetMs + ms });
  }

  switches(): Promise<Switches> {
    return this.#get("/switches", switchesSchema);
  }

  /** Sets the named switches. */
  setSwitches(change: Partial<Switches>): Promise<void> {
    return this.#do("PATCH", "/switches", change);
  }

  /** Replaces the items of lists that have a form of no description. */
  setOddItems(...items: OddItem[]): Promise<void> {
    return this.#do("PUT", "/odd-items", items);
  }

  addOrganization(seed: NewOrganization): Promise<void> {
    return this.#do("POST", "/organizations", seed);
  }

  /** A new expiry renews the subscription (D36). Seats are the total of the organization. */
  changeSubscription(organizationId: string, change: SubscriptionChange): Promise<void> {
    return this.#do("PATCH", `/organizations/${encodeURIComponent(organizationId)}/subscription`, change);
  }

  addAdmin(admin: NewAdmin): Promise<void> {
    return this.#do("POST", "/admins", admin);
  }

  /** Changes an admin's rights or password. */
  changeAdmin(username: string, change: AdminChange): Promise<void> {
    return this.#do("PATCH", `/admins/${encodeURIComponent(username)}`, change);
  }

  /** Creates an account for an email: "onboard users" skips it (rule 2). */
  addAccount(email: string): Promise<void> {
    return this.#do("POST", "/individual-accounts", { email });
  }

  /** "onboard users" accepts the email from now on, but the person never joins the organization (rule 4). */
  failOnboarding(email: string): Promise<void> {
    return this.#do("POST", "/onboarding-problems", { email });
  }

  /** Changes a user behind the back of every client. */
  changeUser(userId: string, change: UserChange): Promise<void> {
    return this.#do("PATCH", `/users/${userId}`, change);
  }

  /** Removes a user with seat and tokens. */
  removeUser(userId: string): Promise<void> {
    return this.#do("DELETE", `/users/${userId}`);
  }

  changeToken(tokenId: string, change: TokenChange): Promise<void> {
    return this.#do("PATCH", `/tokens/${tokenId}`, change);
  }

  snapshot(): Promise<ServiceSnapshot> {
    return this.#get("/snapshot", serviceSnapshotSchema);
  }

  outbox(): Promise<Email[]> {
    return this.#get("/outbox", outboxSchema);
  }

  /** Whether a token's value is valid now. */
  async probe(token: string): Promise<ProbeAnswer> {
    return probeAnswerSchema.parse(await (await this.#request("POST", "/tokens/probe", { token })).json());
  }

  /** The requests of the public API with a number above `since`, oldest first. */
  requests(since = 0): Promise<LoggedRequest[]> {
    return this.#get(`/requests?since=${since}`, requestsSchema);
  }

  clearRequests(): Promise<void> {
    return this.#do("DELETE", "/requests");
  }

  /** Adds rules after the active ones. */
  addFaults(...rules: FaultRule[]): Promise<void> {
    return this.#do("POST", "/faults", rules);
  }

  faults(): Promise<FaultState[]> {
    return this.#get("/faults", faultsSchema);
  }

  clearFaults(): Promise<void> {
    return this.#do("DELETE", "/faults");
  }

  /** Restores the seed: data, clock, switches, faults, log. Deletes all access tokens and credentials. */
  reset(): Promise<void> {
    return this.#do("POST", "/reset");
  }

  async #get<Output>(path: string, schema: z.ZodType<Output>): Promise<Output> {
    return schema.parse(await (await this.#request("GET", path)).json());
  }

  async #do(method: string, path: string, body?: unknown): Promise<void> {
    await (await this.#request(method, path, body)).arrayBuffer();
  }

  async #request(method: string, path: string, body?: unknown): Promise<Response> {
    const init =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const answer = await this.#send(new Request(`${this.#url}${path}`, { method, ...init }));
    if (answer.ok) return answer;
    throw new Error(`management ${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  }
}

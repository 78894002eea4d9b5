/** Where random rosters are run: a service, the file of the roster, and an engine of level R. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../../command/engine/engine.ts";
import { membersIn } from "../../command/members/state-members.ts";
import type { PreviewOptions } from "../../command/preview/options.ts";
import { type Preview, previewOf } from "../../command/preview/preview.ts";
import type { NewPerson } from "../../command/roster/write.ts";
import { type NewRoster, newRoster } from "../../command/roster/write.ts";
import { apply } from "../../command/run/apply.ts";
import {
  type Organization,
  type OrganizationOptions,
  openOrganization,
} from "../../command/stacks/organization.ts";
import { stateOf } from "../../command/stacks/stack-state.ts";
import { type UpOptions, type UpResult, upAll, writeRosterId } from "../../command/verbs/up.ts";
import { createClient, type OrganizationApi, platforms, type TimeLimit } from "../../provider/api/index.ts";
import type {
  LoggedRequest,
  PlatformName,
  ServiceOptions,
  ServiceSnapshot,
} from "../../sandbox/service/index.ts";
import { configurationOf } from "../setup/direct.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { hangMs } from "../setup/limits.ts";
import { makeServiceAccount, type Sandbox, sandbox, temporaryFolder } from "../setup/sandbox.ts";

/** How an organization is opened, beside its roster. */
export interface Opening extends Partial<OrganizationOptions> {
  readonly engine?: Engine;
  readonly now?: () => number;
}

/** What the roster's file shall say, or its text; or the people alone. */
export type Wanted = NewRoster | string | readonly NewPerson[];

export type User = ServiceSnapshot["users"][number];

/** What the service has of a user. */
export interface Held {
  readonly who: string;
  readonly seat: boolean;
  /** When those that are not revoked expire. */
  readonly tokens: readonly string[];
}

/** A write that the service has done. */
export interface CompletedCall {
  readonly call: number;
  readonly userId: string;
}

/** Calls by which someone loses something. */
const TAKING: ReadonlySet<number> = new Set([9, 10, 11]);

export class Fixture {
  readonly sandbox: Sandbox;
  readonly engine: DirectEngine;
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;

  constructor(
    service: Sandbox,
    { engine, file, environment }: Pick<Fixture, "engine" | "file" | "environment">,
  ) {
    this.sandbox = service;
    this.engine = engine;
    this.file = file;
    this.environment = { ...environment, ORGSEAT_COMMIT: "0000000" };
  }

  /** The same service and engine with a roster in another file. */
  beside(file: string): Fixture {
    const environment = { ...this.environment };
    return new Fixture(this.sandbox, { engine: this.engine, file, environment });
  }

  get organizationId(): string {
    return this.sandbox.organizationId;
  }

  /** A roster of these people. */
  rosterOf(people: readonly NewPerson[], more: Partial<NewRoster> = {}): NewRoster {
    return { organizationId: this.organizationId, people, ...more };
  }

  /** @param wanted default: the file as it is now */
  open(wanted: Wanted = this.text(), { engine, now, ...options }: Opening = {}): Promise<Organization> {
    const text = typeof wanted === "string" ? wanted : newRoster(this.#rosterOf(wanted), "csv");
    writeFileSync(this.file, this.#withId(text));
    return openOrganization(
      { roster: this.file, ...options, environment: { ...this.environment, ...options.environment } },
      { engine: engine ?? this.engine, ...(now && { now }) },
    );
  }

  /** The organization with the roster as its file is now. */
  reopen(options: Opening = {}): Promise<Organization> {
    return this.open(undefined, options);
  }

  async preview(wanted?: Wanted, options: PreviewOptions = {}): Promise<Preview> {
    return previewOf(await this.open(wanted), options);
  }

  async up(wanted?: Wanted, options: UpOptions = {}): Promise<UpResult> {
    return upAll(await this.open(wanted), options);
  }

  /** Makes the service refuse a call, so many times. */
  refuse(call: number, status: number, times: number | "always" = "always"): Promise<void> {
    const fault = { kind: "refuse", status } as const;
    return this.sandbox.service.management.addFaults({ match: { call }, times, fault });
  }

  /** The text of the roster's file. */
  text(): string {
    return readFileSync(this.file, "utf8");
  }

  #rosterOf(wanted: NewRoster | readonly NewPerson[]): NewRoster {
    return "organizationId" in wanted ? wanted : this.rosterOf(wanted);
  }

  /** The text with the roster's id, once the file has been applied: people keep it when they edit the rest. */
  #withId(text: string): string {
    const known = existsSync(this.file) ? /^# roster: .*\n/m.exec(this.text()) : null;
    if (known === null || text.includes(known[0])) return text;
    return text.replace(/^# organization: .*\n/, (line) => line + known[0]);
  }

  /** Makes the organization as a roster says, past all guards. @returns the user id of each key */
  async bring(wanted: Wanted): Promise<Map<string, string>> {
    const organization = await this.open(wanted);
    // Whoever comes back under another key has to be gone first.
    const failure = (await this.#runPast(organization)) && (await this.#runPast(organization));
    if (failure) throw new Error(`not everything is as the roster says: ${failure}`);
    await writeRosterId(organization, organization.rosterId);
    await this.sandbox.requests();
    return this.userIds(organization);
  }

  /** @returns what failed; empty if nothing did */
  async #runPast(organization: Organization): Promise<string> {
    const preview = await previewOf(organization, {});
    if (!preview.plan.hasChanges) return "";
    const { results, failure } = await apply(organization, preview, {});
    return [failure?.text, ...results.map(({ text }) => text)].filter(Boolean).join("; ");
  }

  /** The user id of each key, as the state has it. */
  async userIds({ engine, stack }: Organization): Promise<Map<string, string>> {
    const members = membersIn(stack, await stateOf(engine, stack));
    return new Map(members.flatMap(({ key, userId }) => (userId === undefined ? [] : [[key, userId]])));
  }

  /** Makes a member whom no one manages. @returns the user id */
  makeMember({ email, purpose, seat, token }: NewPerson): Promise<string> {
    const { subscriptionExpiresAt } = this.sandbox.service.seed;
    return this.behindOurBack(async (api, operation) => {
      const { id } = await api.createUser({ email, first_name: purpose }, operation);
      if (seat) await api.assignSeat(id, operation);
      if (token) await api.issueToken(id, subscriptionExpiresAt, operation);
      return id;
    });
  }

  /** Calls of someone else, past every state. */
  async behindOurBack<T>(work: (api: OrganizationApi, operation: TimeLimit) => Promise<T>): Promise<T> {
    const { orgUrl, tokenUrl } = this.sandbox.service;
    const { username, password } = this.sandbox.service.seed;
    const { ORGSEAT_CLIENT_ID: clientId = "", ORGSEAT_CLIENT_SECRET: clientSecret = "" } = this.environment;
    const client = createClient({ orgUrl, tokenUrl, platform: platforms[this.sandbox.service.platform] });
    try {
      const credentials = { user: { username, password }, serviceAccount: { clientId, clientSecret } };
      const api = client.organization(this.organizationId, credentials);
      return await work(api, { deadline: performance.now() + hangMs });
    } finally {
      await client.close();
    }
  }

  /** Everybody at the service. */
  async users(): Promise<readonly User[]> {
    return (await this.sandbox.service.management.snapshot()).users;
  }

  /** What the service has of each user, by id. */
  async held(): Promise<Map<string, Held>> {
    const { users, tokens } = await this.sandbox.service.management.snapshot();
    const live = Map.groupBy(
      tokens.filter(({ revoked }) => !revoked),
      ({ userId }) => userId,
    );
    return new Map(
      users.map(({ userId, email, firstName, seat }) => {
        const own = live.get(userId) ?? [];
        return [userId, { who: email ?? firstName ?? userId, seat, tokens: own.map((one) => one.expiresAt) }];
      }),
    );
  }

  /** The same of one member, by email or purpose. */
  async heldBy({ email, purpose }: Pick<NewPerson, "email" | "purpose">): Promise<Held | undefined> {
    return [...(await this.held()).values()].find(({ who }) => who === (email ?? purpose));
  }

  /** The writes that the service has done since the requests were asked for last. */
  async done(): Promise<CompletedCall[]> {
    return completedCallsIn(await this.sandbox.requests());
  }

  /** The numbers of these calls. */
  async calls(): Promise<number[]> {
    return (await this.done()).map(({ call }) => call);
  }
}

export function completedCallsIn(requests: readonly LoggedRequest[]): CompletedCall[] {
  return requests.flatMap(({ call, status, userId }) =>
    typeof call === "number" && status !== null && status < 300 ? [{ call, userId: userId ?? "" }] : [],
  );
}

/** Who has lost a token, a seat or the membership. */
export function usersLosingAccessIn(done: readonly CompletedCall[]): Set<string> {
  return new Set(done.flatMap(({ call, userId }) => (TAKING.has(call) ? [userId] : [])));
}

/**
 * A fixture of level R. @param seats that the organization has bought @param platform default: `basic`
 * @param now of the provider; default: the machine's
 */
export async function directFixture(
  seats: number,
  platform: PlatformName = "basic",
  now?: () => number,
  more: Pick<ServiceOptions, "newId"> = {},
): Promise<Fixture> {
  const service = await sandbox({ seats }, temporaryFolder(), platform, more);
  const environment = {
    ...configurationOf(service, await makeServiceAccount(service)),
    ORGSEAT_PLATFORM: platform,
  };
  // A test moves the clock of the provider alone.
  if (now !== undefined) await service.service.management.setSwitches({ dateHeader: "none" });
  await service.requests();
  const engine = new DirectEngine(environment, now);
  return new Fixture(service, { engine, environment, file: join(temporaryFolder(), "people.csv") });
}

/** A fixture in which these people are as they are declared, and their user ids. */
export async function broughtFixture(
  people: readonly NewPerson[],
  more: Partial<NewRoster> = {},
  platform: PlatformName = "basic",
): Promise<{ fixture: Fixture; idOf: (key: string) => string }> {
  const fixture = await directFixture(100, platform);
  const ids = await fixture.bring(fixture.rosterOf(people, more));
  return { fixture, idOf: (key) => ids.get(key) ?? "" };
}

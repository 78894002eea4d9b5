/** Members whose plans run against the sandbox service, each run in a provider process of its own. */
import { expect, onTestFinished } from "vitest";
import { type Executed, execute, valueAfter } from "../../../../provider/member/execute/execute.ts";
import { readMember } from "../../../../provider/member/execute/reading.ts";
import { type Held, nothingHeld } from "../../../../provider/member/held.ts";
import { observe } from "../../../../provider/member/observe.ts";
import type { Plan, Unit } from "../../../../provider/member/step.ts";
import { stepsOf } from "../../../../provider/member/steps/steps-of.ts";
import type { Wanted, WantedMember } from "../../../../provider/member/wanted.ts";
import type { CallContext } from "../../../../provider/resources/contexts.ts";
import type { Kept } from "../../../../provider/resources/user-token/sealing.ts";
import { ProviderProcess } from "../../../../provider/runtime/process.ts";
import type { PlatformName, ServiceSnapshot } from "../../../../sandbox/service/index.ts";
import { organizationOn } from "../../../resources/listed.ts";
import { pausesOnly } from "../../../setup/direct-providers.ts";

export type LiveOrganization = Awaited<ReturnType<typeof liveOrganization>>;

export async function liveOrganization(platform: PlatformName) {
  const organization = await organizationOn(platform);
  const { management } = organization.service;
  const { organizationId } = organization;
  return {
    ...organization,
    platform,
    management,
    snapshot: () => management.snapshot(),
    /** The calls about users, seats, and tokens since the requests were asked for last. */
    writes: async () =>
      (await organization.calls()).filter(
        (call): call is number => typeof call === "number" && call >= 5 && call <= 11,
      ),
    endOfSubscription: async () =>
      (await management.snapshot()).organizations.find((one) => one.organizationId === organizationId)
        ?.subscriptionExpiresAt ?? "",
  };
}

/** A run: the process and the turns that all its members share. */
export class LiveRun {
  readonly organization: LiveOrganization;
  readonly said: string[] = [];
  /** How far this machine's clock is ahead. */
  aheadMs = 0;
  readonly #process: ProviderProcess;

  constructor(organization: LiveOrganization, environment: Readonly<Record<string, string>> = {}) {
    this.organization = organization;
    this.#process = new ProviderProcess({
      environment: {
        ...organization.configuration,
        ORGSEAT_MAX_REMOVALS: "1000",
        ORGSEAT_OPERATION_TIMEOUT: "8s",
        ...environment,
      },
      clock: { ...pausesOnly(), now: () => Date.now() + this.aheadMs },
      log: () => ({
        write: (_, text) => void this.said.push(text),
        flush: () => Promise.resolve(),
      }),
    });
    onTestFinished(() => this.#process.close());
  }

  cancel(): void {
    this.#process.cancel();
  }

  context(): CallContext {
    return this.#process.callContext();
  }

  callContext(): CallContext {
    return this.#process.callContext();
  }

  method<T>(work: () => Promise<T>): Promise<T> {
    return this.#process.writes.run([], work);
  }
}

let count = 0;

export class LiveMember {
  held: Held;
  kept: Kept = {};
  readonly organization: LiveOrganization;

  constructor(organization: LiveOrganization) {
    count += 1;
    this.organization = organization;
    this.held = nothingHeld(`m-${count}`);
  }

  get access() {
    return { organizationId: this.organization.organizationId };
  }

  async run(
    wanted: Wanted,
    run = new LiveRun(this.organization),
    isApproved?: (unit: Unit) => boolean,
  ): Promise<Executed> {
    const executed = await run.method(() =>
      execute({ stored: this.held, wanted, access: this.access, isApproved }, run.context()),
    );
    this.held = executed.held;
    this.kept = valueAfter(executed, this.kept);
    return executed;
  }

  plan(wanted: Wanted): Plan {
    const { context } = { context: new LiveRun(this.organization).context() };
    return stepsOf(observe(this.held, {}), wanted, context.now, context.can);
  }

  /** Runs until nothing is left to do. A person who reads the errors sets the user id. @returns what was wanted at last */
  async converge(wanted: Wanted): Promise<Wanted> {
    let now = wanted;
    const failures: string[] = [];
    for (let round = 0; round < 6; round++) {
      const { failure } = await this.run(now);
      if (failure === undefined && this.plan(now).units.length === 0) return now;
      failures.push(failure?.message ?? "no failure");
      const userId = now.leaving ? undefined : await this.#decided(now);
      if (failure !== undefined && userId !== undefined && !now.leaving)
        now = { ...now, userId, onDeleteUser: "delete", onDeleteSeat: "delete" };
    }
    throw new Error(`no end: ${failures.join("\n")}\n${JSON.stringify(this.held)}`);
  }

  /** Who has the address, if this member does not know. */
  async #decided({ email, userId }: WantedMember): Promise<string | undefined> {
    if (userId !== undefined || this.held.pending === undefined) return undefined;
    const { users } = await this.organization.snapshot();
    return users.find((one) => one.email === email)?.userId;
  }

  /** What the service has of these addresses, or purposes. */
  async there(...names: readonly string[]) {
    const { users, tokens } = await this.organization.snapshot();
    return users
      .map(({ email, firstName, ...user }) => ({ ...user, email: email ?? firstName }))
      .filter(({ email }) => email !== null && names.includes(email))
      .map(({ userId, email, seat }) => ({ email, seat, tokens: liveOf(tokens, userId) }));
  }

  /** The service has exactly what is wanted, and the outputs the value of the live token. */
  async expectAsWanted(wanted: Wanted, ...emails: readonly string[]): Promise<void> {
    const there = await this.there(...emails);
    if (wanted.leaving) return expect(there).toEqual([]);
    const { email, seat, token } = wanted;
    expect(there).toEqual([{ email, seat, tokens: token === undefined ? [] : [expect.any(String)] }]);
    expect(this.held.users).toHaveLength(1);
    expect(this.held.pending).toBeUndefined();
    if (token === undefined) return;
    const { management } = this.organization;
    expect(await management.probe(this.kept.value ?? "no value")).toMatchObject({ live: true });
  }
}

function liveOf(tokens: ServiceSnapshot["tokens"], userId: string): string[] {
  return tokens.filter((one) => one.userId === userId && !one.revoked).map(({ hash }) => hash);
}

/** A member whom a first run has added, with seat and token. */
export async function joined(organization: LiveOrganization, more: Partial<WantedMember> = {}) {
  const member = new LiveMember(organization);
  const email = address("joined");
  const wanted = person(email, await organization.endOfSubscription(), more);
  expect((await member.run(wanted)).failure).toBeUndefined();
  await organization.requests();
  return { member, wanted, email, id: member.held.users[0]?.id ?? "" };
}

/** What a refresh of a member finds. */
export function read(member: LiveMember, run = new LiveRun(member.organization)) {
  return run.method(() =>
    readMember({ held: member.held, access: member.access, context: run.callContext() }),
  );
}

export function address(name: string): string {
  count += 1;
  return `${name}-${count}@acme.example`;
}

/** A person with seat and token. */
export function person(email: string, end: string, more: Partial<WantedMember> = {}): WantedMember {
  return { email, seat: true, token: {}, subscriptionExpiresAt: end, ...more };
}

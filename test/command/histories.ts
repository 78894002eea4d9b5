/**
 * Random histories of one organization: its list changes, commands are killed and lose answers, others change the same
 * organization meanwhile, another roster comes to the same stack, an older state is restored, members are adopted, guards
 * stop a roster, and people are swapped without a free seat. After each command the service is compared with what the
 * command's preview showed, in numbers too, and with what its result says.
 */
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { membersIn } from "../../command/members/state-members.ts";
import type { Preview } from "../../command/preview/preview.ts";
import { readRoster } from "../../command/roster/read.ts";
import { withAccess } from "../../command/roster/roster.ts";
import type { Organization } from "../../command/stacks/organization.ts";
import { stateOf } from "../../command/stacks/stack-state.ts";
import { adoptPeople } from "../../command/verbs/adopt.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { renewTokens, rotateTokens } from "../../command/verbs/tokens.ts";
import type { UpOptions, UpResult } from "../../command/verbs/up.ts";
import { upAll } from "../../command/verbs/up.ts";
import { calls } from "../../provider/api/calls/calls.ts";
import type { LoggedRequest, ServiceSnapshot } from "../../sandbox/service/index.ts";
import type { Cutoff, CutoffProxy } from "../setup/cutoff-proxy.ts";
import type { DirectEngine } from "../setup/direct-engine.ts";
import { temporaryFolder } from "../setup/sandbox.ts";
import { expectEntries } from "./entry-properties.ts";
import type { Fixture } from "./fixture.ts";
import { deathOf, expectCounted, expectTrue, stopsOf } from "./history-checks.ts";
import {
  type Draw,
  drawnPeople,
  limitOf,
  type NewPerson,
  type NewRoster,
  person,
  someOf,
  withLoss,
} from "./people.ts";

/** What a step of a history may be. */
const happenings = [
  ...(["up", "up killed", "answers lost", "rival", "hand edit", "edit before the answer"] as const),
  ...(["second roster", "older state", "offboard", "rotate", "rotate killed", "adopt", "renew"] as const),
  ...(["no free seat", "stopped", "up", "up", "up killed", "answers lost"] as const),
] as const;
export type HistoryEvent = (typeof happenings)[number];

type Command = (organization: Organization, options: UpOptions) => Promise<UpResult>;

/** What a command meets. */
interface Circumstances {
  readonly death?: Cutoff | undefined;
  /** The call whose answers are lost. */
  readonly lost?: number;
  /** Happens between the preview and the writes. */
  readonly meanwhile?: ((engine: DirectEngine) => Promise<void>) | undefined;
  /** The user whose token the command revokes by name, before any preview. */
  readonly offboarded?: string | undefined;
}

/** What a command came to. */
interface Ending {
  /** Undefined if it was killed. */
  readonly result: UpResult | undefined;
  readonly requests: readonly LoggedRequest[];
}

const DAY_MS = 86_400_000;

/** More than all histories of a service need. */
export const SEATS = 100_000;

export class History {
  readonly #fixture: Fixture;
  readonly #link: CutoffProxy;
  readonly #mark: string;
  readonly #now: () => number;
  readonly #stranger: { readonly fixture: Fixture; readonly roster: NewRoster };
  readonly #file = join(temporaryFolder(), "people.csv");
  /** It is another one after each command: what a killed one leaves is what the next one finds. */
  #engine: DirectEngine;
  #roster: NewRoster;
  #backup: DirectEngine | undefined;
  #steps = 0;
  #isRestored = false;
  #isUnrecorded = false;
  #isInterrupted = false;
  /** The ids of all users that the state has had. */
  readonly #managed = new Set<string>();

  /** @param now default: the machine's */
  constructor(fixture: Fixture, engine: DirectEngine, link: CutoffProxy, mark: string, now = Date.now) {
    this.#now = now;
    const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
    const { organizationId } = fixture;
    this.#fixture = fixture.beside(this.#file);
    this.#engine = engine;
    this.#link = link;
    this.#mark = mark;
    this.#roster = { organizationId, subscriptionExpiresAt, people: [] };
    this.#stranger = {
      fixture: fixture.beside(join(temporaryFolder(), "people.csv")),
      roster: { ...this.#roster, people: [person(`${mark}-x`)] },
    };
  }

  /** One step. @returns what it was */
  async goOn(draw: Draw): Promise<HistoryEvent> {
    const isFirst = this.#steps++ === 0;
    const happening = isFirst ? "up" : draw(() => fc.constantFrom(...happenings));
    await this.#steps_[happening](draw);
    // Of a creation whose answer no one recorded, a restored backend knows nothing.
    if (!this.#isRestored || !this.#isUnrecorded) await this.#expectNobodyTwice();
    return happening;
  }

  readonly #steps_: Readonly<Record<HistoryEvent, (draw: Draw) => Promise<void>>> = {
    up: (draw) => this.#up(draw, {}),
    "up killed": (draw) => this.#up(draw, { death: deathOf(draw) }),
    "answers lost": async (draw) => {
      const kind = draw(() => fc.constantFrom("cut-before" as const, "cut-after", "cut-middle"));
      const call = draw(() => fc.constantFrom(5, 6, 7, 8, 9, 10, 11));
      const { management } = this.#fixture.sandbox.service;
      await management.addFaults({ match: { call }, fault: { kind } });
      await this.#up(draw, { lost: call });
      await management.clearFaults();
    },
    rival: async (draw) => {
      const before = this.#roster;
      const rival = { ...before, people: this.#changed(draw) };
      await this.#up(draw, {
        meanwhile: async (engine) => {
          await upAll(await this.#open(rival, engine), {});
        },
      });
    },
    "hand edit": async (draw) => {
      await this.#editByHand(draw);
      await this.#up(draw, {});
    },
    "edit before the answer": (draw) => this.#up(draw, { meanwhile: () => this.#editByHand(draw) }),
    "second roster": async () => {
      const { fixture, roster } = this.#stranger;
      const people = await this.#fixture.userIds(await this.#open(this.#roster, this.#engine));
      // A stack of no one may be anybody's.
      if (people.size === 0) return;
      const open = (engine: DirectEngine): Promise<Organization> =>
        fixture.open(roster, { engine, ...this.#named() });
      const { result } = await this.#run(open, upAll, {});
      expect(result?.status).toBe("blocked");
    },
    "older state": async (draw) => {
      const backup = this.#backup;
      this.#backup = this.#engine.copy();
      // Whoever was made since is in no state any more: a person is refused as a member, a machine user waits for a decision.
      if (backup !== undefined) this.#isRestored = true;
      if (backup !== undefined) this.#engine = backup;
      await this.#up(draw, {});
    },
    offboard: async (draw) => {
      const free = this.#roster.people.filter((one) => !one.protected);
      const [person] = someOf(draw, free, Math.min(1, free.length));
      if (person === undefined) return;
      const ids = await this.#fixture.userIds(await this.#open(this.#roster, this.#engine));
      const userId = ids.get(person.key);
      if (userId === undefined) return;
      await this.#run(
        (engine) => this.#open(this.#roster, engine),
        (organization, options) =>
          offboardPeople(organization, [person.key], { ...options, lockTimeoutMs: 0 }),
        { offboarded: userId },
      );
      const people = this.#roster.people.filter((one) => one !== person);
      this.#roster = { ...this.#roster, people };
    },
    rotate: (draw) => this.#rotate(draw, {}),
    "rotate killed": (draw) => this.#rotate(draw, { death: deathOf(draw) }),
    renew: () => this.#renew(),
    adopt: (draw) => this.#adopt(draw),
    "no free seat": (draw) => this.#swap(draw),
    stopped: (draw) => this.#stopped(draw),
  };

  /** The subscription runs on. */
  async #renew(): Promise<void> {
    const { organizationId, subscriptionExpiresAt = "" } = this.#roster;
    const end = new Date(Date.parse(subscriptionExpiresAt) + 30 * DAY_MS).toISOString().replace(".000Z", "Z");
    await this.#fixture.sandbox.service.management.changeSubscription(organizationId, { expiresAt: end });
    this.#roster = { ...this.#roster, subscriptionExpiresAt: end };
    await this.#run((engine) => this.#open(this.#roster, engine), renewTokens, {});
  }

  /** Members whom no one manages, as the service has them; the command writes nothing. */
  async #adopt(draw: Draw): Promise<void> {
    const drawn = drawnPeople(draw, draw(fc.integer, { min: 1, max: 2 }), `${this.#mark}a${this.#steps}-`);
    const people = await Promise.all(
      drawn.map(async (listed) => {
        const person = { ...listed, token: false };
        return { ...person, userId: await this.#fixture.makeMember(person), place: "a file" };
      }),
    );
    const before = await this.#held();
    await this.#run(
      (engine) => this.#open(this.#roster, engine),
      (organization, options) => adoptPeople(organization, { ...options, people }),
      {},
    );
    expect(await this.#held()).toEqual(before);
    this.#roster = await readRoster(this.#file);
  }

  /** Everything is as the roster says. @returns the user ids by key; undefined if that waits for a decision */
  async #settled(): Promise<Map<string, string> | undefined> {
    const run = (): Promise<Ending> => this.#run((engine) => this.#open(this.#roster, engine), upAll, {});
    const { result } = await run();
    return result?.status === "succeeded"
      ? this.#fixture.userIds(await this.#open(this.#roster, this.#engine))
      : undefined;
  }

  /** One command swaps people who have a seat, at a service without a free one; who stays is not written at all. */
  async #swap(draw: Draw): Promise<void> {
    const ids = await this.#settled();
    const { users } = await this.#snapshot();
    const seated = new Set(users.flatMap(({ userId, seat }) => (seat ? [userId] : [])));
    const { people } = this.#roster;
    const declared = withAccess(people, [], this.#now());
    const leaver = declared.find(
      (person) => person.seat && !person.protected && seated.has(ids?.get(person.key) ?? ""),
    );
    // Without anybody, a guard stops the roster.
    if (ids === undefined || leaver === undefined || declared.length === 1) return;
    const [drawn] = drawnPeople(draw, 1, `${this.#mark}s${this.#steps}-`);
    const joins = draw(fc.boolean);
    const staying = people.filter(({ key }) => key !== leaver.key);
    const joining = joins && drawn ? [{ ...drawn, seat: true }] : [];
    const moved = staying.map((person) => ({ ...person, team: `team ${this.#steps}` }));
    this.#roster = { ...this.#roster, people: [...moved, ...joining] };
    const { management } = this.#fixture.sandbox.service;
    await management.changeSubscription(this.#fixture.organizationId, { seats: seated.size });
    const { result, requests } = await this.#run((engine) => this.#open(this.#roster, engine), upAll, {});
    await management.changeSubscription(this.#fixture.organizationId, { seats: SEATS });
    const violations = result?.preview.violations.map(({ text }) => text);
    expect({ ...result, violations }).toMatchObject({
      ...{ status: "succeeded", violations: [] },
      applied: { swapped: joins },
    });
    const stayed = new Set(staying.map(({ key }) => ids.get(key)));
    expect(requests.filter(({ call, userId }) => call !== "token" && stayed.has(userId ?? ""))).toEqual([]);
    expect(requests.filter(({ status }) => status === null || (status >= 400 && status !== 404))).toEqual([]);
  }

  /** A guard stops what is too much or makes no sense, and nothing is written. */
  async #stopped(draw: Draw): Promise<void> {
    const before = this.#roster;
    const added = drawnPeople(draw, 6, `${this.#mark}s${this.#steps}-`);
    this.#roster = { ...before, people: [...before.people, ...added] };
    if ((await this.#settled()) === undefined) return;
    const base = this.#roster;
    const { guard, roster, neverRemove = [] } = draw(() => fc.constantFrom(...stopsOf(draw, base)));
    const open = (engine: DirectEngine): Promise<Organization> =>
      this.#fixture.open(roster, { engine, neverRemove, ...this.#named() });
    const { result } = await this.#run(open, upAll, {});
    expect(result?.status, guard).toBe("blocked");
    expect(result?.preview.violations.map((violation) => violation.guard)).toContain(guard);
  }

  async #up(draw: Draw, circumstances: Circumstances): Promise<void> {
    this.#roster = { ...this.#roster, people: await this.#claimed(this.#changed(draw)) };
    await this.#run((engine) => this.#open(this.#roster, engine), upAll, circumstances);
    await this.#readBack(draw);
  }

  async #rotate(draw: Draw, circumstances: Circumstances): Promise<void> {
    const { engine, stack } = await this.#open(this.#roster, this.#engine);
    const members = membersIn(stack, await stateOf(engine, stack));
    const withTokens = members.filter(({ held }) => (held.users[0]?.tokens.length ?? 0) > 0);
    const keys = new Set(withTokens.map(({ key }) => key));
    const withToken = withAccess(this.#roster.people, [], this.#now()).filter(
      (one) => one.token && !one.protected && keys.has(one.key),
    );
    const chosen = someOf(draw, withToken, Math.min(2, withToken.length)).map(({ key }) => key);
    if (chosen.length === 0) return;
    const run = this.#run(
      (engine) => this.#open(this.#roster, engine),
      (organization, options) => rotateTokens(organization, chosen, options),
      circumstances,
    );
    // A changed email or purpose of a chosen person waits for `up`, and the token with it.
    await run.catch((error: unknown) => {
      if (!String(error).includes("another change comes first")) throw error;
    });
    await this.#readBack(draw);
  }

  /** Mostly the file as the command has left it; sometimes no one has committed what it wrote there. */
  async #readBack(draw: Draw): Promise<void> {
    if (draw(fc.integer, { min: 0, max: 4 }) > 0) this.#roster = await readRoster(this.#file);
  }

  /** Few enough lose something for the guards. */
  #changed(draw: Draw): NewPerson[] {
    const { people } = this.#roster;
    const most = Math.min(2, limitOf(people.length), people.length);
    const losers = new Set(someOf(draw, people, draw(fc.integer, { min: 0, max: most })));
    const left = people.flatMap((person) => {
      const after = losers.has(person)
        ? withLoss(draw, person, `${this.#mark}m${this.#steps}-${person.key}`)
        : person;
      // Under another key a machine user is made anew before the old one goes, so for a moment there are two.
      return after === "dropped" || after.key !== person.key ? [] : [after];
    });
    const least = people.length === 0 ? 2 : 0;
    return [
      ...left,
      ...drawnPeople(draw, draw(fc.integer, { min: least, max: 3 }), `${this.#mark}s${this.#steps}-`),
    ];
  }

  /** Whoever is a member and in no state is taken over, as the command's errors advise. */
  async #claimed(people: readonly NewPerson[]): Promise<NewPerson[]> {
    const { users } = await this.#snapshot();
    await this.#noteManaged(this.#engine);
    return people.map((person) => {
      const known = users.find(
        ({ email, userId }) => email === person.email && email !== null && !this.#managed.has(userId),
      );
      return known === undefined ? person : { ...person, userId: known.userId };
    });
  }

  async #noteManaged(engine: DirectEngine): Promise<void> {
    const ids = await this.#fixture.userIds(await this.#open(this.#roster, engine));
    for (const id of ids.values()) this.#managed.add(id);
  }

  #named() {
    return { stack: `stack-${this.#mark}`, now: this.#now };
  }

  #open(roster: NewRoster, engine: DirectEngine): Promise<Organization> {
    return this.#fixture.open(roster, { engine, ...this.#named() });
  }

  async #editByHand(draw: Draw): Promise<void> {
    const { users, tokens } = await this.#snapshot();
    const own = users.filter(({ email, firstName }) => (email ?? firstName ?? "").includes(`${this.#mark}s`));
    if (own.length === 0) return;
    const user = draw(() => fc.constantFrom(...own));
    const live = tokens.filter(({ userId }) => userId === user.userId);
    const what = draw(() => fc.constantFrom("removes", "adds again", "revokes", "takes the seat"));
    await this.#fixture.behindOurBack(async (api, operation) => {
      for (const { tokenId } of live)
        await api.revokeToken(user.userId, operation, this.#platform === "basic" ? undefined : tokenId);
      if (what === "revokes") return;
      if (user.seat) await api.removeSeat(user.userId, operation);
      if (what === "takes the seat") return;
      await api.removeUser(user.userId, operation);
      if (what !== "adds again" || user.email === null) return;
      const { id } = await api.createUser({ email: user.email }, operation);
      await api.assignSeat(id, operation);
      await api.issueToken(id, this.#fixture.sandbox.service.seed.subscriptionExpiresAt, operation);
    });
  }

  /** Runs a command, and compares what it did with what it showed and with what it says. */
  async #run(
    open: (engine: DirectEngine) => Promise<Organization>,
    command: Command,
    { death, lost, meanwhile, offboarded }: Circumstances,
  ): Promise<Ending> {
    let end: (left: DirectEngine) => void = () => undefined;
    const dead = new Promise<DirectEngine>((resolve) => {
      end = resolve;
    });
    const address = this.#link.addressFor(this.#fixture.sandbox.service.orgUrl, death, () =>
      end(engine.copy()),
    );
    if (death || lost === calls.createUser.number) this.#isUnrecorded = true;
    if (death || lost !== undefined || this.#isRestored) this.#isInterrupted = true;
    const engine = this.#engine.copy({
      ORGSEAT_ORG_URL: address,
      ORGSEAT_TIMEOUT: "1h",
      ORGSEAT_OPERATION_TIMEOUT: "1h",
    });
    let before = await this.#snapshot();
    let shown: Preview | undefined;
    const organization = await open(engine);
    const managedBefore = new Set((await this.#fixture.userIds(organization)).values());
    await this.#fixture.sandbox.requests();
    const confirm = async (preview: Preview): Promise<boolean> => {
      shown = preview;
      await meanwhile?.(engine);
      await this.#noteManaged(engine);
      if (meanwhile) {
        before = await this.#snapshot();
        await this.#fixture.sandbox.requests();
      }
      return true;
    };
    const ended = await Promise.race([command(organization, { confirm }), dead]);
    const result = "status" in ended ? ended : undefined;
    this.#engine = "status" in ended ? engine : ended;
    const after = await this.#snapshot();
    const requests = await this.#fixture.sandbox.requests();
    const users = [...before.users, ...after.users];
    const results = result && (result.applied?.results ?? []);
    await expectEntries({ organization, plan: shown?.plan, results, requests, users, offboarded });
    if (result !== undefined) {
      const managed = await this.#fixture.userIds(organization);
      expectTrue(result, { requests, after, managed, platform: this.#platform });
      // No preview counts what an earlier command had done before it was interrupted.
      if (result.status === "succeeded" && !this.#isInterrupted && !meanwhile && offboarded === undefined)
        expectCounted(result, { requests, after, managedBefore, managed, platform: this.#platform });
    }
    return { result, requests };
  }

  /** What the service has of each user. */
  async #held() {
    const { users, tokens } = await this.#snapshot();
    return { users, tokens };
  }

  get #platform() {
    return this.#fixture.sandbox.service.platform;
  }

  /** Without the tokens that a list shows as revoked. */
  async #snapshot(): Promise<ServiceSnapshot> {
    const found = await this.#fixture.sandbox.service.management.snapshot();
    return { ...found, tokens: found.tokens.filter(({ revoked }) => !revoked) };
  }

  /** The service itself refuses a second member of one email; nothing refuses a second machine user but we. */
  async #expectNobodyTwice(): Promise<void> {
    const { users } = await this.#snapshot();
    const own = new RegExp(`^Builds of ${this.#mark}[sm]`);
    const names = users.flatMap(({ email, firstName }) =>
      email === null && firstName !== null && own.test(firstName) ? [firstName] : [],
    );
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  }
}

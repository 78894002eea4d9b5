// @module-tag ci
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Held, heldSchema, markOf, nothingHeld } from "../../../provider/member/held.ts";
import {
  calls,
  isStateAlone,
  type Plan,
  takesFirst,
  takesSomething,
  type Unit,
} from "../../../provider/member/step.ts";
import type { Wanted, WantedMember, WantedToken } from "../../../provider/member/wanted.ts";
import { DAY_MS } from "../../../provider/util/instants.ts";
import { checkCases } from "../../setup/cases.ts";
import { faultsIn, settle } from "./judge.ts";
import { ADA, LOVELACE, REF, now as START, SUBSCRIPTION } from "./people.ts";
import { type Fault, faults, type PlatformName, planIn, platforms, runOnce, type World } from "./run.ts";
import { Service } from "./service.ts";

type Drift = "seat" | "token" | "user" | "address" | "assigned";

interface Event {
  readonly wanted: Wanted;
  readonly days: number;
  readonly fault: { readonly at: number; readonly fault: Fault } | undefined;
  /** Which units are approved, by place; undefined: all. */
  readonly approved: readonly boolean[] | undefined;
  readonly drift: Drift | undefined;
  /** Whether whoever decides about a creation without an answer looks into the service. */
  readonly decides: boolean;
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 2) => fc.option(arbitrary, { nil: undefined, freq });
const onDelete = maybe(fc.constantFrom("delete" as const, "retain" as const));

function tokenOf(platform: PlatformName): fc.Arbitrary<WantedToken> {
  return fc.record({
    mark: maybe(fc.constantFrom("1", "2", "3")),
    expiresAt: maybe(fc.constantFrom("2027-03-01T23:59:59Z", "2027-05-01T23:59:59Z", "90d")),
    rotateEvery: maybe(fc.constantFrom("30d", "400d"), 1),
    recipients: maybe(fc.constantFrom(["age1a"], ["age1b", "age1a"]), 1),
    keepValue: maybe(fc.constant(false), 1),
    keepPreviousFor: platform === "anaconda" ? maybe(fc.constantFrom("7d", "30d")) : fc.constant(undefined),
    replaceExisting: maybe(fc.constant(true)),
  });
}

function memberOf(platform: PlatformName): fc.Arbitrary<WantedMember> {
  const identity = fc.oneof(
    fc.constantFrom(ADA, LOVELACE, "byron@acme.example").map((email) => ({ email })),
    fc.constantFrom("Builds", "Nightly").map((purpose) => ({ purpose })),
  );
  const settings = fc.record({
    team: maybe(fc.constantFrom("Engines", "Compilers"), 1),
    onDelete,
    protected: maybe(fc.constant(true), 1),
    accessUntil: maybe(fc.constantFrom("2026-12-24T23:59:59Z", "2028-01-01T23:59:59Z"), 1),
    allowAdminRemoval: platform === "anaconda" ? maybe(fc.constant(true), 1) : fc.constant(undefined),
  });
  const seat = fc.oneof(
    fc.constant({ seat: false, token: undefined }),
    fc.constant({ seat: true, token: undefined }),
    tokenOf(platform).map((token) => ({ seat: true, token })),
    tokenOf(platform).map((token) => ({ seat: true, token })),
  );
  return fc.tuple(identity, settings, seat).map(([who, { onDelete: kept, ...rest }, has]) => ({
    ...{ ...who, ...rest, ...has, subscriptionExpiresAt: SUBSCRIPTION },
    ...{ onDeleteUser: kept, onDeleteSeat: kept },
  }));
}

function eventOf(platform: PlatformName): fc.Arbitrary<Event> {
  const leaver = fc.constantFrom<Wanted>({ leaving: true }, { leaving: true, removal: "delete" });
  const drifts: readonly Drift[] = ["seat", "token", "user", "address", "assigned"];
  return fc.record({
    wanted: fc.oneof({ weight: 5, arbitrary: memberOf(platform) }, { weight: 1, arbitrary: leaver }),
    days: fc.constantFrom(0, 0, 1, 8, 40),
    fault: maybe(fc.record({ at: fc.integer({ min: 1, max: 6 }), fault: fc.constantFrom(...faults) })),
    approved: maybe(fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), 1),
    drift: platform === "anaconda" ? maybe(fc.constantFrom(...drifts), 1) : fc.constant(undefined),
    decides: fc.boolean(),
  });
}

interface Story {
  readonly world: World;
  held: Held;
  time: number;
}

function begin(platform: PlatformName): Story {
  const clock = { time: START };
  const service = new Service(platform === "anaconda", SUBSCRIPTION, () => clock.time);
  const world: World = { service, can: platforms[platform], now: service.now, forgotten: new Set() };
  return {
    world,
    held: nothingHeld(REF),
    get time() {
      return clock.time;
    },
    set time(at: number) {
      clock.time = at;
    },
  };
}

/** What somebody else does in the service. */
function drift({ world, held }: Story, what: Drift | undefined): void {
  const user = world.service.users.get(held.users[0]?.id ?? "");
  if (user === undefined || what === undefined) return;
  if (what === "seat") user.hasSeat = false;
  if (what === "assigned") user.hasSeat = true;
  if (what === "token") for (const token of user.tokens) token.isRevoked = true;
  if (what === "user") world.service.users.delete(user.id);
  if (what === "address" && user.email !== undefined) user.email = `${user.id}@moved.example`;
}

/** A person decides about a creation or removal without an answer, by a look into the service. */
function decided({ world, held }: Story, wanted: Wanted): Wanted {
  if (wanted.leaving) return wanted;
  const removal = held.users.find(({ asked }) => asked?.what === "user");
  if (removal !== undefined)
    return world.service.users.has(removal.id)
      ? { ...wanted, userId: removal.id }
      : { ...wanted, missing: { of: "removal", since: removal.asked?.at ?? "" } };
  if (held.pending === undefined) return wanted;
  const known = new Set([...held.users.map(({ id }) => id), ...(held.left ?? [])]);
  const there = [...world.service.users.values()].findLast(
    ({ id, email, firstName }) => !known.has(id) && markOf(REF, email ?? firstName ?? "") === markIn(held),
  );
  if (there === undefined) return { ...wanted, missing: { of: "creation", since: held.pending.since } };
  const name = wanted.email ?? wanted.purpose;
  return name === (there.email ?? there.firstName) ? { ...wanted, userId: there.id } : wanted;
}

function markIn({ pending }: Held): string | undefined {
  return pending?.address ?? pending?.purpose;
}

/** What no plan may contain, whatever is held and wanted. */
function wrongIn(plan: Plan, held: Held, wanted: Wanted): string[] {
  const isProtected = held.agreed.protected === true || (!wanted.leaving && wanted.protected === true);
  const steps = plan.units.flatMap((unit) => unit.steps);
  const wrong: string[] = [];
  if (isProtected && steps.some(takesSomething)) wrong.push("takes from a protected member");
  if (steps.filter(({ call }) => call === "add user").length > 1) wrong.push("adds twice");
  const isMachinePending = held.pending !== undefined && held.pending.address === undefined;
  const isDecided = !wanted.leaving && (wanted.missing !== undefined || wanted.userId !== undefined);
  const observed = steps.some(({ effect }) => effect?.do === "observe");
  if (isMachinePending && !isDecided && !observed && steps.some(({ call }) => call === "add user"))
    wrong.push("requests a machine user again");
  for (const { steps: all } of plan.units) {
    const takes = all.some((step) => takesSomething(step) && step.onlyIf?.includes("conflict") !== true);
    const isMove =
      all.some(({ call }) => call === "remove seat") && all.some(({ call }) => call === "assign seat");
    const givesToken = all.some(({ call }) => call === "issue token");
    const isWantingToken = !wanted.leaving && wanted.token !== undefined;
    if (takes && isMove && isWantingToken && !givesToken && !hasToken(held))
      wrong.push("takes without the giving half");
  }
  return [...wrong, ...orderOf(plan.units)];
}

function hasToken({ users }: Held): boolean {
  return users.slice(1).some(({ tokens }) => tokens.length > 0) || (users[0]?.tokens.length ?? 0) > 0;
}

/** Revoke, then remove the seat, then remove the user: for each user. */
function orderOf(units: readonly Unit[]): string[] {
  const last = new Map<string, number>();
  const rank = { "revoke token": 1, "remove seat": 2, "remove user": 3 } as const;
  return units.flatMap(({ steps }) =>
    steps.flatMap(({ call, user = "", cause }) => {
      if (call === undefined || !calls[call].takes || cause === "keptTimeOver") return [];
      const at = rank[call as keyof typeof rank];
      const before = last.get(user) ?? 0;
      last.set(user, at);
      return at < before ? [`${call} of ${user} comes too late`] : [];
    }),
  );
}

/** The calls and settings of units, each as a text that a later plan has again if it is still due. */
function atomsOf(units: readonly Unit[], added: string | undefined): string[] {
  return units.flatMap(({ steps }) =>
    steps.flatMap(({ call, user, token, effect, changes = [] }) => {
      if (call !== undefined) return [`${call} ${user === "new" ? (added ?? user) : user} ${token}`];
      if (effect?.do === "observe" || effect?.do === "adopt") return [];
      return changes.map(({ what, to }) => `${effect?.do} ${what} ${JSON.stringify(to)}`);
    }),
  );
}

function play(story: Story, event: Event): void {
  const { world } = story;
  story.time += event.days * DAY_MS;
  drift(story, event.drift);
  const wanted = event.decides ? decided(story, event.wanted) : event.wanted;
  const before = story.held;
  const requests = world.service.log.length;
  const ran = runOnce(world, before, wanted, {
    fault: event.fault,
    isApproved: (_, index) => event.approved?.[index] ?? true,
  });
  expect(wrongIn(ran.plan, before, wanted)).toEqual([]);
  const isProtected = before.agreed.protected === true || (!wanted.leaving && wanted.protected === true);
  const sent = world.service.log.slice(requests);
  if (isProtected) expect(sent.filter(({ call }) => call >= 9)).toEqual([]);
  // The state is a text between two runs.
  expect(heldSchema.parse(JSON.parse(JSON.stringify(ran.held)))).toEqual(ran.held);
  story.held = ran.held;
  if (event.approved !== undefined && ran.isWhole) expectRest(story, ran.plan.units, ran.units, wanted);
}

/** What was not approved is found again. */
function expectRest(
  { world, held }: Story,
  all: readonly Unit[],
  done: readonly Unit[],
  wanted: Wanted,
): void {
  const left = all.filter((unit) => !done.includes(unit));
  const added = held.users.findLast(({ coming }) => coming)?.id ?? held.users[0]?.id;
  const isAddedLeft = left.some(({ steps }) => steps.some(({ call }) => call === "add user"));
  if (isAddedLeft || left.some(({ steps }) => steps.some(({ effect }) => effect?.do === "observe"))) return;
  const next = new Set(atomsOf(planIn(world, held, wanted).units, added));
  expect(atomsOf(left, added).filter((atom) => !next.has(atom))).toEqual([]);
}

const suites = [
  { name: "histories of a member (basic)", level: "R" as const, cases: 20_000 },
  { name: "histories of a member (anaconda)", level: "R" as const, cases: 20_000 },
];

describe("the histories of a member", () => {
  test.each([
    ["basic", suites[0]],
    ["anaconda", suites[1]],
  ] as const)("end with what is wanted, and take nothing too early (%s)", async (platform, suite) => {
    if (suite === undefined) throw new Error("no suite");
    const story = fc.tuple(fc.array(eventOf(platform), { minLength: 1, maxLength: 8 }), eventOf(platform));
    await checkCases(suite, story, async ([events, last]) => {
      const told = begin(platform);
      for (const event of events) play(told, event);
      const wanted = decided(told, last.wanted);
      const ran = settle(told.world, told.held, wanted);
      const found = faultsIn(told.world, ran, ran.held.pending === undefined ? last.wanted : wanted);
      expect(found).toEqual([]);
      expect(told.world.service.disorders).toBe(0);
    });
  });

  test.each(["basic", "anaconda"] as const)("change settings in the state alone (%s)", async (platform) => {
    const suite = { name: `settings of a member (${platform})`, level: "R" as const, cases: 2_000 };
    const pair = fc.tuple(memberOf(platform), memberOf(platform));
    await checkCases(suite, pair, async ([one, other]) => {
      const told = begin(platform);
      const first: WantedMember = { ...one, accessUntil: undefined };
      const ran = settle(told.world, told.held, first);
      const { team, onDeleteUser, onDeleteSeat, allowAdminRemoval, protected: isProtected } = other;
      const next: Wanted = {
        ...first,
        team,
        onDeleteUser,
        onDeleteSeat,
        allowAdminRemoval,
        protected: isProtected,
      };
      const plan = planIn(told.world, ran.held, next);
      expect(plan.units.every(isStateAlone)).toBe(true);
      expect(plan.units.some(takesFirst)).toBe(false);
    });
  });
});

/** What a history's commands are held against: the service, the numbers of the preview, the guards. */
import fc from "fast-check";
import { expect } from "vitest";
import { isSettled, type MemberResult } from "../../command/run/member-results.ts";
import type { UpResult } from "../../command/verbs/up.ts";
import type { LoggedRequest, PlatformName, ServiceSnapshot } from "../../sandbox/service/index.ts";
import type { Cutoff } from "../setup/cutoff-proxy.ts";
import { completedCounts, reportedCounts } from "./action-counts.ts";
import { completedCallsIn } from "./fixture.ts";
import { type Draw, limitOf, type NewPerson, type NewRoster, person as newcomer, someOf } from "./people.ts";

/** A roster that a guard stops. */
interface Stop {
  readonly guard: string;
  readonly roster: NewRoster;
  readonly neverRemove?: readonly string[];
}

/** What a command is held against. */
interface Found {
  readonly requests: readonly LoggedRequest[];
  readonly after: ServiceSnapshot;
  /** The user ids of the keys in the states. */
  readonly managed: ReadonlyMap<string, string>;
}

/** What the preview says in numbers is what the service's log shows was done. */
export function expectCounted(
  { preview, applied }: UpResult,
  {
    requests,
    managedBefore,
    after,
    managed,
    platform,
  }: Found & { readonly managedBefore: ReadonlySet<string>; readonly platform: PlatformName },
): void {
  // An adopted seat counts as none: call 6 makes sure of it, held or not, because the service may not list seats.
  // The seat of a replaced member is that of the user whom the row names.
  const adopting = new Set(
    preview.plan.members.flatMap(({ actions, userId, steps }) =>
      actions.includes("adoptSeat") ? [userId, steps.row?.userId] : [],
    ),
  );
  const done = completedCallsIn(requests).filter(({ call, userId }) => call !== 6 || !adopting.has(userId));
  const left = new Set(managed.values());
  const released = after.users.filter(({ userId }) => managedBefore.has(userId) && !left.has(userId));
  const reported = reportedCounts(preview.plan, applied?.results ?? []);
  const completed = completedCounts(done, released.length);
  // With a list, whoever leaves loses every token, also one that no state has: no plan counts that.
  const isMore = platform !== "basic" && completed.revoked > reported.revoked;
  expect(reported).toEqual({ ...completed, ...(isMore && { revoked: reported.revoked }) });
}

/** Changed rosters that a guard stops, with what stops them. */
export function stopsOf(draw: Draw, base: NewRoster): Stop[] {
  const { people } = base;
  const isOpen = ({ accessUntil }: NewPerson): boolean => accessUntil === undefined;
  // Whoever's access has ended is in no state.
  const kept = people.find(isOpen);
  const limit = limitOf(people.length);
  const many = new Set(someOf(draw, people, draw(fc.integer, { min: limit + 1, max: people.length - 1 })));
  const seats = people.filter((one) => one.seat && isOpen(one)).length;
  const listing = (changed: readonly NewPerson[], more: Partial<NewRoster> = {}): NewRoster => ({
    ...base,
    people: changed,
    ...more,
  });
  const without = (left: (one: NewPerson) => boolean): NewRoster =>
    listing(people.filter((one) => !left(one)));
  const unprotected = kept && {
    roster: without((one) => one === kept),
    neverRemove: [kept.key.toUpperCase()],
  };
  return [
    { guard: "empty-roster", roster: listing([]) },
    { guard: "removal-limit", roster: without((one) => many.has(one)) },
    {
      guard: "wrong-organization",
      roster: listing(people, { organizationId: "00000000-0000-4000-8000-0000000000ff" }),
    },
    { guard: "short-roster", roster: listing(people.slice(0, -1), { rows: people.length }) },
    { guard: "no-seats", roster: listing([...people, newcomer("joiner")], { seats }) },
    ...(unprotected ? [{ guard: "protected-person", ...unprotected }] : []),
  ];
}

export function deathOf(draw: Draw): Cutoff {
  const place = draw(() => fc.constantFrom("before" as const, "after"));
  return { write: draw(fc.integer, { min: 1, max: 8 }), place };
}

const DONE = expect.objectContaining({ result: "done" });

/** Holds each line of a result against the service. */
export function expectTrue(
  { status, applied }: UpResult,
  { requests, after, managed, platform }: Found & { readonly platform: PlatformName },
): void {
  const done = completedCallsIn(requests);
  for (const { key, who, status: own, text = "", entries } of applied?.results ?? []) {
    expect(text, "a change of the plan may send what it needs").not.toContain("did not show this operation");
    if (own === "failed") expect(text, `${who} failed`).not.toBe("");
    if (own === "skipped") expect(entries, `${who} was skipped`).not.toContainEqual(DONE);
    const [, unknown] = /user id (\S+) is unknown/.exec(text) ?? [];
    if (unknown !== undefined) {
      const isOurs = done.some(({ call, userId }) => call === 11 && userId === unknown);
      const isKnown = after.users.some(({ userId }) => userId === unknown);
      expect({ isKnown, isOurs }, text).toEqual({ isKnown: false, isOurs: false });
    }
    if (own !== "succeeded" && own !== "already-gone") continue;
    for (const one of entries) expectSo(one, { entries, after, platform, userId: managed.get(key) });
  }
  if (status === "succeeded") expect(applied?.results.filter((one) => !isSettled(one)) ?? []).toEqual([]);
}

/** Whether what was said to be done is so. @param userId of whoever has the key now */
function expectSo(
  { operation, id }: MemberResult["entries"][number],
  {
    entries,
    after,
    platform,
    userId,
  }: Pick<MemberResult, "entries"> & {
    after: ServiceSnapshot;
    platform: PlatformName;
    userId: string | undefined;
  },
): void {
  const user = after.users.find((one) => one.userId === userId);
  const isNew = (what: string): boolean => entries.some((one) => one.operation === what);
  const hasToken = (of: string | null | undefined): boolean => after.tokens.some((one) => one.userId === of);
  const isThere = ({ seat, userId: other }: { seat: boolean; userId: string }) => seat && other === id;
  const so: Record<string, boolean> = {
    "add user": user !== undefined,
    "remove user": !after.users.some((one) => one.userId === id),
    "assign seat": user?.seat === true,
    "remove seat": isNew("assign seat") || !after.users.some(isThere),
    "issue token": hasToken(userId),
    // Where a user can have several, another one can stay.
    "revoke token": platform !== "basic" || isNew("issue token") || !hasToken(id),
  };
  expect(so[operation] ?? true, `${operation} of ${id ?? userId} was said to be done`).toBe(true);
}

/** What a history's commands are held against: the service, the numbers of the preview, the guards. */
import fc from "fast-check";
import { expect } from "vitest";
import type { UpResult } from "../../command/verbs/up.ts";
import type { LoggedRequest, ServiceSnapshot } from "../../sandbox/service/index.ts";
import type { Cutoff } from "../setup/cutoff-proxy.ts";
import { completedCounts, reportedCounts } from "./action-counts.ts";
import type { Effect } from "./effects.ts";
import { completedCallsIn } from "./fixture.ts";
import { type Draw, limitOf, type NewPerson, type NewRoster, someOf } from "./people.ts";

/** A roster that a guard stops. */
interface Stop {
  readonly guard: string;
  readonly roster: NewRoster;
  readonly neverRemove?: readonly string[];
}

/** What a command is held against. */
export interface Found {
  readonly effects: ReadonlySet<Effect>;
  readonly after: ServiceSnapshot;
  /** The user ids of the keys in the states. */
  readonly managed: ReadonlyMap<string, string>;
  readonly lost: number | undefined;
  /** Whether the command adopts, and sends nothing. */
  readonly adopts: boolean;
}

/** What the preview says in numbers is what the service's log shows was done. */
export function expectCounted(
  { preview, applied }: UpResult,
  {
    requests,
    managedBefore,
    after,
    managed,
  }: Pick<Found, "after" | "managed"> & {
    readonly requests: readonly LoggedRequest[];
    readonly managedBefore: ReadonlySet<string>;
  },
): void {
  // An adopted seat counts as none: call 6 makes sure of it, held or not, because the service may not list seats.
  // The seat of a replaced member is that of the user whom the row names.
  const adopting = new Set(
    preview.plan.members.flatMap(({ actions, userId, steps }) =>
      actions.includes("adoptSeat") ? [userId, ...steps.map(({ news }) => news?.adopt)] : [],
    ),
  );
  const done = completedCallsIn(requests).filter(({ call, userId }) => call !== 6 || !adopting.has(userId));
  const left = new Set(managed.values());
  const released = after.users.filter(({ userId }) => managedBefore.has(userId) && !left.has(userId));
  expect(reportedCounts(preview.plan, applied?.results ?? [])).toEqual(
    completedCounts(done, released.length),
  );
}

/** Changed rosters that a guard stops, with what stops them. */
export function stopsOf(draw: Draw, base: NewRoster): Stop[] {
  const { people } = base;
  const isOpen = ({ accessUntil }: NewPerson): boolean => accessUntil === undefined;
  // Whoever's access has ended is in no state.
  const kept = people.find(isOpen);
  // Of others, another guard refuses the changed key: the access has ended, the person is protected, or the row has a user id.
  const person = people.find(
    (one) => one.email !== undefined && one.userId === undefined && isOpen(one) && !one.protected,
  );
  const limit = limitOf(people.length);
  const many = new Set(someOf(draw, people, draw(fc.integer, { min: limit + 1, max: people.length - 1 })));
  const seats = people.filter((one) => one.seat && isOpen(one)).length;
  const joiner = { key: "joiner", email: "joiner@acme.example", seat: true, token: true, protected: false };
  const listing = (changed: readonly NewPerson[]): NewRoster => ({ ...base, people: changed });
  return [
    { guard: "empty-roster", roster: listing([]) },
    { guard: "removal-limit", roster: listing(people.filter((one) => !many.has(one))) },
    {
      guard: "wrong-organization",
      roster: { ...base, organizationId: "00000000-0000-4000-8000-0000000000ff" },
    },
    ...(kept === undefined
      ? []
      : [
          {
            guard: "protected-person" as const,
            roster: listing(people.filter((one) => one !== kept)),
            neverRemove: [kept.key.toUpperCase()],
          },
        ]),
    { guard: "short-roster", roster: { ...listing(people.slice(0, -1)), rows: people.length } },
    { guard: "no-seats", roster: { ...listing([...people, joiner]), seats } },
    ...(person === undefined
      ? []
      : [
          {
            guard: "changed-key",
            roster: listing(people.map((one) => (one === person ? { ...one, key: `${one.key}-new` } : one))),
          },
        ]),
  ];
}

/** The same of a person by name: the preview did not know the id of whoever was made since. */
export function byName(effect: Effect, { users }: ServiceSnapshot): Effect {
  const user = users.find(({ userId }) => effect.endsWith(` ${userId}`));
  const name = user?.email ?? user?.firstName;
  return name === undefined || name === null ? effect : (`${effect.split(" ")[0]} ${name}` as Effect);
}

export function deathOf(draw: Draw): Cutoff {
  const place = draw(() => fc.constantFrom("before" as const, "after"));
  return { write: draw(fc.integer, { min: 1, max: 8 }), place };
}

/** Whether what was said to be done is so. @param userId of whoever has the key now: two machine users may share a name */
export function expectSo(
  effect: Effect,
  { all, after, userId }: { all: ReadonlySet<Effect>; after: ServiceSnapshot; userId: string | undefined },
): void {
  const [kind = "", ...rest] = effect.split(" ");
  const name = rest.join(" ");
  const user = after.users.find(
    (one) => one.userId === name || (one.userId === userId && [one.email, one.firstName].includes(name)),
  );
  const hasToken = after.tokens.some((token) => token.userId === user?.userId);
  const so: Record<string, boolean> = {
    join: user !== undefined,
    leave: user === undefined,
    "seat+": user?.seat === true,
    "seat-": user?.seat !== true || all.has(`seat+ ${name}`),
    "token+": hasToken,
    "token-": !hasToken || all.has(`token+ ${name}`),
  };
  expect(so[kind] ?? true, `${effect} was said to be done`).toBe(true);
}

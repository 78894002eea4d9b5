// @module-tag ci
/**
 * What today's resources send for a change of a member, beside what the functions of a member plan: every difference is a
 * decision, listed here. It goes with those resources.
 */
import { describe, expect, test } from "vitest";
import { type Held, nothingHeld } from "../../../provider/member/held.ts";
import type { Wanted, WantedMember, WantedToken } from "../../../provider/member/wanted.ts";
import { organizationOn } from "../../resources/listed.ts";
import type { DirectResource } from "../../setup/direct.ts";
import { settle } from "./judge.ts";
import { ADA, LOVELACE, REF } from "./people.ts";
import { type PlatformName, platforms, runOnce, type World } from "./run.ts";
import { Service } from "./service.ts";

interface Declared extends Omit<WantedMember, "token" | "userId"> {
  readonly token?: WantedToken;
  readonly onDelete?: "delete" | "retain";
}

interface Change {
  readonly title: string;
  readonly before: Declared | undefined;
  readonly after: Declared | undefined;
  /** What today's resources send where it differs, and why the functions decide otherwise. */
  readonly today?: Partial<Record<PlatformName, string>>;
  readonly only?: PlatformName;
}

const person: Declared = { email: ADA, seat: true, token: {} };
const machine: Declared = { purpose: "Builds", seat: true, token: {} };
const EARLIER = "2026-12-20T23:59:59Z";
const LATER = "2027-02-20T23:59:59Z";
const withToken = (token: WantedToken): Declared => ({ ...person, token });

const changes: readonly Change[] = [
  { title: "adds a person with seat and token", before: undefined, after: person },
  { title: "adds a machine user", before: undefined, after: machine },
  { title: "adds a person without a seat", before: undefined, after: { email: ADA, seat: false } },
  { title: "does nothing", before: person, after: person },
  { title: "removes a person", before: person, after: undefined },
  { title: "removes a person without a token", before: { email: ADA, seat: true }, after: undefined },
  { title: "retains a person", before: { ...person, onDelete: "retain" }, after: undefined },
  { title: "revokes the token", before: person, after: { email: ADA, seat: true } },
  { title: "removes seat and token", before: person, after: { email: ADA, seat: false } },
  { title: "assigns a seat", before: { email: ADA, seat: false }, after: { email: ADA, seat: true } },
  { title: "issues a token", before: { email: ADA, seat: true }, after: person },
  { title: "rotates", before: withToken({ mark: "1" }), after: withToken({ mark: "2" }) },
  { title: "rotates by a first mark", before: person, after: withToken({ mark: "1" }) },
  {
    title: "seals",
    before: person,
    after: withToken({ recipients: ["age1texh9zrs847lyvgeq4pd4p66lylrefkv4k0lmvulpxsr0aa4nqtqwwlthl"] }),
  },
  { title: "keeps no value", before: person, after: withToken({ keepValue: false }) },
  { title: "keeps the value again", before: withToken({ keepValue: false }), after: person },
  {
    title: "keeps the previous token",
    before: withToken({ mark: "1", keepPreviousFor: "7d" }),
    after: withToken({ mark: "2", keepPreviousFor: "7d" }),
    only: "anaconda",
  },
  {
    title: "sets a later date",
    before: withToken({ expiresAt: EARLIER }),
    after: withToken({ expiresAt: LATER }),
    only: "anaconda",
  },
  {
    title: "sets an earlier date",
    before: withToken({ expiresAt: LATER }),
    after: withToken({ expiresAt: EARLIER }),
  },
  { title: "removes the date", before: withToken({ expiresAt: EARLIER }), after: person, only: "anaconda" },
  { title: "changes the email", before: person, after: { ...person, email: LOVELACE } },
  {
    title: "changes the email of a person with a seat alone",
    before: { email: ADA, seat: true },
    after: { email: LOVELACE, seat: true },
  },
  {
    title: "changes the email of a person without a seat",
    before: { email: ADA, seat: false },
    after: { email: LOVELACE, seat: false },
  },
  { title: "changes the purpose", before: machine, after: { ...machine, purpose: "Nightly" } },
  {
    title: "changes the email of a retained person",
    before: { ...person, onDelete: "retain" },
    after: { ...person, email: LOVELACE, onDelete: "retain" },
    // Nothing is taken from somebody who stays before the new user has it.
    today: { basic: "5 9 6 7", anaconda: "5 9 6 7" },
  },
  { title: "changes names", before: person, after: { ...person, firstName: "Ada" } },
  { title: "changes what a removal does", before: person, after: { ...person, onDelete: "retain" } },
  {
    title: "changes the email and rotates",
    before: withToken({ mark: "1" }),
    after: { ...withToken({ mark: "2" }), email: LOVELACE },
  },
  {
    title: "changes the email and the date",
    before: person,
    after: { ...withToken({ expiresAt: EARLIER }), email: LOVELACE },
  },
];

function declare(one: Declared | undefined): DirectResource[] {
  if (one === undefined) return [];
  const { email, purpose, firstName, lastName, onDelete, seat, token } = one;
  const args = { email, purpose, firstName, lastName, onDelete };
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
  const resources: DirectResource[] = [{ type: "OrgUser", name: "user", args: given }];
  const kept = onDelete === undefined ? {} : { onDelete };
  if (seat === true)
    resources.push({ type: "SeatAssignment", name: "seat", args: { userId: "$user.id", ...kept } });
  const { mark, ...rest } = token ?? {};
  const inputs = { userId: "$seat.id", ...rest, ...(mark !== undefined && { rotation: mark }) };
  if (token !== undefined) resources.push({ type: "UserToken", name: "token", args: inputs });
  return resources;
}

/** The numbers of the calls that change something. */
async function sentToday(platform: PlatformName, { before, after }: Change): Promise<string> {
  const organization = await organizationOn(platform);
  const stack = organization.stack();
  const first = await stack.up(declare(before));
  await organization.calls();
  const second = await stack.up(declare(after));
  expect([...first.errors, ...second.errors]).toEqual([]);
  return (await organization.calls())
    .filter((call) => typeof call === "number" && call >= 5 && call <= 11)
    .join(" ");
}

function sentByPlan(platform: PlatformName, { before, after }: Change, subscription: string): string {
  const service = new Service(platform === "anaconda", subscription, () => Date.now());
  const world: World = { service, can: platforms[platform], now: service.now, forgotten: new Set() };
  const wantedOf = (one: Declared | undefined): Wanted => {
    if (one === undefined) return { leaving: true };
    const { onDelete, ...rest } = one;
    return { ...rest, onDeleteUser: onDelete, onDeleteSeat: onDelete, subscriptionExpiresAt: subscription };
  };
  const nothing: Held = nothingHeld(REF);
  const { held } = before === undefined ? { held: nothing } : settle(world, nothing, wantedOf(before));
  const from = service.log.length;
  runOnce(world, held, wantedOf(after));
  return service.log
    .slice(from)
    .map(({ call }) => call)
    .join(" ");
}

const names = ["basic", "anaconda"] as const;
const rows = names.flatMap((platform) =>
  changes.filter(({ only = platform }) => only === platform).map((change) => ({ ...change, platform })),
);

describe("a change of a member, compared with the resources of today", () => {
  test.each(rows)("$title ($platform)", async ({ platform, ...change }) => {
    const sent = await sentToday(platform, change);
    const planned = sentByPlan(platform, change, "2027-06-30T23:59:59Z");
    const today = change.today?.[platform];
    expect(sent).toBe(today ?? planned);
    if (today !== undefined) expect(planned).not.toBe(today);
  });
});

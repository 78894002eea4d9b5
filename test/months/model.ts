/**
 * What each person must have: an organization of its own, in which every call succeeds, and that the second model of a member
 * moves on from day to day. It shares no code with the product.
 */
import { createHash } from "node:crypto";
import type { Agreed, Held, HeldToken, HeldUser } from "../../provider/member/held.ts";
import type { Can, Seen, WantedLeaver, WantedToken } from "../../provider/member/wanted.ts";
import type { ServiceSnapshot } from "../../sandbox/service/index.ts";
import type { CompletedCall } from "../command/fixture.ts";
import type { NewPerson } from "../command/people.ts";
import { secondModel } from "../provider/member/second-model.ts";
import {
  endOf,
  iso,
  look,
  marksOf,
  ms,
  nameOf,
  type Person,
  periodOf,
} from "../provider/member/second-view.ts";

const DAY = 86_400_000;

/** What a day has besides the rows. */
export interface Today {
  readonly now: number;
  readonly rows: readonly NewPerson[];
  /** The end of the subscription. */
  readonly end: string;
  /** How often the subscription was renewed: without that, a renewal of a token changes nothing on `basic`. */
  readonly renewals: number;
  readonly isDirectory: boolean;
  /** Before the run. */
  readonly service: ServiceSnapshot;
}

/** What the service must have of a user. */
export interface Owned {
  readonly seat: boolean;
  /** The ends of the tokens, sorted. */
  readonly ends: readonly string[];
}

interface Member {
  held: Held;
  /** Of each user: email or purpose. */
  readonly names: Map<string, string>;
}

export class ExpectedOrganization {
  readonly #can: Can;
  readonly #members = new Map<string, Member>();
  /** The renewals of the subscription at the last issue or renewal, by user. */
  readonly #generations = new Map<string, number>();
  #tokens = 0;
  /** Of the subscription, until the last run. */
  #renewals = 0;

  constructor(can: Can) {
    this.#can = can;
  }

  /** Moves on to the end of a run at this time. @returns the calls of the run */
  run(today: Today): CompletedCall[] {
    this.#renewals = today.renewals;
    const rows = new Map(today.rows.map((row) => [row.key, row]));
    const calls: CompletedCall[] = [];
    for (const key of new Set([...rows.keys(), ...this.#members.keys()])) {
      const member = this.#members.get(key) ?? {
        held: { ref: key, users: [], agreed: {} },
        names: new Map(),
      };
      const wanted = this.#wanted(member, rows.get(key), today);
      const seen = today.isDirectory ? seenIn(member, wanted, today.service) : {};
      const { held, ...more } = { ...member, can: this.#can, seen, wanted, now: today.now };
      const { units, stops } = secondModel({ held, ...more });
      const isRefused = (stop: string) => stop !== "notInDirectory";
      if (stops.some(isRefused))
        throw new Error(`${key} stops: ${stops.join()} ${JSON.stringify({ held, wanted })}`);
      member.held = look({ held, ...more });
      for (const step of units.flatMap((unit) => unit.split(" + "))) {
        if (step.endsWith(" conflict")) continue;
        const [call, id = ""] = this.#advance(member, step, wanted, today);
        if (!call.startsWith("~") && !step.includes("eachOther"))
          calls.push({ call: Number(call), userId: id });
      }
      const { users } = member.held;
      if (users.length === 0 && !rows.has(key)) this.#members.delete(key);
      else this.#members.set(key, member);
      member.held = { ...member.held, agreed: agreedOf(wanted, member.held.agreed) };
    }
    return calls;
  }

  /** Gives the users of the last run the ids that the service gave them. @returns the id in the calls, by real id */
  named({ users }: ServiceSnapshot): Map<string, string> {
    const byName = Map.groupBy(users, (user) => user.email ?? user.firstName ?? "");
    const ids = new Map<string, string>();
    for (const member of this.#members.values()) {
      const all = member.held.users.map((user): HeldUser => {
        if (!user.id.startsWith("new ")) return user;
        const [found, ...others] = byName.get(member.names.get(user.id) ?? "") ?? [];
        if (found === undefined || others.length > 0) return user;
        ids.set(found.userId, user.id);
        this.#generations.set(found.userId, this.#generations.get(user.id) ?? 0);
        return { ...user, id: found.userId };
      });
      member.held = { ...member.held, users: all };
    }
    return ids;
  }

  /** By user id. */
  owned(): Map<string, Owned> {
    const users = [...this.#members.values()].flatMap(({ held }) => held.users);
    return new Map(
      users.map(({ id, seat, tokens }) => [
        id,
        { seat: seat === "held", ends: tokens.map((token) => iso(endOf(token))).toSorted() },
      ]),
    );
  }

  /** Who is a member, by key. */
  held(): Map<string, { readonly id: string; readonly hasToken: boolean }> {
    return new Map(
      [...this.#members].flatMap(([key, { held }]) =>
        held.users.slice(0, 1).map(({ id, tokens }) => [key, { id, hasToken: tokens.length > 0 }] as const),
      ),
    );
  }

  /** The tokens as the state has them, as after a restore the service has others than a run of the rules would have issued. */
  take(userId: string, tokens: readonly HeldToken[]): void {
    for (const member of this.#members.values()) {
      const users = member.held.users.map((user) =>
        user.id === userId ? { ...user, tokens: [...tokens] } : user,
      );
      member.held = { ...member.held, users };
    }
    this.#generations.set(userId, this.#renewals);
  }

  /** The member's row, with what a run makes of it: a schedule has slots, and counts only if one has passed since the issue. */
  #wanted({ held }: Member, row: NewPerson | undefined, today: Today): Person | WantedLeaver {
    const directory = today.isDirectory || undefined;
    if (row === undefined) return { leaving: true, directory };
    const { service } = today;
    const isMember = held.users.some(({ id }) => service.users.some(({ userId }) => userId === id));
    const adopts = directory && !isMember ? listed(service, row)?.userId : undefined;
    const userId = adopts ?? row.userId;
    const onDelete = userId === undefined && !directory ? undefined : ("delete" as const);
    return {
      ...{ key: row.key, email: row.email, purpose: row.purpose, userId, team: row.team },
      ...{ seat: row.seat, token: row.token ? tokenOf(row, held, today.now) : undefined },
      ...{ accessUntil: row.accessUntil, subscriptionExpiresAt: today.end, directory },
      ...{ onDeleteUser: directory ? undefined : onDelete, onDeleteSeat: onDelete },
    };
  }

  #advance(member: Member, step: string, wanted: Person | WantedLeaver, today: Today): [string, string] {
    const [call = "", given = "", what = "", mark] = step.split(" ");
    const person = "seat" in wanted ? wanted : undefined;
    const name = person?.email ?? person?.purpose ?? "";
    const own = person && marksOf(member.held.ref, { email: person.email, firstName: person.purpose });
    const id = given === "new" ? `new ${name}` : given;
    const change = (of: (user: HeldUser) => HeldUser | undefined): void => {
      const users = member.held.users.flatMap((user) => (user.id === id ? (of(user) ?? []) : [user]));
      member.held = { ...member.held, users };
    };
    const add = (user: Partial<HeldUser>): void => {
      const made: HeldUser = {
        id,
        ...own,
        adopted: false,
        seat: "none",
        seatAdopted: false,
        tokens: [],
        ...user,
      };
      member.names.set(id, name);
      member.held = { ...member.held, users: [made, ...member.held.users] };
    };
    const seen = today.service.users.find((user) => user.userId === id);
    const token = person?.token ?? {};
    if (call === "5") add({});
    if (call === "~adopt") add({ adopted: true, seatAdopted: true, seat: seen?.seat ? "held" : "none" });
    if (call === "~user")
      change((user) => ({ ...user, ...own, seat: user.seat === "left" ? "held" : user.seat }));
    if (call === "6") change((user) => ({ ...user, seat: "held" }));
    if (call === "7") change((user) => ({ ...user, tokens: this.#issued(user, what, token, mark, today) }));
    if (call === "8") change((user) => ({ ...user, tokens: this.#renewed(user, what, token, today) }));
    if (call === "9")
      change((user) => ({ ...user, tokens: user.tokens.filter((one) => nameOf(one) !== what) }));
    if (call === "10") change((user) => ({ ...user, seat: "none" }));
    if (call === "11" || call === "~forget") change(() => undefined);
    const { left = [] } = member.held;
    if (call === "11") member.held = { ...member.held, left: [...left, id] };
    return [call, id];
  }

  #issued(
    user: HeldUser,
    date: string,
    token: WantedToken,
    mark: string | undefined,
    today: Today,
  ): HeldToken[] {
    const { now, end } = today;
    const reportedEnd = iso(Math.min(ms(date), ms(end)));
    this.#generations.set(user.id, today.renewals);
    const keep = periodOf(token.keepPreviousFor);
    const [current, ...earlier] = user.tokens;
    const kept = current && (keep > 0 ? { ...current, endsAfter: iso(now + keep) } : current);
    const isMark = mark !== undefined && token.mark === mark;
    const issued: HeldToken = {
      ...(this.#can.canListTokens && { id: `t${this.#tokens++}` }),
      ...{ adopted: false, issuedAt: iso(now), declaredEnd: date, reportedEnd, value: "kept" },
      ...(isMark && { mark }),
      ...askedOf(token, date, reportedEnd, now),
    };
    return [issued, ...(kept ? [kept] : []), ...earlier];
  }

  #renewed({ id, tokens: [current, ...earlier] }: HeldUser, date: string, token: WantedToken, today: Today) {
    if (current === undefined) throw new Error(`nothing to renew of ${id}`);
    const isMoved = this.#can.canSetExpiry || this.#generations.get(id) !== today.renewals;
    this.#generations.set(id, today.renewals);
    const granted = Math.min(ms(date), ms(today.end));
    const later = this.#can.canSetExpiry ? granted : Math.max(granted, endOf(current));
    const reportedEnd = isMoved ? iso(later) : iso(endOf(current));
    const { asked: _, ...rest } = current;
    const asked = askedOf(token, date, reportedEnd, today.now);
    return [{ ...rest, declaredEnd: date, reportedEnd, ...asked }, ...earlier];
  }
}

/** What was requested is remembered if it has another date on each day, or got an earlier one. */
function askedOf({ expiresAt }: WantedToken, date: string, reportedEnd: string, now: number) {
  const isPeriod = periodOf(expiresAt) > 0;
  const isShort = ms(reportedEnd) < ms(date) - 60_000;
  const what = isPeriod && expiresAt ? expiresAt : date;
  return isPeriod || isShort ? { asked: { what, at: iso(now) } } : {};
}

function tokenOf(row: NewPerson, { users: [user] }: Held, now: number): WantedToken {
  const { expires: expiresAt, window: renewBefore, rotateEvery, keepPrevious: keepPreviousFor } = row;
  const isDue = user !== undefined && rotateEvery !== undefined && hasSlot(user, rotateEvery, now);
  const isAdopted = row.userId !== undefined;
  return {
    ...{ expiresAt, renewBefore, keepPreviousFor, mark: row.rotation ?? user?.tokens[0]?.mark },
    ...(isDue && { rotateEvery: "0d" }),
    ...(isAdopted && !row.adoptToken && { replaceExisting: true }),
    ...(isAdopted && row.adoptToken && { adopt: true }),
  };
}

/** The slots of a user begin at the hash of the id, in seconds, and one period lies between two of them. */
function hasSlot({ id, tokens: [token] }: HeldUser, rotateEvery: string, now: number): boolean {
  if (token === undefined) return false;
  const period = periodOf(rotateEvery) / 1000;
  const phase = Number.parseInt(createHash("sha256").update(id).digest("hex").slice(0, 12), 16) % period;
  const slots = (at: number) => Math.floor((Math.floor(at / 1000) - phase) / period);
  return slots(now) > slots(ms(token.issuedAt));
}

/** A list of the users, as each plan of a directory reads it, without their tokens. */
function seenIn({ held }: Member, wanted: Person | WantedLeaver, { users }: ServiceSnapshot): Seen {
  const email = "seat" in wanted ? wanted.email : undefined;
  const own = users.filter(
    (user) => held.users.some(({ id }) => id === user.userId) || (email && user.email === email),
  );
  return {
    users: own.map(({ userId: id, seat: hasSeat, ...user }) => ({ id, hasSeat, ...user })),
    absent: held.users.map(({ id }) => id).filter((id) => !users.some(({ userId }) => userId === id)),
  };
}

function listed({ users }: ServiceSnapshot, { email }: NewPerson) {
  return users.find((user) => email !== undefined && user.email === email);
}

function agreedOf(wanted: Person | WantedLeaver, before: Agreed): Agreed {
  if (!("seat" in wanted)) return { ...before, leaving: true };
  const { onDeleteUser: user, onDeleteSeat: seat, token, subscriptionExpiresAt, directory } = wanted;
  return {
    ...{ onDelete: { user, seat }, subscriptionExpiresAt, directory },
    ...{
      expiresAt: token?.expiresAt,
      renewBefore: token?.renewBefore,
      keepPreviousFor: token?.keepPreviousFor,
    },
  };
}

export { DAY };

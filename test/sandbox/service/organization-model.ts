/**
 * A model of one organization by docs/internal/contract.md: what the calls of users, seats, tokens and onboarding answer and
 * change, in both platforms. It shares nothing with the sandbox.
 */
import type { PlatformName } from "../../../provider/api/calls/platform.ts";
import { formatInstant } from "../../../provider/util/instants.ts";

const statuses = {
  SUBSCRIPTION_EXPIRED: 402,
  NO_SEATS_AVAILABLE: 402,
  USER_NOT_FOUND: 404,
  SEAT_NOT_FOUND: 404,
  TOKEN_NOT_FOUND: 404,
  USER_EXISTS: 409,
  SEAT_ALREADY_ASSIGNED: 409,
  SEAT_EXISTS: 409,
  TOKEN_EXISTS: 409,
} as const;
type Code = keyof typeof statuses;

/** The statuses that the platform `anaconda` lists for a call. Any other refusal is a 422, which names a field. */
const listed = {
  createUser: [],
  removeUser: [404, 409],
  assignSeat: [402, 404, 409],
  removeSeat: [404],
  issueToken: [],
  renewToken: [],
  revokeToken: [404, 409],
  onboardUsers: [],
} as const satisfies Record<string, readonly number[]>;
export type ModelCall = keyof typeof listed;
const fields: Partial<Record<Code, string>> = {
  SUBSCRIPTION_EXPIRED: "path.org_id",
  USER_NOT_FOUND: "path.user_id",
  TOKEN_NOT_FOUND: "path.user_id",
  USER_EXISTS: "body.email",
};

interface User {
  readonly email: string | null;
  seat: boolean;
}
interface Token {
  readonly user: User;
  expires: number;
  /** The subscription's period in which it was issued or last renewed. */
  period: number;
  revoked: boolean;
}

/** The status, and the code or field of a refusal, or what the answer says. */
export type Outcome = readonly [status: number, says?: unknown];

export class OrganizationModel {
  readonly platform: PlatformName;
  now: number;
  seats: number;
  end: number;
  #period = 0;
  users: User[] = [];
  tokens: Token[] = [];
  readonly emails: string[] = [];
  readonly accounts = new Set<string>();
  /** Whose onboarding fails after the answer. */
  readonly problems = new Set<string>();
  readonly #admin: string;

  constructor(
    platform: PlatformName,
    { now, seats, end, admin }: { now: number; seats: number; end: number; admin: string },
  ) {
    this.platform = platform;
    this.now = now;
    this.seats = seats;
    this.end = end;
    this.#admin = admin;
  }

  get free(): number {
    return Math.max(0, this.seats - this.users.filter(({ seat }) => seat).length);
  }

  /** Whether the package repository accepts it. */
  isLive(token: Token): boolean {
    return !token.revoked && token.expires > this.now;
  }

  renewSubscription(end: number): void {
    this.end = end;
    this.#period += 1;
  }

  createUser(email: string | null): Outcome {
    if (this.#hasEnded) return this.#refuse("createUser", "SUBSCRIPTION_EXPIRED");
    if (email !== null && this.#isMember(email)) return this.#refuse("createUser", "USER_EXISTS");
    const user = { email: email?.toLowerCase() ?? null, seat: false };
    this.users.push(user);
    const nothing = this.#isBasic ? { email: null, first_name: null, last_name: null } : {};
    return [200, { id: "made", ...nothing, ...(user.email !== null && { email: user.email }) }];
  }

  removeUser(user: User | undefined): Outcome {
    if (!user) return this.#refuse("removeUser", "USER_NOT_FOUND");
    if (this.#newest(user)) return this.#refuse("removeUser", "TOKEN_EXISTS");
    if (user.seat) return this.#refuse("removeUser", "SEAT_EXISTS");
    this.users = this.users.filter((one) => one !== user);
    this.tokens = this.tokens.filter((token) => token.user !== user);
    return [204];
  }

  assignSeat(user: User | undefined): Outcome {
    if (this.#hasEnded) return this.#refuse("assignSeat", "SUBSCRIPTION_EXPIRED");
    if (!user) return this.#refuse("assignSeat", "USER_NOT_FOUND");
    if (user.seat && this.#isBasic) return [201];
    if (user.seat) return this.#refuse("assignSeat", "SEAT_ALREADY_ASSIGNED");
    if (this.free === 0) return this.#refuse("assignSeat", "NO_SEATS_AVAILABLE");
    user.seat = true;
    this.#announce(user, "seat");
    return [201];
  }

  removeSeat(user: User | undefined): Outcome {
    if (!user) return this.#refuse("removeSeat", "USER_NOT_FOUND");
    if (!user.seat) return this.#refuse("removeSeat", "SEAT_NOT_FOUND");
    const holdsLive = this.tokens.some((token) => token.user === user && this.isLive(token));
    if (this.#isBasic && holdsLive) return this.#refuse("removeSeat", "TOKEN_EXISTS");
    user.seat = false;
    return [204];
  }

  issueToken(user: User | undefined, until: number): Outcome {
    if (this.#hasEnded) return this.#refuse("issueToken", "SUBSCRIPTION_EXPIRED");
    if (!user) return this.#refuse("issueToken", "USER_NOT_FOUND");
    if (until <= this.now) return [422, "body.expires_at"];
    if (this.#isBasic && this.#newest(user)) return this.#refuse("issueToken", "TOKEN_EXISTS");
    const expires = Math.min(until, this.end);
    this.tokens.push({ user, expires, period: this.#period, revoked: false });
    this.#announce(user, "token");
    return [200, formatInstant(expires)];
  }

  /** @param until undefined: to the end of the subscription, which is all that the platform `basic` can do */
  renewToken(user: User | undefined, until: number | undefined): Outcome {
    const token = user && this.#newest(user);
    if (!user) return this.#refuse("renewToken", "USER_NOT_FOUND");
    if (!token) return this.#refuse("renewToken", "TOKEN_NOT_FOUND");
    if (!this.#isBasic && (until ?? this.end) <= this.now) return [422, "body.expires_at"];
    if (!this.#isBasic) token.expires = Math.min(until ?? this.end, this.end);
    else if (token.period !== this.#period) token.expires = Math.max(token.expires, this.end);
    token.period = this.#period;
    return this.#isBasic ? [200, formatInstant(token.expires)] : [200];
  }

  /** @param named in the platform `anaconda`; the other one revokes the user's only token */
  revokeToken(user: User | undefined, named: Token | undefined): Outcome {
    if (!user) return this.#refuse("revokeToken", "USER_NOT_FOUND");
    const token = this.#isBasic ? this.#newest(user) : named;
    if (!token || token.user !== user || token.revoked) return this.#refuse("revokeToken", "TOKEN_NOT_FOUND");
    if (this.#isBasic) this.tokens = this.tokens.filter((one) => one !== token);
    token.revoked = true;
    return [204];
  }

  onboardUsers(emails: readonly string[]): Outcome {
    if (this.#hasEnded) return this.#refuse("onboardUsers", "SUBSCRIPTION_EXPIRED");
    let { free } = this;
    const accepted: string[] = [];
    const unavailable: string[] = [];
    for (const email of new Set(emails.map((one) => one.toLowerCase()))) {
      const isIn = free > 0 && !this.#isMember(email) && !this.accounts.has(email);
      (isIn ? accepted : unavailable).push(email);
      if (isIn) free -= 1;
    }
    for (const email of accepted.filter((one) => !this.problems.has(one))) {
      const user = { email, seat: true };
      this.users.push(user);
      this.tokens.push({ user, expires: this.end, period: this.#period, revoked: false });
      this.emails.push(`welcome ${email}`, `token ${email}`);
    }
    if (accepted.length > 0) this.emails.push(`users-added ${this.#admin}`);
    const [total, left] = this.#isBasic ? [this.seats, free] : [String(this.seats), String(free)];
    return [200, { accepted, unavailable, total, left }];
  }

  get #isBasic(): boolean {
    return this.platform === "basic";
  }
  get #hasEnded(): boolean {
    return this.end <= this.now;
  }
  #isMember(email: string): boolean {
    const one = email.toLowerCase();
    return one === this.#admin || this.users.some((user) => user.email === one);
  }
  #newest(user: User): Token | undefined {
    return this.tokens.findLast((token) => token.user === user && !token.revoked);
  }
  #announce(user: User, kind: string): void {
    if (!this.#isBasic && user.email !== null) this.emails.push(`${kind} ${user.email}`);
  }
  #refuse(call: ModelCall, code: Code): Outcome {
    const allowed: readonly number[] = listed[call];
    if (this.#isBasic || allowed.includes(statuses[code])) return [statuses[code], code];
    return [422, fields[code]];
  }
}

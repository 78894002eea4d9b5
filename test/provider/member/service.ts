/**
 * A service with the calls of both platforms, in memory: what it contains judges the steps of a member. It shares nothing with
 * the product or the sandbox.
 */

export interface ServiceToken {
  readonly id: string;
  end: string;
  isRevoked: boolean;
}

export interface ServiceUser {
  readonly id: string;
  email: string | undefined;
  firstName: string | undefined;
  lastName: string | undefined;
  role: string;
  hasSeat: boolean;
  tokens: ServiceToken[];
}

export interface Answer {
  readonly status: number;
  readonly id?: string;
  readonly end?: string;
}

const ok = (more: Omit<Answer, "status"> = {}): Answer => ({ status: 200, ...more });
const no = (status: number): Answer => ({ status });

/** A request: the number of the call, the user, and what its body says. */
export interface Request {
  readonly call: 5 | 6 | 7 | 8 | 9 | 10 | 11;
  readonly user?: string;
  readonly token?: string | undefined;
  readonly email?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly end?: string | undefined;
}

export class Service {
  readonly users = new Map<string, ServiceUser>();
  readonly log: Request[] = [];
  /** Whether it lists users and tokens, and tokens have ids. */
  readonly isListing: boolean;
  readonly now: () => number;
  seats = 100;
  /** Removals that came too early: a token or a seat was left. */
  disorders = 0;
  subscription: string;
  #next = 0;

  constructor(isListing: boolean, subscription: string, now: () => number) {
    this.isListing = isListing;
    this.subscription = subscription;
    this.now = now;
  }

  newId(kind: string): string {
    this.#next += 1;
    return `${kind}${this.#next}`;
  }

  live(user: ServiceUser): ServiceToken[] {
    return user.tokens.filter(({ isRevoked }) => !isRevoked);
  }

  usedSeats(): number {
    return [...this.users.values()].filter(({ hasSeat }) => hasSeat).length;
  }

  send(request: Request): Answer {
    this.log.push(request);
    const answer = this.handle(request);
    if (request.call >= 10 && answer.status === 409) this.disorders += 1;
    return answer;
  }

  handle(request: Request): Answer {
    if (request.call === 5) return this.#add(request);
    const user = this.users.get(request.user ?? "");
    if (user === undefined) return no(404);
    if (request.call === 6) return this.#seat(user);
    if (request.call === 7) return this.#issue(user, request);
    if (request.call === 8) return this.#renew(user, request);
    if (request.call === 9) return this.#revoke(user, request);
    if (request.call === 10) return this.#unseat(user);
    return this.#remove(user);
  }

  #add({ email, firstName, lastName }: Request): Answer {
    const isTaken = [...this.users.values()].some((one) => email !== undefined && one.email === email);
    if (isTaken) return no(409);
    const id = this.newId("u");
    this.users.set(id, { id, email, firstName, lastName, role: "member", hasSeat: false, tokens: [] });
    return ok({ id });
  }

  #seat(user: ServiceUser): Answer {
    if (user.hasSeat) return this.isListing ? no(409) : ok();
    if (this.usedSeats() >= this.seats) return no(402);
    user.hasSeat = true;
    return ok();
  }

  #issue(user: ServiceUser, { end = "" }: Request): Answer {
    if (!this.isListing && this.live(user).length > 0) return no(409);
    if (Date.parse(end) <= this.now()) return no(422);
    const given = Date.parse(end) > Date.parse(this.subscription) ? this.subscription : end;
    const id = this.newId("t");
    user.tokens.push({ id, end: given, isRevoked: false });
    return ok({ id, end: given });
  }

  #renew(user: ServiceUser, { end }: Request): Answer {
    const token = this.live(user).at(-1);
    if (token === undefined) return no(404);
    token.end = this.isListing && end !== undefined ? end : this.subscription;
    return ok({ end: token.end });
  }

  #revoke(user: ServiceUser, { token: id }: Request): Answer {
    const live = this.live(user);
    const token = this.isListing ? live.find((one) => one.id === id) : live[0];
    if (token === undefined) return no(404);
    token.isRevoked = true;
    return ok();
  }

  #unseat(user: ServiceUser): Answer {
    if (!this.isListing && this.live(user).length > 0) return no(409);
    if (!user.hasSeat) return no(404);
    user.hasSeat = false;
    return ok();
  }

  #remove(user: ServiceUser): Answer {
    if (user.hasSeat || this.live(user).length > 0) return no(409);
    this.users.delete(user.id);
    return ok();
  }
}

/** What an administrator edits in the roster, what the directory does, and what people do themselves. */

import type { Fixture } from "../command/fixture.ts";
import { type NewPerson, type NewRoster, person } from "../command/people.ts";
import { iso } from "../provider/member/second-view.ts";
import type { Edit, Happening } from "./calendar.ts";
import { DAY } from "./model.ts";

/** The organization as its administrators see it on a day. */
export interface Office {
  readonly fixture: Pick<Fixture, "behindOurBack" | "sandbox">;
  roster: NewRoster;
  readonly now: number;
  readonly isDirectory: boolean;
  /** Numbers the people who join. */
  joined: number;
  /** People whose rows were deleted. */
  readonly former: NewPerson[];
  /** Whom the last run has left as members, with or without a token. */
  readonly held: ReadonlyMap<string, { readonly id: string; readonly hasToken: boolean }>;
  /** Tokens that people have issued themselves, by id. */
  readonly ownTokens: Set<string>;
  /** Commands of the day, besides `up`. */
  readonly commands: { readonly verb: "offboard" | "rotate"; readonly key: string }[];
}

type Draw = () => number;

/** One of them, if there is one. */
export function oneOf<T>(draw: Draw, all: readonly T[]): T | undefined {
  return all[Math.floor(draw() * all.length)];
}

/** @returns whether there was someone it could happen to */
export async function edit(office: Office, { kind, draw }: Happening<Edit>): Promise<boolean> {
  return edits[kind](office, draw);
}

const edits: Readonly<Record<Edit, (office: Office, draw: Draw) => boolean | Promise<boolean>>> = {
  join(office, draw) {
    const one = newcomer(office, draw);
    office.roster = { ...office.roster, people: [...office.roster.people, one] };
    return true;
  },
  "row deleted": (office, draw) => change(office, draw, open(office), () => undefined),
  offboard: (office, draw) => command(office, draw, "offboard", open(office)),
  "access end set": (office, draw) =>
    change(office, draw, open(office), (one) => ({
      ...one,
      accessUntil: iso(office.now + Math.ceil(draw() * 30) * DAY),
    })),
  return(office, draw) {
    const isPerson = ({ email }: NewPerson) => email !== undefined || !office.isDirectory;
    const ended = office.roster.people
      .filter(isPerson)
      .filter(({ accessUntil }) => accessUntil && Date.parse(accessUntil) <= office.now);
    if (ended.length > 0) return change(office, draw, ended, ({ accessUntil: _, ...one }) => anew(one));
    const one = oneOf(draw, office.former.filter(isPerson));
    if (one === undefined) return false;
    office.former.splice(office.former.indexOf(one), 1);
    office.roster = { ...office.roster, people: [...office.roster.people, one] };
    return true;
  },
  "team changed": (office, draw) =>
    change(office, draw, office.roster.people, (one) => ({ ...one, team: `team ${Math.floor(draw() * 9)}` })),
  "address changed": (office, draw) =>
    change(
      office,
      draw,
      open(office).filter(({ email }) => email !== undefined && !office.isDirectory),
      (one) => {
        return { ...anew(one), email: `${one.key}.${++office.joined}@acme.example` };
      },
    ),
  "seat on or off": (office, draw) =>
    change(office, draw, open(office), (one) => {
      const next = draw();
      return { ...one, seat: next > 0.3, token: next > 0.6 };
    }),
  "token settings changed": (office, draw) =>
    change(office, draw, open(office), (one) => settings(one, office, draw)),
  "token rotated"(office, draw) {
    const able = open(office).filter(({ key, token }) => token && office.held.get(key)?.hasToken);
    return command(office, draw, "rotate", able);
  },
  async "own token issued"(office, draw) {
    const { service } = office.fixture.sandbox;
    const { users, tokens } = await service.management.snapshot();
    const hasOne = (id: string) => tokens.some(({ userId, revoked }) => userId === id && !revoked);
    // Where a user has one token at most, only those without one can issue it.
    const able = users.filter(({ userId }) => service.platform === "anaconda" || !hasOne(userId));
    const one = oneOf(draw, able);
    if (one === undefined) return false;
    await office.fixture.behindOurBack((api, limit) =>
      api.issueToken(one.userId, iso(office.now + 5 * DAY), limit),
    );
    for (const { tokenId } of (await service.management.snapshot()).tokens.slice(tokens.length))
      office.ownTokens.add(tokenId);
    return true;
  },
  async "directory joins"(office, draw) {
    const waiting = await missing(office);
    // Sometimes the row comes first, and sometimes the user.
    const one = oneOf(draw, waiting) ?? newcomer(office, draw);
    const { email } = one;
    await office.fixture.behindOurBack((api, limit) => api.createUser({ email }, limit));
    if (!waiting.includes(one)) office.former.push(one);
    return true;
  },
  async "directory leaves"(office, draw) {
    const { management } = office.fixture.sandbox.service;
    const one = oneOf(
      draw,
      (await management.snapshot()).users.filter(({ managed }) => !managed),
    );
    if (one !== undefined) await management.removeUser(one.userId);
    return one !== undefined;
  },
  async "directory renames"(office, draw) {
    const { management } = office.fixture.sandbox.service;
    const { users } = await management.snapshot();
    const userOf = ({ email }: NewPerson) =>
      users.find((user) => email !== undefined && user.email === email);
    const one = oneOf(draw, open(office).filter(userOf));
    if (one === undefined) return false;
    const email = `${one.key}.${++office.joined}@acme.example`;
    await management.changeUser(userOf(one)?.userId ?? "", { email });
    return change(office, draw, [one], () => ({ ...one, email }));
  },
};

/** The rows of people whose access has no end. */
function open({ roster }: Office): NewPerson[] {
  return roster.people.filter(({ accessUntil }) => accessUntil === undefined);
}

async function missing(office: Office): Promise<NewPerson[]> {
  const { users } = await office.fixture.sandbox.service.management.snapshot();
  return open(office).filter(({ email }) => email && !users.some((user) => user.email === email));
}

export function isCommand(kind: Edit): boolean {
  return kind === "offboard" || kind === "token rotated";
}

/** @returns whether there was someone whom no other command of the day is about */
function command(
  { commands, held }: Office,
  draw: Draw,
  verb: Office["commands"][number]["verb"],
  among: readonly NewPerson[],
): boolean {
  // Whom the directory has not added yet, no command is about.
  const able = among.filter(({ key }) => held.has(key) && !commands.some((one) => one.key === key));
  const one = oneOf(draw, able);
  if (one !== undefined) commands.push({ verb, key: one.key });
  return one !== undefined;
}

function change(
  office: Office,
  draw: Draw,
  among: readonly NewPerson[],
  to: (one: NewPerson) => NewPerson | undefined,
): boolean {
  const one = oneOf(draw, among);
  if (one === undefined) return false;
  const after = to(one);
  if (after === undefined) office.former.push(anew(one));
  const people = office.roster.people.flatMap((row) => (row === one ? (after ?? []) : [row]));
  office.roster = { ...office.roster, people };
  return true;
}

/** A row without the user whom it named: who comes back is another user. */
export function anew({ userId: _, adoptToken: __, ...one }: NewPerson): NewPerson {
  return one;
}

/** Mostly a person with seat and token. */
function newcomer(office: Office, draw: Draw): NewPerson {
  const key = `p${++office.joined}`;
  const kind = draw();
  const isMachine = kind < 0.1 && !office.isDirectory;
  const { email, ...one } = person(key, { seat: draw() > 0.1 });
  const who = isMachine ? { purpose: `Builds of ${key}` } : { email };
  return settings({ ...one, ...who, token: one.seat && draw() > 0.1 }, office, draw);
}

function settings(one: NewPerson, { now, fixture, roster }: Office, draw: Draw): NewPerson {
  const { expires: _, window: __, rotateEvery: ___, keepPrevious: ____, ...plain } = one;
  const isListing = fixture.sandbox.service.platform === "anaconda";
  const kind = draw();
  const period = oneOf(draw, ["30d", "60d", "90d"]);
  if (kind < 0.2)
    return { ...plain, rotateEvery: period, ...(isListing && draw() < 0.5 && { keepPrevious: "7d" }) };
  if (kind < 0.35 && isListing) return { ...plain, expires: period };
  const last = Date.parse(roster.subscriptionExpiresAt ?? "");
  const date = iso(Math.min(last, now + Math.ceil(20 + draw() * 200) * DAY));
  if (kind < 0.45) return { ...plain, expires: date };
  if (kind < 0.6) return { ...plain, expires: date, window: "30d" };
  return plain;
}

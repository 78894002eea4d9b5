/**
 * Who is who: which row is about which member of the state. User ids decide; a logical name never passes to another person.
 * Plan, adoption, directory, refresh, and offboarding use it. Pure.
 */
import type { Held } from "./held.ts";

export interface Row {
  /** For messages: where the row is, or whom it is about. */
  readonly label: string;
  readonly key?: string | undefined;
  readonly userId?: string | undefined;
  readonly email?: string | undefined;
  /** Of a machine user. */
  readonly purpose?: string | undefined;
}

export interface MemberInState {
  /** The logical name of the resource. */
  readonly name: string;
  readonly held: Held;
  /** The address that the outputs have. */
  readonly email?: string | undefined;
}

export interface ListedUsers {
  readonly users: readonly { readonly id: string; readonly email?: string | null | undefined }[];
  /** The held ids that are proven absent. */
  readonly absent?: readonly string[] | undefined;
}

export interface IdentifiedRow<One extends Row> {
  readonly row: One;
  /** Undefined for a new member. */
  readonly member: MemberInState | undefined;
  readonly name: string;
  readonly by: "key" | "userId" | "address" | "list" | "new";
  /** The user of a directory to adopt. */
  readonly adopts?: string | undefined;
  /** The names of the members who give their address up in this plan: their answers come first. */
  readonly after: readonly string[];
}

export interface StoppedRow<One extends Row> {
  readonly row: One;
  readonly code: "duplicate-declaration" | "address-in-use";
  /** The other one: a row, or a member of the state. */
  readonly other: string;
}

export interface Identities<One extends Row> {
  readonly rows: readonly IdentifiedRow<One>[];
  /** Members whom no row is about. A member of a stopped row is none. */
  readonly leavers: readonly MemberInState[];
  readonly stopped: readonly StoppedRow<One>[];
  /** Members whom the service lists under an address that no row has. */
  readonly drift: readonly { readonly member: MemberInState; readonly email: string }[];
}

interface Options {
  /** Whether an identity provider adds and removes the users. */
  readonly isDirectory?: boolean;
}

/** @param list undefined: unread, or the service has no list */
export function identify<One extends Row>(
  rows: readonly One[],
  members: readonly MemberInState[],
  list: ListedUsers | undefined,
  { isDirectory = false }: Options = {},
): Identities<One> {
  const index = indexOf(members, list);
  const { found, twice } = matched(rows, index);
  const names = namesFor(rows, found, members);
  const rowOf = new Map([...found].map(([row, { member }]) => [member, row]));
  const checked = rows
    .filter((row) => !twice.has(row))
    .map((row) => ({ row, ...holdersOf(row, found.get(row)?.member, rowOf, index) }));
  const ring = ringsIn(checked, rowOf);
  const stopped: StoppedRow<One>[] = [...twice].map(([row, other]) => ({
    ...{ row, code: "duplicate-declaration" as const, other },
  }));
  const result: IdentifiedRow<One>[] = [];
  for (const { row, after, holder } of checked) {
    const other = holder ?? (ring.has(row) ? after[0]?.name : undefined);
    if (other !== undefined) stopped.push({ row, code: "address-in-use", other });
    else result.push(identified(row, found, names, after, isDirectory ? index : undefined));
  }
  const claimed = new Set([...found.values()].map(({ member }) => member));
  return {
    rows: result,
    leavers: members.filter((member) => !claimed.has(member)),
    stopped,
    drift: driftOf(rows, found, index),
  };
}

/** Which member each row is about, without a list. Two rows of one member: the first one has it. */
export function pairsOf<One extends Row, Member extends MemberInState>(
  rows: readonly One[],
  members: readonly Member[],
): Map<One, Member> {
  const given = new Map<MemberInState, Member>(members.map((member) => [member, member]));
  const { found } = matched(rows, indexOf(members, undefined));
  return new Map(
    [...found].flatMap(([row, { member }]) => {
      const own = given.get(member);
      return own === undefined ? [] : [[row, own] as const];
    }),
  );
}

interface Match {
  readonly member: MemberInState;
  readonly by: "key" | "userId" | "address" | "list";
}
type Matches<One> = ReadonlyMap<One, Match>;

interface Index {
  readonly byKey: ReadonlyMap<string, MemberInState>;
  readonly byId: ReadonlyMap<string, MemberInState>;
  readonly byEmail: ReadonlyMap<string, MemberInState>;
  readonly listedByEmail: ReadonlyMap<string, string>;
  readonly emailOf: ReadonlyMap<string, string>;
  readonly absent: ReadonlySet<string>;
  /** Of the listed users. */
  readonly ids: ReadonlySet<string>;
}

function plain(email: string): string {
  return email.normalize("NFC").trim().toLowerCase();
}

function indexOf(members: readonly MemberInState[], list: ListedUsers | undefined): Index {
  const absent = new Set(list?.absent);
  const listed = (list?.users ?? []).flatMap(({ id, email }) => (email ? [[id, plain(email)] as const] : []));
  return {
    byKey: new Map(members.flatMap((one) => (one.held.key === undefined ? [] : [[one.held.key, one]]))),
    byId: new Map(members.flatMap((one) => one.held.users.map(({ id }) => [id, one] as const))),
    byEmail: new Map(members.flatMap((one) => (one.email === undefined ? [] : [[plain(one.email), one]]))),
    listedByEmail: uniqueIn(listed),
    emailOf: new Map(listed),
    absent,
    ids: new Set(list?.users.map(({ id }) => id)),
  };
}

/** The users of addresses that one user alone has. */
function uniqueIn(listed: readonly (readonly [id: string, email: string])[]): Map<string, string> {
  const byEmail = Map.groupBy(listed, ([, email]) => email);
  return new Map(
    [...byEmail].flatMap(([email, [first, ...others]]) =>
      first === undefined || others.length > 0 ? [] : [[email, first[0]] as const],
    ),
  );
}

/** By key, then by user id, then by the held address, then by the list: earlier proofs win over the order of the rows. */
function matched<One extends Row>(rows: readonly One[], index: Index) {
  const found = new Map<One, Match>();
  const claimedBy = new Map<MemberInState, One>();
  const twice = new Map<One, string>();
  const pass = (by: Match["by"], memberOf: (row: One) => MemberInState | undefined, isShared: boolean) => {
    for (const row of rows) {
      if (found.has(row) || twice.has(row)) continue;
      const member = memberOf(row);
      if (member === undefined) continue;
      const other = claimedBy.get(member);
      if (other === undefined) {
        found.set(row, { member, by });
        claimedBy.set(member, row);
      } else if (!isShared) twice.set(row, other.label);
    }
  };
  pass("key", ({ key }) => (key === undefined ? undefined : index.byKey.get(key)), false);
  pass("userId", ({ userId }) => (userId === undefined ? undefined : index.byId.get(userId)), false);
  // An address can pass to another row: its holder decides.
  pass("address", ({ email }) => (email === undefined ? undefined : index.byEmail.get(plain(email))), true);
  pass("list", ({ email }) => memberListedAs(email, index), true);
  return { found, twice };
}

function memberListedAs(email: string | undefined, index: Index): MemberInState | undefined {
  const id = email === undefined ? undefined : index.listedByEmail.get(plain(email));
  return id === undefined ? undefined : index.byId.get(id);
}

interface Holders {
  /** The holder of the row's address who keeps it. */
  readonly holder: string | undefined;
  /** Those who give it up in this plan. */
  readonly after: readonly MemberInState[];
}

/** @param rowOf the row of each member */
function holdersOf(
  row: Row,
  own: MemberInState | undefined,
  rowOf: ReadonlyMap<MemberInState, Row>,
  index: Index,
): Holders {
  if (row.email === undefined) return { holder: undefined, after: [] };
  const email = plain(row.email);
  const holders = new Set([index.byEmail.get(email), memberListedAs(row.email, index)]);
  const others = [...holders].filter((one) => one !== own).filter((one) => one !== undefined);
  const keeping = others.find((one) => {
    const other = rowOf.get(one);
    return other !== undefined && (isSameEmail(one.email, other.email) || isSameEmail(other.email, email));
  });
  return { holder: keeping?.name, after: keeping === undefined ? others : [] };
}

function isSameEmail(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && plain(one) === plain(other);
}

/** Rows that take their addresses from each other in a circle: no order of requests serves them. */
function ringsIn<One extends Row>(
  checked: readonly ({ readonly row: One } & Holders)[],
  rowOf: ReadonlyMap<MemberInState, One>,
): Set<One> {
  const next = new Map(
    checked.map(({ row, after }) => [row, after.flatMap((member) => rowOf.get(member) ?? [])]),
  );
  const reaches = (from: One, goal: One, seen = new Set<One>()): boolean =>
    (next.get(from) ?? []).some((one) => {
      if (one === goal) return true;
      if (seen.has(one)) return false;
      seen.add(one);
      return reaches(one, goal, seen);
    });
  return new Set(
    checked.filter(({ row, after }) => after.length > 0 && reaches(row, row)).map(({ row }) => row),
  );
}

function identified<One extends Row>(
  row: One,
  found: Matches<One>,
  names: ReadonlyMap<One, string>,
  after: readonly MemberInState[],
  directory: Index | undefined,
): IdentifiedRow<One> {
  const match = found.get(row);
  return {
    row,
    member: match?.member,
    name: names.get(row) ?? row.label,
    by: match?.by ?? "new",
    adopts: directory && directoryUser(row, match?.member, directory),
    after: after.map(({ name }) => name),
  };
}

/**
 * Of a directory: the listed user of the row's address, whom no member holds. Whoever holds a present user keeps it, unless the
 * row has another address than before, and the list another user for it.
 */
function directoryUser(
  { email, userId }: Row,
  member: MemberInState | undefined,
  index: Index,
): string | undefined {
  const isNamed = userId !== undefined && index.ids.has(userId);
  const isHeld = member?.held.users.some(({ id }) => !index.absent.has(id)) === true;
  if (email === undefined || isNamed || (isHeld && isSameEmail(member?.email, email))) return undefined;
  const found = index.listedByEmail.get(plain(email));
  return found === undefined || index.byId.has(found) ? undefined : found;
}

/** A member keeps its name; a new one gets a name that the state does not have. */
function namesFor<One extends Row>(
  rows: readonly One[],
  found: Matches<One>,
  members: readonly MemberInState[],
): Map<One, string> {
  const taken = new Set(members.map(({ name }) => name));
  const names = new Map<One, string>();
  for (const row of rows) {
    const member = found.get(row)?.member;
    const base = row.key ?? row.email?.toLowerCase() ?? row.label;
    let name = member?.name ?? base;
    for (let number = 2; member === undefined && taken.has(name); number++) name = `${base}-${number}`;
    taken.add(name);
    names.set(row, name);
  }
  return names;
}

function driftOf<One extends Row>(rows: readonly One[], found: Matches<One>, index: Index) {
  const declared = new Set(rows.flatMap(({ email }) => (email === undefined ? [] : [plain(email)])));
  return [...found.values()].flatMap(({ member }) => {
    const [user] = member.held.users;
    const email = user === undefined ? undefined : index.emailOf.get(user.id);
    const isDrift = email !== undefined && member.email !== undefined && !declared.has(email);
    return isDrift && email !== plain(member.email) ? [{ member, email }] : [];
  });
}

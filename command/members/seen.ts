/** What a list of the service shows of one member of a roster. Pure. */
import { type Held, plainText } from "../../provider/member/held.ts";
import { isLike, seenToken } from "../../provider/member/observe.ts";
import type { OrgMemberInputs } from "../../provider/member/resource/schema.ts";
import type { Seen, SeenUser } from "../../provider/member/wanted.ts";
import { seatsIn } from "../../provider/resources/members/seat-codes.ts";
import { isHiding, type ListedUser, type ServiceMembers } from "../../provider/service/members.ts";

/** The users of a list by what members are asked about. */
export interface SeenList {
  readonly members: ServiceMembers;
  readonly isHiding: boolean;
  readonly byId: ReadonlyMap<string, ListedUser>;
  /** By email, and by the names of a machine user. */
  readonly byName: ReadonlyMap<string, readonly ListedUser[]>;
  /** The ids of the users whom interrupted runs of this stack have added. */
  readonly ours: ReadonlySet<string>;
  seatOf(user: ListedUser): boolean | undefined;
}

/** @param product whose seats count; undefined: those of any product */
export function seenList(
  members: ServiceMembers,
  product: string | undefined,
  ours: ReadonlySet<string> = new Set(),
): SeenList {
  const seatFor = seatsIn(members.users, product);
  const seats = { yes: true, no: false, unknown: undefined } as const;
  return {
    ...{ members, ours, isHiding: isHiding(members) },
    byId: new Map(members.users.map((user) => [user.id, user])),
    byName: namesOf(members.users),
    seatOf: (user) => seats[seatFor(user)],
  };
}

function namesOf(users: readonly ListedUser[]): Map<string, ListedUser[]> {
  const byName = new Map<string, ListedUser[]>();
  for (const user of users) {
    const { email, first_name: purpose, last_name: lastName } = user;
    const names = [
      ...(email ? [nameOf({ email })] : []),
      nameOf({ purpose: purpose ?? "", lastName: lastName ?? "" }),
    ];
    for (const name of names) byName.set(name, [...(byName.get(name) ?? []), user]);
  }
  return byName;
}

/** Who the list is asked about. */
export interface Asked {
  readonly held: Held;
  /** Undefined of a member whose row is gone. */
  readonly inputs: OrgMemberInputs | undefined;
  /** Whether another member holds the user. */
  isOthers(userId: string): boolean;
}

/** The held users, the one to adopt, and those of the member's address or names whom no other member holds. */
export function seenOf(asked: Asked, list: SeenList): Seen {
  const { held, inputs } = asked;
  const { members, byId } = list;
  const ids = [...held.users.map(({ id }) => id), ...(inputs?.adopt === undefined ? [] : [inputs.adopt])];
  const known = ids.flatMap((id) => byId.get(id) ?? []);
  const alike = alikeIn(list, asked).filter(({ id }) => !asked.isOthers(id));
  const users = [...new Set([...known, ...alike])].map((user) => seenUser(user, list));
  const absent = held.users.flatMap(({ id }) => (members.gone.has(id) ? [id] : []));
  return {
    users,
    ...(list.isHiding && { isHiding: true as const }),
    ...(absent.length > 0 && { absent }),
  };
}

/** A request without an answer left marks alone, so each user is compared with them. */
function alikeIn({ byName, members }: SeenList, { held, inputs }: Asked): readonly ListedUser[] {
  const { ref, pending } = held;
  const mine = inputs === undefined ? [] : (byName.get(nameOf(inputs)) ?? []);
  if (pending === undefined) return mine;
  return [...mine, ...members.users.filter((user) => isLike(ref, pending, namesIn(user)))];
}

function namesIn({ id, email, first_name: firstName, last_name: lastName }: ListedUser) {
  return { id, email, firstName, lastName };
}

/** A person is the email, a machine user its names, in any letter case. */
function nameOf({
  email,
  purpose,
  lastName,
}: Pick<OrgMemberInputs, "email" | "purpose" | "lastName">): string {
  return email === undefined
    ? JSON.stringify([plainText(purpose ?? ""), plainText(lastName ?? "")])
    : plainText(email);
}

function seenUser(user: ListedUser, { members, ours, seatOf }: SeenList): SeenUser {
  const { id, email, first_name: firstName, last_name: lastName, role } = user;
  const tokens = members.tokens.get(id)?.map(seenToken);
  const seen = { id, email, firstName, lastName, role: role ?? undefined, hasSeat: seatOf(user), tokens };
  return { ...seen, ...(ours.has(id) && { isOurs: true as const }) };
}

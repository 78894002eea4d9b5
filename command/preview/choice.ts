/** What a command makes of the plan of a roster. Pure. */
import { type Plan, takesSomething, type Unit } from "../../provider/member/step.ts";
import type { Decision, MemberPlan } from "../members/plan.ts";

export interface PlanChoice {
  /** A member as the command plans it, before `part`. Default: as the roster says. */
  readonly instead?: ((member: MemberPlan) => MemberPlan) | undefined;
  /** The steps that the command makes of a member; undefined: none. Default: all. */
  readonly part?: ((member: MemberPlan) => Plan | undefined) | undefined;
  /** What the command decides about members, by `ref`. Default: nothing. */
  readonly decisions?: ReadonlyMap<string, Decision> | undefined;
  /** Whether the stack must belong to the roster. Default: true. */
  readonly ownership?: boolean | undefined;
  /** Whether the rows of the roster decide who stays. Default: true. */
  readonly rowsDecide?: boolean | undefined;
  /** Whether the caller named each person who loses access, so that the removal limit does not apply. Default: false. */
  readonly namedOneByOne?: boolean | undefined;
}

/** The units that are wanted, without what is refused or waits; undefined if there are none. */
export function unitsOf({ plan }: MemberPlan, isWanted: (unit: Unit) => boolean): Plan | undefined {
  const units = plan.units.filter(isWanted);
  return units.length === 0 ? undefined : { ...plan, units, refused: [], waits: [] };
}

/** The members with the steps that the command makes. */
export function chosen(members: readonly MemberPlan[], { instead, part }: PlanChoice): MemberPlan[] {
  const planned = instead === undefined ? members : members.map(instead);
  if (part === undefined) return [...planned];
  return planned.flatMap((member) => {
    const plan = part(member);
    return plan === undefined ? [] : [{ ...member, plan }];
  });
}

/** A member as a whole: seat and token depend on the user, and on each other. */
interface Withheld {
  readonly members: readonly MemberPlan[];
  /** Those of whom `noRemovals` leaves out all changes. */
  readonly withheld: readonly MemberPlan[];
}

/** Without everyone of whom the plan takes anything, and those who wait for an address of theirs. */
export function withoutRemovals(members: readonly MemberPlan[]): Withheld {
  const names = new Set(members.filter(takesAnything).map(({ name }) => name));
  for (let before = -1; before < names.size; ) {
    before = names.size;
    for (const { name, after } of members) if (after.some((one) => names.has(one))) names.add(name);
  }
  return {
    members: members.filter(({ name }) => !names.has(name)),
    withheld: members.filter(({ name }) => names.has(name)),
  };
}

/** Also what ends earlier than before, and what leaves the state although the person keeps it, or is gone. */
function takesAnything({ plan, row, observed }: MemberPlan): boolean {
  const absent = new Set(observed.seen.absent);
  if (observed.stored.users.some(({ id }) => absent.has(id))) return true;
  const ends = new Map(
    observed.held.users.flatMap(({ tokens }) =>
      tokens.map((token) => [token.id ?? token.issuedAt, token.reportedEnd ?? token.declaredEnd] as const),
    ),
  );
  return plan.units.some(({ steps }) =>
    steps.some((step) => {
      const { call, token, target, effect } = step;
      if (takesSomething(step)) return true;
      if (effect?.do === "forget") return row === undefined;
      const [before, until] = [ends.get(token ?? ""), target?.until];
      return (
        call === "renew token" &&
        before !== undefined &&
        until !== undefined &&
        Date.parse(until) < Date.parse(before)
      );
    }),
  );
}

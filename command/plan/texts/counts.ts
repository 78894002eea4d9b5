/** The numbers of a plan, for its text, its JSON and for comparison with the log of a service. */

import { counted, countedPeople, grouped } from "../../../provider/util/text.ts";
import type { Action } from "../../members/action-table.ts";
import { describePlanned, membershipReplacements } from "../actions.ts";
import type { Plan } from "../plan.ts";
import { availableAfter } from "../seats.ts";

export interface Counts {
  readonly joining: number;
  readonly adopted: number;
  readonly leaving: number;
  readonly retained: number;
  /** Machine users whom an earlier run may have created, and about whom a decision is due. */
  readonly undecided: number;
  readonly seatsAssigned: number;
  readonly seatsReturned: number;
  readonly tokensIssued: number;
  readonly tokensRenewed: number;
  /** Renewed to an earlier date. */
  readonly tokensShortened: number;
  readonly tokensReplaced: number;
  readonly tokensRevoked: number;
  /** People for whom a rule changes that decides who keeps access, such as `access_until`, without a request. */
  readonly rulesChanged: number;
  /** Settings of the roster that change in the same way. */
  readonly settingsChanged: number;
  /** Emails about a new seat, and about a new token, that the program wants. */
  readonly seatEmails: number;
  readonly tokenEmails: number;
  /** People whom the plan leaves as they are. */
  readonly unchangedPeople: number;
}

export function countsOf({ members, settings, entries }: Plan): Counts {
  const emails = (operation: string): number =>
    entries.reduce(
      (sum, one) => sum + (one.operation === operation ? (one.facts.emails?.length ?? 0) : 0),
      0,
    );
  const unchanged = members.filter(({ actions }) => actions.every((action) => action === "note"));
  return {
    ...countsOfActions([...members, ...settings].flatMap(({ actions }) => actions)),
    rulesChanged: members.filter(({ actions }) => actions.some(isRule)).length,
    settingsChanged: new Set(settings.flatMap(({ actions }) => actions.filter(isSetting))).size,
    seatEmails: emails("assign seat"),
    tokenEmails: emails("issue token"),
    unchangedPeople: unchanged.length,
  };
}

function countsOfActions(all: readonly Action[]) {
  const count = (...wanted: readonly Action[]): number => all.filter((one) => wanted.includes(one)).length;
  return {
    joining: count("join", ...membershipReplacements),
    adopted: count("adopt"),
    leaving: count("leave", "removePrevious", ...membershipReplacements),
    retained: count("retain"),
    undecided: count("undecided"),
    seatsAssigned: count("assignSeat"),
    seatsReturned: count("returnSeat"),
    tokensIssued: count("issueToken"),
    tokensRenewed: count("renewToken"),
    tokensShortened: count("shortenToken"),
    tokensReplaced: count("reissueToken", "exchangeToken", "replaceToken"),
    tokensRevoked: count("revokeToken", "revokePrevious"),
  };
}

const RULES: ReadonlySet<Action> = new Set([
  "changeAccessEnd",
  "changeOnDelete",
  "changeRotationRule",
  "protect",
  "unprotect",
]);
const SETTINGS: ReadonlySet<Action> = new Set(["changeMembership", "requireSealing", "endSealing"]);

function isRule(action: Action): boolean {
  return RULES.has(action);
}

function isSetting(action: Action): boolean {
  return SETTINGS.has(action);
}

/** One line, such as `3 to add, 1 to remove · seats +3 -1 (4 available afterwards, declared) · 3 tokens to issue`. */
export function headline(plan: Plan): string {
  const counts = countsOf(plan);
  const parts = [
    describePeople(counts),
    describeSeats(plan, counts),
    describeTokens(counts),
    ...describeRules(plan),
    ...some(counts.settingsChanged, "roster setting", "to change"),
  ].filter((part) => part !== "");
  if (parts.length > 0) return parts.join(" · ");
  return plan.hasChanges ? "No changes in the service, only state updates." : "No changes.";
}

function some(count: number, noun: string, verb: string): string[] {
  return count === 0 ? [] : [`${counted(count, noun)} ${verb}`];
}

function describePeople({ joining, leaving, adopted, retained, undecided }: Counts): string {
  const parts = [
    ...(joining + leaving === 0 ? [] : [`${grouped(joining)} to add, ${grouped(leaving)} to remove`]),
    ...(adopted === 0 ? [] : [`${grouped(adopted)} to adopt`]),
    ...(retained === 0 ? [] : [`${grouped(retained)} to retain (stays a member)`]),
    ...(undecided === 0 ? [] : [`${grouped(undecided)} undecided`]),
  ];
  return parts.join(", ");
}

/** Such as `protect from removal: 2 people`. */
function describeRules({ members }: Plan): string[] {
  return [...RULES].flatMap((rule) => {
    const { length } = members.filter(({ actions }) => actions.includes(rule));
    return length === 0 ? [] : `${describePlanned([rule])}: ${countedPeople(length)}`;
  });
}

function describeTokens(counts: Counts): string {
  return describeVerbs("token", [
    [counts.tokensIssued, "issue"],
    [counts.tokensRenewed, "renew"],
    [counts.tokensShortened, "shorten"],
    [counts.tokensReplaced, "replace"],
    [counts.tokensRevoked, "revoke"],
  ]);
}

function describeVerbs(noun: string, verbs: readonly (readonly [count: number, verb: string])[]): string {
  return verbs
    .filter(([count]) => count > 0)
    .map(([count, verb], index) => `${index === 0 ? counted(count, noun) : grouped(count)} to ${verb}`)
    .join(", ");
}

function describeSeats({ seats }: Plan, { seatsAssigned, seatsReturned }: Counts): string {
  const moves = [
    ...(seatsAssigned === 0 ? [] : [`+${grouped(seatsAssigned)}`]),
    ...(seatsReturned === 0 ? [] : [`-${grouped(seatsReturned)}`]),
  ];
  if (moves.length === 0) return "";
  const available = availableAfter(seats);
  const rest =
    available === undefined
      ? "available seats unknown"
      : `${grouped(available)} available afterwards, ${seats.source}`;
  return `seats ${moves.join(" ")} (${rest})`;
}

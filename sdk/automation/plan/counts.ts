/** How much of what a plan does: the numbers that its words, its JSON and a service's own log have in common. */
import { type Action, membershipReplacements } from "./actions.ts";
import { emailsSentBy } from "./emails.ts";
import { identityOf } from "./members.ts";
import type { Plan } from "./plan.ts";
import { freeAfter } from "./seats.ts";

export interface Counts {
  readonly joining: number;
  readonly takenOver: number;
  readonly leaving: number;
  readonly released: number;
  readonly seatsAssigned: number;
  readonly seatsReturned: number;
  readonly tokensIssued: number;
  readonly tokensRenewed: number;
  readonly tokensReplaced: number;
  readonly tokensRevoked: number;
  readonly accountsCreated: number;
  readonly accountsDeleted: number;
  readonly serversDeleted: number;
  readonly tablesCreated: number;
  /** People who get mails from the service. */
  readonly mailedPeople: number;
  /** People whom the plan leaves as they are. */
  readonly unchangedPeople: number;
}

export function countsOf({ members, otherResources, steps }: Plan): Counts {
  const all = [...members, ...otherResources].flatMap(({ actions }) => actions);
  const count = (deed: Action): number => all.filter((one) => one === deed).length;
  const replaced = membershipReplacements.reduce((sum, deed) => sum + count(deed), 0);
  const still = members.filter(({ actions }) => actions.every((deed) => deed === "note"));
  return {
    joining: count("join") + replaced,
    takenOver: count("adopt"),
    leaving: count("leave") + replaced,
    released: count("release"),
    seatsAssigned: count("assignSeat"),
    seatsReturned: count("returnSeat"),
    tokensIssued: count("issueToken"),
    tokensRenewed: count("renewToken"),
    tokensReplaced: count("reissueToken") + count("replaceToken"),
    tokensRevoked: count("revokeToken"),
    accountsCreated: count("createAccount"),
    accountsDeleted: count("deleteAccount"),
    serversDeleted: count("deleteServer"),
    tablesCreated: count("createTable"),
    mailedPeople: emailsSentBy(steps),
    unchangedPeople: new Set(still.map(identityOf)).size,
  };
}

/**
 * One line: `joining 12, leaving 3, seats +9 -3 (4 free afterwards, declared), tokens renewed 7`. What does not happen is
 * not in it.
 */
export function headline(plan: Plan): string {
  const counts = countsOf(plan);
  const some = (count: number, text: string): string[] => (count === 0 ? [] : [`${text} ${count}`]);
  const tokens = [
    ...some(counts.tokensIssued, "issued"),
    ...some(counts.tokensRenewed, "renewed"),
    ...some(counts.tokensReplaced, "replaced"),
    ...some(counts.tokensRevoked, "revoked"),
  ].join(", ");
  const parts = [
    ...some(counts.joining, "joining"),
    ...some(counts.takenOver, "taken over"),
    ...some(counts.leaving, "leaving"),
    ...seatsInWords(plan, counts),
    ...(tokens === "" ? [] : [`tokens ${tokens}`]),
    ...some(counts.released, "released (stays a member)"),
    ...some(counts.accountsCreated, "service accounts created"),
    ...some(counts.accountsDeleted, "service accounts deleted"),
    ...some(counts.serversDeleted, "model servers deleted"),
    ...some(counts.tablesCreated, "tables created"),
  ];
  if (parts.length > 0) return parts.join(", ");
  return plan.hasChanges ? "nothing at the service, notes in the state only" : "nothing to do";
}

function seatsInWords({ seats }: Plan, { seatsAssigned, seatsReturned }: Counts): string[] {
  const moves = [
    ...(seatsAssigned === 0 ? [] : [`+${seatsAssigned}`]),
    ...(seatsReturned === 0 ? [] : [`-${seatsReturned}`]),
  ];
  if (moves.length === 0) return [];
  const free = freeAfter(seats);
  const left = free === undefined ? "free seats not checked" : `${free} free afterwards, ${seats.source}`;
  return [`seats ${moves.join(" ")} (${left})`];
}

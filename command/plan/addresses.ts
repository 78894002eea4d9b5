/** Emails that pass from one member of a plan to another: the service has each of them once. */

import { isKept } from "../../provider/resources/members/removal.ts";
import { folded } from "../../provider/util/text.ts";
import { memberPath, type Step, textIn } from "./steps/steps.ts";

export interface AddressMove {
  /** The step of the user who gets the address. */
  readonly taker: Step;
  /** That of the user who has it before the run. */
  readonly holder: Step;
}

export function addressMovesIn(steps: readonly Step[]): AddressMove[] {
  const users = steps.filter(({ type }) => type === "OrgUser");
  const holders = new Map(users.flatMap((step) => emailsOf(step).map((email) => [email, step] as const)));
  return users.flatMap((taker) => {
    const { action, news } = taker;
    const isAdded = (action === "create" || action === "replace") && textIn(news, "adopt") === undefined;
    const holder = isAdded ? holders.get(folded(textIn(news, "email") ?? "")) : undefined;
    return holder === undefined || memberPath(holder) === memberPath(taker) ? [] : [{ taker, holder }];
  });
}

/** Folded, before the run. */
function emailsOf({ id, olds }: Step): string[] {
  if (id === undefined) return [];
  return [textIn(olds, "email"), textIn(olds, "serviceEmail")].flatMap((email) =>
    email === undefined ? [] : folded(email),
  );
}

/**
 * The moves that no order of removals and additions makes possible: the holder stays a member, or in the end waits for
 * the address of the taker. No operation of the service changes an email, so nothing frees one for a moment.
 */
export function impossibleMoves(moves: readonly AddressMove[]): AddressMove[] {
  const byTaker = new Map(moves.map((move) => [memberPath(move.taker), move]));
  return moves.filter((move) => {
    const seen = new Set<AddressMove>();
    for (let one: AddressMove | undefined = move; one; one = byTaker.get(memberPath(one.holder))) {
      if (!isFreed(one.holder)) return one === move;
      if (seen.has(one)) return one === move;
      seen.add(one);
    }
    return false;
  });
}

function isFreed({ action, olds }: Step): boolean {
  return (action === "delete" || action === "replace") && !isKept(olds ?? {});
}

/** The guard about emails that pass from one member of a plan to another. */
import { countedPeople } from "../../../provider/util/text.ts";
import { type AddressMove, addressMovesIn, impossibleMoves } from "../addresses.ts";
import type { Plan } from "../plan.ts";
import { nameIn, type Step } from "../steps/steps.ts";
import { type Violation, violation } from "./violation.ts";

/** The service would refuse the address, and the advice to adopt its holder would make two people one. */
export function addressesInUse({ members, steps }: Plan): Violation[] {
  const found = impossibleMoves(addressMovesIn(steps));
  if (found.length === 0) return [];
  const keys = new Set(found.map(({ taker }) => taker.member));
  const one = violation(
    "address-in-use",
    `${countedPeople(found.length)} would get an email of another member, who has it until after that. If the rows exchanged their emails, exchange the rest of the rows instead and leave each email with its key. Otherwise apply the change of the other row first, in a separate run.`,
    members.filter(({ key }) => keys.has(key)),
  );
  return [{ ...one, details: found.map(describe) }];
}

function describe({ taker, holder }: AddressMove): string {
  return `${textOf(taker)}: ${taker.member} (user ${holder.id} of ${holder.member})`;
}

function textOf({ news, member }: Step): string {
  return nameIn(news) ?? member;
}

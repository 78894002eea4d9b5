/** The guard about emails that pass from one member of a plan to another. */
import { type AddressMove, addressMovesIn, impossibleMoves } from "../addresses.ts";
import type { Plan } from "../plan.ts";
import { nameIn } from "../steps/steps.ts";
import { type Violation, violationAbout } from "./violation.ts";

/** The service would refuse the address, and the advice to adopt its holder would make two people one. */
export function addressesInUse({ members, steps }: Plan): Violation[] {
  const moves = impossibleMoves(addressMovesIn(steps));
  const found = members.flatMap((member) =>
    moves
      .filter(({ taker }) => member.steps.includes(taker))
      .map((move) => ({ member, detail: describe(move) })),
  );
  return violationAbout(
    "address-in-use",
    found,
    (people) =>
      `${people} would get an email of another member, who has it until after that. If the rows exchanged their emails, exchange the rest of the rows instead and leave each email with its key. Otherwise apply the change of the other row first, in a separate run.`,
  );
}

function describe({ taker: { news, member }, holder }: AddressMove): string {
  return `${nameIn(news) ?? member}: ${member} (user ${holder.id} of ${holder.member})`;
}

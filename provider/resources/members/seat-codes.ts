/** Who has a seat, by the product codes of a list of users. Pure. */
import type { ListedUser } from "../../api/schemas/anaconda-schemas.ts";
import { counted, shortList } from "../../util/text.ts";

type Subscribed = Pick<ListedUser, "subscriptions">;

/** What a list says about a seat. `unknown`: the item cannot be read, or the list has several codes and no one said which is the seat. */
export type SeatStatus = "yes" | "no" | "unknown";

/** The codes of a list, each with the number of its users, the most frequent first. */
export function productCodes(users: readonly Subscribed[]): [code: string, users: number][] {
  const counts = new Map<string, number>();
  for (const { subscriptions = [] } of users)
    for (const code of new Set(subscriptions)) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].toSorted(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
}

/** The same without the numbers. */
export function codesOf(users: readonly Subscribed[]): readonly string[] {
  return productCodes(users).map(([code]) => code);
}

/** The codes each of which may be the seat: that of `orgseat:product`, otherwise, or if no user has that one, all. @param codes those of a list */
export function seatCodes(codes: readonly string[], product: string | undefined): readonly string[] {
  if (product === undefined) return codes;
  // It can be mistyped: a user with other codes may have a seat.
  return codes.includes(product) ? [product] : [product, ...codes];
}

/** A user with all codes that may be the seat has it, a user with none of them has not. */
export function seatIn({ subscriptions }: Subscribed, codes: readonly string[]): SeatStatus {
  if (subscriptions === undefined) return "unknown";
  const held = codes.filter((code) => subscriptions.includes(code));
  if (held.length === 0) return "no";
  return held.length === codes.length ? "yes" : "unknown";
}

/** The same for each user of a list. */
export function seatsIn(
  users: readonly Subscribed[],
  product: string | undefined,
): (user: Subscribed) => SeatStatus {
  const codes = seatCodes(codesOf(users), product);
  return (user) => seatIn(user, codes);
}

/** Asks which code is the seat; undefined if that is clear. */
export function productQuestion(
  users: readonly Subscribed[],
  product: string | undefined,
): string | undefined {
  const codes = productCodes(users);
  const shown = shortList(codes.map(([code, count]) => `${code} (${counted(count, "user")})`));
  if (product !== undefined) {
    const isKnown = codes.length === 0 || codes.some(([code]) => code === product);
    return isKnown ? undefined : `no user of the list has the product code ${product}, but others: ${shown}`;
  }
  if (codes.length < 2) return undefined;
  return `the list of users has several product codes, and orgseat cannot tell which one is the seat: ${shown}`;
}

/** The next step after the question. */
export const SET_PRODUCT = "Set orgseat:product (ORGSEAT_PRODUCT) to the code of the seat";

/** What a run says that goes on. */
export function productWarning(question: string): string {
  return `${question}. The seat of a user with only some of these codes counts as unknown. ${SET_PRODUCT}.`;
}

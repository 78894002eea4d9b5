/** What the lists of a service do not say, as sentences. Pure. */
import { oddWarnings } from "../../provider/api/schemas/forgiving-list.ts";
import { productQuestion, productWarning } from "../../provider/resources/members/seat-codes.ts";
import type { ServiceMembers } from "../../provider/service/members.ts";
import { withoutStop } from "../../provider/util/text.ts";

/** @param product the code of the seat; undefined if no one has said it */
export function listWarnings(
  { users, odd, unreadable }: ServiceMembers,
  product: string | undefined,
): string[] {
  const question = productQuestion(users, product);
  return [
    ...oddWarnings("list users", odd),
    ...[...unreadable.values()].map((reason) => `${withoutStop(reason)}.`),
    ...(question === undefined ? [] : [productWarning(question)]),
  ];
}

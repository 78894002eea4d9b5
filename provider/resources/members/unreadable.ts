/** What a list cannot tell about one person. It concerns this person alone: a read keeps the state, anything else fails. */
import { hiddenIn, oddItemText, REPORT_ITEM } from "../../api/schemas/forgiving-list.ts";
import { CodedError, codeOf, type ErrorCode } from "../../util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../../util/text.ts";
import type { CallContext } from "../contexts.ts";
import type { Expected } from "./absence.ts";
import type { MemberList } from "./member-list.ts";
import { productQuestion, productWarning, SET_PRODUCT } from "./seat-codes.ts";

/** A list that cannot tell about one person. */
class UndecidedError extends CodedError {
  /** What a run says once, if the cause is the same for many people. */
  readonly shared?: string;

  constructor(code: ErrorCode, message: string, shared?: string) {
    super(code, message);
    if (shared !== undefined) this.shared = shared;
  }
}

/** @param who such as `the seat of ada@acme.example` */
export function undecidedBy(list: MemberList, { userId, seat }: Expected, who: string): UndecidedError {
  const user = list.byId.get(userId);
  const question = seat && user?.subscriptions && productQuestion(list.users, seat.product);
  if (question !== undefined)
    return new UndecidedError(
      "invalid-configuration",
      `cannot tell whether ${who} exists: ${question}. ${SET_PRODUCT}, ${THEN_RUN_AGAIN}`,
      productWarning(question),
    );
  const item = list.odd.find(({ id }) => id === userId) ?? hiddenIn(list.odd)[0];
  const why = item === undefined ? "the item does not say it" : oddItemText(item);
  return new UndecidedError(
    "unreadable-item",
    `cannot tell whether ${who} exists: the list of users has an item that orgseat cannot read: ${why}. ${REPORT_ITEM}, ${THEN_RUN_AGAIN}`,
  );
}

/** Whether an answer cannot tell about one person, and tells about everyone else. */
export function isUndecided(error: unknown): boolean {
  return error instanceof UndecidedError || codeOf(error) === "unreadable-item";
}

/** Reads an object of one person. If the service's answer cannot tell, which the client warns about, the state stays as it is. */
export async function keepingUnread<Outputs>(
  outs: Outputs,
  read: () => Promise<Outputs | undefined>,
  context: Pick<CallContext, "diagnostics">,
): Promise<Outputs | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isUndecided(error)) throw error;
    if (error instanceof UndecidedError && error.shared !== undefined) context.diagnostics.warn(error.shared);
    return outs;
  }
}

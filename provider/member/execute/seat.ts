/** Assigns a seat: a list, or the next run, confirms one whose response was lost. */
import type { ApiError } from "../../api/calls/errors.ts";
import { createOnce } from "../../resources/create-once.ts";
import { isRefused } from "../../resources/failures.ts";
import { presenceIn } from "../../resources/members/absence.ts";
import { freshMembers } from "../../resources/members/reads.ts";
import { forgetWrite, onceKnown, wasWritten } from "../../resources/members/written.ts";
import type { Outcome } from "../advance.ts";
import type { HeldUser } from "../held.ts";
import type { Step } from "../step.ts";
import { failureOf, Unsettled } from "./failures.ts";
import { ownerOf, type Sender, type Sent } from "./sender.ts";

export async function assignSeat(step: Step, user: HeldUser, sender: Sender): Promise<Sent> {
  const { access, can, context } = sender;
  const owner = ownerOf(sender, user);
  const done = (): Outcome => ({ is: "ok", at: context.time.sendTime() });
  const send = async (): Promise<Outcome> => {
    const options = { sendEmail: step.emails === 1 };
    await onceKnown(
      owner,
      () => context.service.api(access).assignSeat(user.id, context.time.operation, options),
      context,
    );
    forgetWrite("seat removed", owner, context);
    return done();
  };
  const open = (lost: ApiError) => new Unsettled(failureOf(lost, "assign seat", sender, user.id));
  try {
    // Without a list, there is nothing to wait for.
    if (!can.canListUsers) return { outcome: await send() };
    const outcome = await createOnce<Outcome>(
      {
        send,
        async look(lost) {
          const found = await isShown(user, sender);
          if (found === undefined) throw open(lost);
          return found ? done() : undefined;
        },
        // After a lost response the seat is the member's; so is one that the list shows, whoever assigned it.
        async decide(failure, lost) {
          const isTaken = isRefused(failure, 409);
          if (isTaken && (lost !== undefined || (await isShown(user, sender)) === true)) return done();
          throw failure;
        },
        giveUp: open,
      },
      context.time,
    );
    return { outcome };
  } catch (error) {
    return error instanceof Unsettled ? error.sent : failureOf(error, "assign seat", sender, user.id);
  }
}

/** Whether a fresh list shows the seat; undefined if none can tell. A list can still show one that this run has removed. */
async function isShown(user: HeldUser, sender: Sender): Promise<boolean | undefined> {
  const { access, context } = sender;
  if (wasWritten("seat removed", ownerOf(sender, user), context)) return false;
  try {
    const seat = { product: context.defaults.product };
    const list = await freshMembers(access, context);
    const presence = list === undefined ? "unknown" : presenceIn(list, { userId: user.id, seat });
    return presence === "unknown" ? undefined : presence === "listed";
  } catch {
    return undefined;
  }
}

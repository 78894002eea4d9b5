/** Assigns a seat: a list, or the next run, confirms one whose response was lost. */
import type { ApiError } from "../../api/calls/errors.ts";
import { createOnce } from "../../resources/create-once.ts";
import { isRefused } from "../../resources/failures.ts";
import { hasSeat } from "../../resources/members/member-list.ts";
import { freshMembers } from "../../resources/members/reads.ts";
import { forgetWrite, onceKnown } from "../../resources/members/written.ts";
import type { Outcome } from "../advance.ts";
import type { HeldUser } from "../held.ts";
import type { Step } from "../step.ts";
import { failureOf, Unsettled } from "./failures.ts";
import { ownerOf, type Sender, type Sent } from "./sender.ts";

export async function assignSeat(step: Step, user: HeldUser, sender: Sender): Promise<Sent> {
  const { access, can, context } = sender;
  const owner = ownerOf(sender, user);
  const done = (): Outcome => ({ is: "ok", at: context.sendTime() });
  const send = async (): Promise<Outcome> => {
    const options = { sendEmail: step.emails === 1 };
    await onceKnown(
      owner,
      () => context.api(access).assignSeat(user.id, context.operation, options),
      context,
    );
    forgetWrite("seat removed", owner, context);
    return done();
  };
  const open = (lost: ApiError) => new Unsettled(failureOf(lost, "assign seat", sender, user.id));
  try {
    if (!can.listsUsers) return { outcome: await send() };
    const outcome = await createOnce<Outcome>(
      {
        send,
        async look(lost) {
          const found = await isShown(user, sender);
          if (found === undefined) throw open(lost);
          return found ? done() : undefined;
        },
        // The list shows the seat, so it is the member's, whoever assigned it.
        async decide(failure) {
          if (isRefused(failure, 409) && (await isShown(user, sender)) === true) return done();
          throw failure;
        },
        giveUp: open,
      },
      context,
    );
    return { outcome };
  } catch (error) {
    return error instanceof Unsettled ? error.sent : failureOf(error, "assign seat", sender, user.id);
  }
}

/** Whether a fresh list shows the seat; undefined if none can be read. */
async function isShown({ id }: HeldUser, { access, context }: Sender): Promise<boolean | undefined> {
  try {
    const member = (await freshMembers(access, context)).byId.get(id);
    return member !== undefined && hasSeat(member, context.defaults.product);
  } catch {
    return undefined;
  }
}

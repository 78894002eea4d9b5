/**
 * Units that take something of a person before they give the new one: a token where a user can have one alone, or the seat of
 * a changed address. One at a time per organization, so that a service that refuses the new ones leaves one person at most
 * with less. Asked removals need no turn. The turns are those of one provider process.
 */

import type { ExchangeTurn } from "../resources/contexts.ts";
import { concernsOthers, failedCallOf } from "../resources/failures.ts";
import { CodedError, codeOf } from "../util/error-codes.ts";
import { type Cancellation, RUN_CANCELLED, waitWithin } from "../util/instants.ts";
import { THEN_RUN_AGAIN } from "../util/text.ts";

/** The same answer to so many people is not about one of them. */
const SAME_ANSWERS = 3;

/** What the final answers to such units say so far about the next ones. */
export interface Verdict {
  /** Whether no such unit begins any more in this run. */
  readonly isStopped: boolean;
  /** How often each refusal came that concerns its person alone. */
  readonly refusals: Readonly<Record<string, number>>;
}

export const noAnswers: Verdict = { isStopped: false, refusals: {} };

/**
 * Pure. @param failure undefined: the unit succeeded
 * @param hasTaken whether the failed call was to give what the unit has taken, so that the service knew the person
 */
export function afterUnit(before: Verdict, failure: unknown, hasTaken: boolean): Verdict {
  const key = refusalOf(failure, hasTaken);
  if (key === undefined) return before;
  if (key === "others") return { ...before, isStopped: true };
  const times = (before.refusals[key] ?? 0) + 1;
  return {
    isStopped: before.isStopped || times >= SAME_ANSWERS,
    refusals: { ...before.refusals, [key]: times },
  };
}

/** `others`: it is not about its person alone. Undefined: the service was not asked, or did it. */
function refusalOf(failure: unknown, hasTaken: boolean): string | undefined {
  if (failure === undefined) return undefined;
  const call = failedCallOf(failure);
  if (call === undefined) {
    // What the lists show contradicts the answer, for whomever it was.
    const code = codeOf(failure);
    return code === "incomplete-list" || code === "ambiguous" ? code : undefined;
  }
  if (concernsOthers(call, hasTaken)) return "others";
  return call.code === "refused" ? String(call.status) : undefined;
}

/** Nothing was sent: another error of the run says why. */
export class ExchangeStopped extends CodedError {
  constructor(why: string) {
    super("blocked", `not sent: ${why}. Fix the cause of the first error, ${THEN_RUN_AGAIN}`);
  }
}

interface Organization {
  verdict: Verdict;
  /** Resolves at the end of the turn before the next one. */
  last: Promise<void>;
}

export class ExchangeTurns {
  readonly #cancellation: Cancellation;
  readonly #onStop: () => void;
  readonly #organizations = new Map<string, Organization>();

  /**
   * @param cancellation of the run: once it is cancelled, no further turn begins
   * @param onStop is called when no such unit begins any more
   */
  constructor(cancellation: Cancellation, onStop = (): void => undefined) {
    this.#cancellation = cancellation;
    this.#onStop = onStop;
  }

  /** Waits for the turns before it. @throws ExchangeStopped if no such unit begins any more in this run */
  async begin(organizationId: string): Promise<ExchangeTurn> {
    const organization = this.#organization(organizationId);
    const before = organization.last;
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    organization.last = before.then(() => left);
    const isTurn = await waitWithin({ cancellation: this.#cancellation }, () => before);
    const why = isTurn ? this.#stopOf(organization) : RUN_CANCELLED;
    if (why !== undefined) {
      leave();
      throw new ExchangeStopped(why);
    }
    return {
      end: (failure, hasTaken) => {
        this.#judge(organization, failure, hasTaken);
        leave();
      },
    };
  }

  /** What was taken in an earlier turn isn't given. */
  note(organizationId: string, failure: Error): void {
    this.#judge(this.#organization(organizationId), failure, true);
  }

  #judge(organization: Organization, failure: unknown, hasTaken: boolean): void {
    const wasStopped = organization.verdict.isStopped;
    organization.verdict = afterUnit(organization.verdict, failure, hasTaken);
    if (organization.verdict.isStopped && !wasStopped) this.#onStop();
  }

  #stopOf({ verdict }: Organization): string | undefined {
    return verdict.isStopped ? "the service refuses to give what this run takes before" : undefined;
  }

  #organization(id: string): Organization {
    const known = this.#organizations.get(id) ?? { verdict: noAnswers, last: Promise.resolve() };
    this.#organizations.set(id, known);
    return known;
  }
}

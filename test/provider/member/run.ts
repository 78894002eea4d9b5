/** Runs the plan of a member against the service in memory, as the loop of a resource will. */
import { advance, isReady, type Outcome } from "../../../provider/member/advance.ts";
import type { Held, HeldUser } from "../../../provider/member/held.ts";
import { observe } from "../../../provider/member/observe.ts";
import {
  type Call,
  isIndependent,
  NEW_USER,
  type Plan,
  type Step,
  type Unit,
} from "../../../provider/member/step.ts";
import { stepsOf } from "../../../provider/member/steps/steps-of.ts";
import type { Can, Seen, Wanted } from "../../../provider/member/wanted.ts";
import { formatInstant } from "../../../provider/util/instants.ts";
import type { Answer, Request, Service } from "./service.ts";

export const platforms = {
  basic: {
    canListUsers: false,
    canListTokens: false,
    revokesByTokenId: false,
    canSetExpiry: false,
  },
  anaconda: {
    canListUsers: true,
    canListTokens: true,
    revokesByTokenId: true,
    canSetExpiry: true,
  },
} as const satisfies Record<string, Can>;
export type PlatformName = keyof typeof platforms;

export const numbers: Readonly<Record<Call, Request["call"]>> = {
  "add user": 5,
  "assign seat": 6,
  "issue token": 7,
  "renew token": 8,
  "revoke token": 9,
  "remove seat": 10,
  "remove user": 11,
};

/** `lostAfter`: the request had its effect; `lostBefore`: it had none; `late`: it has it after the run, or never. */
export type Fault = "refusedForGood" | "refusedForNow" | "lostAfter" | "lostBefore" | "late" | "never";
export const faults: readonly Fault[] = [
  "refusedForGood",
  "refusedForNow",
  "lostAfter",
  "lostBefore",
  "late",
  "never",
];

export interface World {
  readonly service: Service;
  readonly can: Can;
  readonly now: () => number;
  /** The ids of the users whom the member retained or forgot: nobody manages them. */
  readonly forgotten: Set<string>;
}

export interface RunOptions {
  /** The fault of the n-th request of the run. */
  readonly fault?: { readonly at: number; readonly fault: Fault } | undefined;
  readonly isApproved?: (unit: Unit, index: number) => boolean;
}

export interface Ran {
  readonly held: Held;
  readonly plan: Plan;
  readonly units: readonly Unit[];
  readonly isWhole: boolean;
}

/** What the lists show; undefined lists where the platform has none. */
export function seenIn({ service, can }: World, held: Held): Seen {
  if (!can.canListUsers) return {};
  const users = [...service.users.values()].map(
    ({ id, email, firstName, lastName, role, hasSeat, tokens }) => ({
      ...{
        id,
        email: email ?? null,
        firstName: firstName ?? null,
        lastName: lastName ?? null,
        role,
        hasSeat,
      },
      tokens: tokens.map(({ id: token, end, isRevoked }) => ({ id: token, end, isRevoked })),
    }),
  );
  const absent = held.users.map(({ id }) => id).filter((id) => !service.users.has(id));
  return { users, absent };
}

export function planIn(world: World, held: Held, wanted: Wanted): Plan {
  return stepsOf(observe(held, seenIn(world, held)), wanted, world.now(), world.can);
}

/** Executes a plan once. */
export function runOnce(world: World, stored: Held, wanted: Wanted, options: RunOptions = {}): Ran {
  const plan = planIn(world, stored, wanted);
  const units = plan.units.filter((unit, index) => options.isApproved?.(unit, index) ?? true);
  const sender = new Sender(world, wanted, options);
  let held = stored;
  let isWhole = true;
  for (const unit of units) {
    if (!isWhole && !isIndependent(unit)) continue;
    for (const step of unit.steps) {
      if (step.isPossible || !isReady(held, step)) {
        isWhole = isWhole && step.isPossible === true;
        break;
      }
      if (step.effect?.do === "forget") world.forgotten.add(step.effect.user);
      const next = sender.execute(held, step);
      held = next.held;
      if (next.isFailed) {
        isWhole = false;
        break;
      }
    }
  }
  sender.end();
  noteForgotten(world, stored, held);
  return { held, plan, units, isWhole };
}

function noteForgotten({ service, forgotten }: World, before: Held, after: Held): void {
  const kept = new Set(after.users.map(({ id }) => id));
  for (const id of kept) forgotten.delete(id);
  const isPendingForgotten = before.pending !== undefined && after.pending === undefined && kept.size === 0;
  const gone = isPendingForgotten ? [...service.users.keys()] : before.users.map(({ id }) => id);
  for (const id of gone) if (!kept.has(id) && service.users.has(id)) forgotten.add(id);
}

class Sender {
  #sent = 0;
  #last: Outcome | undefined;
  readonly #late: Request[] = [];

  readonly world: World;
  readonly wanted: Wanted;
  readonly options: RunOptions;

  constructor(world: World, wanted: Wanted, options: RunOptions) {
    this.world = world;
    this.wanted = wanted;
    this.options = options;
  }

  execute(held: Held, step: Step): { readonly held: Held; readonly isFailed: boolean } {
    const isAfterConflict = step.onlyIf?.includes("conflict") === true;
    // The unit goes on after a conflict only with what waits for one.
    if (isAfterConflict !== (this.#last?.is === "conflict" && isAfterConflict))
      return { held, isFailed: false };
    if (step.onlyIf?.includes("eachOther")) return this.#others(held, step);
    const { call } = step;
    const outcome: Outcome =
      call === undefined ? { is: "ok", at: this.#at() } : this.#request(held, step, numbers[call]);
    const isConflict = outcome.is === "conflict" && call === "issue token" && !isAfterConflict;
    if (call === "issue token" || call === undefined) this.#last = outcome;
    const isDone = ["ok", "gone", "unproven"].includes(outcome.is);
    const after = advance(held, step, outcome);
    const isSeatThere = call === "assign seat" && outcome.is === "conflict" && after !== held;
    return { held: after, isFailed: !isDone && !(isConflict && hasReplacement(this.wanted)) && !isSeatThere };
  }

  /** What was on its way when the run ended. */
  end(): void {
    for (const request of this.#late) this.world.service.handle(request);
  }

  #at(): string {
    return formatInstant(this.world.now());
  }

  #others(held: Held, step: Step) {
    const user = this.#user(held, step);
    const found = user && this.world.service.users.get(user.id);
    const known = new Set(user?.tokens.map(({ id }) => id));
    const others =
      found === undefined ? [] : this.world.service.live(found).filter(({ id }) => !known.has(id));
    for (const { id } of others) {
      const outcome = this.#request(held, { ...step, token: id }, 9);
      if (outcome.is !== "ok" && outcome.is !== "gone") return { held, isFailed: true };
    }
    return { held, isFailed: false };
  }

  #user({ users }: Held, { user: name }: Step): HeldUser | undefined {
    if (name !== NEW_USER) return users.find(({ id }) => id === name);
    return users.findLast(({ coming }) => coming) ?? users[0];
  }

  #request(held: Held, step: Step, call: Request["call"]): Outcome {
    const { service, can } = this.world;
    const user = this.#user(held, step);
    const found = user && service.users.get(user.id);
    const member = this.wanted.leaving ? undefined : this.wanted;
    const text = (value: unknown) => (typeof value === "string" ? value : undefined);
    const person =
      call === 5
        ? {
            email: text(member?.email),
            firstName: text(member?.purpose ?? member?.firstName),
            lastName: text(member?.lastName),
          }
        : {};
    const own = user?.tokens.find((one) => (one.id ?? one.issuedAt) === step.token);
    const token = call === 9 && can.revokesByTokenId ? (own?.id ?? step.token) : undefined;
    const request = { call, ...(user && { user: user.id }), token, ...person, end: step.target?.expiresAt };
    const before = can.canListUsers
      ? call === 5
        ? [...service.users.keys()]
        : (found?.tokens.map(({ id }) => id) ?? [])
      : undefined;
    const { fault } = this.options;
    this.#sent += 1;
    const at = this.#at();
    if (fault?.at === this.#sent) return this.#faulty(fault.fault, request, before, at);
    return this.#outcome(service.send(request), request, step, before, at);
  }

  #faulty(fault: Fault, request: Request, before: readonly string[] | undefined, at: string): Outcome {
    const { service } = this.world;
    const ids = before === undefined ? {} : { before };
    if (fault === "refusedForGood" || fault === "refusedForNow")
      return { is: "refused", isForGood: fault === "refusedForGood", at };
    if (fault === "lostAfter") service.send(request);
    else service.log.push(request);
    if (fault === "late") this.#late.push(request);
    return { is: fault.startsWith("lost") ? "lost" : "late", at, ...ids };
  }

  #outcome(
    answer: Answer,
    { call }: Request,
    step: Step,
    before: readonly string[] | undefined,
    at: string,
  ): Outcome {
    const { can } = this.world;
    const { status, id, end } = answer;
    // The last removal names the user, which is the rule of absence where no list shows users.
    if (status === 404 && call >= 9) return { is: can.canListUsers || call === 11 ? "gone" : "unproven", at };
    if (status === 409 && call <= 7) return { is: "conflict", at };
    if (status !== 200) return { is: "refused", isForGood: status !== 402, at };
    if (call === 5 && id !== undefined) return { is: "ok", userId: id, role: "member", at };
    if (call === 8) return { is: "ok", end, at };
    if (call !== 7) return { is: "ok", at };
    const { recipients = [], keepValue } = step.target ?? {};
    const value = recipients.length > 0 ? "sealed" : keepValue === false ? "none" : "kept";
    const ids = can.canListTokens ? { id } : before === undefined ? {} : { others: before };
    return { is: "ok", token: { ...ids, end, value }, at };
  }
}

function hasReplacement(wanted: Wanted): boolean {
  if (wanted.leaving || typeof wanted.token !== "object") return false;
  return wanted.token.replaceExisting === true;
}

/** A plan in short: the numbers of its calls, `~` for the state alone, `?` for what an answer decides, `…` for what may be. */
export function shown({ units, refused, waits, notes }: Plan): string {
  const steps = units.map(({ steps: all }) => all.map(shownStep).join(" ")).join(" · ");
  const more = [
    ...refused.map(({ reason }) => `refused ${reason}`),
    ...waits.map(({ reason }) => `waits ${reason}`),
    ...notes.map(({ kind }) => `note ${kind}`),
  ];
  return [steps, ...more].filter((text) => text !== "").join("; ");
}

function shownStep({ call, user, onlyIf, changes = [], effect, isPossible }: Step): string {
  const may = isPossible ? "…" : "";
  const condition = onlyIf === undefined ? "" : "?";
  if (call === undefined) {
    const what =
      effect?.do === "agree" ? changes.map((one) => one.what).join(",") : (changes[0]?.what ?? effect?.do);
    return `${may}~${effect?.do === "observe" || effect?.do === "agree" ? what : `${effect?.do} ${what}`}${condition}`;
  }
  return `${may}${numbers[call]}${user === NEW_USER ? "n" : ""}${condition}`;
}

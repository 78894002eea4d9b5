/** What a member, or a part of one, holds after a plan whose every step succeeds: a preview knows the outputs that this leaves as they are. Pure. */
import { formatInstant } from "../util/instants.ts";
import { advance, type IssuedToken, type Outcome } from "./advance.ts";
import { type Held, nameOfToken } from "./held.ts";
import { NEW_USER, type Plan, type Step, type Target } from "./step.ts";

/** In place of ids and values that only the service can say. */
const NEW = NEW_USER;

interface Foreseen {
  readonly held: Held;
  /** Absent if no token is issued. */
  readonly kept?: { readonly value?: string; readonly sealedValue?: string };
}

/** Steps that an unknown input decides are taken for due. */
export function foreseen(stored: Held, { units }: Plan, now: number): Foreseen {
  const at = formatInstant(now);
  const steps = units.flatMap((unit) => unit.steps).filter(({ onlyIf }) => !onlyIf?.includes("conflict"));
  const held = steps.reduce(
    (before, step) => advance(before, named(before, step), answerTo(step, at)),
    stored,
  );
  const issue = steps.findLast(({ call }) => call === "issue token");
  if (issue === undefined) return { held };
  const value = keptAs(issue.target);
  return {
    held,
    kept: { ...(value === "kept" && { value: NEW }), ...(value === "sealed" && { sealedValue: NEW }) },
  };
}

/** A revocation that may be due names no token: it would be the current one. */
function named(held: Held, step: Step): Step {
  if (step.isPossible !== true || step.call !== "revoke token") return step;
  const [token] = held.users.find(({ id }) => id === step.user)?.tokens ?? [];
  return token === undefined ? step : { ...step, token: nameOfToken(token) };
}

function answerTo({ call, target }: Step, at: string): Outcome {
  const ok = { is: "ok", at } as const;
  const end = target?.until;
  if (call === "add user") return { ...ok, userId: NEW };
  if (call === "issue token") return { ...ok, token: { id: NEW, end, value: keptAs(target) } };
  return call === "renew token" ? { ...ok, end } : ok;
}

function keptAs({ recipients = [], keepValue }: Target = {}): IssuedToken["value"] {
  if (recipients.length > 0) return "sealed";
  return keepValue === false ? "none" : "kept";
}

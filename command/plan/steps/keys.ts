/** The public keys that tokens are sealed for, as a plan shows them: by fingerprints, so that a changed key is visible. */
import { holdsUnknown } from "../../../provider/resources/unknown.ts";
import { fingerprintOf } from "../../roster/facts.ts";
import type { Properties, Step } from "./steps.ts";

/** Of the keys in inputs or outputs of a UserToken; each once and in order. */
export function fingerprintsIn({ recipients }: Properties = {}): string[] {
  const all: readonly unknown[] = Array.isArray(recipients) ? recipients : [];
  const keys = all.filter((one) => typeof one === "string" && !holdsUnknown(one));
  return [...new Set(keys.map((one) => fingerprintOf(String(one))))].toSorted();
}

/** The keys of a token before and after a step; undefined if it changes none. */
export function keyChangeOf({
  type,
  action,
  olds,
  news,
}: Step): { before: string[]; after: string[] } | undefined {
  if (type !== "UserToken" || news === undefined || action === "same" || action === "delete")
    return undefined;
  const [before, after] = [fingerprintsIn(action === "create" ? undefined : olds), fingerprintsIn(news)];
  return before.join() === after.join() ? undefined : { before, after };
}

/** `recipients <old> -> <new>`; empty if the step changes no key. */
export function describeKeys(step: Step): string[] {
  const { before, after } = keyChangeOf(step) ?? { before: [], after: [] };
  if (before.length + after.length === 0) return [];
  if (step.action === "create") return [`sealed for ${after.join(", ")}`];
  const change = `recipients ${before.join(", ") || "none"} -> ${after.join(", ") || "none"}`;
  return [after.length > 0 || step.news?.keepValue === false ? change : `${change}. ${UNSEALED}`];
}

const UNSEALED = "Anyone who can decrypt the state can then read the token";

/** What the command line asks of a display, and what follows from it for a step. */
import type { Step, StepOp } from "../steps/step.ts";
import type { Paint } from "./text.ts";

export interface DisplayOptions {
  write: (text: string) => void;
  /** Messages beside a diff. */
  writeError: (text: string) => void;
  paint: Paint;
  stack: string;
  project: string;
  planning: boolean;
  /** What is done, as in "updating". */
  action: string;
  /** The title, such as "Updating (dev):". */
  title: string;
  /** Before the sign of life. */
  bullet: string;
  debug: boolean;
  showConfig: boolean;
  showReads: boolean;
  showReplacementSteps: boolean;
  showSames: boolean;
  showSecrets: boolean;
  suppressOutputs: boolean;
  suppressProgress: boolean;
  /** Cut long texts short. */
  truncate: boolean;
  /** Show URNs, not names. */
  urns: boolean;
}

const halves: StepOp[] = ["create-replacement", "delete-replaced", "discard-replaced", "read-replacement"];

/** Whether a step is worth showing in a diff or as JSON. */
export function isShown(
  { old, new: now }: Step,
  op: StepOp,
  { showSames, showReplacementSteps }: Pick<DisplayOptions, "showSames" | "showReplacementSteps">,
): boolean {
  if (op === "same")
    return showSames || (old !== undefined && now !== undefined && old.protect !== now.protect);
  return showReplacementSteps || !halves.includes(op);
}

/** An operation, with a word where it leaves something behind. */
export function withRetained(text: string, { op, old }: Step): string {
  const leaves = ["delete", "replace", "create-replacement", "delete-replaced"].includes(op);
  return leaves && old?.retainOnDelete ? `${text}[retain]` : text;
}

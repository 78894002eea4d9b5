/** Words, signs and colors of operations. */
import type { StepOp } from "../steps/step.ts";

const signs: Record<StepOp, string> = {
  same: "  ",
  create: "+ ",
  update: "~ ",
  delete: "- ",
  replace: "+-",
  "create-replacement": "++",
  "delete-replaced": "--",
  read: "> ",
  "read-replacement": ">>",
  refresh: "~ ",
  discard: "< ",
  "discard-replaced": "<<",
  "remove-pending-replace": "~ ",
};

/** The sign before a resource, two characters wide. */
export function signOf(op: StepOp): string {
  return signs[op];
}

/** For each operation: in a preview, while it runs, when it is done, when it has failed. */
const words: Record<StepOp, [string, string, string, string]> = {
  same: ["", "", "", "failed"],
  create: ["create", "creating", "created", "creating failed"],
  update: ["update", "updating", "updated", "updating failed"],
  delete: ["delete", "deleting", "deleted", "deleting failed"],
  replace: ["replace", "replacing", "replaced", "replacing failed"],
  "create-replacement": [
    "create replacement",
    "creating replacement",
    "created replacement",
    "creating failed",
  ],
  "delete-replaced": ["delete original", "deleting original", "deleted original", "deleting failed"],
  read: ["read", "reading", "read", "reading failed"],
  "read-replacement": [
    "read for replacement",
    "reading for replacement",
    "read for replacement",
    "reading failed",
  ],
  refresh: ["refreshing", "refreshing", "refresh", "refreshing failed"],
  discard: ["discard", "discarding", "discarded", "discarding failed"],
  "discard-replaced": ["discard original", "discarding original", "discarded original", "discarding failed"],
  "remove-pending-replace": ["", "", "", ""],
};

export type Phase = "preview" | "running" | "done" | "failed";

export function wordOf(op: StepOp, phase: Phase): string {
  const [preview, running, done, failed] = words[op];
  return { preview, running, done, failed }[phase];
}

/** The past of an operation in a summary. */
export function pastTense(op: StepOp): string {
  return op === "refresh" ? "refreshed" : wordOf(op, "done");
}

export type Color = "red" | "green" | "yellow" | "magenta" | "cyan" | "bold" | "dim";

const codes: Record<Color, string> = {
  red: "31",
  green: "32",
  yellow: "33",
  magenta: "35",
  cyan: "36",
  bold: "1",
  dim: "2",
};

export type Paint = (color: Color, text: string) => string;

export function createPaint(colored: boolean): Paint {
  return (color, text) => (colored && text !== "" ? `\u001b[${codes[color]}m${text}\u001b[0m` : text);
}

export function colorOf(op: StepOp): Color {
  if (op === "create" || op === "create-replacement") return "green";
  if (op === "delete" || op === "delete-replaced") return "red";
  if (op === "replace") return "magenta";
  return op === "update" || op === "refresh" ? "yellow" : "dim";
}

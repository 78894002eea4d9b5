/** The options of the display. */
import type { Step } from "../steps/step.ts";
import type { Paint } from "./text.ts";

export interface DisplayOptions {
  write: (text: string) => void;
  paint: Paint;
  stack: string;
  project: string;
  planning: boolean;
  /** What the operation does, such as "updating". */
  action: string;
  /** The title, such as "Updating (dev):". */
  title: string;
  suppressOutputs: boolean;
  suppressProgress: boolean;
}

/** The text with "[retain]" where the operation leaves a resource behind. */
export function withRetained(text: string, { op, old }: Step): string {
  const leaves = ["delete", "replace", "create-replacement", "delete-replaced"].includes(op);
  return leaves && old?.retainOnDelete ? `${text}[retain]` : text;
}

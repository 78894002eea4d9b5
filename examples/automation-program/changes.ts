import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";

/** One resource that a run changes. */
export interface Change {
  readonly op: string;
  readonly type: string;
  readonly name: string;
  /** Of an update: the inputs that differ. */
  readonly inputs?: string[];
}

/** What an event says about a resource of orgseat: one change, or none. */
export function changeIn({ resourcePreEvent: event }: EngineEvent): Change[] {
  const [provider, type = ""] = event?.metadata.type.split(/:(?=\w+$)/) ?? [];
  if (event === undefined || provider !== "pulumi-nodejs:orgseat") return [];
  const { op, urn, old, new: wanted } = event.metadata;
  if (op === "same" || op === "refresh") return [];
  const before = old?.inputs ?? {};
  const after = wanted?.inputs ?? {};
  const isChanged = (input: string) => JSON.stringify(before[input]) !== JSON.stringify(after[input]);
  const inputs = Object.keys({ ...before, ...after }).filter(isChanged);
  return [{ op, type, name: urn.split("::").at(-1) ?? "", ...(op === "update" && { inputs }) }];
}

/** Not `debug`, which the types leave out: these events contain tokens in plain text. */
const SHOWN: readonly string[] = ["info", "info#err", "warning", "error"];

/** A message for people; undefined if the event has none. */
export function messageIn({ diagnosticEvent: event }: EngineEvent): string | undefined {
  if (event === undefined || !SHOWN.includes(event.severity)) return undefined;
  return `${event.severity}: ${event.message.trim()}`;
}

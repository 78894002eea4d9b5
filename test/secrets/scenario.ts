/** What the scenarios of the search for secrets have in common. */
import type { Copy } from "../setup/copies.ts";
import type { Gate, Passed } from "../setup/gate.ts";
import type { ProjectStack, TestEngine } from "../setup/project.ts";
import { findSecrets, markedSecrets } from "../setup/secrets.ts";
import type { Declared } from "../setup/stack.ts";

/** What is watched: a stack, and the wire between it and the service. */
export interface Watched {
  readonly stack: ProjectStack;
  readonly gate: Gate;
}

export interface Tools {
  readonly engine: TestEngine;
  readonly copy: (full: boolean) => Promise<Copy>;
}
export type Scenario = (tools: Tools) => Promise<Watched>;

/** Every log that the engine has. */
export const LOUD = ["-v=9", "--logtostderr", "--diff", "--event-log", "events.json"];

export const program: Declared[] = [
  { type: "ServiceAccount", name: "bot", args: { name: "build-bot" } },
  { type: "OrgMember", name: "ada", args: { email: "ada@acme.example", seat: true, token: {} } },
];

/** The names of the secrets that passed the gate, in either direction. */
export function secretsOnWire({ passed }: Gate): string[] {
  const wire = passed.map(
    (one) => `${JSON.stringify(one.headers)} ${one.body} ${one.answer?.body.toString()}`,
  );
  return secretsShown(wire.join("\n"));
}

/** The names of the secrets that a text holds. */
export function secretsShown(text: string): string[] {
  return [...new Set(findSecrets(markedSecrets, { texts: { text } }).map(({ secret }) => secret))];
}

/** One `up` that something happens to, and what a person looks at then. */
export async function troubled({ stack, gate }: Copy, declared: readonly Declared[]): Promise<Watched> {
  stack.declare(declared);
  await stack.up(...LOUD);
  await stack.preview(...LOUD);
  await stack.preview("--json");
  return { stack, gate };
}

export const isCall = (passed: Passed, method: string, path: string): boolean =>
  passed.method === method && passed.path.includes("/organizations/") && passed.path.endsWith(path);

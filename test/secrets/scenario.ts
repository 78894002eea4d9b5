/** What the scenarios of the search for secrets have in common. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PlatformName } from "../../provider/api/calls/platform.ts";
import type { Copy } from "../setup/copies.ts";
import type { InterceptedRequest, InterceptingProxy } from "../setup/intercepting-proxy.ts";
import type { ProjectStack } from "../setup/project.ts";
import { findSecrets, markedSecrets } from "../setup/secrets.ts";
import type { Declared } from "../setup/stack.ts";

/** What is watched: a stack, and the wire between it and the service. */
export interface Watched {
  readonly stack: ProjectStack;
  readonly proxy: InterceptingProxy;
}

export interface Tools {
  /** Of this case. */
  readonly platform: PlatformName;
  /** @param only for a scenario that the other platform does not have */
  readonly copy: (full: boolean, only?: PlatformName) => Promise<Copy>;
}
export type Scenario = (tools: Tools) => Promise<Watched>;

/** Options that make Pulumi show everything it can. */
export function loud({ printed }: ProjectStack): string[] {
  return ["--diff", "--event-log", `events-${printed.length}.json`];
}

/** Removes the debug events of Pulumi's library from the event logs: it writes each property as it is, secret or not. */
export function withoutDebugEvents({ folder }: ProjectStack): void {
  for (const name of readdirSync(folder).filter((name) => /^events-\d+\.json$/.test(name))) {
    const lines = readFileSync(join(folder, name), "utf8").split("\n");
    const told = lines.filter((line) => !line.includes('"severity":"debug"'));
    writeFileSync(join(folder, name), told.join("\n"));
  }
}

export const program: Declared[] = [
  { type: "ServiceAccount", name: "bot", args: { name: "build-bot" } },
  { type: "OrgMember", name: "ada", args: { email: "ada@acme.example", seat: true, token: {} } },
];

/** The names of the secrets that passed the proxy, in either direction. */
export function secretsOnWire({ passed }: InterceptingProxy): string[] {
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
export async function troubled({ stack, proxy }: Copy, declared: readonly Declared[]): Promise<Watched> {
  stack.declare(declared);
  await stack.up(...loud(stack));
  // What a preview shows is the engine's doing, wherever the program runs.
  stack.programs = "inline";
  await stack.preview(...loud(stack));
  await stack.preview("--json");
  return { stack, proxy };
}

export const isCall = (passed: InterceptedRequest, method: string, path: string): boolean =>
  passed.method === method && passed.path.includes("/organizations/") && passed.path.endsWith(path);

/** Inline programs of Pulumi's Automation API, which share their process and its environment. */
import { AsyncLocalStorage } from "node:async_hooks";
import process from "node:process";
import * as pulumi from "@pulumi/pulumi";
import { inlineMixture } from "../../provider/config/inline-program.ts";
import { areas, keysOf } from "../../provider/config/setting-groups.ts";
import { ofAllCopies } from "./copies.ts";
import { programError } from "./program-error.ts";

const isThat = (found: unknown): found is Set<string> => found instanceof Set;
/** The stacks whose inline programs have looked up something in this process. */
const stacks = ofAllCopies("stacks", isThat, () => new Set<string>());

/** The stacks above, with the one of an inline program that looks up something; undefined in any other program. */
export function inlineStacks(): readonly string[] | undefined {
  if (!isInline()) return undefined;
  stacks.add(`${pulumi.getProject()}/${pulumi.getStack()}`);
  return [...stacks];
}

/** Pulumi keeps each run of an inline program in this storage, for all copies of its library. */
function isInline(): boolean {
  const runs: unknown = Reflect.get(globalThis, "asyncLocalStorage");
  return runs instanceof AsyncLocalStorage && runs.getStore() !== undefined;
}

/** The root stacks of the runs that have no mixture. */
const checked = new WeakSet<pulumi.Resource>();

/**
 * Fails if the environment of the process has other addresses or credentials than the configuration of an inline program's
 * stack: the provider would get them, and they win.
 */
export function refuseMixture(type: string, name: string): void {
  const root = pulumi.runtime.getStackResource();
  if (root === undefined || checked.has(root) || !isInline()) return;
  const config = (key: string): string | undefined => pulumi.runtime.getConfig(key);
  const configured = areas.flatMap(keysOf).filter((key) => config(`orgseat:${key}`));
  const mixture = inlineMixture(config, process.env, configured, []);
  if (mixture !== undefined) throw programError("invalid-configuration", `${type} "${name}": ${mixture}`);
  checked.add(root);
}

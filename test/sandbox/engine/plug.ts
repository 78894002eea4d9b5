/** Stacks whose project brings the fixture's provider plugin along, in the hands of each engine there is. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { type ResourceSpec, Stack } from "./harness.ts";

/** What the plugin can do: see fixture/plugin/plugin.js. */
export interface Abilities {
  /** It knows the handshake. */
  handshake?: boolean;
  /** It checks and compares its own configuration. */
  config?: boolean;
  acceptSecrets?: boolean;
  supportsPreview?: boolean;
  /** How it fails to start. */
  start?: "crash" | "silent" | "garbage";
}

/** A stack that goes with its test; its Pulumi.yaml names the plugin. */
export async function plugged(bin: string, context: TestContext, abilities: Abilities = {}): Promise<Stack> {
  const stack = await Stack.make(bin);
  context.onTestFinished(() => stack.remove());
  nameIn(stack, "plugin");
  able(stack, abilities);
  return stack;
}

/** The same with the plugin under `packages`. */
export async function packaged(bin: string, context: TestContext, source = "./plugin"): Promise<Stack> {
  const stack = await Stack.make(bin);
  context.onTestFinished(() => stack.remove());
  appendFileSync(join(stack.folder, "Pulumi.yaml"), `packages:\n  plug: ${source}\n`);
  able(stack, { handshake: true, acceptSecrets: true });
  return stack;
}

/** Has Pulumi.yaml name the plugin in a folder. */
export function nameIn(stack: Stack, folder: string): void {
  const lines = `plugins:\n  providers:\n    - name: plug\n      path: ${folder}\n`;
  appendFileSync(join(stack.folder, "Pulumi.yaml"), lines);
}

export function able(stack: Stack, abilities: Abilities): void {
  writeFileSync(join(stack.folder, "abilities.json"), JSON.stringify(abilities));
}

/** A resource of the plugin's package. */
export function part(
  name: string,
  inputs: Record<string, unknown> = {},
  opts: Record<string, unknown> = {},
): ResourceSpec {
  return { name, type: "plug:index:Part", inputs, opts };
}

/** What the plugin and the dynamic provider were asked since the last look, how they were configured included. */
export function asked(stack: Stack): string[] {
  return stack.asked().map(([call]) => call);
}

/** Who is in the state, without the stack itself. */
export function known(stack: Stack): string[] {
  const names = stack.state().map(({ name, id, flags }) => [name, id ?? "", ...flags].join(" ").trim());
  return names.filter((name) => !name.startsWith("pulumi:pulumi:Stack"));
}

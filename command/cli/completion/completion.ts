/** `orgseat completion`: a script that completes commands, flags, and values in a shell. */
import type { Command } from "commander";
import type { Shell } from "../line/options.ts";
import { print } from "../output.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { verbTree } from "./tree.ts";
import { zshCompletion } from "./zsh.ts";

const completions = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} as const satisfies Readonly<Record<Shell, unknown>>;

/** @param program the whole command */
export function completionVerb(shell: Shell, program: Command): void {
  print(completions[shell](verbTree(program)));
}

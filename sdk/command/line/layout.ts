/** The help of a verb below its flags: paragraphs and examples, as wide as the terminal. */
import type { Command } from "commander";

export interface VerbHelp {
  readonly paragraphs: readonly string[];
  /** What a command line does, and the line. */
  readonly examples: readonly (readonly [meaning: string, line: string])[];
}

/** Without a terminal. */
const WIDTH = 80;
const INDENT = "  ";
const COMMENT = `${INDENT}# `;

export function addHelp(command: Command, help: VerbHelp): Command {
  return command.addHelpText("after", ({ error }) => {
    const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput();
    return helpText(command, help, (error ? getErrHelpWidth?.() : getOutHelpWidth?.()) || WIDTH);
  });
}

function helpText(command: Command, { paragraphs, examples }: VerbHelp, width: number): string {
  const helper = command.createHelp();
  const wrapped = (text: string, prefix = ""): string =>
    helper
      .boxWrap(text, width - prefix.length)
      .split("\n")
      .map((line) => prefix + line)
      .join("\n");
  const shown = examples.map(([meaning, line]) => `${wrapped(meaning, COMMENT)}\n${INDENT}${line}`);
  return ["", ...paragraphs.map((text) => `${wrapped(text)}\n`), ["Examples:", ...shown].join("\n")].join(
    "\n",
  );
}

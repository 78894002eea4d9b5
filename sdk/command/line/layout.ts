/** The help of a verb below its flags: paragraphs and examples, as wide as the terminal. */
import type { Command } from "commander";

export interface VerbHelp {
  readonly paragraphs: readonly string[];
  /** What a command line does, and the line. */
  readonly examples: readonly (readonly [meaning: string, line: string])[];
  /** Where to go on. */
  readonly more?: readonly string[];
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

function helpText(command: Command, { paragraphs, examples, more = [] }: VerbHelp, width: number): string {
  const helper = command.createHelp();
  const wrapped = (text: string, prefix = ""): string =>
    helper
      .boxWrap(text, width - prefix.length)
      .split("\n")
      .map((line) => prefix + line)
      .join("\n");
  const shown = examples.map(([meaning, line]) => `${wrapped(meaning, COMMENT)}\n${INDENT}${line}`);
  const parts = [...paragraphs.map((text) => wrapped(text)), ["Examples:", ...shown].join("\n")];
  if (more.length > 0) parts.push(["Learn more:", ...more.map((text) => wrapped(text, INDENT))].join("\n"));
  return `\n${parts.join("\n\n")}`;
}

/** The form of the help, and what a verb has below its flags: paragraphs and examples, as wide as the terminal. */
import { type Command, Help, type HelpConfiguration } from "commander";
import { runnable, runnableLine } from "../output.ts";

export interface VerbHelp {
  readonly paragraphs: readonly string[];
  /** What a command line does, and the line. */
  readonly examples: readonly (readonly [meaning: string, line: string])[];
  /** The names that `--json` takes. */
  readonly fields?: readonly string[];
  /** Where to go on. Default: the documentation of the verb. */
  readonly more?: readonly string[];
}

/** Without a terminal. */
const WIDTH = 80;
const INDENT = "  ";
const COMMENT = `${INDENT}# `;

const wrapping = Object.assign(new Help(), { minWidthToWrap: 20 });

/** One line per command, long flags in one column, and commands that run where the help is read. */
export const helpForm: HelpConfiguration = {
  subcommandTerm: (command) => command.name(),
  optionTerm: ({ short, flags }) => (short === undefined ? `    ${flags}` : flags),
  minWidthToWrap: wrapping.minWidthToWrap,
  boxWrap: (text, width) => wrapping.boxWrap(runnable(text), width),
};

const DOCUMENTATION = "https://github.com/orgseat/orgseat/blob/main/docs/commands.md";

export function addHelp(command: Command, help: VerbHelp | undefined): void {
  if (help === undefined) return;
  command.addHelpText("after", ({ error }) => {
    const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput();
    return helpText(command, help, (error ? getErrHelpWidth?.() : getOutHelpWidth?.()) || WIDTH);
  });
}

function helpText(command: Command, help: VerbHelp, width: number): string {
  const { paragraphs, examples, fields = [] } = help;
  const more = help.more ?? [`Read ${DOCUMENTATION}#${command.name()}`];
  const helper = command.createHelp();
  const wrapped = (text: string, prefix = ""): string =>
    helper
      .boxWrap(text, width - prefix.length)
      .split("\n")
      .map((line) => prefix + line)
      .join("\n");
  const shown = examples.map(
    ([meaning, line]) => `${wrapped(meaning, COMMENT)}\n${INDENT}${runnableLine(line)}`,
  );
  const parts = [
    ...paragraphs.map((text) => wrapped(text)),
    ...(fields.length === 0 ? [] : [`JSON fields:\n${wrapped(fields.join(", "), INDENT)}`]),
    ["Examples:", ...shown].join("\n"),
    ["Learn more:", ...more.map((text) => wrapped(text, INDENT))].join("\n"),
  ];
  return `\n${parts.join("\n\n")}`;
}

/** Options that verbs share. */

import { existsSync, statSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { DURATION_FORM, parseDuration } from "../../../provider/util/duration.ts";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { DATE_FORM, dateSchema } from "../../roster/field-forms.ts";
import { REFRESH_TOKENS, type RefreshTokens } from "../../service/token-turns.ts";
import type { OrganizationOptions } from "../../stacks/organization.ts";
import type { NewRosterFormat } from "../../verbs/init.ts";

export interface CommonOptions {
  readonly roster?: string;
  readonly stack?: string;
  readonly neverRemove?: readonly string[];
  readonly audit?: string;
  readonly secretsProvider?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** False for `--no-color`. */
  readonly color?: boolean;
}

/** The default rosters in the current folder, in this order: files, then a folder with several. */
export const ROSTERS = ["people.csv", "people.yaml", "people.yml", "people.json", "people"];

/** The roster that a command reads by default; undefined if there is none. @throws for a file beside a folder */
export function defaultRoster(): string | undefined {
  const [first, ...others] = ROSTERS.filter((name) =>
    name === "people" ? statSync(name, { throwIfNoEntry: false })?.isDirectory() : existsSync(name),
  );
  if (!others.includes("people")) return first;
  throw new CodedError(
    "invalid-flag",
    `cannot tell which roster is meant: this folder has ${first} and people. Pass --roster PATH, or move one of them away`,
  );
}

/** The formats of a roster that `init` writes. */
export const newRosterFormats = ["csv", "yaml"] as const satisfies readonly NewRosterFormat[];

/** What happens to a person whose row is deleted. */
export const onDeletes = ["delete", "retain"] as const;

const common = {
  roster: new Option(
    "--roster <path>",
    `Read this list of people (default: the first of ${ROSTERS.join(", ")} that exists)`,
  ),
  stack: new Option(
    "-s, --stack <name>",
    "Use this Pulumi stack: people, acme/people, or acme/orgseat/people (default: people)",
  ),
  audit: new Option(
    "--audit <file>",
    "Use this audit log of all changes (default: ORGSEAT_AUDIT_LOG, or .orgseat/audit.jsonl next to the roster)",
  ),
  json: new Option("--json", "Print only the result, as JSON"),
  quiet: new Option("--quiet", "Do not print progress"),
  verbose: new Option("--verbose", "List all entries (default: at most 20 per list)"),
  color: new Option("--no-color", "Do not print colors, like the environment variable NO_COLOR"),
} as const;
export type CommonFlag = keyof typeof common;

const EXPERT: ReadonlySet<string | undefined> = new Set([
  "--refresh-tokens",
  "--plan-max-age",
  "--new-stack",
]);

/** Leaves out of the help what few people need. */
export function hideExpertOptions(verbs: readonly Command[], isHidden: boolean): void {
  for (const option of verbs.flatMap(({ options }) => options)) {
    if (EXPERT.has(option.long)) option.hideHelp(isHidden);
  }
}

const OUTPUT: ReadonlySet<string> = new Set(["json", "quiet", "verbose", "color"]);

/** Flags of most verbs, after a verb's own. @param without those that the verb would ignore */
export function withCommonOptions(command: Command, without: readonly CommonFlag[] = []): Command {
  for (const [name, option] of Object.entries(common)) {
    if (without.some((one) => one === name)) continue;
    command.optionsGroup(OUTPUT.has(name) ? "Output:" : "Organization:").addOption(option);
  }
  return command;
}

/** Of verbs without progress and without colors. */
export const PLAIN = ["quiet", "color"] as const satisfies readonly CommonFlag[];

const WHOLE_NUMBER = /^[1-9]\d{0,5}$/;

export const neverRemoveOption = new Option(
  "--never-remove <who>",
  "Refuse a plan that takes anything away from this person (email or key), like `protected` in the roster; repeat the flag for more people",
).argParser((value: string, before: readonly string[] = []) => [...before, value]);

export const newStackOption = new Option(
  "--new-stack",
  "Apply the roster to a new stack, which does not store its ID yet",
);

/** Also of a preview, which creates the stack. */
export const secretsProviderOption = new Option(
  "--secrets-provider <url>",
  "Use this secrets provider for a new stack, as for `pulumi stack init`",
);

export const noRemovalsOption = new Option(
  "--no-removals",
  "Withhold all changes of people from whom the plan takes anything, and list them",
);

export const refreshOption = new Option(
  "--refresh",
  "First read everything that the platform can list, and report differences from the state",
);

export const idleDaysOption = new Option(
  "--idle-days <number>",
  "Count a seat as idle after this many days without use (default: 30)",
).argParser(wholeNumber);

/** With `--refresh`, which it implies. */
export const refreshTokensOption = new Option(
  "--refresh-tokens <number>",
  `Refresh, and read this many tokens (or all) in addition to those of people whom the run can change, a different part each day (default: ${REFRESH_TOKENS})`,
)
  .argParser((text): RefreshTokens => {
    if (text === "all" || WHOLE_NUMBER.test(text)) return text === "all" ? text : Number(text);
    throw new InvalidArgumentError("expected all, or a whole number, 1 or more.");
  })
  .implies({ refresh: true });

const runs = {
  approve: new Option(
    "--approve <code>",
    "Allow exactly the removals of a refused run, which printed this code; the code expires after an hour",
  ),
  neverRemove: neverRemoveOption,
  newStack: newStackOption,
  secretsProvider: secretsProviderOption,
} as const;

/** Flags of every verb that changes the service or the state, after a verb's own. @param without those that the verb would ignore */
export function withRunOptions(command: Command, without: readonly (keyof typeof runs)[] = []): Command {
  withYes(command);
  for (const [name, option] of Object.entries(runs)) {
    if (!without.some((one) => one === name)) command.addOption(option);
  }
  return withCommonOptions(command);
}

/** Without a terminal, verbs that change something require this flag. */
export function withYes(command: Command): Command {
  return command.option(
    "-y, --yes",
    "Apply changes without asking; required without a terminal or with --json",
  );
}

/** @throws if no roster is named and the folder has none */
export function organizationOptions(options: CommonOptions): OrganizationOptions {
  const { stack, neverRemove, audit, secretsProvider } = options;
  return { roster: rosterFile(options), stack, neverRemove, audit, secretsProvider };
}

function rosterFile({ roster }: CommonOptions): string {
  const found = roster ?? defaultRoster();
  if (found !== undefined) return found;
  throw new CodedError(
    "invalid-flag",
    `cannot find a roster: this folder has none of ${ROSTERS.join(", ")}. Pass --roster PATH, or create one with \`orgseat init\` or \`orgseat adopt\``,
  );
}

/** A date means the end of that day. */
export function timestamp(text: string): string {
  const found = dateSchema.safeParse(text);
  if (!found.success) throw new InvalidArgumentError(`expected ${DATE_FORM}.`);
  return found.data;
}

export function duration(text: string): string {
  if (parseDuration(text) === undefined) throw new InvalidArgumentError(`expected ${DURATION_FORM}.`);
  return text;
}

function wholeNumber(text: string): number {
  if (!WHOLE_NUMBER.test(text)) throw new InvalidArgumentError("expected a whole number, 1 or more.");
  return Number(text);
}

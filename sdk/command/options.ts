/** Options that the verbs share. */
import { existsSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { DURATION_FORM, parseDuration } from "../../provider/util/duration.ts";
import { REFRESH_TOKENS, type RefreshTokens } from "../automation/service/token-turns.ts";
import type { OrganizationOptions } from "../automation/stacks/organization.ts";

export interface CommonOptions {
  readonly roster?: string;
  readonly stack?: string;
  readonly parallel?: number;
  readonly neverRemove?: readonly string[];
  readonly audit?: string;
  readonly secretsProvider?: string;
  readonly full?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** False for `--no-color`. */
  readonly color?: boolean;
}

/** The default roster files in the current folder, in this order. */
export const ROSTERS = ["people.csv", "people.yaml", "people.yml", "people.json"];

export const NEW_STACK = "apply a roster with an id to stacks that do not know the id";

export const NEVER_REMOVE =
  "email or key of a person who must not lose anything, in addition to those that the roster protects; repeat it for more people";

export const FULL = "preview everybody with Pulumi, also the people whose state shows that nothing changes";

/** Flags of every verb, after its own. */
export function withCommonOptions(command: Command): Command {
  return command
    .optionsGroup("Organization:")
    .option("--roster <file>", `the list of people; default: the first of ${ROSTERS.join(", ")} that exists`)
    .option(
      "-s, --stack <name>",
      "the Pulumi stack, or the common prefix of several: people, acme/people or acme/orgseat/people; default: people",
    )
    .option(
      "--parallel <number>",
      "how many stacks to preview or update at once; default: the number of processors, at most 4, and one per 0.8 GiB of free memory",
      wholeNumber,
    )
    .option(
      "--audit <file>",
      "the audit log of all writes; default: ORGSEAT_AUDIT_LOG, else .orgseat/audit.jsonl beside the roster",
    )
    .optionsGroup("Output:")
    .option("--json", "print the result as JSON, and nothing else")
    .option("--quiet", "print no progress")
    .option("--verbose", "list all entries; by default lists end after 20")
    .option("--no-color", "print no colors, as with the environment variable NO_COLOR")
    .helpOption("-h, --help", "print this help");
}

/** Flags of every verb that writes, after its own. */
export function withRunOptions(command: Command): Command {
  withYes(command)
    .option(
      "--approve <code>",
      "allow exactly the removals of a refused run, which printed this value; it expires",
    )
    .option("--never-remove <who>", NEVER_REMOVE, collected)
    .option("--new-stack", NEW_STACK)
    .option("--full", FULL)
    .option("--secrets-provider <url>", "the secrets provider of new stacks, as for `pulumi stack init`");
  return withCommonOptions(command);
}

/** Without a terminal, verbs that write require this flag. */
export function withYes(command: Command): Command {
  return command.option(
    "-y, --yes",
    "apply changes without asking; required without a terminal or with --json",
  );
}

/** @throws if no roster is named and the folder has none */
export function organizationOptions(options: CommonOptions): OrganizationOptions {
  const { stack, parallel, neverRemove, audit, secretsProvider, full } = options;
  return { roster: rosterFile(options), stack, parallel, neverRemove, audit, secretsProvider, full };
}

function rosterFile({ roster }: CommonOptions): string {
  const found = roster ?? ROSTERS.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    `cannot find a roster: this folder has none of ${ROSTERS.join(", ")}. Pass --roster FILE, or create one with \`orgseat adopt\``,
  );
}

export function duration(text: string): string {
  if (parseDuration(text) === undefined) throw new InvalidArgumentError(`expected ${DURATION_FORM}.`);
  return text;
}

/** With `--refresh`, which it implies. */
export function refreshTokensOption(): Option {
  const description =
    "with --refresh, which it implies: how many tokens to read besides those of people whom the run can change, other ones on each day, or all";
  return new Option("--refresh-tokens <number>", `${description}; default: ${REFRESH_TOKENS}`)
    .argParser((text): RefreshTokens => {
      if (text === "all" || WHOLE_NUMBER.test(text)) return text === "all" ? text : Number(text);
      throw new InvalidArgumentError("expected all, or a whole number, 1 or more.");
    })
    .implies({ refresh: true });
}

/** Of a flag that may be repeated. */
export function collected(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

const WHOLE_NUMBER = /^[1-9]\d{0,5}$/;

export function wholeNumber(text: string): number {
  if (!WHOLE_NUMBER.test(text)) throw new InvalidArgumentError("expected a whole number, 1 or more.");
  return Number(text);
}

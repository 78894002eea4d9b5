/** Options that the verbs share. */
import { existsSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import type { OrganizationOptions } from "../automation/organization.ts";

export interface CommonOptions {
  readonly roster?: string;
  readonly stack?: string;
  readonly parallel?: number;
  readonly protect?: readonly string[];
  readonly audit?: string;
  readonly secretsProvider?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Looked for in the current folder, in this order. */
export const ROSTERS = ["people.csv", "people.yaml", "people.yml", "people.json"];

export const NEW_STACK = "apply a roster that was applied before to stacks that know nothing of it";

/** Flags of every verb, after its own. */
export function withCommonOptions(command: Command): Command {
  return command
    .optionsGroup("The organization:")
    .option("--roster <file>", `the list of people; default: ${ROSTERS.join(", ")}, whichever is there`)
    .option(
      "--stack <name>",
      "the Pulumi stack, or what the names of several begin with: people, acme/people or acme/orgseat/people; default: people",
    )
    .option(
      "--side-by-side <number>",
      "how many stacks are looked at or run at once; default: 4",
      wholeNumber,
    )
    .option(
      "--audit <file>",
      "where each write is noted; default: ORGSEAT_AUDIT, else .orgseat/audit.jsonl beside the roster",
    )
    .optionsGroup("What is printed:")
    .option("--json", "the result as JSON, and nothing else")
    .option("--quiet", "no progress")
    .helpOption("-h, --help", "this text");
}

/** Flags of every verb that writes, after its own. */
export function withRunOptions(command: Command): Command {
  withYes(command)
    .option(
      "--allow-removals <override>",
      "let this exact list of removals pass, as a stopped run printed it; it expires",
    )
    .option("--protect <who...>", "emails or keys from whom nothing is taken, beside the roster's own")
    .option("--new-stack", NEW_STACK)
    .option("--secrets-provider <url>", "of new stacks, as `pulumi stack init` takes it");
  return withCommonOptions(command);
}

/** The flag without which nothing is changed where nobody can be asked. */
export function withYes(command: Command): Command {
  return command.option(
    "-y, --yes",
    "apply changes without asking; required without a terminal or with --json",
  );
}

/** @throws where no roster is named and none is there */
export function organizationOptions(options: CommonOptions): OrganizationOptions {
  const { stack, parallel, protect, audit, secretsProvider } = options;
  return { roster: rosterFile(options), stack, parallel, protect, audit, secretsProvider };
}

function rosterFile({ roster }: CommonOptions): string {
  const found = roster ?? ROSTERS.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    `no roster: there is none of ${ROSTERS.join(", ")} in this folder; name yours with --roster, or begin one with \`orgseat adopt\``,
  );
}

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("it is a whole number of at least 1.");
  return Number(text);
}

/** Options that the verbs share. */
import { existsSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import type { OrganizationOptions } from "../automation/organization.ts";

export interface CommonOptions {
  readonly roster?: string;
  readonly stack?: string;
  readonly sideBySide?: number;
  readonly protect?: readonly string[];
  readonly audit?: string;
  readonly secretsProvider?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Looked for in the current folder, in this order. */
const ROSTERS = ["people.csv", "people.yaml", "people.yml", "people.json"];

export function withCommonOptions(command: Command): Command {
  return command
    .option("--roster <file>", `the list of people; default: ${ROSTERS.join(", ")}, whichever is there`)
    .option("--stack <name>", "the Pulumi stack, or what the names of several begin with; default: people")
    .option("--side-by-side <number>", "how many stacks are run at once; default: 4", wholeNumber)
    .option("--protect <who...>", "emails or keys from whom nothing is taken, beside the roster's own")
    .option("--audit <file>", "where each write is noted; default: .orgseat/audit.jsonl beside the roster")
    .option("--secrets-provider <url>", "of new stacks, as `pulumi stack init` takes it")
    .option("--json", "print the result as JSON, and nothing else")
    .option("--quiet", "no progress");
}

/** @throws where no roster is named and none is there */
export function organizationOptions(options: CommonOptions): OrganizationOptions {
  const { stack, sideBySide, protect, audit, secretsProvider } = options;
  return { roster: rosterFile(options), stack, concurrency: sideBySide, protect, audit, secretsProvider };
}

function rosterFile({ roster }: CommonOptions): string {
  const found = roster ?? ROSTERS.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    `no roster: there is none of ${ROSTERS.join(", ")} in this folder; name yours with --roster, or begin one with \`orgseat adopt\``,
  );
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError("it is a whole number of at least 1.");
  return Number(text);
}

/** The command `orgseat`. Every verb loads its code only when it runs. */
import { createRequire } from "node:module";
import { Command } from "commander";
import { type CommonOptions, ROSTERS } from "./options.ts";
import { addOrganizationCommands } from "./verbs.ts";

/** Runs one command line. @param argv as `process.argv`. The exit code is left in `process.exitCode`. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    await commandLine().parseAsync([...argv]);
  } catch (error) {
    if (!argv.includes("--json")) throw error;
    console.log(JSON.stringify(failureInJson(error), null, 2));
    process.exitCode = 1;
  }
}

/** What a script gets of a command that could not begin. */
function failureInJson(error: unknown) {
  const issues = error instanceof Error && "issues" in error ? error.issues : [];
  return { status: "failed", error: error instanceof Error ? error.message : String(error), issues };
}

/** All verbs with their flags. */
export function commandLine(): Command {
  const program = new Command("orgseat")
    .version(versionOf(), "-V, --version", "the version of this package")
    .description(
      "Runs an organization from its list of people, by Pulumi: says what a change of the list does, does exactly that, and stops before it does something worse.",
    )
    .addHelpText("after", EXAMPLES)
    .showHelpAfterError("(orgseat --help lists what there is)");
  addOrganizationCommands(program);
  program
    .command("doctor")
    .description("say what is configured and what works, by reads and token requests only")
    .option(
      "--roster <file>",
      `the list of people; default: ${ROSTERS.join(", ")}, whichever is there, or none`,
    )
    .option(
      "--stack <name>",
      "the stack whose configuration counts; default: people with a roster, else the selected one",
    )
    .option("--json", "print the report as JSON")
    .action(async (options: Pick<CommonOptions, "roster" | "stack" | "json">) =>
      (await import("./doctor.ts")).doctorVerb(options),
    );
  return program;
}

function versionOf(): string {
  const { version }: { version: string } = createRequire(import.meta.url)("orgseat/package.json");
  return version;
}

const EXAMPLES = `
A day with it:
  orgseat preview                     who would join, leave, be renewed; nothing is written
  orgseat up                          do exactly that
  orgseat offboard bob@acme.example   Bob's token stops now, his seat and membership follow
  orgseat report --html report.html   seats, tokens by days left, who joined and left

Exit codes: 0 done, or nothing to do; 1 failed, or you said no; 3 stopped by a guard; with --exit-code 2 when changes wait.`;

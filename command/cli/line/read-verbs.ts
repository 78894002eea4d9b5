/** The verbs that read an organization, and change neither the service nor a state. Each loads its code only when it runs. */
import { type Command, Option } from "commander";
import type { ListFlags, ReportFlags, TokenFlags } from "./flags.ts";
import { duration, idleDaysOption, PLAIN, withCommonOptions } from "./options.ts";

export function addList(program: Command): void {
  const command = program
    .command("list")
    .description("List people with their seats and tokens, or show one")
    .argument("[who]", "An email, a key, or a user ID: show this person, with the history of the audit log")
    .option(
      "--filter <text>",
      "List only people whose email, key, purpose, team, or stack contains this text",
    )
    .option("--json [fields]", "Print only the result, as JSON, with these fields, such as email,seat");
  withCommonOptions(command, [...PLAIN, "json"]).action(async (who: string | undefined, options: ListFlags) =>
    (await import("../verbs/people.ts")).listVerb(who, options),
  );
}

export function addToken(program: Command): void {
  const command = program
    .command("token")
    .description("Print a person's token, or write it to a file")
    .argument("[who]", "An email, a key, or a user ID")
    .option("--sealed", "Print the token as an age file, which only the person's private key opens")
    .option("--all", "Write one .age file per person to the folder of --out; requires --sealed")
    .option("--out <path>", "Write to this new file, with mode 0600, or to a folder with --all");
  withCommonOptions(command, [...PLAIN, "audit", "json", "verbose"]).action(
    async (who: string | undefined, options: TokenFlags) =>
      (await import("../verbs/token.ts")).tokenVerb(who, options),
  );
}

export function addReport(program: Command): void {
  const command = program
    .command("report")
    .description("Report seats, tokens by days left, and who joined and left")
    .option(
      "--due <duration>",
      "List only what ends or falls due within this time, such as 30d; exit with 2 if there is anything",
      duration,
    )
    .option("--month <month>", "List who joined and left in this month, such as 2026-11")
    .option(
      "--tokens",
      "Compare the tokens with the service too, with one request each, if the platform can list them",
    )
    .option(
      "--last-seen <file>",
      "List idle seats according to this CSV file, with the columns email,last_seen",
    )
    .addOption(idleDaysOption)
    .addOption(
      new Option(
        "--format <format>",
        "Print the report in this format; csv has one row per person (default: text)",
      ).choices(["text", "json", "csv", "html"]),
    )
    .option("--out <file>", "Write the report to this file, with mode 0600 (default: -, standard output)");
  withCommonOptions(command, PLAIN).action(async (options: ReportFlags) =>
    (await import("../verbs/report.ts")).reportVerb(options),
  );
}

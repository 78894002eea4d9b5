/** The verbs that prepare a folder, or check it. Each loads its code only when it runs. */
import { type Command, Option } from "commander";
import { platformNames } from "../../../provider/config/setting-values.ts";
import type { AddFlags, InitFlags, ReclaimFlags } from "./flags.ts";
import {
  type CommonOptions,
  idleDaysOption,
  newRosterFormats,
  PLAIN,
  ROSTERS,
  withCommonOptions,
} from "./options.ts";

export function addInit(program: Command): void {
  const command = program
    .command("init")
    .description("Set up this folder: an empty roster, variables, .gitignore")
    .option("--organization <id>", "Write this organization ID (default: ORGSEAT_ORGANIZATION_ID)")
    .option(
      "--platform <name>",
      `Use this platform: ${platformNames.join(" or ")} (default: ORGSEAT_PLATFORM)`,
    )
    .option(
      "--subscription <date>",
      "Write the end of the subscription into the roster (default: ORGSEAT_SUBSCRIPTION_EXPIRES_AT)",
    )
    .option(
      "--backend <where>",
      "Keep the state of Pulumi here: cloud for Pulumi Cloud, a folder, or a bucket such as s3://acme-state (default: PULUMI_BACKEND_URL, otherwise .orgseat/state)",
    )
    .addOption(
      new Option("--format <format>", "Write the roster in this format (default: csv)").choices(
        newRosterFormats,
      ),
    )
    .option("-y, --yes", "Use the flags, the environment, and the defaults without asking")
    .option("--json", "Print only the result, as JSON, without asking or checking");
  command.action(async (options: InitFlags) => (await import("../verbs/roster/init.ts")).initVerb(options));
}

export function addAdd(program: Command): void {
  const command = program
    .command("add")
    .description("Add people to the roster; nothing is sent")
    .argument("[email...]", "Emails of people")
    .option("--purpose <text>", "Add a machine user for this purpose")
    .option("--key <key>", "Use this permanent key for the machine user (default: made from the purpose)")
    .option("--team <team>", "Write this team into the rows");
  withCommonOptions(command, WITHOUT_STACK).action(async (emails: string[], options: AddFlags) =>
    (await import("../verbs/roster/edit.ts")).addVerb(emails, options),
  );
}

export function addRemove(program: Command): void {
  const command = program
    .command("remove")
    .description("Remove people from the roster; nothing is sent")
    .argument("<who...>", "Emails, purposes, or keys");
  withCommonOptions(command, WITHOUT_STACK).action(async (who: string[], options: CommonOptions) =>
    (await import("../verbs/roster/edit.ts")).removeVerb(who, options),
  );
}

export function addReclaim(program: Command): void {
  const command = program
    .command("reclaim")
    .description("Take idle seats out of the roster, after a notice")
    .requiredOption(
      "--last-seen <file>",
      "Judge by this CSV file of last uses, with the columns email,last_seen",
    )
    .addOption(idleDaysOption)
    .option("--remove", "Remove the rows, so that the people leave the organization too");
  withCommonOptions(command, ["verbose", ...PLAIN]).action(async (options: ReclaimFlags) =>
    (await import("../verbs/roster/reclaim.ts")).reclaimVerb(options),
  );
}

/** Common flags that mean nothing for a roster alone. */
const WITHOUT_STACK = ["stack", "audit", "verbose", ...PLAIN] as const;

export function addDoctor(program: Command): void {
  const command = program
    .command("doctor")
    .description("Check the configuration and the connection")
    .option(
      "--roster <path>",
      `Read this list of people (default: the first of ${ROSTERS.join(", ")} that exists, or none)`,
    )
    .option(
      "-s, --stack <name>",
      "Use the configuration of this stack (default: people with a roster, or the selected stack)",
    )
    .option("--json", "Print the report as JSON")
    .option("--verbose", "Also list how the service answers each read, without any value");
  command.action(async (options: Pick<CommonOptions, "roster" | "stack" | "json" | "verbose">) =>
    (await import("../verbs/doctor.ts")).doctorVerb(options),
  );
}

/** The verbs that plan and make changes. Each loads its code only when it runs. */

import { type Command, Option } from "commander";
import { CodedError } from "../../../provider/util/error-codes.ts";
import type { AdoptFlags, OffboardFlags, PreviewFlags, RunOptions, UpFlags } from "./flags.ts";
import {
  duration,
  neverRemoveOption,
  newStackOption,
  noRemovalsOption,
  onDeletes,
  refreshOption,
  refreshTokensOption,
  secretsProviderOption,
  timestamp,
  withCommonOptions,
  withRunOptions,
  withYes,
} from "./options.ts";

export function addPreview(program: Command): void {
  const command = program
    .command("preview")
    .description("Show what `up` would change, per person")
    .addOption(refreshOption)
    .addOption(refreshTokensOption)
    .addOption(noRemovalsOption)
    .addOption(
      new Option(
        "--markdown",
        "Print Markdown for a comment on a pull request, at most 60,000 characters",
      ).conflicts("json"),
    )
    .addOption(
      new Option("--offline", "Only check the roster, without Pulumi or the service").conflicts(WITH_STACK),
    )
    .option("--exit-code", "Exit with 2 if there are changes")
    .addOption(
      new Option("--at <date>", "Plan for this date or timestamp, to see what will be due then")
        .argParser(timestamp)
        .conflicts("plan"),
    )
    .option("--plan <file>", "Write the plan to this file, for `orgseat up --plan`")
    .option("--approve <code>", "Check the plan with the code that a refused run printed")
    .addOption(neverRemoveOption)
    .addOption(newStackOption)
    .addOption(secretsProviderOption);
  withCommonOptions(command).action(async (options: PreviewFlags) => {
    if (options.offline) await (await import("../verbs/roster/check.ts")).checkRoster(options);
    else await (await import("../verbs/preview.ts")).previewVerb(options);
  });
}

/** Flags of a preview that mean nothing for a roster alone. */
const WITH_STACK = [
  "at",
  "refresh",
  "refreshTokens",
  "markdown",
  "exitCode",
  "plan",
  "approve",
  "newStack",
  "removals",
];

export function addUp(program: Command): void {
  const command = program
    .command("up")
    .description("Apply the roster, unless a guard refuses the plan")
    .addOption(refreshOption)
    .addOption(refreshTokensOption)
    .addOption(noRemovalsOption)
    .option(
      "--plan <file>",
      "Apply exactly the plan that `orgseat preview --plan` wrote, with its flags; exit with 3 if the plan has changed",
    )
    .option(
      "--plan-max-age <duration>",
      "Refuse a plan that is older than this, such as 12h (default: 24h)",
      duration,
    );
  withRunOptions(command).action(async (options: UpFlags) =>
    (await import("../verbs/up.ts")).upVerb(options),
  );
}

export function addRenew(program: Command): void {
  const command = program
    .command("renew")
    .description("Renew due tokens, and remove people whose access has ended")
    .addOption(noRemovalsOption);
  withRunOptions(command, ["newStack", "secretsProvider"]).action(async (options: RunOptions) => {
    const { renewTokens } = await import("../../verbs/tokens.ts");
    await (await import("../session.ts")).runVerb("Renewing", options, renewTokens, { resume: "renew" });
  });
}

export function addRotate(program: Command): void {
  const command = program
    .command("rotate")
    .description("Replace tokens: issue new ones, and revoke the old ones")
    .argument("[who...]", "Emails, keys, or user IDs")
    .option("--machine-users", "Rotate the tokens of all machine users")
    .option("--all", "Rotate all tokens");
  withRunOptions(command, ["newStack", "secretsProvider"]).action(
    async (who: string[], options: RunOptions & { machineUsers?: boolean; all?: boolean }) => {
      const chosen = [who.length > 0, options.machineUsers === true, options.all === true].filter(Boolean);
      if (chosen.length !== 1) {
        throw new CodedError(
          "invalid-flag",
          "cannot tell whose tokens to rotate: pass emails or keys, --machine-users, or --all, and only one of them",
        );
      }
      const { rotateVerb } = await import("../verbs/rotate.ts");
      await rotateVerb(options.all ? "all" : options.machineUsers ? "machineUsers" : who, options);
    },
  );
}

export function addOffboard(program: Command): void {
  const command = program
    .command("offboard")
    .description("Revoke tokens now, then remove seats and memberships")
    .argument("<who...>", "Emails, keys, or user IDs")
    .option("--keep-member", "Revoke the token only: the person stays a member and keeps the seat")
    .option("--by <name>", "Record in the offboarded list who requested the removal")
    .option(
      "--lock-timeout <duration>",
      "Wait this long for another run to release the stack's lock, such as 30s (default: 10m)",
      duration,
    );
  withCommonOptions(withYes(command)).action(async (who: string[], options: OffboardFlags) =>
    (await import("../verbs/offboard.ts")).offboardVerb(who, options),
  );
}

export function addAdopt(program: Command): void {
  const command = program
    .command("adopt")
    .description("Manage existing members, without changing the service")
    .argument(
      "[file]",
      "People to add to the roster, each with a user_id (default: the people of the roster with a user_id; if there are none, all members that the platform can list)",
    )
    .option(
      "--only-unmanaged",
      "If the platform can list members, adopt only those that are in neither the stack nor a row",
    )
    .addOption(
      new Option(
        "--on-delete <what>",
        "Write into a roster that does not say it what happens to a person whose row is deleted (default: the command asks once)",
      ).choices(onDeletes),
    )
    .option("--organization <id>", "If no roster exists, create one with this organization ID")
    .option("--subscription <date>", "Set the end of the subscription in the new roster");
  withRunOptions(command, ["approve", "neverRemove"]).action(
    async (file: string | undefined, options: AdoptFlags) =>
      (await import("../verbs/adopt.ts")).adoptVerb(file, options),
  );
}

export function addDestroy(program: Command): void {
  const command = program.command("destroy").description("Remove all people of the roster's stack");
  withRunOptions(command, ["newStack", "secretsProvider"]).action(async (options: RunOptions) => {
    const { canAsk, NEEDS_YES } = await import("../terminal.ts");
    if (options.yes !== true && !canAsk(options)) throw new CodedError("confirmation-required", NEEDS_YES);
    const { destroyAll } = await import("../../verbs/destroy.ts");
    await (await import("../session.ts")).runVerb("Removing", options, destroyAll, {
      resume: "destroy",
      acceptEndedSubscription: true,
    });
  });
}

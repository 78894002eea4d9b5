/** The verbs that run an organization. Each loads its code only when it runs. */
import type { Command } from "commander";
import type { AdoptFlags, OffboardFlags, PreviewFlags, ReportFlags, RunOptions, UpFlags } from "./flags.ts";
import { helpOf } from "./help.ts";
import {
  type CommonOptions,
  NEW_STACK,
  organizationOptions,
  wholeNumber,
  withCommonOptions,
  withRunOptions,
  withYes,
} from "./options.ts";

export function addOrganizationCommands(program: Command): void {
  addPreview(program);
  addUp(program);
  addRenew(program);
  addRotate(program);
  addOffboard(program);
  addAdopt(program);
  addToken(program);
  addReport(program);
  addDestroy(program);
}

function verb(program: Command, name: keyof typeof helpOf, description: string): Command {
  return program.command(name).description(description).addHelpText("after", helpOf[name]);
}

function addPreview(program: Command): void {
  const command = verb(
    program,
    "preview",
    "say what `up` would do, by person, what cannot be undone first; nothing is written",
  )
    .option("--refresh", "read first what can be read at the service")
    .option("--markdown", "print it for a comment on a pull request, at most 60,000 characters")
    .option("--exit-code", "end with 2 when changes wait")
    .option("--allow-removals <override>", "hold the plan against this override, as a stopped run printed it")
    .option("--protect <who...>", "emails or keys from whom nothing is taken, beside the roster's own")
    .option("--new-stack", NEW_STACK);
  withCommonOptions(command).action(async (options: PreviewFlags) =>
    (await import("./preview.ts")).previewVerb(options),
  );
}

function addUp(program: Command): void {
  const command = verb(program, "up", "do what the roster says, after the guards have seen it")
    .option(
      "--created <who=id...>",
      "managed users whose creation was not finished, and who exist: they are taken into the state",
    )
    .option("--not-created <who...>", "managed users whose creation was not finished, and who do not exist");
  withRunOptions(command).action(async (options: UpFlags) => (await import("./up.ts")).upVerb(options));
}

function addRenew(program: Command): void {
  const description = "renew the tokens that are due, with the same values, and nothing else";
  withRunOptions(verb(program, "renew", description)).action(async (options: RunOptions) => {
    const { renewTokens } = await import("../automation/renew.ts");
    await (await import("./session.ts")).runVerb("Renewing", options, renewTokens);
  });
}

function addRotate(program: Command): void {
  const description = "give people new tokens; the old value stops before the new one exists";
  const command = verb(program, "rotate", description)
    .argument("[who...]", "emails or keys")
    .option("--managed", "all managed users")
    .option("--all", "everybody who has a token");
  withRunOptions(command).action(
    async (who: string[], options: RunOptions & { managed?: boolean; all?: boolean }) => {
      const chosen = [who.length > 0, options.managed === true, options.all === true].filter(Boolean);
      if (chosen.length !== 1) {
        const both = chosen.length > 1 ? ", and only one of them" : "";
        throw new Error(`say whose tokens: emails, or --managed, or --all${both}`);
      }
      const { rotateVerb } = await import("./rotate.ts");
      await rotateVerb(options.all ? "all" : options.managed ? "managed" : who, options);
    },
  );
}

function addOffboard(program: Command): void {
  const description = "put people out tonight: tokens now, whoever runs what; seats and memberships next";
  const command = verb(program, "offboard", description)
    .argument("<who...>", "emails or keys")
    .option("--by <name>", "who asks for it, noted in the leaver list")
    .option(
      "--patience <seconds>",
      "how long to wait for a run that holds a stack; default: 600",
      wholeNumber,
    );
  withCommonOptions(withYes(command)).action(async (who: string[], options: OffboardFlags) =>
    (await import("./offboard.ts")).offboardVerb(who, options),
  );
}

function addAdopt(program: Command): void {
  const description = "take over people who are members already, without a write at the service";
  const command = verb(program, "adopt", description)
    .argument("[file]", "people to add to the roster, each with a user_id; default: those of the roster")
    .option("--on-removal <what>", "what it shall mean that a row is gone: remove or release; asked once")
    .option("--organization <id>", "of a roster that is still to be made")
    .option("--subscription <date>", "to when its subscription runs");
  withRunOptions(command).action(async (file: string | undefined, options: AdoptFlags) =>
    (await import("./adopt.ts")).adoptVerb(file, options),
  );
}

function addToken(program: Command): void {
  const description = "show one person's token, on a terminal or into a file that only you can read";
  const command = verb(program, "token", description)
    .argument("<who>", "an email or a key")
    .option("--out <file>", "write it into this new file, of mode 0600");
  withCommonOptions(command).action(
    async (who: string, { out, ...options }: CommonOptions & { out?: string }) => {
      const { tokenVerb } = await import("./token.ts");
      await tokenVerb(who, out, organizationOptions(options));
    },
  );
}

function addReport(program: Command): void {
  const description =
    "say what the organization has: seats, tokens by days left, people, who joined and left";
  const command = verb(program, "report", description)
    .option("--month <month>", "who joined and left in it, such as 2026-11")
    .option("--csv [file]", "one row a person, into this file or, without one, as what is printed")
    .option("--html [file]", "one page with everything, into this file or, without one, as what is printed");
  withCommonOptions(command).action(async (options: ReportFlags) =>
    (await import("./report.ts")).reportVerb(options),
  );
}

function addDestroy(program: Command): void {
  const command = verb(program, "destroy", "take out everybody whom the roster's stacks manage");
  withRunOptions(command).action(async (options: RunOptions) => {
    const { canAsk, NEEDS_YES } = await import("./terminal.ts");
    if (options.yes !== true && !canAsk(options)) throw new Error(NEEDS_YES);
    const { destroyAll } = await import("../automation/destroy.ts");
    await (await import("./session.ts")).runVerb("Taking out", options, destroyAll, {
      acceptEndedSubscription: true,
    });
  });
}

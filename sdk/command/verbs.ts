/** The verbs that manage an organization. Each loads its code only when it runs. */
import type { Command } from "commander";
import type {
  AdoptFlags,
  AuditFlags,
  ImportFileFlags,
  ListFlags,
  OffboardFlags,
  PreviewFlags,
  ReportFlags,
  RunOptions,
  TokenFlags,
  UpFlags,
} from "./flags.ts";
import { helpOf } from "./help.ts";
import {
  type CommonOptions,
  collected,
  duration,
  FULL,
  NEVER_REMOVE,
  NEW_STACK,
  organizationOptions,
  refreshTokensOption,
  wholeNumber,
  withCommonOptions,
  withRunOptions,
  withYes,
} from "./options.ts";

const REFRESH = "first read from the service what it can list, and name what differs from the states";

export function addOrganizationCommands(program: Command): void {
  addPreview(program);
  addUp(program);
  addRenew(program);
  addRotate(program);
  addOffboard(program);
  addAdopt(program);
  addImportFile(program);
  addToken(program);
  addReport(program);
  addList(program);
  addShow(program);
  addValidate(program);
  addAudit(program);
  addDestroy(program);
}

function verb(program: Command, name: keyof typeof helpOf, description: string): Command {
  return program.command(name).description(description).addHelpText("after", helpOf[name]);
}

function addPreview(program: Command): void {
  const command = verb(
    program,
    "preview",
    "show what `up` would change, per person, irreversible changes first; writes nothing",
  )
    .option("--refresh", REFRESH)
    .addOption(refreshTokensOption())
    .option("--markdown", "print Markdown for a comment on a pull request, at most 60,000 characters")
    .option("--exit-code", "exit with 2 if there are changes")
    .option("--plan <file>", "write the plan to this file, for `orgseat up --plan`")
    .option("--approve <code>", "check the plan with the code that a refused run printed")
    .option("--never-remove <who>", NEVER_REMOVE, collected)
    .option("--new-stack", NEW_STACK)
    .option("--full", FULL);
  withCommonOptions(command).action(async (options: PreviewFlags) =>
    (await import("./verbs/preview.ts")).previewVerb(options),
  );
}

function addUp(program: Command): void {
  const command = verb(program, "up", "apply the roster, if no guard refuses the plan")
    .option("--refresh", REFRESH)
    .addOption(refreshTokensOption())
    .option(
      "--plan <file>",
      "apply exactly the plan that `orgseat preview --plan` wrote, with its flags; if the plan has changed, exit with 3",
    )
    .option("--plan-max-age <duration>", "refuse a plan that is older, such as 12h; default: 24h", duration)
    .option(
      "--created <who=id...>",
      "managed users with an unfinished creation who exist: add them to the state",
    )
    .option(
      "--not-created <who...>",
      "managed users with an unfinished creation who do not exist: create them",
    );
  withRunOptions(command).action(async (options: UpFlags) => (await import("./verbs/up.ts")).upVerb(options));
}

function addRenew(program: Command): void {
  const description =
    "renew the tokens that are due, values unchanged, and remove people whose access has ended";
  withRunOptions(verb(program, "renew", description)).action(async (options: RunOptions) => {
    const { renewTokens } = await import("../automation/verbs/tokens.ts");
    await (await import("./session.ts")).runVerb("Renewing", options, renewTokens);
  });
}

function addRotate(program: Command): void {
  const description = "replace people's tokens; revokes the old token before it issues the new one";
  const command = verb(program, "rotate", description)
    .argument("[who...]", "emails or keys")
    .option("--machine-users", "all managed users")
    .option("--all", "all who have a token");
  withRunOptions(command).action(
    async (who: string[], options: RunOptions & { machineUsers?: boolean; all?: boolean }) => {
      const chosen = [who.length > 0, options.machineUsers === true, options.all === true].filter(Boolean);
      if (chosen.length !== 1) {
        throw new Error(
          "cannot tell whose tokens to rotate: pass emails or keys, --machine-users, or --all, and only one of them",
        );
      }
      const { rotateVerb } = await import("./verbs/rotate.ts");
      await rotateVerb(options.all ? "all" : options.machineUsers ? "machineUsers" : who, options);
    },
  );
}

function addOffboard(program: Command): void {
  const description =
    "revoke tokens immediately, without waiting for stack locks, then remove seats and memberships";
  const command = verb(program, "offboard", description)
    .argument("<who...>", "emails or keys")
    .option("--by <name>", "who requested it, for the offboarded list")
    .option(
      "--lock-timeout <duration>",
      "how long to wait for another run to release a stack's lock, such as 30s; default: 10m",
      duration,
    );
  withCommonOptions(withYes(command)).action(async (who: string[], options: OffboardFlags) =>
    (await import("./verbs/offboard.ts")).offboardVerb(who, options),
  );
}

function addAdopt(program: Command): void {
  const description = "adopt existing members, without a write to the service";
  const command = verb(program, "adopt", description)
    .argument(
      "[file]",
      "people to add to the roster, each with a user_id; default: the user ids of the roster, else all members whom the service lists",
    )
    .option("--only-unmanaged", "adopt only members in no stack and no row, where the service lists members")
    .option(
      "--on-removal <what>",
      "what happens to a person whose row is removed: remove or release; asked once",
    )
    .option("--organization <id>", "the organization id for a new roster")
    .option("--subscription <date>", "the end of the subscription for a new roster");
  withRunOptions(command).action(async (file: string | undefined, options: AdoptFlags) =>
    (await import("./verbs/adopt.ts")).adoptVerb(file, options),
  );
}

function addImportFile(program: Command): void {
  const description = "write an import file, which moves resources into a Pulumi stack without a request";
  const command = verb(program, "import-file", description)
    .option("--out <file>", "write it to this new file, with mode 0600; required")
    .option(
      "--from-stack <name>",
      "take the resources of this stack of the current folder's project; default: the people of the roster whom the service lists",
    )
    .option(
      "--plugin",
      "write the types of the packaged plugin, for every language; default: dynamic resources, for Node programs",
    );
  withCommonOptions(command).action(async (options: ImportFileFlags) =>
    (await import("./verbs/import-file.ts")).importFileVerb(options),
  );
}

function addToken(program: Command): void {
  const description = "print one person's token to a terminal, or write it to a file that only you can read";
  const command = verb(program, "token", description)
    .argument("[who]", "an email or a key")
    .option("--sealed", "the token as an age file, which only the person's private key opens")
    .option("--all", "with --sealed: one .age file per person in the folder --out")
    .option("--out <path>", "write it to this new file, with mode 0600; with --all, a folder");
  withCommonOptions(command).action(
    async (who: string | undefined, { sealed, all, out, ...options }: CommonOptions & TokenFlags) => {
      const { tokenVerb } = await import("./verbs/token.ts");
      await tokenVerb(who, { sealed, all, out }, organizationOptions(options));
    },
  );
}

function addReport(program: Command): void {
  const description = "report on seats, tokens by days left, people, joiners and leavers";
  const command = verb(program, "report", description)
    .option("--month <month>", "list the joiners and leavers of this month, such as 2026-11")
    .option("--tokens", "compare the tokens too, with one request per token, where the service lists them")
    .option("--last-seen <file>", "name idle seats by this CSV file of emails and last uses: email,last_seen")
    .option(
      "--idle-days <number>",
      "from how many days without use on a seat is idle, with --last-seen; default: 30",
      wholeNumber,
    )
    .option("--csv [file]", "one row per person, to this file, else to standard output")
    .option("--html [file]", "one page with everything, to this file, else to standard output");
  withCommonOptions(command).action(async (options: ReportFlags) =>
    (await import("./verbs/report.ts")).reportVerb(options),
  );
}

function addList(program: Command): void {
  const command = verb(
    program,
    "list",
    "list people with their seats, tokens, and stacks; sends nothing",
  ).option("--filter <text>", "only people whose email, key, purpose, team, or stack contains this text");
  withCommonOptions(command).action(async (options: ListFlags) =>
    (await import("./verbs/people.ts")).listVerb(options),
  );
}

function addShow(program: Command): void {
  const description = "show one person: seat, token, stack, and the writes of the audit log; sends nothing";
  const command = verb(program, "show", description).argument("<who>", "an email or a key");
  withCommonOptions(command).action(async (who: string, options: CommonOptions) =>
    (await import("./verbs/people.ts")).showVerb(who, options),
  );
}

function addValidate(program: Command): void {
  const command = verb(program, "validate", "check the roster alone, without Pulumi and without a request");
  withCommonOptions(command).action(async (options: CommonOptions) =>
    (await import("./verbs/validate.ts")).validateVerb(options),
  );
}

function addAudit(program: Command): void {
  const audit = program.command("audit").description("check the audit log");
  audit
    .command("verify")
    .description("check that no line of the audit log was changed or removed; exits with 1 if one was")
    .argument("[file]", "the audit log; default: ORGSEAT_AUDIT_LOG, else .orgseat/audit.jsonl")
    .option("--head <hash>", "a hash that an earlier check printed: also finds lines missing at the end")
    .option("--json", "print the result as JSON")
    .addHelpText("after", helpOf.audit)
    .action(async (file: string | undefined, flags: AuditFlags) =>
      (await import("./verbs/audit.ts")).auditVerb(file, flags),
    );
}

function addDestroy(program: Command): void {
  const command = verb(program, "destroy", "remove all people of the roster's stacks");
  withRunOptions(command).action(async (options: RunOptions) => {
    const { canAsk, NEEDS_YES } = await import("./terminal.ts");
    if (options.yes !== true && !canAsk(options)) throw new Error(NEEDS_YES);
    const { destroyAll } = await import("../automation/verbs/destroy.ts");
    await (await import("./session.ts")).runVerb("Removing", options, destroyAll, {
      acceptEndedSubscription: true,
    });
  });
}

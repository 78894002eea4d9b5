/** The verbs that run an organization. */
import type { Command } from "commander";
import type { AdoptFlags, OffboardFlags, PreviewOptions, ReportFlags, RunOptions } from "./flags.ts";
import { type CommonOptions, organizationOptions, withCommonOptions } from "./options.ts";

export function addOrganizationCommands(program: Command): void {
  addPreview(program);
  const verbs = [
    ["up", "do what the roster says, after the guards have seen it"],
    ["renew", "renew the tokens that are due, with the same values, and nothing else"],
    ["destroy", "take out everybody whom the roster's stacks manage"],
  ] as const;
  for (const [name, description] of verbs) {
    addRun(program, name, description).action((options: RunOptions) => runNamed(name, options));
  }
  addRotate(program);
  addOffboard(program);
  addAdopt(program);
  addToken(program);
  addReport(program);
}

function addPreview(program: Command): void {
  withCommonOptions(program.command("preview"))
    .description("say what `up` would do, by person, what cannot be undone first; nothing is written")
    .option("--refresh", "read first what can be read at the service")
    .option("--markdown", "print it for a comment on a pull request, at most 60,000 characters")
    .option("--exit-code", "end with 2 when changes wait")
    .option("--allow-removals <override>", "hold the plan against this override, as a stopped run printed it")
    .action(async (options: PreviewOptions) => (await import("./preview.ts")).previewVerb(options));
}

function addRun(program: Command, name: string, description: string): Command {
  return withCommonOptions(program.command(name))
    .description(description)
    .option("-y, --yes", "do not ask; without a terminal nothing is asked anyway")
    .option(
      "--allow-removals <override>",
      "let this exact list of removals pass, as a stopped run printed it; it expires",
    );
}

async function runNamed(name: "up" | "renew" | "destroy", options: RunOptions): Promise<void> {
  const { runVerb } = await import("./session.ts");
  if (name === "up") {
    const { upAll } = await import("../automation/up-all.ts");
    return runVerb("Applying", options, upAll);
  }
  if (name === "renew") {
    const { renewTokens } = await import("../automation/renew.ts");
    return runVerb("Renewing", options, renewTokens);
  }
  const { isAttended } = await import("./terminal.ts");
  if (options.yes !== true && !isAttended())
    throw new Error("destroy asks before it takes everybody out; without a terminal, say --yes");
  const { destroyAll } = await import("../automation/destroy.ts");
  return runVerb("Taking out", options, destroyAll);
}

function addRotate(program: Command): void {
  addRun(program, "rotate", "give people new tokens; the old value stops before the new one exists")
    .argument("[who...]", "emails or keys")
    .option("--managed", "all managed users")
    .option("--all", "everybody who has a token")
    .action(async (who: string[], options: RunOptions & { managed?: boolean; all?: boolean }) => {
      const chosen = [who.length > 0, options.managed === true, options.all === true].filter(Boolean);
      if (chosen.length !== 1) throw new Error("say whose tokens: emails, or --managed, or --all");
      const { runVerb } = await import("./session.ts");
      const { rotateTokens } = await import("../automation/rotate.ts");
      const meant = options.all ? "all" : options.managed ? "managed" : who;
      await runVerb("Rotating", options, (organization, up) => rotateTokens(organization, meant, up));
    });
}

function addOffboard(program: Command): void {
  addRun(
    program,
    "offboard",
    "put people out tonight: tokens now, whoever runs what; seats and memberships next",
  )
    .argument("<who...>", "emails or keys")
    .option("--by <name>", "who asks for it, noted in the leaver list")
    .option("--patience <seconds>", "how long to wait for a run that holds a stack; default: 600", Number)
    .action(async (who: string[], options: OffboardFlags) =>
      (await import("./offboard.ts")).offboardVerb(who, options),
    );
}

function addToken(program: Command): void {
  withCommonOptions(program.command("token"))
    .description("show one person's token, on a terminal or into a file that only you can read")
    .argument("<who>", "an email or a key")
    .option("--out <file>", "write it into this new file, of mode 0600")
    .action(async (who: string, { out, ...options }: CommonOptions & { out?: string }) => {
      const { tokenVerb } = await import("./token.ts");
      await tokenVerb(who, out, organizationOptions(options));
    });
}

function addAdopt(program: Command): void {
  addRun(program, "adopt", "take over people who are members already, without a write at the service")
    .argument("[file]", "people to add to the roster, each with a user_id; default: those of the roster")
    .option("--on-removal <what>", "what it shall mean that a row is gone: remove or release; asked once")
    .option("--organization <id>", "of a roster that is still to be made")
    .option("--subscription <date>", "to when its subscription runs")
    .action(async (file: string | undefined, options: AdoptFlags) => {
      await (await import("./adopt.ts")).adoptVerb(file, options);
    });
}

function addReport(program: Command): void {
  withCommonOptions(program.command("report"))
    .description("say what the organization has: seats, tokens by days left, people, who joined and left")
    .option("--month <month>", "who joined and left in it, such as 2026-11")
    .option("--csv <file>", "write one row a person into this file")
    .option("--html <file>", "write one page with everything into this file")
    .action(async (options: ReportFlags) => (await import("./report.ts")).reportVerb(options));
}

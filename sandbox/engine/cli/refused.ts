/** Commands and flags of the Pulumi CLI that the stand-in does not have, each with the reason or what to use instead. */
import { Command } from "commander";
import { UserError } from "../errors.ts";

const realOnly = "use the Pulumi CLI";
const cloudOnly = "it belongs to Pulumi Cloud, and the stand-in keeps stacks in files";
const noPlugins =
  "dynamic resources need no plugins; name other plugins under plugins.providers in Pulumi.yaml";
const plainFile = "set PULUMI_BACKEND_URL to a file:// address";
const environments = "environments belong to Pulumi Cloud; set values with `pulumi config set`";
const exported = "`pulumi stack export` prints the whole state";
const edited = "edit the output of `pulumi stack export`, then run `pulumi stack import`";
const plans = "update plans need the Pulumi CLI; `pulumi preview` shows what an update would do";
const policies = "only the Pulumi CLI runs policies";
const noImport = "dynamic resources cannot be imported";
const lines = "the stand-in prints one line for each step; use the Pulumi CLI for other displays";
const events = "use --event-log for the events of an operation";
const traces = "use the Pulumi CLI to trace";
const profiles = "run it with `node --cpu-prof`";

/** By the path of the command. */
export const refusedCommands: Readonly<Record<string, string>> = {
  about: realOnly,
  api: cloudOnly,
  "config env": environments,
  "config refresh": `the file Pulumi.<stack>.yaml is the only copy of the configuration; ${realOnly}`,
  console: cloudOnly,
  convert: realOnly,
  deployment: cloudOnly,
  do: realOnly,
  env: environments,
  "gen-completion": realOnly,
  import: `${noImport}; \`pulumi stack import\` replaces the whole state`,
  insights: cloudOnly,
  install: "run `npm install` in the folder of the program",
  login: plainFile,
  logout: plainFile,
  logs: "dynamic resources have no logs; `pulumi stack history --json` lists the updates",
  neo: cloudOnly,
  new: "copy an example, or write a Pulumi.yaml and run `pulumi stack init`",
  org: cloudOnly,
  package: noPlugins,
  plugin: noPlugins,
  policy: policies,
  project: cloudOnly,
  schema: realOnly,
  "stack change-secrets-provider": realOnly,
  "stack drift": cloudOnly,
  "stack get": exported,
  "stack graph": realOnly,
  "stack migrate": "`pulumi stack export` and `pulumi stack import` move a stack",
  "stack rename": "create a stack of the new name with the Pulumi CLI, which also renames the state",
  "stack schedule": cloudOnly,
  "stack tag": realOnly,
  "stack unselect": "name the stack with --stack",
  "stack webhook": cloudOnly,
  "state edit": edited,
  "state get": exported,
  "state move": realOnly,
  "state protect": "set the option protect in the program",
  "state rename": "use an alias in the program",
  "state repair": realOnly,
  "state taint": "run `pulumi up --replace <urn>`",
  "state untaint": edited,
  "state upgrade": "the state already has the latest format",
  template: realOnly,
  watch: "run `pulumi up` after each change",
};

/** By the flag, for every command that does not have it. */
export const refusedFlags: Readonly<Record<string, string>> = {
  "--all": "name each stack or resource",
  "--attach-debugger": "add `nodeargs: --inspect-brk` to the runtime options in Pulumi.yaml",
  "--config-path": "edit nested values in Pulumi.<stack>.yaml",
  "--copilot": cloudOnly,
  "--copy-config-from": "run `pulumi config cp` after `pulumi stack init`",
  "--create": "run `pulumi stack init`",
  "--debug": events,
  "--diff": lines,
  "--disable-integrity-checking": "it always checks the state that it reads",
  "--emoji": lines,
  "--file": "redirect the standard output",
  "--force": "correct the state first: `pulumi state` has commands for that",
  "--full-dates": "the JSON has full dates",
  "--ignore-protect": "run `pulumi state unprotect` first",
  "--import-file": noImport,
  "--import-pending-creates": `${noImport}; --clear-pending-creates forgets pending creations`,
  "--json": events,
  "--logflow": "programs and providers write their own logs; their own variables switch them on",
  "--logtostderr": events,
  "--memprofilerate": profiles,
  "--neo": cloudOnly,
  "--open": environments,
  "--organization": "a file backend has no organizations",
  "--otel-traces": traces,
  "--output": "use --json where the command has it",
  "--override-env": environments,
  "--path": "edit nested values in Pulumi.<stack>.yaml",
  "--plan": plans,
  "--policy-pack": policies,
  "--policy-pack-config": policies,
  "--project": "run the command in the folder of the project",
  "--profiling": profiles,
  "--raw": "pass the value as an argument",
  "--remote": cloudOnly,
  "--remote-config": "configuration is in Pulumi.<stack>.yaml",
  "--remove": "run `pulumi stack rm` after `pulumi destroy`",
  "--remove-backups": "delete the files in the folder .pulumi/backups",
  "--save-plan": plans,
  "--shell": "use --json",
  "--show-config": "run `pulumi config`",
  "--show-full-output": "it always shows the outputs in full",
  "--show-ids": exported,
  "--show-name": "run `pulumi stack ls`",
  "--show-policy-remediations": policies,
  "--show-reads": lines,
  "--show-replacement-steps": lines,
  "--show-sames": lines,
  "--show-secrets": "`pulumi stack output --show-secrets` prints secrets",
  "--show-urns": exported,
  "--skip-config-validation": "it does not validate the configuration",
  "--skip-pending-creates": "it never asks about pending creations; without the flag they stay",
  "--skip-plugin-pre-install": "it installs no plugins",
  "--strict": plans,
  "--suppress-permalink": "a file backend has no links",
  "--tag": "its stacks have no tags",
  "--target-dependents": "name each resource",
  "--teams": "a file backend has no teams",
  "--tracing": traces,
  "--tracing-header": traces,
  "--transitive": "run `npm ls --all`",
  "--type": "every value is a string",
  "--urns": lines,
  "--version": "a file backend has no numbered states; its copies are in the folder .pulumi/backups",
  "--verbose": events,
};

/** Short forms of flags above. */
const shortForms: Readonly<Record<string, string>> = {
  ...{ "-a": "--all", "-d": "--debug", "-e": "--emoji", "-i": "--show-ids" },
  ...{ "-j": "--json", "-u": "--show-urns", "-v": "--verbose" },
};

/** The error about a flag that a command does not have, where the Pulumi CLI has it. */
export function flagRefusal(given: string): UserError | undefined {
  const flag = given.startsWith("--")
    ? (given.split("=")[0] ?? given)
    : (shortForms[given.slice(0, 2)] ?? "");
  const reason = refusedFlags[flag];
  return reason === undefined ? undefined : refusal(flag, reason);
}

function refusal(what: string, reason: string): UserError {
  return new UserError(`this stand-in for the Pulumi CLI does not know ${what}: ${reason}`);
}

export function addRefusedCommands(program: Command): void {
  for (const [path, reason] of Object.entries(refusedCommands)) {
    const words = path.split(" ");
    const name = words.pop() ?? "";
    const parent = program.commands.find((command) => command.name() === words[0]) ?? program;
    const command = new Command(name).allowUnknownOption().allowExcessArguments().helpOption(false);
    command.argument("[anything...]").action(() => {
      throw refusal(`\`pulumi ${path}\``, reason);
    });
    parent.addCommand(command, { hidden: true });
  }
}

/** Commands and flags of the Pulumi CLI that the emulator does not have, each with the reason or what to use instead. */
import { Command } from "commander";
import { UserError } from "../errors.ts";

/** By reason, the paths of commands. */
const refusedCommands = byName({
  "use the Pulumi CLI":
    "about, convert, do, gen-completion, schema, stack change-secrets-provider, stack graph, state move, state repair, template",
  "it belongs to Pulumi Cloud, and the emulator keeps stacks in files":
    "api, console, deployment, insights, neo, org, project, stack drift, stack schedule, stack webhook",
  "environments belong to Pulumi Cloud; set values with `pulumi config set`": "config env, env",
  "the file Pulumi.<stack>.yaml is the only copy of the configuration; use the Pulumi CLI": "config refresh",
  "dynamic resources cannot be imported; `pulumi stack import` replaces the whole state": "import",
  "run `npm install` in the folder of the program": "install",
  "set PULUMI_BACKEND_URL to a file:// address": "login, logout",
  "dynamic resources have no logs; `pulumi stack history --json` lists the updates": "logs",
  "copy an example, or write a Pulumi.yaml and run `pulumi stack init`": "new",
  "name the folder of a plugin under packages in Pulumi.yaml, or use the Pulumi CLI": "package, plugin",
  "only the Pulumi CLI runs policies": "policy",
  "`pulumi stack export` prints the whole state": "stack get, state get",
  "`pulumi stack export` and `pulumi stack import` move a stack": "stack migrate",
  "create a stack of the new name with the Pulumi CLI, which also renames the state": "stack rename",
  "name the stack with --stack": "stack unselect",
  "edit the output of `pulumi stack export`, then run `pulumi stack import`": "state edit, state untaint",
  "set the option protect in the program": "state protect",
  "use an alias in the program": "state rename",
  "run `pulumi up --replace <urn>`": "state taint",
  "the state already has the latest format": "state upgrade",
  "run `pulumi up` after each change": "watch",
});

/** By reason, the flags, for every command that does not have them. */
export const refusedFlags = byName({
  "name each stack or resource": "--all",
  "add `nodeargs: --inspect-brk` to the runtime options in Pulumi.yaml": "--attach-debugger",
  "edit nested values in Pulumi.<stack>.yaml": "--config-path, --path",
  "it belongs to Pulumi Cloud, and the emulator keeps stacks in files": "--copilot, --neo, --remote",
  "run `pulumi config cp` after `pulumi stack init`": "--copy-config-from",
  "run `pulumi stack init`": "--create",
  "use --event-log for the events of an operation": "--debug, --json, --logtostderr, --verbose",
  "the emulator prints one line for each step; use the Pulumi CLI for other displays":
    "--diff, --emoji, --show-reads, --show-replacement-steps, --show-sames, --urns",
  "it always checks the state that it reads": "--disable-integrity-checking",
  "redirect the standard output": "--file",
  "correct the state first: `pulumi state` has commands for that": "--force",
  "the JSON has full dates": "--full-dates",
  "run `pulumi state unprotect` first": "--ignore-protect",
  "dynamic resources cannot be imported": "--import-file",
  "dynamic resources cannot be imported; --clear-pending-creates forgets pending creations":
    "--import-pending-creates",
  "programs and providers write their own logs; their own variables switch them on": "--logflow",
  "run it with `node --cpu-prof`": "--memprofilerate, --profiling",
  "environments belong to Pulumi Cloud; set values with `pulumi config set`": "--open, --override-env",
  "a file backend has no organizations": "--organization",
  "use the Pulumi CLI to trace": "--otel-traces, --tracing, --tracing-header",
  "use --json where the command has it": "--output",
  "update plans need the Pulumi CLI; `pulumi preview` shows what an update would do":
    "--plan, --save-plan, --strict",
  "only the Pulumi CLI runs policies": "--policy-pack, --policy-pack-config, --show-policy-remediations",
  "run the command in the folder of the project": "--project",
  "pass the value as an argument": "--raw",
  "configuration is in Pulumi.<stack>.yaml": "--remote-config",
  "run `pulumi stack rm` after `pulumi destroy`": "--remove",
  "delete the files in the folder .pulumi/backups": "--remove-backups",
  "use --json": "--shell",
  "run `pulumi config`": "--show-config",
  "it always shows the outputs in full": "--show-full-output",
  "`pulumi stack export` prints the whole state": "--show-ids, --show-urns",
  "run `pulumi stack ls`": "--show-name",
  "`pulumi stack output --show-secrets` prints secrets": "--show-secrets",
  "it does not validate the configuration": "--skip-config-validation",
  "it never asks about pending creations; without the flag they stay": "--skip-pending-creates",
  "it installs no plugins": "--skip-plugin-pre-install",
  "a file backend has no links": "--suppress-permalink",
  "run `pulumi stack tag ls` for each stack": "--tag",
  "name each resource": "--exclude-dependents, --target-dependents",
  "a file backend has no teams": "--teams",
  "run `npm ls --all`": "--transitive",
  "every value is a string": "--type",
  "a file backend has no numbered states; its copies are in the folder .pulumi/backups": "--version",
});

function byName(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const entries = Object.entries(table);
  return new Map(
    entries.flatMap(([reason, names]) => names.split(", ").map((name) => [name, reason] as const)),
  );
}

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
  const reason = refusedFlags.get(flag);
  return reason === undefined ? undefined : refusal(flag, reason);
}

function refusal(what: string, reason: string): UserError {
  return new UserError(`this emulator for the Pulumi CLI does not know ${what}: ${reason}`);
}

export function addRefusedCommands(program: Command): void {
  for (const [path, reason] of refusedCommands) {
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

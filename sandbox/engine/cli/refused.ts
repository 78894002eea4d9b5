/** Commands of the real CLI that this one does not have: each is refused by name, with what to do instead. */
import { Command } from "commander";
import { UserError } from "../errors.ts";

const realOnly = "use the real Pulumi CLI";
const cloudOnly = "it belongs to Pulumi Cloud, and this keeps stacks in files";
const noPlugins =
  "dynamic resources need none, and any other plugin is named by plugins.providers in Pulumi.yaml";

const refused: Readonly<Record<string, string>> = {
  api: cloudOnly,
  "config env":
    "environments belong to Pulumi Cloud: write values into Pulumi.<stack>.yaml by `pulumi config set`",
  console: cloudOnly,
  convert: realOnly,
  deployment: cloudOnly,
  do: realOnly,
  env: "environments belong to Pulumi Cloud: write values into Pulumi.<stack>.yaml by `pulumi config set`",
  "gen-completion": realOnly,
  import: "dynamic resources cannot be imported; `pulumi stack import` takes a whole state",
  insights: cloudOnly,
  install: "run `npm install` in the program's folder",
  logs: "no resource of it has logs; `pulumi stack history` lists what was done",
  neo: cloudOnly,
  new: "copy an example, or write a Pulumi.yaml and run `pulumi stack init`",
  org: cloudOnly,
  package: noPlugins,
  plugin: noPlugins,
  policy: "policies run in the real Pulumi CLI only",
  project: cloudOnly,
  schema: realOnly,
  "stack change-secrets-provider": realOnly,
  "stack drift": cloudOnly,
  "stack get": "`pulumi stack --output json` tells of a stack",
  "stack graph": realOnly,
  "stack migrate": "`pulumi stack export` and `pulumi stack import` move a stack",
  "stack schedule": cloudOnly,
  "stack tag": realOnly,
  "stack webhook": cloudOnly,
  "state edit": "`pulumi stack export`, an editor and `pulumi stack import` do the same",
  "state get": "`pulumi stack export` prints the whole state",
  "state move": realOnly,
  "state rename": "use an alias in the program",
  "state repair": realOnly,
  "state upgrade": "the state is of the latest kind already",
  template: realOnly,
  watch: "run `pulumi up` after each change",
};

export function addRefusedCommands(program: Command): void {
  for (const [path, instead] of Object.entries(refused)) {
    const words = path.split(" ");
    const name = words.pop() ?? "";
    const parent = program.commands.find((command) => command.name() === words[0]) ?? program;
    const command = new Command(name).allowUnknownOption().allowExcessArguments().helpOption(false);
    command.argument("[anything...]").action(() => {
      throw new UserError(`this stand-in for the Pulumi CLI does not know \`pulumi ${path}\`: ${instead}`);
    });
    parent.addCommand(command, { hidden: true });
  }
}

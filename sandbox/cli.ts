/** The command line of the sandbox. Every verb loads its code only when it runs. */
import { dirname, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { withFolderFirst } from "../provider/util/search-path.ts";
import { packageRoot } from "./pulumi/package-root.ts";
import { runInTerminal } from "./start/terminal.ts";

/** Copies, because the command loads the service only when it runs. */
const DATA_SETS = ["lanternfield"] as const;
const PLATFORMS = ["basic", "anaconda"] as const;
type PlatformName = (typeof PLATFORMS)[number];

interface ServiceArguments {
  readonly data: string;
  readonly port: number;
  readonly managementPort: number;
  readonly platform: PlatformName;
  readonly seed?: (typeof DATA_SETS)[number];
  readonly for?: string;
}

/** Runs one command line, and sets `process.exitCode`. @param argv as `process.argv` */
export async function main(argv: readonly string[]): Promise<void> {
  // Pulumi parses all arguments after `pulumi`, `--help` included.
  if (argv[2] === "pulumi") return runPulumi(argv.slice(3));
  await createProgram().parseAsync([...argv]);
}

/** All verbs with their flags. */
export function createProgram(): Command {
  const program = new Command("orgseat-sandbox").description(
    "A sandbox for orgseat: an organization service on this machine, and programs that run against it.",
  );
  registerService(program);
  registerStart(program);
  program
    .command("pulumi")
    .description("run the Pulumi CLI that `start` uses; all arguments are passed on")
    .argument("[args...]");
  return program;
}

function registerService(program: Command): void {
  program
    .command("service")
    .description("run the organization service in the foreground until Ctrl-C")
    .option("--data <folder>", "Store the data in this folder", ".orgseat/sandbox")
    .option("--port <number>", "Serve the organization on this port, or 0 for any free port", port, 7747)
    .option(
      "--management-port <number>",
      "Serve the management API on this port, or 0 for any free port",
      port,
      7748,
    )
    .addOption(
      new Option("--seed <name>", "Fill a new data folder with this sample organization").choices(DATA_SETS),
    )
    .addOption(platformOption())
    .option("--for <folder>", "Write orgseat.env with the configuration into this folder")
    .action(async (options: ServiceArguments) => {
      const { runService } = await import("./service/run.ts");
      await runService({
        dataFolder: options.data,
        port: options.port,
        managementPort: options.managementPort,
        platform: options.platform,
        dataSet: options.seed,
        folder: options.for,
      });
    });
}

function registerStart(program: Command): void {
  const project = ["--project <folder>", "Use the Pulumi program in this folder", packageRoot] as const;
  program
    .command("start")
    .description("run the service, preview and apply a program against it, and show the members")
    .option(...project)
    .addOption(platformOption())
    .option("--yes", "Apply the changes without asking", false)
    .action(async (options: { project: string; platform: PlatformName; yes: boolean }) => {
      const { start } = await import("./start/index.ts");
      process.exitCode = await start(resolve(options.project), options.platform, options.yes);
    });
  program
    .command("tour")
    .description("show the life of an organization in one minute, with the requests")
    .addOption(platformOption())
    .action(async ({ platform }: { platform: PlatformName }) => {
      const { tour } = await import("./tour/index.ts");
      process.exitCode = await tour(platform);
    });
  program
    .command("reset")
    .description("remove all files of `start`")
    .option(...project)
    .action(async (options: { project: string }) => {
      const { reset } = await import("./start/index.ts");
      reset(resolve(options.project));
    });
}

function platformOption(): Option {
  return new Option("--platform <name>", "Serve the calls of this platform")
    .choices(PLATFORMS)
    .default(PLATFORMS[0]);
}

function port(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= 65_535) return number;
  throw new InvalidArgumentError("expected a port number from 0 to 65535.");
}

/** Runs the Pulumi CLI in this process's terminal, and ends with its exit code. */
async function runPulumi(args: readonly string[]): Promise<void> {
  const { findOrMakeCli, withCli } = await import("./pulumi/cli.ts");
  const cli = await findOrMakeCli(process.env, { download: true });
  // Programs run on this Node, because the first Node on the PATH may be too old.
  const env = withCli(withFolderFirst(process.env, dirname(process.execPath)), cli);
  process.exitCode = await runInTerminal(cli.command, args, { env });
}

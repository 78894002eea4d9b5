/** Runs the program with Pulumi's own runner. */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { entryPoint, type Project, type Runtime } from "../backend/project.ts";
import { endWithEngine } from "../child-processes.ts";
import { messageOf, UserError } from "../errors.ts";

export interface ProgramOptions {
  project: Project;
  stack: string;
  monitorAddress: string;
  parallel: number;
  dryRun: boolean;
  config: Record<string, string>;
  secretKeys: string[];
  env: NodeJS.ProcessEnv;
  onOutput: (line: string, stream: "stdout" | "stderr") => void;
}

/** The result of a program. `bail`: the program has already reported its failure. */
export interface ProgramResult {
  error?: string;
  bail: boolean;
}

/** A running program. */
export interface RunningProgram {
  ended: Promise<ProgramResult>;
  /** Kills the program. */
  kill(): void;
}

/** The exit code of the runner after it has reported a failure. */
const reportedExitCode = 32;

/** The runtime options of Pulumi.yaml as variables for the provider process. */
export function runtimeEnvironment(project: Project): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [key, value] of Object.entries(project.runtime.options)) {
    env[`PULUMI_RUNTIME_${key.toUpperCase()}`] = typeof value === "string" ? value : JSON.stringify(value);
  }
  return env;
}

/** The variables that configure TypeScript in Pulumi's runner. */
export function typescriptEnvironment({ options: { typescript, tsconfig } }: Runtime): NodeJS.ProcessEnv {
  return {
    ...(typescript !== false && { PULUMI_NODEJS_TYPESCRIPT: "true" }),
    ...(typeof tsconfig === "string" && { PULUMI_NODEJS_TSCONFIG_PATH: tsconfig }),
  };
}

function programEnvironment(options: ProgramOptions): NodeJS.ProcessEnv {
  const config = Object.fromEntries(
    Object.entries(options.config).map(([key, value]) => [key.replace(":", ":config:"), value]),
  );
  return {
    ...options.env,
    PULUMI_CONFIG: JSON.stringify(config),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(options.secretKeys.map((key) => key.replace(":", ":config:"))),
    ...typescriptEnvironment(options.project.runtime),
  };
}

export function nodeArguments({ options: { nodeargs } }: Runtime): string[] {
  return typeof nodeargs === "string" ? (nodeargs.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map(unquote) : [];
}

function unquote(text: string): string {
  return text.replace(/^(["'])(.*)\1$/, "$2");
}

/** The path of a runner of Pulumi's SDK. @throws UserError if the SDK is not installed in the folder */
export function resolveRunner(folder: string, module: string): string {
  try {
    return createRequire(join(folder, "index.js")).resolve(`@pulumi/pulumi/cmd/${module}/index.js`);
  } catch {
    throw new UserError(
      `the Pulumi SDK is not installed in ${folder}: run \`npm install\` there (it needs @pulumi/pulumi)`,
    );
  }
}

/** Starts the program. An error at the start is a failure of the program. */
export function startProgram(options: ProgramOptions): RunningProgram {
  try {
    return spawnProgram(options);
  } catch (error) {
    return { ended: Promise.resolve({ error: messageOf(error), bail: false }), kill: () => {} };
  }
}

function spawnProgram(options: ProgramOptions): RunningProgram {
  const { project, monitorAddress } = options;
  const { folder, entry } = entryPoint(project);
  const child = spawn(
    "node",
    [
      ...nodeArguments(project.runtime),
      resolveRunner(folder, "run"),
      ...["--monitor", monitorAddress, "--engine", monitorAddress],
      ...["--organization", "organization", "--project", project.name, "--stack", options.stack],
      ...["--root-directory", project.root, "--pwd", folder, "--parallel", String(options.parallel)],
      ...(options.dryRun ? ["--dry-run"] : []),
      entry,
    ],
    // A separate process group, so that Ctrl-C reaches only the engine.
    { cwd: folder, env: programEnvironment(options), stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  endWithEngine(child);
  forward(child, options.onOutput);
  return { ended: programEnd(child), kill: () => child.kill("SIGKILL") };
}

function forward(child: ChildProcess, onOutput: ProgramOptions["onOutput"]): void {
  if (child.stdout) createInterface({ input: child.stdout }).on("line", (line) => onOutput(line, "stdout"));
  const onError = withoutRepeatedReports((line) => onOutput(line, "stderr"));
  if (child.stderr) createInterface({ input: child.stderr }).on("line", onError);
}

/** Drops the SDK's reports of failed calls after a run has stopped: the engine has already reported the failure. */
function withoutRepeatedReports(onLine: (line: string) => void): (line: string) => void {
  let report: string[] = [];
  return (line) => {
    if (report.length === 0 && !line.startsWith("failed to deliver log message.")) return onLine(line);
    report.push(line);
    if (!line.startsWith(" message severity: ")) return;
    if (!report.some((reported) => /UNAVAILABLE|Channel has been shut down/.test(reported)))
      report.forEach(onLine);
    report = [];
  };
}

function programEnd(child: ChildProcess): Promise<ProgramResult> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ error: `could not start node: ${error.message}`, bail: false }));
    child.once("close", (code, signal) => {
      if (code === 0) resolve({ bail: false });
      else if (code === reportedExitCode) resolve({ error: "the program failed", bail: true });
      else {
        const how = signal ? `was ended by ${signal}` : `exited with non-zero exit code: ${code}`;
        resolve({ error: `Program ${how}`, bail: false });
      }
    });
  });
}

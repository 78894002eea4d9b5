/** One preview, update, refresh or destroy: starts the processes, runs the deployment, ends the processes. */

import type { ConfigValue } from "../backend/config.ts";
import { checkProgram, type Project } from "../backend/project.ts";
import type { Recorder } from "../backend/recorder.ts";
import {
  type DeploymentJson,
  readSnapshot,
  type Snapshot,
  verifyIntegrity,
} from "../deployment/checkpoint.ts";
import { type DeploymentOptions, DeploymentState } from "../deployment/deployment.ts";
import { DeploymentRun, type RunResult } from "../deployment/run.ts";
import { SnapshotManager } from "../deployment/snapshots.ts";
import { messageOf } from "../errors.ts";
import type { EventBus } from "../events.ts";
import { PluginHost } from "../plugins/plugin-host.ts";
import { checkPlugins } from "../plugins/plugins.ts";
import { Providers } from "../plugins/providers.ts";
import { refuseConfig } from "../refusals.ts";
import { engineHandlers, engineService, type RpcServer, startServer } from "../rpc/engine-service.ts";
import { type MonitorContext, monitorHandlers, monitorService } from "../rpc/monitor.ts";
import type { SecretsManager } from "../secrets.ts";
import { dynamicPackage, stackUrn } from "../urn.ts";
import { toWire } from "../values.ts";
import { within } from "../within.ts";
import { DefaultProviders } from "./default-providers.ts";
import { type ProgramResult, type RunningProgram, startProgram } from "./program.ts";

interface OperationContext {
  project: Project;
  stack: string;
  options: DeploymentOptions;
  /** The stack's state in the file. */
  state: DeploymentJson | undefined;
  /** A promise, because the processes start while the key is derived. */
  secrets: Promise<SecretsManager>;
  /** Reads the configuration with the stack's secrets. */
  config: (secrets: SecretsManager) => Map<string, ConfigValue>;
  env: NodeJS.ProcessEnv;
  events: EventBus;
  /** Stores the state. Undefined in previews. */
  recorder: Recorder | undefined;
  /** The address of an inline program of the Automation API. */
  client: string | undefined;
  interruption: Interruption;
}

/** Ctrl-C, once and twice. */
export interface Interruption {
  /** Start no new steps. */
  asked: AbortSignal;
  /** Kill all processes. */
  forced: AbortSignal;
}

/** How long a program may take to end after the run is over. */
const programGraceMs = 3_000;
/** The same for an inline program after a failure, which may wait for resources that the engine never creates. */
const hostGraceMs = 300;

export async function runOperation(context: OperationContext): Promise<RunResult> {
  const { options, events, project, env } = context;
  if (options.runProgram && context.client === undefined) checkProgram(project);
  checkPlugins(project);
  const server = await startServer();
  const rootUrn = stackUrn(context.stack, project.name);
  const plugins = new PluginHost({ project, env, events, engineAddress: server.address });
  try {
    if (needsDynamicProvider(context)) plugins.warmUp();
    let run: DeploymentRun | undefined;
    const refuse = () => run?.stop();
    server.addService(engineService, engineHandlers(events, rootUrn, refuse));
    const secrets = await context.secrets;
    const previous = readSnapshot(context.state, secrets.crypter);
    verifyIntegrity(context.state, previous.resources);
    const config = readConfig(context, secrets, plugins);
    const snapshots = snapshotsOf(context, previous, secrets);
    const providers = new Providers(plugins);
    const deployment = new DeploymentState({
      ...context,
      ...{ project: project.name, providers, snapshots, previous },
    });
    run = new DeploymentRun(deployment);
    watchInterruption(context, run, plugins, snapshots);
    try {
      if (previous.pendingOperations.length > 0 && !options.dryRun && !options.refresh) {
        events.warn("", pendingWarning(previous.pendingOperations));
      }
      return await runDeployment(context, { deployment, run, server, config, env, rootUrn });
    } finally {
      snapshots?.close();
    }
  } finally {
    await plugins.stop();
    server.stop();
  }
}

/** Reads the configuration for the program and the plugins. From then on no message shows its secrets. */
function readConfig(
  { config: read, events }: OperationContext,
  secrets: SecretsManager,
  plugins: PluginHost,
): Map<string, ConfigValue> {
  const config = read(secrets);
  refuseConfig(config);
  plugins.config = new Map([...config].map(([key, { value }]) => [key, value]));
  events.maskTexts([...config.values()].filter(({ secret }) => secret).map(({ value }) => value));
  return config;
}

/** Writes the state during the run. Undefined in previews. */
function snapshotsOf(
  { recorder, options }: OperationContext,
  previous: Snapshot,
  secrets: SecretsManager,
): SnapshotManager | undefined {
  if (!recorder) return undefined;
  const copy = { ...previous, resources: [...previous.resources] };
  const journal = options.skipCheckpoints ? undefined : recorder;
  return new SnapshotManager(copy, secrets, (text) => recorder.save(text), journal);
}

function needsDynamicProvider({ options, state }: OperationContext): boolean {
  return (
    options.runProgram ||
    (state?.resources ?? []).some((resource) => resource.type.startsWith(`${dynamicPackage}:`))
  );
}

function watchInterruption(
  { interruption }: OperationContext,
  run: DeploymentRun,
  plugins: PluginHost,
  snapshots: SnapshotManager | undefined,
): void {
  const interrupt = () => {
    run.interrupt();
    void plugins.cancel();
  };
  if (interruption.asked.aborted) interrupt();
  interruption.asked.addEventListener("abort", interrupt);
  interruption.forced.addEventListener("abort", () => {
    snapshots?.freeze();
    plugins.kill();
  });
}

function pendingWarning(operations: { resource: { urn: string }; type: string }[]): string {
  const lines = operations.map(({ resource, type }) => `  * ${resource.urn}, interrupted while ${type}\n`);
  return (
    `Attempting to deploy or update resources with ${operations.length} pending operations from previous deployment.\n` +
    `${lines.join("")}An earlier run was interrupted during these operations, so their effect is unknown. Check the ` +
    "resources in the service.\n\nThen run `pulumi refresh`, which updates the state and clears pending operations. " +
    "Note that pending CREATE operations are cleared only " +
    "by an interactive `pulumi refresh`, or by `pulumi refresh --clear-pending-creates`."
  );
}

interface Parts {
  deployment: DeploymentState;
  run: DeploymentRun;
  server: RpcServer;
  config: Map<string, ConfigValue>;
  env: NodeJS.ProcessEnv;
  rootUrn: string;
}

async function runDeployment(context: OperationContext, parts: Parts): Promise<RunResult> {
  const { options } = context;
  const { run } = parts;
  if (options.refresh && !options.refreshByProgram) {
    const goOn = await run.refreshAll();
    if (!goOn) return { failed: true, changes: run.changes };
    if (options.refreshOnly) return { failed: false, changes: run.changes };
  }
  return options.runProgram ? runWithProgram(context, parts) : run.finish();
}

async function runWithProgram(context: OperationContext, parts: Parts): Promise<RunResult> {
  const { run, server } = parts;
  let finished: Promise<RunResult> | undefined;
  const finish = () => {
    finished ??= run.finish();
    return finished;
  };
  server.addService(monitorService, monitorHandlers(monitorContext(context, parts, finish)));
  const program = await start(context, parts);
  context.interruption.forced.addEventListener("abort", () => program.kill());
  await Promise.race([program.ended, whenAborted(run.signal)]);
  const early = run.signal.aborted ? undefined : await program.ended;
  if (early?.error !== undefined && !finished) fail(context, parts, early);
  const result = await finish();
  const late = await ended(
    program,
    result.failed && context.client !== undefined ? hostGraceMs : programGraceMs,
  );
  if (late?.error !== undefined && !result.failed && early === undefined) {
    fail(context, parts, late);
    return { ...result, failed: true };
  }
  return result;
}

/** @param finish ends the run, once */
function monitorContext(
  context: OperationContext,
  parts: Parts,
  finish: () => Promise<RunResult>,
): MonitorContext {
  const { run, deployment, config } = parts;
  return {
    ...runFacts(context, parts),
    run,
    project: context.project.name,
    projectRoot: context.project.root,
    provider: (reference) => deployment.providers.get(reference),
    defaultProviders: new DefaultProviders(run, config),
    lookUp: (urn) => {
      const state = deployment.news.get(urn);
      return state && { urn, id: state.id, state: toWire(state.outputs) };
    },
    onFinished: async () => void (await finish()),
  };
}

/** What the program and the plugins learn about the run. */
function runFacts({ stack, options: { parallel, dryRun } }: OperationContext, { server, config }: Parts) {
  return {
    ...{ stack, parallel, dryRun, monitorAddress: server.address },
    config: Object.fromEntries([...config].map(([key, { value }]) => [key, value])),
    secretKeys: [...config].filter(([, { secret }]) => secret).map(([key]) => key),
  };
}

async function start(context: OperationContext, parts: Parts): Promise<RunningProgram> {
  const { project, env, events, client } = context;
  const asked = {
    ...runFacts(context, parts),
    ...{ project, env },
    onOutput: (line: string, stream: "stdout" | "stderr") =>
      events.diagnose(stream === "stderr" ? "info#err" : "info", parts.rootUrn, line),
  };
  if (client === undefined) return startProgram(asked);
  const { runHosted } = await import("../rpc/automation-host.ts");
  return runHosted(client, asked);
}

function fail({ events }: OperationContext, { run, rootUrn }: Parts, { error, bail }: ProgramResult): void {
  if (!bail) events.error(rootUrn, `an unhandled error occurred: ${messageOf(error)}`);
  run.stop();
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Waits for the program to end, and kills it after a time limit. */
async function ended(program: RunningProgram, graceMs: number): Promise<ProgramResult | undefined> {
  const result = await within(graceMs, program.ended);
  if (!result) program.kill();
  return result;
}

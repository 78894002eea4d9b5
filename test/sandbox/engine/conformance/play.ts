/** Plays a scenario on an engine and notes what can be seen of it, in a form that both engines share. */

import { unknownSentinel } from "../../../../sandbox/engine/values.ts";
import { packageRoot } from "../../../../sandbox/start/package-root.ts";
import { counts, emulator, flagNames, type Result, Stack, secretKey } from "../harness.ts";
import { type ProviderProcess, startProvider } from "../provider-process.ts";
import type { Scenario, Step } from "./scenario.ts";

/** What one command did. */
export interface Observed {
  run: string;
  code: number | null;
  /** What the provider was asked, in order, with what. */
  calls: string[];
  /** The counts of the summary. */
  summary: Record<string, number>;
  /** Those of the step's sentences that the output does not hold. */
  unsaid?: string[];
  /** The resources of the state, or that nothing in it changed. */
  state: ObservedResource[] | "as before";
  pending?: string[];
}

export interface ObservedResource {
  name: string;
  id?: string;
  inputs?: unknown;
  outputs?: unknown;
  flags?: string[];
}

/** One for all scenarios of this process. */
let provider: Promise<ProviderProcess> | undefined;

/** Ends it. */
export async function stopProvider(): Promise<void> {
  (await provider)?.stop();
  provider = undefined;
}

/** How a command line is run. */
type Runner = (args: readonly string[]) => Promise<Result>;

/** Plays all steps. */
export async function play(bin: string, scenario: Scenario): Promise<Observed[]> {
  const stack = await Stack.make(bin);
  if (bin !== emulator || scenario.ownProcess) return playAll(stack, scenario, (args) => stack.run(...args));
  if (needsFreshProviders(scenario)) return playAll(stack, scenario, (args) => stack.runInline(args));
  provider ??= startProvider(packageRoot);
  const variables = { ...(await provider).variables, ORGSEAT_PROVIDERS_BY_PATH: "1" };
  return playAll(stack, scenario, (args) => stack.runInline(args, variables));
}

/** Whether it is about what a provider process has from its command: its configuration, and whom it sends warnings to. */
function needsFreshProviders({ steps }: Scenario): boolean {
  return steps.some(
    ({ run, faults = {} }) =>
      run.startsWith("config") || "configure provider" in faults || Object.values(faults).includes("warn"),
  );
}

async function playAll(stack: Stack, { steps }: Scenario, runner: Runner): Promise<Observed[]> {
  try {
    const seen: Observed[] = [];
    let before = "[]";
    for (const step of steps) {
      const observed = await playStep(stack, step, runner);
      const state = JSON.stringify([observed.state, observed.pending]);
      if (state === before) observed.state = "as before";
      before = state;
      seen.push(observed);
    }
    return seen;
  } finally {
    await stack.remove();
  }
}

async function playStep(
  stack: Stack,
  { program, faults, run, says = [] }: Step,
  runner: Runner,
): Promise<Observed> {
  if (program) {
    const whole = "resources" in program ? program : { resources: program };
    await stack.program({ ...whole, inTurn: true });
  }
  if (faults) await stack.faults(faults);
  const result = await runner(commandLine(run));
  const text = result.stdout + result.stderr;
  const unsaid = says.filter((sentence) => !text.includes(sentence));
  const pending = stack.pending();
  return {
    run,
    code: result.code,
    calls: stack.asked().filter(isTold).map(callText),
    summary: counts(result),
    ...(unsaid.length > 0 && { unsaid }),
    state: stack.resources().map(shapeOf),
    ...(pending.length > 0 && { pending }),
  };
}

const operations = new Set(["up", "preview", "refresh", "destroy"]);

function commandLine(line: string): string[] {
  const urn = (_: string, name: string) => `urn:pulumi:dev::test::pulumi-nodejs:test:Thing::${name}`;
  const [name = "", ...rest] = line.replace(/\{(.+?)\}/g, urn).split(" ");
  if (!operations.has(name)) return [name, ...rest, "--non-interactive"];
  const agreed = name === "preview" || rest.includes("--preview-only") ? [] : ["--yes", "--skip-preview"];
  return [name, "--non-interactive", "--parallel", "1", ...agreed, ...rest];
}

/** That it was configured is worth telling only with what; what it refused is seen by what follows. */
function isTold([call]: readonly [string, ...unknown[]]): boolean {
  return call !== "configure" && !call.startsWith("refused");
}

/** One call in a line: what, and the values it was given, olds before news. */
function callText([call, ...values]: [string, ...unknown[]]): string {
  return [call, ...values.map((value) => JSON.stringify(shown(value)))].join(" ");
}

/** Values without what each run has anew, in one order, secrets and unknowns in words. */
function shown(value: unknown): unknown {
  if (value === unknownSentinel) return "[unknown]";
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  if (secretKey in value) return "[secret]";
  const entries = Object.entries(value).filter(([key]) => key !== "__provider" && key !== "name");
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, shown(item)]));
}

function shapeOf(resource: Record<string, unknown>): ObservedResource {
  const urn = String(resource.urn);
  const isProvider = urn.includes("pulumi:providers:");
  const flags = flagNames.filter((flag) => resource[flag] === true);
  if (Array.isArray(resource.initErrors)) flags.push(`initErrors ${JSON.stringify(resource.initErrors)}`);
  for (const key of ["deletedWith", "parent"]) {
    if (typeof resource[key] === "string") flags.push(`${key} ${nameOf(resource[key])}`);
  }
  const listed = (key: string) => (Array.isArray(resource[key]) ? resource[key].map(String) : []);
  for (const needed of listed("dependencies")) flags.push(`after ${nameOf(needed)}`);
  for (const alias of listed("aliases")) flags.push(`alias ${nameOf(alias)}`);
  for (const key of listed("additionalSecretOutputs")) flags.push(`secret ${key}`);
  return {
    name: urn.split("::").slice(2).join("::"),
    ...(typeof resource.id === "string" && !isProvider && { id: resource.id }),
    ...(resource.inputs !== undefined && { inputs: shown(resource.inputs) }),
    ...(resource.outputs !== undefined && { outputs: shown(resource.outputs) }),
    ...(flags.length > 0 && { flags }),
  };
}

function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

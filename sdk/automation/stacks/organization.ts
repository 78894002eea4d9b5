/** One organization: its roster, its stacks, its configuration, and the engine that runs them. */
import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { readSettings, type Settings } from "../../../provider/config/settings.ts";
import type { ServiceMembers } from "../../../provider/service/members.ts";
import { instantMs } from "../../../provider/util/instants.ts";
import { mapConcurrently } from "../../../provider/util/lists.ts";
import type { Engine, ListedStack, Program } from "../engine/engine.ts";
import { PulumiEngine } from "../engine/pulumi.ts";
import { hashOfModule } from "../engine/runner/load-deliver.ts";
import {
  allShardNames,
  canonicalStackName,
  defaultStacks,
  numberedStacks,
  stackNames,
} from "../engine/stack-names.ts";
import { nameOf } from "../plan/steps/steps.ts";
import { realPathOf } from "../roster/formats/text-file.ts";
import { type Leaver, leaversFile, readLeavers } from "../roster/leavers.ts";
import { readRoster } from "../roster/read.ts";
import {
  among,
  type Identity,
  MARKER_TYPE,
  type Roster,
  type RosterPerson,
  withAccess,
} from "../roster/roster.ts";
import { type Configuration, readConfiguration, requireSupportedFields } from "./configuration.ts";
import { namesFile } from "./names.ts";
import { type Run, startRun } from "./run.ts";
import { entriesOf, isManaged, membersIn, type Stacks, stateOf } from "./stack-state.ts";

/** The options of every function and command of this package. */
export interface OrganizationOptions {
  /** The roster's file: CSV, YAML or JSON. Pulumi works in its folder. */
  readonly roster: string;
  /**
   * The name of the stack, or the prefix of several: `people`, `acme/people` or `acme/orgseat/people`, with the project of
   * the roster's folder. Default: `people`.
   */
  readonly stack?: string | undefined;
  /** The number of stacks to run at once. Default: the number of processors, at most 4. */
  readonly parallel?: number | undefined;
  /** Keys or emails of people who must not lose anything, besides those of the roster. */
  readonly protect?: readonly string[] | undefined;
  /** The file of the audit log. Default: ORGSEAT_AUDIT, else `.orgseat/audit.jsonl` in the folder of the roster. */
  readonly audit?: string | undefined;
  /** Of new stacks, as for `pulumi stack init --secrets-provider`. Default: ORGSEAT_SECRETS_PROVIDER, else Pulumi's. */
  readonly secretsProvider?: string | undefined;
  /** Variables that override those of this process, such as `ORGSEAT_ORG_URL` or `PULUMI_BACKEND_URL`. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Whether a roster with an ended `subscription` is valid, as for commands that issue no token. Default: false. */
  readonly acceptEndedSubscription?: boolean | undefined;
  /** Whether no stack will be run. Default: false. */
  readonly readOnly?: boolean | undefined;
  /** The time at which dates are judged, an instant. Default: the start of the command. */
  readonly planTime?: string | undefined;
  /** A module with the program of one stack as its default export. Default: the program of the roster. */
  readonly program?: URL | undefined;
}

/** For tests. */
interface Dependencies {
  readonly engine: Engine;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** By key, the stacks whose state has the person. The first one counts; the others have copies of the same resources. */
type Places = ReadonlyMap<string, readonly string[]>;

/** Absolute paths. */
interface Files {
  /** The roster. */
  readonly file: string;
  readonly leaversFile: string;
  readonly auditFile: string;
  /** For the provider's records of creations of managed users. */
  readonly creationsFolder: string;
  /** For the names in the report; undefined if none are kept. */
  readonly namesFile: string | undefined;
}

export interface Organization extends Stacks, Files {
  readonly roster: Roster;
  /** The id that programs declare: that of the roster, or a new one. Undefined for a custom program. */
  readonly rosterId: string | undefined;
  /** The people in the roster's file, including those whom a command ignores. */
  readonly listed: Roster["people"];
  readonly leavers: readonly Leaver[];
  /** Where people are, if `stacks` are not those that the roster requires. */
  readonly places?: Places | undefined;
  readonly protect: readonly string[];
  readonly program: URL | undefined;
  readonly settings: Settings;
  /** The configuration of all stacks. */
  readonly configuration: Configuration;
  readonly environment: Environment;
  readonly now: () => number;
  /** `planTime`, else the start of the command, in milliseconds since 1970. Whose access has ended by then is not declared. */
  readonly openedAt: number;
  /** The time at which the provider judges dates, an instant; undefined for the time of each method. */
  readonly planTime: string | undefined;
  /** By stack, the last write of its state before that, an instant. */
  readonly savedAt: ReadonlyMap<string, string>;
  readonly run: Run;
  /** The SHA-256 of the module of the roster, as the command found it. */
  readonly moduleHash: string | undefined;
  /** Whether the markers keep their facts: a command that makes a part of the changes shows no change of them. */
  readonly keepsFacts?: boolean | undefined;
  /** What the service says about its members, if this command has read it. */
  readonly members?: ServiceMembers | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The default name of the stack. */
export const DEFAULT_STACK = "people";
const DEFAULT_PARALLEL = Math.min(4, availableParallelism());

/** @throws RosterError with all issues of the roster */
export async function openOrganization(
  options: OrganizationOptions,
  dependencies: Partial<Dependencies> = {},
): Promise<Organization> {
  const { program, parallel: concurrency = DEFAULT_PARALLEL } = options;
  const environment = { ...process.env, ...options.environment };
  const files = filesOf(options, environment);
  const folder = dirname(files.file);
  const now = dependencies.now ?? Date.now;
  const roster = await readRoster(
    options.roster,
    options.acceptEndedSubscription ? undefined : planTimeOf(options, now),
  );
  const isOwnCode = program === undefined && roster.deliver === undefined;
  const engine = dependencies.engine ?? engineOf(folder, options, environment, isOwnCode);
  const baseName = canonicalStackName(options.stack ?? DEFAULT_STACK, folder);
  const declared = program === undefined ? roster.stacks : 1;
  const likely = stackNames(baseName, declared ?? defaultStacks(roster.people.length));
  const openedAt = planTimeOf(options, now);
  if (!options.readOnly) engine.prepare?.(likely.slice(0, concurrency));
  const [likelyConfig, leavers, run, listed] = await Promise.all([
    engine.configOf(likely[0] ?? baseName),
    readLeavers(files.leaversFile),
    startRun(folder, environment),
    existingStacks(engine, baseName),
  ]);
  const existing = listed.map(({ name }) => name);
  const count = declared ?? (await countStacks(engine, baseName, existing, likely.length));
  const stacks = stackNames(baseName, count);
  const first = count === likely.length ? likelyConfig : await engine.configOf(stacks[0] ?? baseName);
  const newStacks = stacks.filter((name) => !existing.includes(name));
  const others = existing.filter((name) => allShardNames(baseName).includes(name) && !stacks.includes(name));
  // A custom program has one stack; the others of the project belong to other programs.
  const staleStacks = program ? [] : await ownedStacks(engine, others, roster, leavers);
  const all: Stacks = { engine, baseName, stacks, newStacks, staleStacks, concurrency };
  const configuration =
    program === undefined
      ? await readConfiguration({ ...all, others }, first)
      : { config: first, byStack: new Map([[baseName, first]]), configured: [] };
  const settings = readSettings((key) => configuration.config.get(key), environment);
  requireSupportedFields(roster, settings);
  return {
    ...{
      ...all,
      ...files,
      settings,
      roster,
      listed: roster.people,
      leavers,
      program,
      configuration,
      environment,
    },
    ...{ now, openedAt, planTime: options.planTime, run },
    moduleHash: roster.deliver === undefined ? undefined : hashOfModule(roster.deliver),
    rosterId: program === undefined ? (roster.id ?? randomUUID()) : undefined,
    protect: options.protect ?? [],
    savedAt: new Map(listed.flatMap(({ name, savedAt }) => (savedAt === undefined ? [] : [[name, savedAt]]))),
  };
}

function planTimeOf({ planTime }: OrganizationOptions, now: () => number): number {
  return planTime === undefined ? now() : instantMs(planTime);
}

function filesOf({ roster, audit }: OrganizationOptions, environment: Environment): Files {
  const file = realPathOf(roster);
  const folder = dirname(file);
  return {
    file,
    leaversFile: leaversFile(file),
    auditFile: resolve(audit ?? (environment.ORGSEAT_AUDIT || join(folder, ".orgseat", "audit.jsonl"))),
    creationsFolder: resolve(environment.ORGSEAT_CREATIONS || join(folder, ".orgseat", "creations")),
    namesFile: namesFile(folder, environment),
  };
}

function engineOf(
  folder: string,
  options: OrganizationOptions,
  environment: Environment,
  isOwnCode: boolean,
): Engine {
  const secretsProvider = options.secretsProvider ?? (environment.ORGSEAT_SECRETS_PROVIDER || undefined);
  return new PulumiEngine({ folder, secretsProvider, environment: options.environment, isOwnCode });
}

/** Of a roster that does not say it. The stack without a number may be there for its configuration alone. */
async function countStacks(
  engine: Engine,
  baseName: string,
  existing: readonly string[],
  chosen: number,
): Promise<number> {
  const others = numberedStacks(baseName, existing) || chosen;
  if (others === 1 || !existing.includes(baseName)) return others;
  const state = await stateOf(engine, baseName).catch(() => "unreadable" as const);
  return state === "unreadable" || (state && entriesOf(state).some(isManaged)) ? 1 : others;
}

/** If the state of one stack is unreadable, Pulumi lists none: then it is asked for each possible stack. */
async function existingStacks(engine: Engine, baseName: string): Promise<ListedStack[]> {
  try {
    return await engine.listStacks(baseName);
  } catch (reason) {
    const names = allShardNames(baseName);
    // The last stack rarely exists: if Pulumi cannot answer for it, the reason is another one.
    if ((await isThere(engine, names.at(-1) ?? baseName)) === undefined) throw reason;
    const answers = await mapConcurrently(names, DEFAULT_PARALLEL, (name) => isThere(engine, name));
    return names.filter((_, index) => answers[index] !== false).map((name) => ({ name }));
  }
}

/** Undefined if the state is unreadable. */
async function isThere(engine: Engine, stack: string): Promise<boolean | undefined> {
  try {
    return (await engine.exportStack(stack)) !== undefined;
  } catch {
    return undefined;
  }
}

/** The same organization without its module, for commands that change no value of a token, and a part of the rest. */
export function withoutDelivery(organization: Organization): Organization {
  return { ...organization, roster: { ...organization.roster, deliver: undefined }, keepsFacts: true };
}

/** The same organization with programs that declare no people. */
export function withoutPeople(organization: Organization): Organization {
  const { roster } = organization;
  return { ...organization, program: undefined, roster: { ...roster, people: [], rows: undefined } };
}

export function programOf({ program, roster, leavers, openedAt: now }: Organization): Program {
  if (program !== undefined) return { kind: "module", url: program.href, now };
  return { kind: "roster", roster, leavers, now };
}

/** The people of the roster, or of a part of it, whom the programs declare. */
export function declaredPeople(
  { leavers, openedAt, ...organization }: Organization,
  { people }: Roster = organization.roster,
): RosterPerson[] {
  return withAccess(people, leavers, openedAt);
}

/**
 * The stacks with the marker of the roster; without a marker or a roster id, those with some of its people. An unreadable
 * state counts as owned.
 */
async function ownedStacks(
  engine: Engine,
  stacks: readonly string[],
  roster: Roster,
  leavers: readonly Identity[],
): Promise<string[]> {
  const isOurs = await Promise.all(stacks.map((stack) => isOwned(engine, stack, roster, leavers)));
  return stacks.filter((_, index) => isOurs[index]);
}

async function isOwned(
  engine: Engine,
  stack: string,
  roster: Roster,
  leavers: readonly Identity[],
): Promise<boolean> {
  const state = await stateOf(engine, stack).catch(() => "unreadable" as const);
  if (state === "unreadable") return true;
  if (state === undefined) return false;
  const ids = entriesOf(state).flatMap(({ type, urn }) => (type === MARKER_TYPE ? [nameOf(urn)] : []));
  if (roster.id !== undefined && ids.length > 0) return ids.includes(roster.id);
  return membersIn([[stack, state]]).some(among([...roster.people, ...leavers]));
}

/** One organization as scripts see it: its roster, its stacks, its configuration, and the engine that runs them. */
import { randomUUID } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { mapConcurrently } from "../../provider/map-concurrently.ts";
import { readSettings, type Settings } from "../../provider/settings.ts";
import { type Configuration, readConfiguration } from "./configuration.ts";
import type { Engine, ListedStack, Program } from "./engine/engine.ts";
import { PulumiEngine } from "./engine/pulumi.ts";
import { allShardNames, canonicalStackName, stackNames } from "./engine/stack-names.ts";
import { namesFile } from "./names.ts";
import { nameOf } from "./plan/steps.ts";
import { type Leaver, leaversFile, readLeavers } from "./roster/leavers.ts";
import { readRoster } from "./roster/read.ts";
import { among, type Identity, MARKER_TYPE, type Roster } from "./roster/roster.ts";
import { type Run, startRun } from "./run.ts";
import { entriesOf, membersIn, stateOf } from "./stack-state.ts";

/** What every function and command of this package begins with. */
export interface OrganizationOptions {
  /** The roster's file: CSV, YAML or JSON. Its folder is where Pulumi works. */
  readonly roster: string;
  /**
   * The name of the stack, or what the names of several begin with: `people`, `acme/people` or `acme/orgseat/people`, where
   * the project is that of the roster's folder. Default: `people`.
   */
  readonly stack?: string | undefined;
  /** How many stacks are run side by side. Default: 4. */
  readonly parallel?: number | undefined;
  /** Keys or emails from whom nothing is taken, beside the roster's own. */
  readonly protect?: readonly string[] | undefined;
  /** Where each write is noted. Default: ORGSEAT_AUDIT, else `.orgseat/audit.jsonl` beside the roster. */
  readonly audit?: string | undefined;
  /** Of new stacks, as `pulumi stack init --secrets-provider` takes it. Default: ORGSEAT_SECRETS_PROVIDER, else Pulumi's. */
  readonly secretsProvider?: string | undefined;
  /** Variables over those of this process, such as `ORGSEAT_ORG_URL` or `PULUMI_BACKEND_URL`. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Whether a roster whose `subscription` has ended is read, as by whatever issues no token. Default: false. */
  readonly acceptEndedSubscription?: boolean | undefined;
  /** Whether no stack will be run. Default: false. */
  readonly readOnly?: boolean | undefined;
  /** A module whose default export is the program of one stack, where that is not the roster's. */
  readonly program?: URL | undefined;
}

/** What stands in for the world in tests. */
export interface Dependencies {
  readonly engine: Engine;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** By key, the stacks in whose state the person is. One counts, the first; the others have copies of the same resources. */
export type Places = ReadonlyMap<string, readonly string[]>;

export interface Organization {
  readonly roster: Roster;
  /**
   * The id that programs of the roster declare: the roster's own, or a new one where its file has none yet. Undefined where
   * a program of one's own says who is in the stack.
   */
  readonly rosterId: string | undefined;
  /** The roster's file, as an absolute path. */
  readonly file: string;
  /** The roster's people as the file has them, whomever a command leaves out. */
  readonly listed: Roster["people"];
  readonly leavers: readonly Leaver[];
  readonly leaversFile: string;
  readonly auditFile: string;
  /** Where the provider records creations of managed users. */
  readonly creationsFolder: string;
  /** Where names of members are kept for the report; undefined where none are kept. */
  readonly namesFile: string | undefined;
  /** The name of the stack, or what the names of several begin with; short, or with organization and project, as they all are. */
  readonly baseName: string;
  readonly stacks: readonly string[];
  /** Of the stacks, those that do not exist yet. */
  readonly newStacks: readonly string[];
  /** Stacks of another number of stacks, which may still have people. */
  readonly staleStacks: readonly string[];
  /** Where people are, if `stacks` are not those that the roster asks for. */
  readonly places?: Places | undefined;
  readonly concurrency: number;
  readonly protect: readonly string[];
  readonly program: URL | undefined;
  readonly settings: Settings;
  /** The configuration of all stacks. */
  readonly configuration: Configuration;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly engine: Engine;
  readonly now: () => number;
  /** When the command began, in milliseconds since 1970, and when the state of each stack had been written last, instants. */
  readonly openedAt: number;
  readonly savedAt: ReadonlyMap<string, string>;
  readonly run: Run;
}

/** The default name of the stack. */
export const DEFAULT_STACK = "people";
const DEFAULT_PARALLEL = 4;

/** @throws RosterError with everything that is wrong with the roster */
export async function openOrganization(
  options: OrganizationOptions,
  dependencies: Partial<Dependencies> = {},
): Promise<Organization> {
  const file = resolve(options.roster);
  const folder = dirname(file);
  const now = dependencies.now ?? Date.now;
  const roster = await readRoster(options.roster, options.acceptEndedSubscription ? undefined : now());
  const list = leaversFile(file);
  const environment = { ...process.env, ...options.environment };
  const engine =
    dependencies.engine ??
    new PulumiEngine({
      folder,
      secretsProvider: options.secretsProvider ?? (environment.ORGSEAT_SECRETS_PROVIDER || undefined),
      environment: options.environment,
    });
  const baseName = canonicalStackName(options.stack ?? DEFAULT_STACK, folder);
  const stacks = stackNames(baseName, options.program === undefined ? roster.stacks : 1);
  const openedAt = now();
  if (!options.readOnly) engine.prepare?.(stacks.slice(0, options.parallel ?? DEFAULT_PARALLEL));
  const [first, leavers, run, listed] = await Promise.all([
    engine.configOf(stacks[0] ?? baseName),
    readLeavers(list),
    startRun(folder, environment),
    existingStacks(engine, baseName),
  ]);
  const existing = listed.map(({ name }) => name);
  const concurrency = options.parallel ?? DEFAULT_PARALLEL;
  const newStacks = stacks.filter((name) => !existing.includes(name));
  const others = existing.filter((name) => allShardNames(baseName).includes(name) && !stacks.includes(name));
  // A program of one's own is of one stack; the others of the project are none of its business.
  const staleStacks = options.program ? [] : await ownedStacks(engine, others, roster, leavers);
  const spread = { engine, baseName, stacks, newStacks, staleStacks, concurrency };
  const configuration =
    options.program === undefined
      ? await readConfiguration({ ...spread, others }, first)
      : { config: first, byStack: new Map([[baseName, first]]), configured: [] };
  return {
    ...spread,
    roster,
    rosterId: options.program === undefined ? (roster.id ?? randomUUID()) : undefined,
    file,
    listed: roster.people,
    leavers,
    leaversFile: list,
    auditFile: resolve(
      options.audit ?? (environment.ORGSEAT_AUDIT || join(folder, ".orgseat", "audit.jsonl")),
    ),
    creationsFolder: resolve(environment.ORGSEAT_CREATIONS || join(folder, ".orgseat", "creations")),
    namesFile: namesFile(folder, environment),
    protect: options.protect ?? [],
    program: options.program,
    settings: readSettings((key) => configuration.config.get(key), environment),
    configuration,
    environment,
    now,
    openedAt,
    savedAt: new Map(listed.flatMap(({ name, savedAt }) => (savedAt === undefined ? [] : [[name, savedAt]]))),
    run,
  };
}

/** Pulumi lists no stacks where the state of one cannot be read; then each that may be there is asked for. */
async function existingStacks(engine: Engine, baseName: string): Promise<ListedStack[]> {
  try {
    return await engine.listStacks(baseName);
  } catch (reason) {
    const names = allShardNames(baseName);
    // Hardly anybody has the last one: where that cannot be asked for, nothing can.
    if ((await isThere(engine, names.at(-1) ?? baseName)) === undefined) throw reason;
    const answers = await mapConcurrently(names, DEFAULT_PARALLEL, (name) => isThere(engine, name));
    return names.filter((_, index) => answers[index] !== false).map((name) => ({ name }));
  }
}

/** Undefined where its state cannot be read. */
async function isThere(engine: Engine, stack: string): Promise<boolean | undefined> {
  try {
    return (await engine.exportStack(stack)) !== undefined;
  } catch {
    return undefined;
  }
}

/** The same, with programs that declare nobody. */
export function withoutPeople(organization: Organization): Organization {
  const { roster } = organization;
  return { ...organization, program: undefined, roster: { ...roster, people: [], rows: undefined } };
}

/** The program of every stack; of a roster each takes its own people. */
export function programOf({ program, roster, leavers }: Organization): Program {
  if (program !== undefined) return { kind: "module", url: program.href };
  return { kind: "roster", roster, leavers };
}

/**
 * Those with the roster's marker; of those without a marker, or where the roster has no id yet, those with some of its people.
 * A state that cannot be read may be of any.
 */
export async function ownedStacks(
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

/** One organization: its roster, its stacks, its configuration, and the engine that runs them. */
import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { readSettings, type Settings } from "../../provider/config/settings.ts";
import type { ServiceMembers } from "../../provider/service/members.ts";
import { instantMs } from "../../provider/util/instants.ts";
import type { Engine } from "../engine/engine.ts";
import { PulumiEngine, type PulumiOptions } from "../engine/pulumi.ts";
import { hashOfModule } from "../engine/runner/load-deliver.ts";
import { canonicalStackName, defaultStacks, stackNames } from "../engine/stack-names.ts";
import type { Protection } from "../plan/guards/guards.ts";
import { realPathOf } from "../roster/formats/text-file.ts";
import { type OffboardedPerson, offboardedFile, readOffboarded } from "../roster/offboarded.ts";
import { readRoster } from "../roster/read.ts";
import { among, type Roster, type RosterPerson, withAccess, withCurrentUsers } from "../roster/roster.ts";
import { type Configuration, readConfiguration, requireSupportedFields } from "./configuration.ts";
import { findStacks, ownedStacks } from "./find-stacks.ts";
import { type Run, startRun } from "./run.ts";
import { managedMembers, type Stacks } from "./stack-state.ts";

/** The options of every function and command of this package. */
export interface OrganizationOptions {
  /** The roster's file: CSV, YAML, or JSON. Pulumi works in its folder. */
  readonly roster: string;
  /**
   * The name of the stack, or the prefix of several: `people`, `acme/people`, or `acme/orgseat/people`, with the
   * project of the roster's folder. Default: `people`.
   */
  readonly stack?: string | undefined;
  /** The number of stacks to run at once. Default: the number of processors, at most 4, and one per 0.8 GiB of free memory. */
  readonly parallel?: number | undefined;
  /** Keys or emails of people who must not lose anything, besides those of the roster. */
  readonly neverRemove?: readonly string[] | undefined;
  /** The file of the audit log. Default: ORGSEAT_AUDIT_LOG, otherwise `.orgseat/audit.jsonl` in the folder of the roster. */
  readonly audit?: string | undefined;
  /** Of new stacks, as for `pulumi stack init --secrets-provider`. Default: ORGSEAT_SECRETS_PROVIDER, otherwise Pulumi's. */
  readonly secretsProvider?: string | undefined;
  /** Variables that override those of this process, such as `ORGSEAT_ORG_URL` or `PULUMI_BACKEND_URL`. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Whether a roster with an ended `subscription` is valid, as for commands that issue no token. Default: false. */
  readonly acceptEndedSubscription?: boolean | undefined;
  /**
   * Whether to open an organization whose states Pulumi cannot read, as `offboard` does: with the configuration of files and
   * environment. Default: false.
   */
  readonly acceptUnreadableStates?: boolean | undefined;
  /** The time at which dates are judged, a timestamp. Default: the start of the command. */
  readonly planTime?: string | undefined;
  /**
   * Whether Pulumi previews everyone. Default: false, so it previews no one of whom the state shows that no run would
   * change anything.
   */
  readonly full?: boolean | undefined;
}

/** Of the command, and of tests. */
interface Dependencies {
  readonly engine: Engine;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Learns the secrets of the run, for the output of the command. */
  readonly secrets: PulumiOptions["secrets"];
}

/** By key, the stacks whose state has the person. The first one counts; the others have copies of the same resources. */
type Places = ReadonlyMap<string, readonly string[]>;

/** Absolute paths. */
export interface Files {
  /** The roster. */
  readonly file: string;
  readonly offboardedFile: string;
  readonly auditFile: string;
}

/** The roster, and whom the programs declare from it. */
export interface Declaration {
  readonly roster: Roster;
  /** The id that programs declare: that of the roster, or a new one. Undefined if it is uncertain. */
  readonly rosterId: string | undefined;
  /** The people in the roster's file, including those whom a command ignores. */
  readonly listed: Roster["people"];
  readonly offboarded: readonly OffboardedPerson[];
  readonly neverRemove: readonly string[];
  /** Ids of users whom the programs declare although they are on the offboarded list: `offboard` adopts them to remove them. */
  readonly readmitted?: ReadonlySet<string> | undefined;
  /** `planTime`, otherwise the start of the command, in milliseconds since 1970. Whose access has ended by then is not declared. */
  readonly openedAt: number;
  /** The SHA-256 of the module of the roster, as the command found it. */
  readonly moduleHash: string | undefined;
  /** Whether the markers keep their facts: a command that makes a part of the changes shows no change of them. */
  readonly keepsFacts?: boolean | undefined;
}

/** The stacks, and where the people are in them. */
export interface PlacedStacks extends Stacks {
  /** Where people are, if `stacks` are not those that the roster requires. */
  readonly places?: Places | undefined;
  /** By stack, the last write of its state before this command, a timestamp. */
  readonly savedAt: ReadonlyMap<string, string>;
}

/** How this command reaches the service. */
export interface Connection {
  readonly settings: Settings;
  /** The configuration of all stacks. */
  readonly configuration: Configuration;
  readonly environment: Environment;
  /** What the service says about its members, if this command has read it. */
  readonly members?: ServiceMembers | undefined;
}

/** Its parts in one object: a function names those that it needs. */
export interface Organization extends Declaration, PlacedStacks, Connection, Files {
  readonly now: () => number;
  /** The time at which the provider judges dates, a timestamp; undefined for the time of each method. */
  readonly planTime: string | undefined;
  /** Whether Pulumi previews everyone. */
  readonly isFull: boolean;
  readonly run: Run;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The default name of the stack. */
export const DEFAULT_STACK = "people";
/** The most that the processes of one stack of 150 people take, in bytes. */
const MEMORY_PER_STACK = 0.8 * 1024 ** 3;

/** How many stacks run at once by default. @param freeMemory in bytes */
export function defaultParallel(processors: number, freeMemory: number): number {
  return Math.max(1, Math.min(4, processors, Math.floor(freeMemory / MEMORY_PER_STACK)));
}

/** @throws RosterError with all issues of the roster */
export async function openOrganization(
  options: OrganizationOptions,
  dependencies: Partial<Dependencies> = {},
): Promise<Organization> {
  const { planTime } = options;
  const concurrency = options.parallel ?? defaultParallel(availableParallelism(), process.availableMemory());
  const environment = { ...process.env, ...options.environment };
  const files = filesOf(options, environment);
  const folder = dirname(files.file);
  const now = dependencies.now ?? Date.now;
  const openedAt = planTime === undefined ? now() : instantMs(planTime);
  const roster = await readRoster(options.roster, options.acceptEndedSubscription ? undefined : openedAt);
  const isOwnCode = roster.deliver === undefined;
  const engine =
    dependencies.engine ?? engineOf(folder, options, environment, isOwnCode, dependencies.secrets);
  const acceptsUnreadable = options.acceptUnreadableStates ?? false;
  const baseName = canonicalStackName(options.stack ?? DEFAULT_STACK, folder);
  const likely = stackNames(baseName, roster.stacks ?? defaultStacks(roster.people.length));
  const [offboarded, run, { first, others, savedAt, ...found }] = await Promise.all([
    readOffboarded(files.offboardedFile),
    startRun(folder, environment),
    findStacks({ engine, baseName, declared: roster.stacks, likely, acceptsUnreadable }),
  ]);
  const staleStacks = await ownedStacks(engine, others, roster, offboarded);
  const stacks = { engine, baseName, ...found, staleStacks, concurrency };
  const configuration = await readConfiguration({ ...stacks, others }, first);
  const settings = readSettings((key) => configuration.config.get(key), environment);
  requireSupportedFields(roster, settings);
  const people = declarationOf(await withUsers(roster, offboarded, stacks), offboarded, options, openedAt);
  const connection = { settings, configuration, environment };
  const isFull = options.full ?? false;
  return { ...files, ...stacks, ...people, ...connection, savedAt, now, planTime, isFull, run };
}

/** The offboarded list goes by user ids as soon as it names a row, so it needs those in the states. */
async function withUsers(
  roster: Roster,
  offboarded: readonly OffboardedPerson[],
  stacks: Stacks,
): Promise<Roster> {
  if (!roster.people.some(among(offboarded))) return roster;
  // A run reads the state of its stack again, and fails without it.
  const members = await managedMembers(stacks).catch(() => []);
  return { ...roster, people: withCurrentUsers(roster.people, members) };
}

function declarationOf(
  roster: Roster,
  offboarded: readonly OffboardedPerson[],
  { neverRemove = [] }: OrganizationOptions,
  openedAt: number,
): Declaration {
  return {
    ...{ roster, listed: roster.people, offboarded, neverRemove, openedAt },
    rosterId: roster.id ?? randomUUID(),
    moduleHash: roster.deliver === undefined ? undefined : hashOfModule(roster.deliver),
  };
}

function filesOf({ roster, audit }: OrganizationOptions, environment: Environment): Files {
  const file = realPathOf(roster);
  const folder = dirname(file);
  return {
    file,
    offboardedFile: offboardedFile(file),
    auditFile: resolve(audit ?? (environment.ORGSEAT_AUDIT_LOG || join(folder, ".orgseat", "audit.jsonl"))),
  };
}

function engineOf(
  folder: string,
  options: OrganizationOptions,
  environment: Environment,
  isOwnCode: boolean,
  secrets: PulumiOptions["secrets"],
): Engine {
  const secretsProvider = options.secretsProvider ?? (environment.ORGSEAT_SECRETS_PROVIDER || undefined);
  const { acceptUnreadableStates: acceptsUnreadable } = options;
  const own = { folder, environment: options.environment, isOwnCode, secrets };
  return new PulumiEngine({ ...own, secretsProvider, acceptsUnreadable });
}

/** The same organization without its module, for commands that change no value of a token, and a part of the rest. */
export function withoutDelivery(organization: Organization): Organization {
  return { ...organization, roster: { ...organization.roster, deliver: undefined }, keepsFacts: true };
}

export function protectionOf({ listed, neverRemove }: Declaration): Protection {
  return { names: neverRemove, keys: listed.filter((person) => person.protected).map(({ key }) => key) };
}

/** The people of the roster, or of a part of it, whom the programs declare. */
export function declaredPeople(
  { offboarded, openedAt, ...declaration }: Declaration,
  { people }: Roster = declaration.roster,
): RosterPerson[] {
  return withAccess(people, offboarded, openedAt);
}

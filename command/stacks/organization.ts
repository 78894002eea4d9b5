/** One organization: its roster, its stack, its configuration, and the engine that runs it. */
import { randomUUID } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { readSettings, type Settings } from "../../provider/config/settings.ts";
import type { ServiceMembers } from "../../provider/service/members.ts";
import { instantMs } from "../../provider/util/instants.ts";
import type { Engine } from "../engine/engine.ts";
import { PulumiEngine, type PulumiOptions } from "../engine/pulumi.ts";
import { canonicalStackName } from "../engine/stack-names.ts";
import { membersIn } from "../members/state-members.ts";
import type { Protection } from "../plan/guards/guards.ts";
import { realPathOf } from "../roster/formats/text-file.ts";
import { type OffboardedPerson, offboardedFile, readOffboarded } from "../roster/offboarded.ts";
import { readRoster } from "../roster/read.ts";
import { among, type Roster, type RosterPerson, withAccess, withCurrentUsers } from "../roster/roster.ts";
import { type Run, startRun } from "./run.ts";
import { openStack, type Stack } from "./stack-state.ts";
import { requireSupportedFields } from "./supported-fields.ts";

/** The options of every function and command of this package. */
export interface OrganizationOptions {
  /** The roster's file: CSV, YAML, or JSON. Pulumi works in its folder. */
  readonly roster: string;
  /**
   * The name of the stack: `people`, `acme/people`, or `acme/orgseat/people`, with the project of the roster's folder.
   * Default: `people`.
   */
  readonly stack?: string | undefined;
  /** Keys or emails of people who must not lose anything, besides those of the roster. */
  readonly neverRemove?: readonly string[] | undefined;
  /** The file of the audit log. Default: ORGSEAT_AUDIT_LOG, otherwise `.orgseat/audit.jsonl` in the folder of the roster. */
  readonly audit?: string | undefined;
  /** Of a new stack, as for `pulumi stack init --secrets-provider`. Default: ORGSEAT_SECRETS_PROVIDER, otherwise Pulumi's. */
  readonly secretsProvider?: string | undefined;
  /** Variables that override those of this process, such as `ORGSEAT_ORG_URL` or `PULUMI_BACKEND_URL`. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Whether a roster with an ended `subscription` is valid, as for commands that issue no token. Default: false. */
  readonly acceptEndedSubscription?: boolean | undefined;
  /**
   * Whether to open an organization whose state Pulumi cannot read, as `offboard` does: with the configuration of files and
   * environment. Default: false.
   */
  readonly acceptUnreadableState?: boolean | undefined;
  /** The time at which dates are judged, a timestamp. Default: the start of the command. */
  readonly planTime?: string | undefined;
}

/** Of the command, and of tests. */
interface Dependencies {
  /** Whether to begin at once with the secrets of the state, which previews check. Default: false. */
  readonly readsSecrets: boolean | undefined;
  readonly engine: Engine;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Learns the secrets of the run, for the output of the command. */
  readonly secrets: PulumiOptions["secrets"];
}

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
  /** The id of the roster, or a new one for a stack that has none. */
  readonly rosterId: string;
  /** The people in the roster's file, including those whom a command ignores. */
  readonly listed: Roster["people"];
  readonly offboarded: readonly OffboardedPerson[];
  readonly neverRemove: readonly string[];
  /** Ids of users whom the programs declare although they are on the offboarded list: `offboard` adopts them to remove them. */
  readonly readmitted?: ReadonlySet<string> | undefined;
  /** `planTime`, otherwise the start of the command, in milliseconds since 1970. Whose access has ended by then is not declared. */
  readonly openedAt: number;
}

/** How this command reaches the service. */
export interface Connection {
  readonly settings: Settings;
  /** The configuration of the stack by full keys, with decrypted secrets. */
  readonly config: ReadonlyMap<string, string>;
  readonly environment: Environment;
  /** What the service says about its members, if this command has read it. */
  readonly members?: ServiceMembers | undefined;
}

/** Its parts in one object: a function names those that it needs. */
export interface Organization extends Declaration, Stack, Connection, Files {
  readonly now: () => number;
  readonly run: Run;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The default name of the stack. */
export const DEFAULT_STACK = "people";

/** @throws RosterError with all issues of the roster */
export async function openOrganization(
  options: OrganizationOptions,
  dependencies: Partial<Dependencies> = {},
): Promise<Organization> {
  const { planTime } = options;
  const environment = { ...process.env, ...options.environment };
  const files = filesOf(options, environment);
  const folder = dirname(files.file);
  const now = dependencies.now ?? Date.now;
  const openedAt = planTime === undefined ? now() : instantMs(planTime);
  const roster = await readRoster(options.roster, options.acceptEndedSubscription ? undefined : openedAt);
  const engine = dependencies.engine ?? engineOf(folder, options, environment, dependencies.secrets);
  const stack = canonicalStackName(options.stack ?? DEFAULT_STACK, folder);
  const secretsRead = dependencies.readsSecrets ? engine.exportWithSecrets(stack) : undefined;
  secretsRead?.catch(() => "the check reports it");
  const [offboarded, run, config, { opened, ...place }] = await Promise.all([
    readOffboarded(files.offboardedFile),
    startRun(folder, environment),
    engine.configOf(stack),
    openStack(engine, stack, options.acceptUnreadableState ?? false),
  ]);
  const settings = readSettings((key) => config.get(key), environment);
  requireSupportedFields(roster, settings);
  // The offboarded list goes by user ids as soon as it names a row, so it needs those in the state.
  const isNamed = roster.people.some(among(offboarded));
  const people = isNamed ? withCurrentUsers(roster.people, membersIn(stack, opened)) : roster.people;
  const declared = declarationOf({ ...roster, people }, offboarded, options, openedAt);
  const connection = { settings, config, environment };
  return { ...files, ...place, secretsRead, ...declared, ...connection, now, run };
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
  secrets: PulumiOptions["secrets"],
): Engine {
  const secretsProvider = options.secretsProvider ?? (environment.ORGSEAT_SECRETS_PROVIDER || undefined);
  const { acceptUnreadableState: acceptsUnreadable } = options;
  const own = { folder, environment: options.environment, secrets };
  return new PulumiEngine({ ...own, secretsProvider, acceptsUnreadable });
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

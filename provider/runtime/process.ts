/**
 * The state that all resources of a run share in the provider process: configuration, client, removal limit, cached reads,
 * names of people. index.ts creates the only instance.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import type { Area } from "../api/calls/call.ts";
import { ApiError, type ApiErrorCode } from "../api/calls/errors.ts";
import type { ModelApi } from "../api/calls/models.ts";
import type { OrganizationApi } from "../api/calls/organization.ts";
import type { Client } from "../api/client.ts";
import type { Precedence } from "../config/setting-values.ts";
import { capabilitiesOf, readSettings, type Settings } from "../config/settings.ts";
import type {
  AccessRemoval,
  CallContext,
  ModelAccess,
  OrganizationAccess,
  People,
  PlanContext,
  ReplacedAccount,
  TableRow,
} from "../resources/resource.ts";
import type { ResourceType } from "../resources/resource-types.ts";
import { Approval } from "../safety/approval.ts";
import { WritesByMethod } from "../safety/method-writes.ts";
import { RemovalLimit } from "../safety/removal-limit.ts";
import { RunFacts } from "../safety/run-facts.ts";
import {
  configurationError,
  connect,
  describeFailedCall,
  lacksAddress,
  missingConfiguration,
  organizationCredentials,
  weakSecrets,
} from "../service/connection.ts";
import { readMemberFile, withMembers } from "../service/member-file.ts";
import type { ServiceMembers } from "../service/members.ts";
import { UnfinishedCreations, untimed } from "../unfinished/creations.ts";
import { PulumiStackStore, type StackStore } from "../unfinished/stack-store.ts";
import type { Clock } from "../util/clock.ts";
import { formatInstant } from "../util/instants.ts";
import { runPulumi } from "../util/pulumi-command.ts";
import { visibleLines } from "../util/text.ts";
import { LimitedMessages, type Log } from "./engine.ts";
import { appendEntry, type ReportEntry } from "./run-report.ts";

/** The dependencies of a process. */
interface ProcessDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: () => Log;
  readonly clock: Clock;
  /** The address of Pulumi's engine, where the run can have other provider processes. */
  readonly engine?: string;
  /** Default: the Pulumi CLI. */
  readonly stackStore?: StackStore;
}

type Props = Readonly<Record<string, unknown>>;

/** The time limit of a command of Pulumi. */
const PULUMI_MS = 60_000;

export const ALREADY_REPORTED = "skipped: see the first error";

/** Failures that concern all resources of a run. */
const CONCERNS_ALL: ReadonlySet<ApiErrorCode> = new Set([
  "missing-credentials",
  "unauthorized",
  "unreachable",
]);

export class ProviderProcess {
  readonly #parts: ProcessDependencies;
  readonly #reported = new Set<string>();
  readonly #reissued = new Map<string, "routine" | "new">();
  readonly #replacedAccounts = new Map<string, ReplacedAccount>();
  readonly #rows = new Map<string, readonly TableRow[]>();
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #reads = new Map<string, Promise<unknown>>();
  readonly #people = new PeopleOfRun();
  readonly #running = new Set<Promise<unknown>>();
  readonly #limitedMessages = new LimitedMessages();
  readonly writes = new WritesByMethod();
  readonly #customTimeoutMs = new AsyncLocalStorage<number>();
  #settings: Settings | undefined;
  #facts: RunFacts | undefined;
  #creations: UnfinishedCreations | undefined;
  #removalLimit: RemovalLimit | undefined;
  #approval: Approval | undefined;
  #client: Client | undefined;
  #members: ServiceMembers | undefined;
  #log: Log | undefined;

  constructor(parts: ProcessDependencies) {
    this.#parts = parts;
  }

  /**
   * Reads the configuration. Must not wait for anything: Pulumi uses a provider for other calls before its configure()
   * ends.
   */
  configure(config: (key: string) => string | undefined, precedence: Precedence = {}): void {
    if (this.#settings) return;
    this.#settings = readSettings(config, this.#parts.environment, precedence);
  }

  get settings(): Settings {
    this.#settings ??= readSettings(() => undefined, this.#parts.environment);
    return this.#settings;
  }

  /** What this run may change; undefined where it was given no list of approved changes. */
  get approval(): Approval | undefined {
    const { approvedChangesFile: file } = this.settings;
    if (file !== undefined)
      this.#approval ??= new Approval(this.settings, file, this.#people, this.#factsOf(this.settings));
    return this.#approval;
  }

  /** Fails where this process does not know what others of the run do. */
  requireFacts(): void {
    const { failure } = this.#factsOf(this.settings);
    if (failure !== undefined) throw new Error(this.#once(failure));
  }

  /** The error for invalid configuration; undefined where it is valid. */
  configurationError(): string | undefined {
    return configurationError(this.settings);
  }

  /** The error for missing configuration: complete for the first caller, short for all others. */
  missingConfiguration(area: Area): string {
    return this.#once(missingConfiguration(this.settings, area));
  }

  planContext(): PlanContext {
    const settings = this.settings;
    return {
      now: settings.planTime ?? this.#parts.clock.now(),
      defaults: {
        organizationId: settings.organizationId,
        subscriptionExpiresAt: settings.subscriptionExpiresAt,
        product: settings.product,
        sealTokens: settings.sealTokens,
      },
      can: capabilitiesOf(settings),
      people: this.#people,
      warn: (text) => this.#logOnce().write("warning", text),
      info: (text) => this.#logOnce().write("info", text),
      infoLimited: (text, more) => {
        const message = this.#limitedMessages.next(text, more);
        if (message !== undefined) this.#logOnce().write("info", message);
      },
      owners: this.#factsOf(settings).map("owners"),
      mayReplaceNow: (type, id, news) =>
        !settings.adoptOnly && (this.approval?.showsReplacement(type, id, news) ?? true),
      mayWriteNow: (type, id, write) =>
        !settings.adoptOnly && (this.approval?.showsWrite(type, id, write) ?? true),
      reissued: this.#reissued,
      replacedAccounts: this.#replacedAccounts,
      rows: this.#rows,
    };
  }

  /** Runs a method with the timeout of its resource. @param seconds 0 for `operationTimeout` */
  withTimeout<T>(seconds: number, run: () => T): T {
    return seconds > 0 ? this.#customTimeoutMs.run(seconds * 1_000, run) : run();
  }

  /** The context of a method that reads: it reads the members that the command has read. */
  readContext(): CallContext {
    return this.#contextWith((owner) => this.#withMembers(owner));
  }

  callContext(): CallContext {
    // A run that writes nothing can read as the command has read.
    if (this.settings.adoptOnly) return this.#contextWith((owner) => this.#withMembers(owner));
    return this.#contextWith((owner) => this.#api(owner));
  }

  #contextWith(api: CallContext["api"]): CallContext {
    this.requireFacts();
    const { clock } = this.#parts;
    const timeoutMs = this.#customTimeoutMs.getStore() ?? this.settings.operationTimeoutMs;
    const operation = { deadline: clock.monotonic() + timeoutMs };
    const plan = this.planContext();
    return {
      ...plan,
      creations: () => untimed(this.#unfinishedIn(this.settings), operation, () => clock.monotonic()),
      adoptOnly: this.settings.adoptOnly,
      plannedWrites: () => this.writes.approved,
      operation,
      api,
      models: (owner) => this.#models(owner),
      checkRemovalLimit: (removal) => this.#checkRemoval(removal),
      removesUser: (user) => this.approval?.removesUser(user.userId) ?? !this.#limit().declares(user),
      countMissing: (missing) => this.#limit().countMissing(missing, this.#people.nameOf(missing.userId)),
      runExclusive: (key, work) => this.#runExclusive(key, work),
      readOnce: (key, read) => this.#readOnce(key, read),
      forget: (key) => void this.#reads.delete(key),
      sleep: (ms) => clock.sleep(ms),
      elapsed: () => clock.monotonic(),
      sendTime: () => formatInstant(clock.now()),
    };
  }

  /**
   * The message of an error. An error that concerns all resources is complete once, then short.
   * @param resource the resource that failed: its type and properties
   */
  describe(error: unknown, resource: { readonly type: string; readonly props: Props }): string {
    return visibleLines(this.#messageOf(error, resource));
  }

  #messageOf(error: unknown, resource: { readonly type: string; readonly props: Props }): string {
    if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
    const whole = describeFailedCall(error);
    if (error.code === "blocked") return `${this.#nameOf(resource)}: ${whole}`;
    if (!CONCERNS_ALL.has(error.code)) return whole;
    // The number of attempts differs between resources.
    const reason = error.reason.replace(/ \(attempt \d+\)$/, "");
    return this.#once(reason) === ALREADY_REPORTED ? ALREADY_REPORTED : whole;
  }

  /** Adds the result of a method to the run report, where there is one. */
  report(entry: ReportEntry): void {
    const { reportFile } = this.settings;
    if (reportFile !== undefined) appendEntry(reportFile, entry);
  }

  /** Resolves when every message has reached the engine. */
  async flush(): Promise<void> {
    await this.#log?.flush();
  }

  /** Runs a method of a resource; `settled` waits for its end. */
  async track<T>(work: () => T | Promise<T>): Promise<T> {
    const running = (async () => work())();
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Resolves when every method that runs has ended, so that what it sends is answered and recorded. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** Closes the connections. Pulumi ends the whole process instead. */
  async close(): Promise<void> {
    await this.#client?.close();
  }

  /** Records a person whom this run compares, creates or reads, and what it replaces of one. */
  see(
    type: ResourceType,
    userId: string,
    { organizationId }: Props,
    { isReplaced = false, isDeclared = false } = {},
  ): void {
    const isAccess = type === "OrgUser" || type === "SeatAssignment" || type === "UserToken";
    if (!isAccess || typeof organizationId !== "string" || this.approval) return;
    this.#limit().see({ userId, organizationId }, isDeclared);
    if (isReplaced) this.#limit().replace({ userId, organizationId });
  }

  async #checkRemoval(removal: AccessRemoval): Promise<void> {
    if (this.approval) this.approval.delete(removal.type, removal.userId, removal);
    else await this.#limit().check(removal, this.#people.nameOf(removal.userId));
  }

  #limit(): RemovalLimit {
    this.#removalLimit ??= new RemovalLimit(this.settings, this.#factsOf(this.settings), (ms) =>
      this.#parts.clock.sleep(ms),
    );
    return this.#removalLimit;
  }

  #factsOf({ runsFolder }: Settings): RunFacts {
    this.#facts ??= new RunFacts(runsFolder, this.#parts.engine);
    return this.#facts;
  }

  #unfinishedIn({ runsFolder, audit }: Settings): UnfinishedCreations {
    const { environment, engine, clock, stackStore } = this.#parts;
    const lockFile = engine === undefined ? undefined : join(runsFolder, "tags.lock");
    const pulumi = (...args: readonly string[]): Promise<string> =>
      runPulumi(args, { environment, signal: AbortSignal.timeout(PULUMI_MS) });
    this.#creations ??= new UnfinishedCreations({
      store: stackStore ?? new PulumiStackStore(pulumi, lockFile),
      auditFile: audit?.file,
      now: () => clock.now(),
    });
    return this.#creations;
  }

  #nameOf({ type, props }: { readonly type: string; readonly props: Props }): string {
    const { email, name, serverId, userId } = props;
    const person = typeof userId === "string" ? this.#people.nameOf(userId) : undefined;
    return [type, [email, name, serverId, person].find((text) => typeof text === "string")].join(" ").trim();
  }

  #api(owner: OrganizationAccess): OrganizationApi {
    const credentials = organizationCredentials(this.settings, owner.credentials);
    for (const text of weakSecrets(credentials)) if (this.#once(text) === text) this.planContext().warn(text);
    const secrets = [owner.token, owner.clientSecret].filter((secret) => secret !== undefined);
    return this.#connect("organization").organization(owner.organizationId, credentials, secrets);
  }

  #withMembers(owner: OrganizationAccess): OrganizationApi {
    const { membersFile } = this.settings;
    const api = this.#api(owner);
    if (membersFile === undefined) return api;
    this.#members ??= readMemberFile(membersFile);
    return this.#members.organizationId === owner.organizationId ? withMembers(api, this.#members) : api;
  }

  #models(owner: ModelAccess): ModelApi {
    const secrets = typeof owner.password === "string" ? [owner.password] : [];
    return this.#connect("model").models(owner.credentials ?? { apiKey: this.settings.apiKey }, secrets);
  }

  #connect(area: Area): Client {
    const error = this.configurationError();
    if (error !== undefined) throw new Error(this.#once(error));
    if (lacksAddress(this.settings, area)) throw new Error(this.missingConfiguration(area));
    this.#client ??= connect(this.settings, this.#parts.clock, this.planContext().warn, this.writes);
    return this.#client;
  }

  #once(text: string): string {
    if (this.#reported.has(text)) return ALREADY_REPORTED;
    this.#reported.add(text);
    return text;
  }

  #logOnce(): Log {
    this.#log ??= this.#parts.log();
    return this.#log;
  }

  #runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#queues.set(key, turn);
    return turn;
  }

  #readOnce<T>(key: string, read: () => Promise<T>): Promise<T> {
    const earlier = this.#reads.get(key);
    // The key names what is read, so its value has the type that `read` returns.
    if (earlier) return earlier as Promise<T>;
    const promise = read();
    this.#reads.set(key, promise);
    promise.catch(() => this.#reads.delete(key));
    return promise;
  }
}

class PeopleOfRun implements People {
  readonly #names = new Map<string, string>();

  learn(userId: string, name: string): void {
    this.#names.set(userId, name);
  }

  nameOf(userId: string): string {
    const name = this.#names.get(userId);
    return name === undefined ? `user ${userId}` : `${name} (user ${userId})`;
  }
}

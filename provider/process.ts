/**
 * The provider process: what all resources of one run share: configuration, clients, the removal breaker, what was
 * read, who is who. There is one of it, made in index.ts.
 */
import type { Area } from "./api/call.ts";
import type { Client } from "./api/client.ts";
import type { Clock } from "./api/clock.ts";
import { ApiError, type ApiErrorCode } from "./api/errors.ts";
import type { ModelApi } from "./api/models.ts";
import type { OrganizationApi } from "./api/organization.ts";
import { Approval } from "./approval.ts";
import {
  configurationFault,
  connect,
  describeFailure,
  lacksAddress,
  missingConfiguration,
  organizationCredentials,
  weakSecrets,
} from "./connection.ts";
import { CreationRecords } from "./creations.ts";
import type { Log } from "./engine-log.ts";
import { limitRenewals } from "./limited-log.ts";
import { RemovalLimit } from "./removal-limit.ts";
import type {
  CallContext,
  ModelOwner,
  Owner,
  People,
  PlanContext,
  Removal,
  Row,
} from "./resources/resource.ts";
import { appendEntry, type ReportEntry } from "./run-report.ts";
import { readSettings, type Settings } from "./settings.ts";

/** What a process is made of; tests give their own. */
export interface ProcessParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: () => Log;
  readonly clock: Clock;
}

type Props = Readonly<Record<string, unknown>>;

export const ALREADY_REPORTED = "not done; the first error of this run says why, in full";

/** Failures that have nothing to do with the one resource that meets them. */
const CONCERNS_ALL: ReadonlySet<ApiErrorCode> = new Set([
  "missing-credentials",
  "unauthorized",
  "unreachable",
]);

export class ProviderProcess {
  readonly #parts: ProcessParts;
  readonly #said = new Set<string>();
  readonly #holders = new Map<string, string>();
  readonly #rows = new Map<string, readonly Row[]>();
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #reads = new Map<string, Promise<unknown>>();
  readonly #people = new PeopleOfRun();
  #settings: Settings | undefined;
  #creations: CreationRecords | undefined;
  #breaker: RemovalLimit | undefined;
  #approval: Approval | undefined;
  #client: Client | undefined;
  #log: Log | undefined;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
  }

  /**
   * Takes over the configuration. It must not wait for anything: Pulumi offers a provider to other calls before its
   * configure() is over.
   */
  configure(config: (key: string) => string | undefined): void {
    if (this.#settings) return;
    this.#settings = readSettings(config, this.#parts.environment);
  }

  get settings(): Settings {
    this.#settings ??= readSettings(() => undefined, this.#parts.environment);
    return this.#settings;
  }

  /** What this run may change; undefined where it was given no list of approved changes. */
  get approval(): Approval | undefined {
    const { approvedChangesFile: file } = this.settings;
    if (file !== undefined) this.#approval ??= new Approval(this.settings, file, this.#people);
    return this.#approval;
  }

  /** What keeps every resource from working, in one sentence; undefined where nothing does. */
  configurationFault(): string | undefined {
    return configurationFault(this.settings);
  }

  /** The sentence about missing configuration, whole for the first who asks and short for all others. */
  missingFault(area: Area): string {
    return this.#once(missingConfiguration(this.settings, area));
  }

  planContext(): PlanContext {
    const settings = this.settings;
    return {
      now: this.#parts.clock.now(),
      defaults: {
        organizationId: settings.organizationId,
        subscriptionExpiresAt: settings.subscriptionExpiresAt,
      },
      people: this.#people,
      creations: this.#recordsOf(settings),
      warn: (text) => this.#logOnce().write("warning", text),
      info: (text) => this.#logOnce().write("info", text),
      owners: this.#holders,
      rows: this.#rows,
    };
  }

  callContext(): CallContext {
    return {
      ...this.planContext(),
      adoptOnly: this.settings.adoptOnly,
      operation: { deadline: this.#parts.clock.monotonic() + this.settings.operationTimeoutMs },
      api: (owner) => this.#api(owner),
      models: (owner) => this.#models(owner),
      checkRemovalLimit: (removal) => this.#admitRemoval(removal),
      runExclusive: (key, work) => this.#inTurn(key, work),
      readOnce: (key, read) => this.#readOnce(key, read),
      forget: (key) => void this.#reads.delete(key),
      sleep: (ms) => this.#parts.clock.sleep(ms),
      elapsed: () => this.#parts.clock.monotonic(),
    };
  }

  /**
   * An error in a person's words; what concerns all resources alike is said whole once.
   * @param resource the one that met it, by its type and what it was given
   */
  describe(error: unknown, resource: { readonly type: string; readonly props: Props }): string {
    const message = error instanceof Error ? error.message : String(error);
    if (!(error instanceof ApiError)) return message;
    const whole = describeFailure(error);
    if (error.code === "held-back") return `${this.#nameOf(resource)}: ${whole}`;
    if (!CONCERNS_ALL.has(error.code)) return whole;
    // How often it was tried differs from resource to resource.
    const reason = error.reason.replace(/ \(attempt \d+\)$/, "");
    return this.#once(reason) === ALREADY_REPORTED ? ALREADY_REPORTED : whole;
  }

  /** Notes what a method came to, where the run is reported. */
  report(entry: ReportEntry): void {
    const { reportFile } = this.settings;
    if (reportFile !== undefined) appendEntry(reportFile, entry);
  }

  /** Resolves when every message has reached the engine. */
  async flush(): Promise<void> {
    await this.#log?.flush();
  }

  /** Ends the connections. Pulumi ends the whole process instead. */
  async close(): Promise<void> {
    await this.#client?.close();
  }

  #admitRemoval(removal: Removal): void {
    this.#breaker ??= new RemovalLimit(this.settings);
    if (this.approval) this.approval.delete(removal.type, removal.userId, removal);
    else this.#breaker.check(removal);
  }

  #recordsOf({ creations }: Settings): CreationRecords {
    this.#creations ??= new CreationRecords({ ...creations, now: () => this.#parts.clock.now() });
    return this.#creations;
  }

  #nameOf({ type, props }: { readonly type: string; readonly props: Props }): string {
    const { email, name, serverId, userId } = props;
    const person = typeof userId === "string" ? this.#people.nameOf(userId) : undefined;
    return [type, [email, name, serverId, person].find((text) => typeof text === "string")].join(" ").trim();
  }

  #api(owner: Owner): OrganizationApi {
    const credentials = organizationCredentials(this.settings, owner.credentials);
    for (const text of weakSecrets(credentials)) if (this.#once(text) === text) this.planContext().warn(text);
    const secrets = [owner.token, owner.clientSecret].filter((secret) => secret !== undefined);
    return this.#connect("organization").organization(owner.organizationId, credentials, secrets);
  }

  #models(owner: ModelOwner): ModelApi {
    return this.#connect("model").models(owner.credentials ?? { apiKey: this.settings.apiKey });
  }

  #connect(area: Area): Client {
    const fault = this.configurationFault();
    if (fault !== undefined) throw new Error(this.#once(fault));
    if (lacksAddress(this.settings, area)) throw new Error(this.missingFault(area));
    this.#client ??= connect(this.settings, this.#parts.clock, this.planContext().warn);
    return this.#client;
  }

  #once(text: string): string {
    if (this.#said.has(text)) return ALREADY_REPORTED;
    this.#said.add(text);
    return text;
  }

  #logOnce(): Log {
    this.#log ??= limitRenewals(this.#parts.log());
    return this.#log;
  }

  #inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#turns.set(key, turn);
    return turn;
  }

  #readOnce<T>(key: string, read: () => Promise<T>): Promise<T> {
    const earlier = this.#reads.get(key);
    // The key names what is read, so what it holds is what `read` answers.
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

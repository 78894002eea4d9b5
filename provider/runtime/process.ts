/**
 * The state that all resources of a run share in the provider process: configuration, client, removal limit, messages, and
 * work. It gives each method its context. index.ts creates the only instance.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { auditLinesIn, usersWithoutToken } from "../api/schemas/audit-lines.ts";
import type { Precedence } from "../config/setting-values.ts";
import { capabilitiesOf, readSettings, type Settings } from "../config/settings.ts";
import type { CallContext, Diagnostics, PlanContext, RunMemory } from "../resources/contexts.ts";
import type { ResourceType } from "../resources/resource-types.ts";
import { type ApprovedPlan, ownersIn, readApprovedPlan } from "../safety/approved-plan.ts";
import { WritesByMethod } from "../safety/method-writes.ts";
import { RunGuards } from "../safety/run-guards.ts";
import { Cancellation, type Clock, formatInstant, type TimeLimit, waitWithin } from "../util/instants.ts";
import type { Log } from "./log.ts";
import { RunClient } from "./run-client.ts";
import { LimitedMessages, RunMessages } from "./run-messages.ts";
import { appendLine } from "./run-report.ts";
import { RunWork } from "./run-work.ts";

/** The dependencies of a process. */
interface ProcessDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: () => Log;
  readonly clock: Clock;
}

export class ProviderProcess {
  readonly #parts: ProcessDependencies;
  readonly #cancellation = new Cancellation();
  readonly #limitedMessages = new LimitedMessages();
  readonly #diagnostics: Diagnostics = {
    warn: (text) => this.#logOnce().write("warning", text),
    info: (text) => this.#logOnce().write("info", text),
    infoLimited: (text, more) => {
      const message = this.#limitedMessages.next(text, more);
      if (message !== undefined) this.#logOnce().write("info", message);
    },
  };
  readonly writes = new WritesByMethod();
  readonly messages = new RunMessages();
  readonly work = new RunWork();
  readonly #customTimeoutMs = new AsyncLocalStorage<number>();
  /** What was read since the last check of a program's inputs. */
  readonly #readFirst = new Set<string>();
  #settings: Settings | undefined;
  #memory: RunMemory | undefined;
  #guards: RunGuards | undefined;
  #approvedPlan: ApprovedPlan | undefined;
  #client: RunClient | undefined;
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

  /** The plan of the command, which this run carries out; undefined in other runs. @throws CodedError if it cannot be read */
  get approvedPlan(): ApprovedPlan | undefined {
    const { approvedPlanFile: file } = this.settings;
    if (file !== undefined) this.#approvedPlan ??= readApprovedPlan(file);
    return this.#approvedPlan;
  }

  planContext(): PlanContext {
    const { settings, approvedPlan: plan } = this;
    return {
      now: plan?.now ?? this.#parts.clock.now(),
      ...(plan && { approvedOf: (ref: string) => plan.members[ref] }),
      defaults: {
        organizationId: settings.organizationId,
        subscriptionExpiresAt: settings.subscriptionExpiresAt,
        product: settings.product,
        requireSealedTokens: settings.requireSealedTokens,
      },
      can: capabilitiesOf(settings),
      people: this.messages.people,
      diagnostics: this.#diagnostics,
      run: this.#memoryOnce(plan),
    };
  }

  #memoryOnce(plan: ApprovedPlan | undefined): RunMemory {
    const { work } = this;
    this.#memory ??= {
      owners: plan === undefined ? new Map() : ownersIn(plan),
      notes: new Set(),
      replacedAccounts: new Map(),
      rows: new Map(),
      addedWithoutToken: () => {
        const { file, stack } = this.settings.audit ?? {};
        return usersWithoutToken(file === undefined ? [] : auditLinesIn(file), stack);
      },
      reportStep: (line) => this.report(line),
      runExclusive: (key, task, limit) => work.runExclusive(key, task, limit),
      readOnce: (key, read) => work.readOnce(key, read),
      forget: (key) => work.forget(key),
    };
    return this.#memory;
  }

  /** Runs a method with the timeout of its resource. @param seconds 0 for `operationTimeout` */
  withTimeout<T>(seconds: number, run: () => T): T {
    return seconds > 0 ? this.#customTimeoutMs.run(seconds * 1_000, run) : run();
  }

  callContext(): CallContext {
    const [{ clock }, { settings }] = [this.#parts, this];
    const timeoutMs = this.#customTimeoutMs.getStore() ?? settings.operationTimeoutMs;
    const operation = this.#operation(clock.monotonic() + timeoutMs);
    return {
      ...this.planContext(),
      service: {
        api: (owner) => this.#clientOnce().organization(owner),
        models: (owner) => this.#clientOnce().models(owner),
        clockSkewMs: (owner) => this.#clientOnce().clockSkewMs(owner, operation),
      },
      guards: this.guards,
      time: {
        operation,
        sleep: (ms) => clock.sleep(ms),
        pause: (ms) => waitWithin({ cancellation: this.#cancellation }, () => clock.sleep(ms)),
        isCancelled: () => this.#cancellation.isCancelled,
        elapsed: () => clock.monotonic(),
        sendTime: () => formatInstant(clock.now()),
      },
    };
  }

  get guards(): RunGuards {
    this.#guards ??= new RunGuards({
      settings: this.settings,
      approvedPlan: this.approvedPlan,
      sleep: (ms) => this.#parts.clock.sleep(ms),
      cancellation: this.#cancellation,
      messages: this.messages,
      onStop: () => this.report({ isStopped: true }),
    });
    return this.#guards;
  }

  /** Ends what waits. Requests go on, so that their results are kept. */
  cancel(): void {
    this.#cancellation.cancel();
  }

  /** Once the engine is gone, no state gets what a request does. Resolves when those that were sent are answered and recorded. */
  async end(): Promise<void> {
    this.cancel();
    await Promise.all([this.close(), this.work.settled()]);
  }

  /** A method that may have changed something finds out what, also in a cancelled run. */
  #operation(deadline: number): TimeLimit {
    const [{ writes }, cancellation] = [this, this.#cancellation];
    return {
      deadline,
      get cancellation() {
        return writes.mayHaveWritten ? undefined : cancellation;
      },
    };
  }

  /** A refresh reads resources, and compares each with the inputs of its state, before the program declares any. */
  noteRead(type: ResourceType, id: string): void {
    this.#readFirst.add(`${type} ${id}`);
  }

  beginProgram(): void {
    this.#readFirst.clear();
  }

  isRefreshed(type: ResourceType, id: string): boolean {
    return this.#readFirst.has(`${type} ${id}`);
  }

  /** Adds a step, the result of a method, or the end of all turns to the run report, if there is one. */
  report(line: object): void {
    const { reportFile } = this.settings;
    if (reportFile !== undefined) appendLine(reportFile, line);
  }

  /** Resolves when every message has reached the engine. */
  async flush(): Promise<void> {
    await this.#log?.flush();
  }

  /** Sends nothing more, and closes the connections. Pulumi ends the whole process instead. */
  async close(): Promise<void> {
    await this.#client?.close();
  }

  #clientOnce(): RunClient {
    this.#client ??= new RunClient({
      settings: this.settings,
      clock: this.#parts.clock,
      messages: this.messages,
      warn: this.#diagnostics.warn,
      writes: this.writes,
    });
    return this.#client;
  }

  #logOnce(): Log {
    this.#log ??= this.#parts.log();
    return this.#log;
  }
}

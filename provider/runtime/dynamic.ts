/**
 * Adapts a resource definition to Pulumi's dynamic provider: unknown values, schemas of inputs and state, one message
 * for each failure, only values that Pulumi can store.
 */
import { isDeepStrictEqual } from "node:util";
import type { dynamic } from "@pulumi/pulumi";
import type { PlanContext } from "../resources/contexts.ts";
import type { AnyDefinition } from "../resources/resource.ts";
import { unknown } from "../resources/unknown.ts";
import type { MethodWrites } from "../safety/method-writes.ts";
import { configurationError, missingConfiguration } from "../service/connection.ts";
import { withCode } from "../util/error-codes.ts";
import type { ProviderProcess } from "./process.ts";
import { guard, PROVIDER_KEY, Schemas, storable, unlessTooLarge } from "./pulumi-values.ts";
import { type Method, type ReportEntry, reportEntryOf } from "./run-report.ts";

type Props = Readonly<Record<string, unknown>>;

/** Reports the result of a method. @param id of a creation */
type Done = (result: ReportEntry["result"], id?: string) => void;

/** The object whose methods Pulumi's dynamic-provider process calls. */
export class DynamicProvider implements Required<dynamic.ResourceProvider> {
  readonly #definition: AnyDefinition;
  readonly #process: ProviderProcess;
  readonly #schemas: Schemas;

  constructor(definition: AnyDefinition, process: ProviderProcess) {
    this.#definition = definition;
    this.#process = process;
    this.#schemas = new Schemas(definition);
  }

  async configure(request: dynamic.ConfigureRequest): Promise<void> {
    this.#process.configure((key) => request.config.get(key));
  }

  check(olds: Props, news: Props): Promise<dynamic.CheckResult> {
    return this.#run(news, () => this.#check(olds, news));
  }

  diff(id: string, olds: Props, news: Props): Promise<dynamic.DiffResult> {
    return this.#run(news, () => this.#diff(id, olds, news));
  }

  create(inputs: Props): Promise<dynamic.CreateResult> {
    const [definition, process] = [this.#definition, this.#process];
    return this.#change({ operation: "create", props: inputs }, async (done) => {
      const parsed = this.#schemas.known(inputs);
      const { id, outs } = await unlessTooLarge(process, () =>
        definition.create(parsed, process.callContext()),
      );
      const stored = storable(outs);
      process.guards.see(definition.name, userIn(id, stored), stored, { isDeclared: true });
      done("done", id);
      return { id, outs: stored };
    });
  }

  /** The outputs that this update does not change. */
  stableOutputs(olds: Props, news: Props): readonly string[] {
    const { stableIn, stableOutputs } = this.#definition;
    if (stableIn === undefined) return stableOutputs;
    const old = this.#schemas.state("", olds);
    return stableIn(old, this.#schemas.knowable(news), this.#process.planContext());
  }

  read(id: string, props: Props): Promise<dynamic.ReadResult> {
    return this.#run(props, () => this.#read(id, props));
  }

  update(id: string, olds: Props, news: Props): Promise<dynamic.UpdateResult> {
    const [definition, process] = [this.#definition, this.#process];
    return this.#change({ operation: "update", id, props: news }, async (done) => {
      const inputs = this.#schemas.known(news);
      const old = this.#schemas.state(id, olds);
      const { outs } = await unlessTooLarge(process, async () => ({
        id,
        outs: await definition.update(id, old, inputs, process.callContext()),
      }));
      done("done");
      return { outs: storable(outs) };
    });
  }

  delete(id: string, props: Props): Promise<void> {
    const [definition, process] = [this.#definition, this.#process];
    return this.#change({ operation: "delete", id, props }, async (done) => {
      const outs = this.#schemas.state(id, props);
      const removed = await definition.delete(id, outs, process.callContext());
      done(removed === "deleted" ? "done" : removed);
    });
  }

  #run<T>(props: Props, work: () => T | Promise<T>): Promise<T> {
    return guard(this.#process, work, { type: this.#definition.name, props });
  }

  /** The same for a method that changes something: its result goes to the run report. */
  #change<T>(method: Omit<Method, "type" | "writes">, work: (done: Done) => Promise<T>): Promise<T> {
    const process = this.#process;
    const mine = { ...method, type: this.#definition.name, writes: [] as MethodWrites };
    const done: Done = (result, id = method.id) => process.report(reportEntryOf({ ...mine, id }, result));
    return guard(process, () => process.writes.run(mine.writes, () => work(done)), mine);
  }

  #check(olds: Props, news: Props): dynamic.CheckResult {
    const [definition, process] = [this.#definition, this.#process];
    process.beginProgram();
    const context = process.planContext();
    const { parsed, failures } = this.#schemas.parse(news);
    const completed = definition.complete(parsed, context);
    const configuration = this.#configurationIssue(completed);
    const found = definition.check(completed, this.#schemas.oldInputs(olds), context);
    const issues = [...failures, ...found.map((issue) => this.#schemas.withoutSecret(issue))];
    const inputs: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(completed)) inputs[key] = value === unknown ? news[key] : value;
    return {
      inputs: storable(inputs),
      failures: [
        ...(configuration === undefined ? [] : [{ property: "", reason: configuration }]),
        ...issues.map(({ property, reason }) => ({ property, reason: withCode(reason, "invalid-input") })),
      ],
    };
  }

  /** Why no request can be sent about a resource with these inputs; undefined if one can. */
  #configurationIssue(completed: object): string | undefined {
    const [{ area }, process] = [this.#definition, this.#process];
    const error = configurationError(process.settings);
    if (error !== undefined) return withCode(error, "invalid-configuration");
    // A resource may name its organization itself; the model area has none.
    const isConfigured =
      area === "model" ? process.settings.modelUrl !== undefined : Object.hasOwn(completed, "organizationId");
    if (isConfigured) return undefined;
    return process.messages.once(missingConfiguration(process.settings, area), "invalid-configuration");
  }

  #diff(id: string, olds: Props, news: Props): dynamic.DiffResult {
    const [definition, process] = [this.#definition, this.#process];
    const { name: type } = definition;
    const knowable = this.#schemas.knowable(news);
    const old = this.#schemas.state(id, olds);
    const isRefresh = process.isRefreshed(type, id);
    const context = isRefresh ? withoutRecords(process.planContext()) : process.planContext();
    const { replaces, changes } = definition.diff(id, old, knowable, context);
    const isReplaced = replaces.length > 0;
    const isDeclared =
      type === "OrgUser" || type === "OrgMember" ? !isReplaced : news.userId === userIn(id, olds);
    if (!isRefresh) process.guards.see(type, userIn(id, olds), olds, { isReplaced, isDeclared });
    return { changes: changes || lacksProvider(olds, news), replaces: [...replaces] };
  }

  async #read(id: string, props: Props): Promise<dynamic.ReadResult> {
    const [definition, process] = [this.#definition, this.#process];
    const context = process.callContext();
    process.guards.see(definition.name, userIn(id, props), props);
    process.noteRead(definition.name, id);
    if (isImport(definition, props)) {
      const found = await definition.find(id, this.#schemas.oldInputs(props) ?? {}, context);
      return found === undefined ? {} : { id, ...importedProps(definition, found, context) };
    }
    const outs = await definition.read(id, this.#schemas.state(id, props), context);
    if (outs === undefined) return {};
    return { id, props: storable(outs) };
  }
}

/** For the diff of a refresh, which says nothing about what a program declares. */
function withoutRecords(context: PlanContext): PlanContext {
  return { ...context, run: { ...context.run, owners: new Map(), notes: new Set() } };
}

/** The user of a resource: its id, unless the id is an own text. */
function userIn(id: string, { held, userId }: Props): string | undefined {
  if (held === undefined) return id;
  return typeof userId === "string" ? userId : undefined;
}

/**
 * Whether the state lacks the provider's text, which delete and refresh run: a packaged plugin wrote it. An update adds
 * the text.
 */
function lacksProvider(olds: Props, news: Props): boolean {
  return news[PROVIDER_KEY] !== undefined && olds[PROVIDER_KEY] === undefined;
}

/** An import passes the id alone, or the inputs of a program: a state has outputs. */
function isImport({ inputs }: AnyDefinition, props: Props): boolean {
  return Object.keys(props).every((key) => key === PROVIDER_KEY || key in inputs);
}

/**
 * An import has no inputs in the state yet: those that the outputs contain. What the configuration supplies is none of them, so
 * that no program repeats it.
 */
function importedProps(definition: AnyDefinition, found: Props, context: PlanContext) {
  const props = storable(found);
  const all = Object.entries(storable(definition.inputsOf?.(found) ?? found)).filter(
    ([key]) => key in definition.inputs,
  );
  const isSupplied = ([key, value]: [string, unknown]) => {
    const others = Object.fromEntries(all.filter(([other]) => other !== key));
    return isDeepStrictEqual(definition.complete(others, context)[key], value);
  };
  return { props, inputs: Object.fromEntries(all.filter((one) => !isSupplied(one))) };
}

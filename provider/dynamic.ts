/**
 * Adapts a resource definition to Pulumi's dynamic provider: unknown values, schemas of inputs and state, one message
 * for each failure, only values that Pulumi can store.
 */
import type { dynamic } from "@pulumi/pulumi";
import type { z } from "zod";
import type { ProviderProcess } from "./process.ts";
import { guard, PROVIDER_KEY, storable, unlessTooLarge } from "./reports.ts";
import { type InputIssue, type ResourceDefinition, STATE_VERSION } from "./resources/resource.ts";
import { holdsUnknown, type Knowable, unknown } from "./resources/unknown.ts";
import { type Method, type ReportEntry, reportEntryOf } from "./run-report.ts";
import { formatIssues, inputIssuesOf, schemaErrorMessage } from "./validation.ts";

type Props = Readonly<Record<string, unknown>>;

/** Makes the object whose methods Pulumi's dynamic-provider process calls. */
export function dynamicProvider<Inputs extends object, Outputs extends Inputs>(
  definition: ResourceDefinition<Inputs, Outputs>,
  process: ProviderProcess,
): Required<dynamic.ResourceProvider> {
  const state = (id: string, olds: Props) => readState(definition, id, olds);
  const { name: type } = definition;
  const run = <T>(work: () => T | Promise<T>, props: Props) => guard(process, work, { type, props });
  /** The same for a method that changes something: its result goes to the run report. */
  const change = <T>(
    method: Omit<Method, "type">,
    work: (done: (result: ReportEntry["result"], id?: string) => void) => Promise<T>,
  ) => {
    const mine = { ...method, type };
    return guard(
      process,
      () => work((result, id = method.id) => process.report(reportEntryOf({ ...mine, id }, result))),
      mine,
    );
  };
  return {
    async configure(request) {
      process.configure((key) => request.config.get(key));
    },
    check: (olds: Props, news: Props) => run(() => check(definition, process, olds, news), news),
    diff: (id, olds: Props, news: Props) =>
      run(() => {
        const knowable = markUnknown(definition, news);
        const old = state(id, olds);
        process.approval?.learn(type, id, old);
        const diff = definition.diff(id, old, knowable, process.planContext());
        const { replaces, deleteBeforeReplace } = diff;
        const changes = diff.changes || lacksProvider(olds, news);
        const deletesFirst = replaces.length > 0 && deleteBeforeReplace;
        if (deletesFirst && process.approval?.allowsReplacement(type, id, knowable) === false)
          return { changes, replaces: [], deleteBeforeReplace };
        return { changes, replaces: [...replaces], deleteBeforeReplace };
      }, news),
    create: (inputs: Props) =>
      change({ operation: "create", props: inputs }, async (done) => {
        const parsed = parseInputs(definition, inputs);
        process.approval?.create(type, parsed);
        const { id, outs } = await unlessTooLarge(process, () =>
          definition.create(parsed, process.callContext()),
        );
        process.approval?.learn(type, id, parsed);
        done("done", id);
        return { id, outs: storable(outs) };
      }),
    read: (id, props: Props) =>
      run(async () => {
        const context = process.readContext();
        if (isImport(definition, props)) {
          const found = await definition.find(id, oldInputs(definition, props) ?? {}, context);
          return found === undefined ? {} : { id, ...importedProps(definition, found) };
        }
        const outs = await definition.read(id, state(id, props), context);
        return outs === undefined ? {} : { id, props: storable(outs) };
      }, props),
    update: (id, olds: Props, news: Props) =>
      change({ operation: "update", id, props: news }, async (done) => {
        const inputs = parseInputs(definition, news);
        const old = state(id, olds);
        const writes = definition.updateWrites?.(old, inputs, process.planContext()) ?? [];
        process.approval?.update(type, id, inputs, writes);
        const { outs } = await unlessTooLarge(process, async () => ({
          id,
          outs: await definition.update(id, old, inputs, process.callContext()),
        }));
        done("done");
        return { outs: storable(outs) };
      }),
    delete: (id, props: Props) =>
      change({ operation: "delete", id, props }, async (done) => {
        const outs = state(id, props);
        process.approval?.delete(type, id, outs);
        const removed = await definition.delete(id, outs, process.callContext());
        done(removed === "deleted" ? "done" : removed);
      }),
  };
}

/**
 * Whether the state lacks the provider's text, which delete and refresh run: a packaged plugin wrote it. An update adds
 * the text.
 */
function lacksProvider(olds: Props, news: Props): boolean {
  return news[PROVIDER_KEY] !== undefined && olds[PROVIDER_KEY] === undefined;
}

/** An import passes the id alone, or the inputs of a program: a state has outputs. */
function isImport(definition: { readonly inputs: object }, props: Props): boolean {
  return Object.keys(props).every((key) => key === PROVIDER_KEY || key in definition.inputs);
}

/** An import has no inputs in the state yet: those that the outputs contain. */
function importedProps<Inputs extends object, Outputs extends Inputs>(
  definition: ResourceDefinition<Inputs, Outputs>,
  found: Outputs,
) {
  const props = storable(found);
  const inputs = Object.entries(storable(definition.inputsOf?.(found) ?? found)).filter(
    ([key]) => key in definition.inputs,
  );
  return { props, inputs: Object.fromEntries(inputs) };
}

function check<Inputs extends object, Outputs extends Inputs>(
  definition: ResourceDefinition<Inputs, Outputs>,
  process: ProviderProcess,
  olds: Props,
  news: Props,
): dynamic.CheckResult {
  const context = process.planContext();
  const failures: InputIssue[] = [];
  const parsed = parseKnown(definition, news, failures);
  const error = process.configurationError();
  if (error !== undefined) failures.unshift({ property: "", reason: error });
  const completed = definition.complete(parsed, context);
  if (error === undefined && lacksConfiguration(definition, process, completed)) {
    failures.push({ property: "", reason: process.missingConfiguration(definition.area) });
  }
  failures.push(...definition.check(completed, oldInputs(definition, olds), context));
  const inputs: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(completed)) inputs[key] = value === unknown ? news[key] : value;
  return { inputs: storable(inputs), failures };
}

/** A resource may name its organization itself; the model area has none. */
function lacksConfiguration<Inputs extends object, Outputs extends Inputs>(
  { area }: ResourceDefinition<Inputs, Outputs>,
  { settings }: ProviderProcess,
  completed: Knowable<Inputs>,
): boolean {
  return area === "model" ? settings.modelUrl === undefined : !Object.hasOwn(completed, "organizationId");
}

/** The inputs by their schemas, values that are not known yet as `unknown`; adds issues to `failures`. */
function parseKnown<Inputs extends object, Outputs extends Inputs>(
  definition: ResourceDefinition<Inputs, Outputs>,
  news: Props,
  failures: InputIssue[],
): Knowable<Inputs> {
  const parsed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(news)) {
    if (key === PROVIDER_KEY || value === null || value === undefined) continue;
    if (!(key in definition.inputs)) {
      failures.push({ property: key, reason: `${definition.name} has no such input` });
    } else if (holdsUnknown(value)) {
      parsed[key] = unknown;
    }
  }
  for (const [key, schema] of Object.entries<z.ZodType>(definition.inputs)) {
    if (parsed[key] === unknown) continue;
    const value = news[key] ?? undefined;
    if (value === undefined && key === "organizationId") continue;
    const result = schema.safeParse(value, { error: schemaErrorMessage });
    if (!result.success) {
      for (const issue of inputIssuesOf(result.error, [key])) failures.push(withoutSecret(definition, issue));
      // An invalid value counts as unknown: other issues still show, and this one causes no further ones.
      parsed[key] = unknown;
    } else if (result.data !== undefined) {
      parsed[key] = result.data;
    }
  }
  // Each key went through its own schema above.
  return parsed as Knowable<Inputs>;
}

/** Names a secret property in the text only: Pulumi shows the value of the property that an issue names. */
function withoutSecret<Inputs extends object, Outputs extends Inputs>(
  definition: ResourceDefinition<Inputs, Outputs>,
  issue: InputIssue,
): InputIssue {
  const { property, reason } = issue;
  const isSecret = definition.secretInputs.some((key) => property.split(/[.[]/, 1)[0] === key);
  return isSecret ? { property: "", reason: `${property}: ${reason}` } : issue;
}

/** The news of diff, which check has parsed already. */
function markUnknown<Inputs extends object, Outputs extends Inputs>(
  definition: ResourceDefinition<Inputs, Outputs>,
  news: Props,
): Knowable<Inputs> {
  const failures: InputIssue[] = [];
  const parsed = parseKnown(definition, news, failures);
  if (failures.length > 0) throw new Error(`${definition.name}: ${formatIssues(failures)}`);
  return parsed;
}

function parseInputs<Inputs extends object, Outputs extends Inputs>(
  definition: ResourceDefinition<Inputs, Outputs>,
  props: Props,
): Inputs {
  const parsed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(markUnknown(definition, props))) {
    if (value === unknown) throw new Error(`${definition.name}: ${key} has no value outside a preview`);
    parsed[key] = value;
  }
  // Each key went through its own schema, and none is unknown.
  return parsed as Inputs;
}

/** The old inputs as far as they can be read; none on a creation. */
function oldInputs<Inputs extends object, Outputs extends Inputs>(
  definition: ResourceDefinition<Inputs, Outputs>,
  olds: Props,
): Partial<Inputs> | undefined {
  if (Object.keys(olds).length === 0) return undefined;
  const parsed: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries<z.ZodType>(definition.inputs)) {
    const result = schema.safeParse(olds[key]);
    if (result.success && result.data !== undefined) parsed[key] = result.data;
  }
  return parsed as Partial<Inputs>;
}

/** The outputs that the state holds. */
function readState<Inputs extends object, Outputs extends Inputs>(
  definition: ResourceDefinition<Inputs, Outputs>,
  id: string,
  olds: Props,
): Outputs {
  const who = `${definition.name} with the id ${id}`;
  const version = olds.stateVersion;
  if (typeof version === "number" && version > STATE_VERSION) {
    throw new Error(
      `cannot read the state of ${who}: a newer release of orgseat wrote it (state version ${version}, this release reads up to ${STATE_VERSION}). Nothing was sent to the service. Upgrade the package orgseat of this program, then run the command again.`,
    );
  }
  const result = definition.outputs.safeParse(withoutNull(olds, definition), { error: schemaErrorMessage });
  if (result.success) return result.data;
  throw new Error(
    `cannot read the state of ${who}: ${formatIssues(inputIssuesOf(result.error))}. Nothing was sent to the service. Restore the state from a backup (\`pulumi stack import\`), then run the command again.`,
  );
}

/** Pulumi keeps an absent input as null at times; nullable outputs keep theirs. */
function withoutNull(olds: Props, definition: { readonly inputs: object }): Props {
  return Object.fromEntries(
    Object.entries(olds).filter(([key, value]) => value !== null || !(key in definition.inputs)),
  );
}

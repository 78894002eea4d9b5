/**
 * Adapts a resource definition to Pulumi's dynamic provider: unknown values, schemas of inputs and state, one message
 * for each failure, only values that Pulumi can store.
 */
import type { dynamic } from "@pulumi/pulumi";
import type { z } from "zod";
import { formatIssues, inputIssuesOf, schemaErrorMessage } from "../config/validation.ts";
import { type InputIssue, type ResourceDefinition, STATE_VERSION } from "../resources/resource.ts";
import { holdsUnknown, type Knowable, unknown } from "../resources/unknown.ts";
import type { ProviderProcess } from "./process.ts";
import { guard, PROVIDER_KEY, storable, unlessTooLarge } from "./pulumi-result.ts";
import { type Method, type ReportEntry, reportEntryOf } from "./run-report.ts";

type Props = Readonly<Record<string, unknown>>;

/** Makes the object whose methods Pulumi's dynamic-provider process calls. */
export function dynamicProvider<Inputs extends object, Outputs extends Inputs>(
  definition: ResourceDefinition<Inputs, Outputs>,
  process: ProviderProcess,
): Required<dynamic.ResourceProvider> {
  const { name: type } = definition;
  const schemas = new Schemas(definition);
  const run = <T>(work: () => T | Promise<T>, props: Props) => guard(process, work, { type, props });
  /** The same for a method that changes something: its result goes to the run report. */
  const change = <T>(
    method: Omit<Method, "type" | "writes">,
    work: (done: (result: ReportEntry["result"], id?: string) => void) => Promise<T>,
  ) => {
    const mine: Method = { ...method, type, writes: [] };
    return guard(
      process,
      () =>
        process.writes.run({ sent: mine.writes }, () =>
          work((result, id = method.id) => process.report(reportEntryOf({ ...mine, id }, result))),
        ),
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
        const knowable = schemas.knowable(news);
        const old = schemas.state(id, olds);
        process.approval?.learn(type, id, old);
        const diff = definition.diff(id, old, knowable, process.planContext());
        const { replaces, deleteBeforeReplace } = diff;
        const isReplaced = replaces.length > 0;
        const isDeclared = type === "OrgUser" ? !isReplaced : news.userId === id;
        process.see(type, id, olds, { isReplaced, isDeclared });
        const changes = diff.changes || lacksProvider(olds, news);
        const deletesFirst = isReplaced && deleteBeforeReplace;
        if (deletesFirst && process.approval?.allowsReplacement(type, id, knowable) === false)
          return { changes, replaces: [], deleteBeforeReplace };
        return { changes, replaces: [...replaces], deleteBeforeReplace };
      }, news),
    create: (inputs: Props) =>
      change({ operation: "create", props: inputs }, async (done) => {
        const parsed = schemas.known(inputs);
        process.writes.approve(process.approval?.create(type, parsed));
        const { id, outs } = await unlessTooLarge(process, () =>
          definition.create(parsed, process.callContext()),
        );
        process.approval?.learn(type, id, parsed);
        const stored = storable(outs);
        process.see(type, id, stored, { isDeclared: true });
        done("done", id);
        return { id, outs: stored };
      }),
    read: (id, props: Props) =>
      run(async () => {
        const context = process.readContext();
        process.see(type, id, props);
        if (isImport(definition, props)) {
          const found = await definition.find(id, schemas.oldInputs(props) ?? {}, context);
          return found === undefined ? {} : { id, ...importedProps(definition, found) };
        }
        const outs = await definition.read(id, schemas.state(id, props), context);
        return outs === undefined ? {} : { id, props: storable(outs) };
      }, props),
    update: (id, olds: Props, news: Props) =>
      change({ operation: "update", id, props: news }, async (done) => {
        const inputs = schemas.known(news);
        const old = schemas.state(id, olds);
        const writes = definition.updateWrites?.(old, inputs, process.planContext()) ?? [];
        process.writes.approve(process.approval?.update(type, id, inputs, writes));
        const { outs } = await unlessTooLarge(process, async () => ({
          id,
          outs: await definition.update(id, old, inputs, process.callContext()),
        }));
        done("done");
        return { outs: storable(outs) };
      }),
    delete: (id, props: Props) =>
      change({ operation: "delete", id, props }, async (done) => {
        const outs = schemas.state(id, props);
        process.writes.approve(process.approval?.delete(type, id, outs));
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
  const { area } = definition;
  const schemas = new Schemas(definition);
  const context = process.planContext();
  const { parsed, failures } = schemas.parse(news);
  const error = process.configurationError();
  if (error !== undefined) failures.unshift({ property: "", reason: error });
  const completed = definition.complete(parsed, context);
  // A resource may name its organization itself; the model area has none.
  const isConfigured =
    area === "model" ? process.settings.modelUrl !== undefined : Object.hasOwn(completed, "organizationId");
  if (error === undefined && !isConfigured)
    failures.push({ property: "", reason: process.missingConfiguration(area) });
  failures.push(...definition.check(completed, schemas.oldInputs(olds), context));
  const inputs: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(completed)) inputs[key] = value === unknown ? news[key] : value;
  return { inputs: storable(inputs), failures };
}

/** Reads inputs and outputs of a resource by its schemas. */
class Schemas<Inputs extends object, Outputs extends Inputs> {
  readonly #definition: ResourceDefinition<Inputs, Outputs>;

  constructor(definition: ResourceDefinition<Inputs, Outputs>) {
    this.#definition = definition;
  }

  /** The inputs, with values that are not known yet as `unknown`, and what is wrong with them. */
  parse(news: Props): { readonly parsed: Knowable<Inputs>; readonly failures: InputIssue[] } {
    const { name, inputs } = this.#definition;
    const failures: InputIssue[] = [];
    const parsed: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(news)) {
      if (key === PROVIDER_KEY || value === null || value === undefined) continue;
      if (!(key in inputs)) failures.push({ property: key, reason: `${name} has no such input` });
      else if (holdsUnknown(value)) parsed[key] = unknown;
    }
    for (const [key, schema] of Object.entries<z.ZodType>(inputs)) {
      if (parsed[key] === unknown) continue;
      const value = news[key] ?? undefined;
      if (value === undefined && key === "organizationId") continue;
      const result = schema.safeParse(value, { error: schemaErrorMessage });
      if (!result.success) {
        for (const issue of inputIssuesOf(result.error, [key])) failures.push(this.#withoutSecret(issue));
        // An invalid value counts as unknown: other issues still show, and this one causes no further ones.
        parsed[key] = unknown;
      } else if (result.data !== undefined) {
        parsed[key] = result.data;
      }
    }
    // Each key went through its own schema above.
    return { parsed: parsed as Knowable<Inputs>, failures };
  }

  /** The inputs of a diff, which check has parsed already. */
  knowable(news: Props): Knowable<Inputs> {
    const { parsed, failures } = this.parse(news);
    if (failures.length > 0) throw new Error(`${this.#definition.name}: ${formatIssues(failures)}`);
    return parsed;
  }

  /** The inputs of a method that runs outside previews. */
  known(news: Props): Inputs {
    const parsed = this.knowable(news);
    for (const [key, value] of Object.entries(parsed))
      if (value === unknown)
        throw new Error(`${this.#definition.name}: ${key} has no value outside a preview`);
    // None is unknown.
    return parsed as Inputs;
  }

  /** The old inputs as far as they can be read; none on a creation. */
  oldInputs(olds: Props): Partial<Inputs> | undefined {
    if (Object.keys(olds).length === 0) return undefined;
    const parsed: Record<string, unknown> = {};
    for (const [key, schema] of Object.entries<z.ZodType>(this.#definition.inputs)) {
      const result = schema.safeParse(olds[key]);
      if (result.success && result.data !== undefined) parsed[key] = result.data;
    }
    return parsed as Partial<Inputs>;
  }

  /** The outputs that the state holds. */
  state(id: string, olds: Props): Outputs {
    const { name, inputs, outputs } = this.#definition;
    const who = `${name} with the id ${id}`;
    const version = olds.stateVersion;
    if (typeof version === "number" && version > STATE_VERSION) {
      throw new Error(
        `cannot read the state of ${who}: a newer release of orgseat wrote it (state version ${version}, this release reads up to ${STATE_VERSION}). Nothing was sent to the service. Upgrade the package orgseat of this program, then run the command again.`,
      );
    }
    // Pulumi keeps an absent input as null at times; nullable outputs keep theirs.
    const present = Object.entries(olds).filter(([key, value]) => value !== null || !(key in inputs));
    const result = outputs.safeParse(Object.fromEntries(present), { error: schemaErrorMessage });
    if (result.success) return result.data;
    throw new Error(
      `cannot read the state of ${who}: ${formatIssues(inputIssuesOf(result.error))}. Nothing was sent to the service. Restore the state from a backup (\`pulumi stack import\`), then run the command again.`,
    );
  }

  /** Names a secret property in the text only: Pulumi shows the value of the property that an issue names. */
  #withoutSecret(issue: InputIssue): InputIssue {
    const { property, reason } = issue;
    const isSecret = this.#definition.secretInputs.some((key) => property.split(/[.[]/, 1)[0] === key);
    return isSecret ? { property: "", reason: `${property}: ${reason}` } : issue;
  }
}

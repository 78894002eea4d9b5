/**
 * Values from and for Pulumi: reads what it passes to a resource by the schemas of its definition, and returns outputs that it
 * can store, and messages of one line, each shown once.
 */

import { formatIssues, inputIssuesOf, schemaErrorMessage } from "../config/validation.ts";
import { type AnyDefinition, type InputIssue, PartiallyCreated } from "../resources/resource.ts";
import { STATE_VERSION } from "../resources/resource-types.ts";
import { holdsUnknown, type Knowable, unknown } from "../resources/unknown.ts";
import { CodedError, codeOf, withCode } from "../util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../util/text.ts";
import type { ProviderProcess } from "./process.ts";
import { failedReportEntryOf, type Method } from "./run-report.ts";

type Props = Readonly<Record<string, unknown>>;

/** The input under which Pulumi keeps the provider's text. */
export const PROVIDER_KEY = "__provider";

/** Without `undefined`, which Pulumi rejects too late: the object would exist and be missing in the state. */
export function storable(value: object): Record<string, unknown> {
  const plain: Record<string, unknown> = JSON.parse(JSON.stringify(value));
  return plain;
}

/** In bytes of JSON. Pulumi's process answers it in the headers of HTTP/2, of which 64 KiB arrive, in base64. */
const LARGEST_PARTIAL_BYTES = 32_000;

type Made = Pick<PartiallyCreated, "id" | "outs">;

/**
 * The result of a create or update. A partial one that is too large for Pulumi's error response would be lost and
 * repeated by the next run: it counts as completed, and its reason becomes a warning.
 */
export async function unlessTooLarge(process: ProviderProcess, work: () => Promise<Made>): Promise<Made> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PartiallyCreated)) throw error;
    if (Buffer.byteLength(JSON.stringify(error.outs)) <= LARGEST_PARTIAL_BYTES) throw error;
    process
      .planContext()
      .diagnostics.warn(`${error.message} The run continues: the state is too large to be kept in an error.`);
    return error;
  }
}

/**
 * Runs one method: adds a failure to the run report, waits until all messages have arrived, and throws one line without
 * a stack.
 */
export async function guard<T>(
  process: ProviderProcess,
  work: () => T | Promise<T>,
  resource: { readonly type: string; readonly props: Props } | Method,
): Promise<T> {
  try {
    return await process.work.track(work);
  } catch (error) {
    const described = process.messages.describe(error, resource);
    if ("operation" in resource) process.report(failedReportEntryOf(resource, error, described));
    const code = described.isRepetition ? undefined : codeOf(error);
    throw new ReportedError(withCode(described.text, code), error, resource.props);
  } finally {
    await process.flush();
  }
}

/**
 * An error for Pulumi's process. With `id` it becomes a partially created resource, and must then carry the provider's
 * text, because Pulumi does not add it.
 */
export class ReportedError extends Error {
  readonly id?: string;
  readonly properties?: Record<string, unknown>;
  readonly reasons?: string[];

  constructor(message: string, error: unknown, props: Props) {
    super(message);
    this.stack = "";
    if (!(error instanceof PartiallyCreated)) return;
    this.id = error.id;
    this.properties = { ...storable(error.outs), [PROVIDER_KEY]: props[PROVIDER_KEY] };
    this.reasons = [message];
  }

  override toString(): string {
    return "";
  }
}

/** Whether a process is the one in which Pulumi runs dynamic providers. @param argv as `process.argv` */
export function isPulumisProcess([, main = ""]: readonly string[]): boolean {
  return /[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]dynamic-provider([\\/]index(\.js)?)?$/.test(main);
}

/** What Pulumi's process prints for a ReportedError: text and stack, both empty. */
const PRINTED_ERROR = ": ";

/**
 * Prevents duplicate errors: Pulumi's process prints what check, diff, read and delete throw, in addition to the
 * diagnostic that Pulumi shows.
 */
export function reportErrorsOnce(console: Pick<Console, "error">): void {
  const print = console.error;
  console.error = (...values: unknown[]) => {
    if (values[0] !== PRINTED_ERROR) print.apply(console, values);
  };
}

type SchemasOf = Pick<AnyDefinition, "name" | "inputs" | "outputs" | "secretInputs">;

/** Reads inputs and outputs of a resource by its schemas. */
export class Schemas {
  readonly #definition: SchemasOf;

  constructor(definition: SchemasOf) {
    this.#definition = definition;
  }

  /** The inputs, with values that are not known yet as `unknown`, and what is wrong with them. */
  parse(news: Props): { readonly parsed: Knowable<Props>; readonly failures: InputIssue[] } {
    const { inputs } = this.#definition;
    const failures: InputIssue[] = [];
    const parsed: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(news)) {
      if (key === PROVIDER_KEY || value === null || value === undefined) continue;
      if (!(key in inputs))
        failures.push({ property: key, reason: `not an input of ${this.#definition.name}` });
      else if (holdsUnknown(value)) parsed[key] = unknown;
    }
    for (const [key, schema] of Object.entries(inputs)) {
      if (parsed[key] === unknown) continue;
      const value = news[key] ?? undefined;
      if (value === undefined && key === "organizationId") continue;
      const result = schema.safeParse(value, { error: schemaErrorMessage });
      if (!result.success) {
        for (const issue of inputIssuesOf(result.error, [key])) failures.push(this.withoutSecret(issue));
        // An invalid value counts as unknown: other issues still show, and this one causes no further ones.
        parsed[key] = unknown;
      } else if (result.data !== undefined) {
        parsed[key] = result.data;
      }
    }
    return { parsed, failures };
  }

  /** The inputs of a diff, which check has parsed already. */
  knowable(news: Props): Knowable<Props> {
    const { parsed, failures } = this.parse(news);
    if (failures.length > 0)
      throw new CodedError("invalid-input", `${this.#definition.name}: ${formatIssues(failures)}`);
    return parsed;
  }

  /** The inputs of a method that runs outside previews. */
  known(news: Props): Props {
    const parsed = this.knowable(news);
    for (const [key, value] of Object.entries(parsed))
      if (value === unknown)
        throw new CodedError(
          "invalid-input",
          `${this.#definition.name}: ${key} has no value outside a preview`,
        );
    return parsed;
  }

  /** The old inputs as far as they can be read; none on a creation. */
  oldInputs(olds: Props): Props | undefined {
    if (Object.keys(olds).length === 0) return undefined;
    const parsed: Record<string, unknown> = {};
    for (const [key, schema] of Object.entries(this.#definition.inputs)) {
      const result = schema.safeParse(olds[key]);
      if (result.success && result.data !== undefined) parsed[key] = result.data;
    }
    return parsed;
  }

  /** The outputs that the state holds. */
  state(id: string, olds: Props): Props {
    const { name, inputs, outputs } = this.#definition;
    const who = `${name} with the id ${id}`;
    const version = olds.stateVersion;
    if (typeof version === "number" && version > STATE_VERSION) {
      throw new CodedError(
        "newer-state",
        `cannot read the state of ${who}: a newer release of orgseat wrote it (state version ${version}, this release reads up to ${STATE_VERSION}). Nothing was sent to the service. Upgrade the package orgseat of this program, ${THEN_RUN_AGAIN}.`,
      );
    }
    // Pulumi keeps an absent input as null at times; nullable outputs keep theirs.
    const present = Object.entries(olds).filter(([key, value]) => value !== null || !(key in inputs));
    const result = outputs.safeParse(Object.fromEntries(present), { error: schemaErrorMessage });
    if (result.success) return result.data;
    throw new CodedError(
      "invalid-state",
      `cannot read the state of ${who}: ${formatIssues(inputIssuesOf(result.error))}. Nothing was sent to the service. Restore the state from a backup (\`pulumi stack import\`), ${THEN_RUN_AGAIN}.`,
    );
  }

  /** Names a secret property in the text only: Pulumi shows the value of the property that an issue names. */
  withoutSecret(issue: InputIssue): InputIssue {
    const { property, reason } = issue;
    const { secretInputs = [] } = this.#definition;
    const isSecret = ["credentials", ...secretInputs].some((key) => property.split(/[.[]/, 1)[0] === key);
    return isSecret ? { property: "", reason: `${property}: ${reason}` } : issue;
  }
}

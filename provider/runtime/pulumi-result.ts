/** Returns results and errors to Pulumi: outputs that it can store, messages of one line, each shown once. */

import { PartiallyCreated } from "../resources/resource.ts";
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
      .warn(`${error.message} The run continues: the state is too large to be kept in an error.`);
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
    throw new ReportedError(described.text, error, resource.props);
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

/** How what a method came to reaches Pulumi: outputs that it can store, errors of one sentence, said once. */
import { ALREADY_REPORTED, type ProviderProcess } from "./process.ts";
import { PartiallyCreated } from "./resources/resource.ts";
import { failedEntryOf, type Method } from "./run-report.ts";

type Props = Readonly<Record<string, unknown>>;

/** The input under which Pulumi keeps the provider's text. */
export const PROVIDER_KEY = "__provider";

/** Without `undefined`, which Pulumi refuses after the fact: the object would exist and the state not know it. */
export function storable(value: object): Record<string, unknown> {
  const plain: Record<string, unknown> = JSON.parse(JSON.stringify(value));
  return plain;
}

/** In bytes of JSON. Pulumi's process answers it in the headers of HTTP/2, of which 64 KiB arrive, in base64. */
const LARGEST_PARTIAL_BYTES = 32_000;

type Made = Pick<PartiallyCreated, "id" | "outs">;

/**
 * What a create or update came to. One that did not finish and is too large to be answered as such would be lost, and
 * done again by the next run: it counts as done, and its reason is a warning.
 */
export async function unlessTooLarge(process: ProviderProcess, work: () => Promise<Made>): Promise<Made> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PartiallyCreated)) throw error;
    if (Buffer.byteLength(JSON.stringify(error.outs)) <= LARGEST_PARTIAL_BYTES) throw error;
    process
      .planContext()
      .warn(`${error.message} The run goes on all the same: its state is too large to be kept by a failure.`);
    return error;
  }
}

/** Runs one method: what it came to is noted where it changes something, messages have arrived before it answers, and an error is one sentence without a stack. */
export async function guard<T>(
  process: ProviderProcess,
  work: () => T | Promise<T>,
  resource: { readonly type: string; readonly props: Props } | Method,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const text = process.describe(error, resource);
    if ("operation" in resource) {
      process.report(failedEntryOf(resource, error, { text, isRepetition: text === ALREADY_REPORTED }));
    }
    throw new Report(text, error, resource.props);
  } finally {
    await process.flush();
  }
}

/**
 * An error as Pulumi's process shows it. With `id` it becomes a resource that exists and did not finish; it must then
 * carry the provider's text, which nobody adds.
 */
class Report extends Error {
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

/** What Pulumi's process makes of a Report when it prints it: the text and the stack, both left empty. */
const PRINTED_REPORT = ": ";

/**
 * Keeps errors from being said twice: what check, diff, read and delete throw is printed by Pulumi's process, on top of
 * the message that Pulumi shows by itself.
 */
export function reportErrorsOnce(console: Pick<Console, "error">): void {
  const print = console.error;
  console.error = (...values: unknown[]) => {
    if (values[0] !== PRINTED_REPORT) print.apply(console, values);
  };
}

/** Programs under Pulumi's mocks, and what lookups give them. */
import * as pulumi from "@pulumi/pulumi";
import { expect, vi } from "vitest";

/** Runs a program to its end. @returns what failed in it, as Pulumi's own runner catches it */
export async function run(program: () => void): Promise<string[]> {
  const failures: string[] = [];
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (error) => void failures.push(String(error)));
  try {
    const ended = pulumi.runtime.runInPulumiStack(async () => program());
    await ended.catch((error: unknown) => failures.push(String(error)));
    await pulumi.runtime.disconnect();
    await new Promise(setImmediate);
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
  }
  return failures;
}

type Monitor = NonNullable<ReturnType<typeof pulumi.runtime.getMonitor>>;

/** Shows each registration before Pulumi's mocks, which are set, get it. */
export function watchRegistrations(
  onRequest: (request: Parameters<Monitor["registerResource"]>[0]) => void,
): void {
  const monitor = pulumi.runtime.getMonitor();
  if (!monitor) throw new Error("no mocks");
  const register = monitor.registerResource.bind(monitor);
  vi.spyOn(monitor, "registerResource").mockImplementation((request, ...rest) => {
    onRequest(request);
    return register(request, ...rest);
  });
}

/** What a lookup failed with: one sentence, which Pulumi shows without a stack. */
export async function failureOf(lookup: Promise<unknown>): Promise<string> {
  const error: unknown = await lookup.then(
    (value) => new Error(`found ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!pulumi.RunError.isInstance(error)) throw error;
  expect(error.message).not.toContain("\n");
  return error.message;
}

export function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

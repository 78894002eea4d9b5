/** Programs under Pulumi's mocks. */
import * as pulumi from "@pulumi/pulumi";

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

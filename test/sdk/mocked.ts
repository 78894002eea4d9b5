/** Programs under Pulumi's mocks, and what lookups give them. */
import * as pulumi from "@pulumi/pulumi";
import { expect, vi } from "vitest";
import { environmentName } from "../../provider/config/setting-values.ts";
import { configurationOf } from "../setup/direct.ts";
import { makeServiceAccount, type Sandbox, sandbox, temporaryFolder } from "../setup/sandbox.ts";

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

/** What the engine gets of a resource. */
export interface Registered {
  readonly type: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly secretOutputs: readonly string[];
  readonly version: string;
  readonly aliases: readonly string[];
  readonly needed: readonly string[];
  readonly isProtected: boolean;
  readonly ignored: readonly string[];
}

/** Sets mocks that fill this map by name, the stack left out. @param outputs besides the inputs */
export async function recordRegistrations(registered: Map<string, Registered>, outputs = {}): Promise<void> {
  registered.clear();
  const requests = new Map<string, Omit<Registered, "type" | "inputs">>();
  await pulumi.runtime.setMocks({
    call: () => ({}),
    newResource: ({ name, type, inputs }) => {
      const request = requests.get(name);
      if (request !== undefined && type !== "pulumi:pulumi:Stack")
        registered.set(name, { type, inputs, ...request });
      return { id: `id-of-${name}`, state: { ...inputs, ...outputs } };
    },
  });
  watchRegistrations((request) => {
    requests.set(request.getName(), {
      secretOutputs: request.getAdditionalsecretoutputsList(),
      version: request.getVersion(),
      needed: request.getDependenciesList().map((urn) => urn.split("::").at(-1) ?? ""),
      aliases: request.getAliasesList().map((alias) => alias.getSpec()?.getType() ?? ""),
      isProtected: request.getProtect() === true,
      ignored: request.getIgnorechangesList(),
    });
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

/** Starts a service, which is what is configured. */
export async function configured(platform: Sandbox["service"]["platform"]): Promise<Sandbox> {
  const organization = await sandbox({ seats: 2 }, temporaryFolder(), platform);
  const account = await makeServiceAccount(organization);
  for (const name of Object.keys(process.env)) if (name.startsWith("ORGSEAT_")) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(configurationOf(organization, account))) vi.stubEnv(name, value);
  vi.stubEnv(environmentName("platform"), platform);
  await organization.requests();
  return organization;
}

/** A service whose model area has a model, a file and servers of a test's own, and a stack without an engine over it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type RunningService, startService } from "../../sandbox/service/index.ts";
import { configurationOf, DirectStack } from "./direct.ts";
import { type Sandbox, sandbox, sandboxOf } from "./sandbox.ts";
import { vectorTemplates } from "./vector-templates.ts";

type NewServer = Parameters<Sandbox["service"]["management"]["models"]["addServer"]>[0];

export interface ModelArea {
  readonly organization: Sandbox;
  readonly models: Sandbox["service"]["management"]["models"];
  readonly modelId: string;
  readonly fileId: string;
  /** Adds a server of the one file; stopped, unless told otherwise. @returns its id */
  addServer(tag: string, more?: Partial<NewServer>): Promise<string>;
  /** The tags of the servers that the service has. */
  servers(): Promise<string[]>;
}

export async function modelArea(organization?: Sandbox): Promise<ModelArea> {
  const made = organization ?? (await sandbox());
  const { management } = made.service;
  const { models } = management;
  const file = { name: "tiny-q4.gguf", quantization: "Q4_K_M", sizeBytes: 1_000_000 };
  const { modelId, fileIds } = await models.addModel({ name: "tiny", files: [file] });
  const [fileId = ""] = fileIds;
  let port = 8000;
  return {
    organization: made,
    models,
    modelId,
    fileId,
    addServer: (tag, more = {}) => models.addServer({ tag, fileId, port: port++, ...more }),
    servers: async () => (await management.snapshot()).servers.map(({ tag }) => tag),
  };
}

/** One service for all tests of a file, whose PostgreSQL takes a second to start. @returns what each test begins with */
export function sharedService(): () => Promise<Sandbox> {
  const dataFolder = mkdtempSync(join(tmpdir(), "orgseat-"));
  let service: RunningService | undefined;
  beforeAll(async () => {
    service = await startService({ dataFolder, vectorTemplates });
    // Starts its PostgreSQL, which on a busy machine takes longer than a client waits for a response.
    await service.management.models.vectorTables();
  });
  afterAll(async () => {
    await service?.close();
    rmSync(dataFolder, { recursive: true, force: true, maxRetries: 5 });
  });
  return async () => {
    if (service === undefined) throw new Error("the service did not start");
    const { management } = service;
    await management.clearFaults();
    await management.setSwitches({ tableItems: "object" });
    await management.models.runVectorDatabase(true);
    await management.clearRequests();
    return sandboxOf(service);
  };
}

/** A stack for which the model area alone is configured. */
export function modelStack(organization: Sandbox): DirectStack {
  const none = { clientId: "", clientSecret: "" };
  const both = configurationOf(organization, none);
  const own = ["ORGSEAT_MODEL_URL", "ORGSEAT_API_KEY"];
  return new DirectStack({
    ...Object.fromEntries(Object.entries(both).filter(([name]) => own.includes(name))),
    // A request that times out on a busy machine is sent again, or looked for.
    ...{ ORGSEAT_TIMEOUT: "1h", ORGSEAT_OPERATION_TIMEOUT: "1h" },
  });
}

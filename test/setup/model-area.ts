/** A service whose model area has a model, a file and servers of a test's own, and a stack without an engine over it. */
import { configurationOf, DirectStack } from "./direct.ts";
import { type Sandbox, sandbox } from "./sandbox.ts";

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

/** A stack for which the model area alone is configured. */
export function modelStack({ organization }: ModelArea): DirectStack {
  const none = { clientId: "", clientSecret: "" };
  const both = configurationOf(organization, none);
  const own = ["ORGSEAT_MODEL_URL", "ORGSEAT_API_KEY"];
  return new DirectStack(Object.fromEntries(Object.entries(both).filter(([name]) => own.includes(name))));
}

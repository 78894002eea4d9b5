/** The sandbox service over bare HTTP: requests are built from the list of the interface, with no code of the client. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type RunningService, startService } from "../../sandbox/service/index.ts";
import { type Answer, exchange } from "../setup/exchange.ts";
import { vectorTemplates } from "../setup/vector-templates.ts";
import { listedCall } from "./interface.ts";

/** Where the service's clock begins. */
const START = Date.parse("2026-01-15T12:00:00Z");
const SUBSCRIPTION_END = "2026-12-31T23:59:59Z";
const API_KEY = "2b1f0f3c-2d0e-4a55-9a53-0d8f7c1b2e3d";

export interface Asked {
  /** Of the path; `org_id` is the sandbox's own if it is not named. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The `Authorization` header; by default the credential of the call, `null` for none. */
  readonly authorization?: string | null;
}

/** A field of an answer, or of what stands inside it: `data.0.id`. */
export function fieldOf(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((at, name) => Object.entries(at ?? {}).find(([key]) => key === name)?.[1], value);
}

function textOf(value: unknown, path: string): string {
  const found = fieldOf(value, path);
  if (typeof found !== "string") throw new Error(`${path} is no text in ${JSON.stringify(value)}`);
  return found;
}

/** Status and code of an error body. */
export function refusalOf({ status, body }: Answer): unknown[] {
  return [status, fieldOf(body, "error.code")];
}

/** A running service with a token of each kind. */
export class Sandbox {
  readonly service: RunningService;
  /** The `Authorization` header of each credential. */
  readonly shown = { User_Token: "", ServiceAccount_Token: "", "API key": `Bearer ${API_KEY}` };
  readonly account = { client_id: "", client_secret: "" };

  constructor(service: RunningService) {
    this.service = service;
  }

  get management() {
    return this.service.management;
  }

  get organizationId(): string {
    return this.service.seed.organizationId;
  }

  /** Sends a call as the interface lists it. */
  async ask(number: number, asked: Asked = {}): Promise<Answer> {
    const call = listedCall(number);
    const variables: Record<string, string> = { org_id: this.organizationId, ...asked.variables };
    const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(variables[name] ?? `no-${name}`),
    );
    const url = new URL((call.area === "model" ? this.service.modelUrl : this.service.orgUrl) + path);
    const { authorization = this.shown[call.credential] } = asked;
    const headers = new Headers(authorization === null ? {} : { authorization });
    if (asked.body === undefined) return exchange(url, { method: call.method, headers });
    headers.set("content-type", "application/json");
    return exchange(url, { method: call.method, headers, body: JSON.stringify(asked.body) });
  }

  /** Asks the token endpoint (D3). */
  askToken(form: Record<string, string>): Promise<Answer> {
    return exchange(new URL(this.service.tokenUrl), { method: "POST", body: new URLSearchParams(form) });
  }

  /** Both kinds of token, fresh. */
  async signIn(): Promise<void> {
    const { username, password } = this.service.seed;
    const admin = await this.askToken({ grant_type: "password", username, password });
    this.shown.User_Token = `Bearer ${textOf(admin.body, "access_token")}`;
    if (this.account.client_id === "") {
      const { body } = await this.ask(1, { body: { name: "tests" } });
      this.account.client_id = textOf(body, "client_id");
      this.account.client_secret = textOf(body, "client_secret");
    }
    const account = await this.askToken({ grant_type: "client_credentials", ...this.account });
    this.shown.ServiceAccount_Token = `Bearer ${textOf(account.body, "access_token")}`;
  }

  /** The variables of the paths of one new user. */
  async addUser(body: object = {}): Promise<{ user_id: string }> {
    return { user_id: textOf((await this.ask(5, { body })).body, "id") };
  }

  /** Issues a token to the end of the subscription. @returns its value */
  async issue(variables: { user_id: string }): Promise<string> {
    return textOf((await this.ask(7, { variables, body: { expires_at: SUBSCRIPTION_END } })).body, "token");
  }

  /** A model of one file, and a server of it. */
  async addServer(
    status: "running" | "stopped" = "stopped",
  ): Promise<{ server_id: string; model_id: string }> {
    const file = { name: "model.gguf", sizeBytes: 4_000_000_000, quantization: "Q4_K_M" };
    const { modelId: model_id, fileIds } = await this.management.models.addModel({
      name: "a model",
      files: [file],
    });
    const [file_id = ""] = fileIds;
    const server_id = await this.management.models.addServer({
      tag: "nightly",
      port: 8080,
      fileId: file_id,
      status,
    });
    return { server_id, model_id };
  }
}

/** Starts a service on a folder and ports of its own, closed with the test. */
export async function openSandbox(): Promise<Sandbox> {
  const dataFolder = mkdtempSync(join(tmpdir(), "orgseat-interface-"));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const service = await startService({
    dataFolder,
    vectorTemplates,
    now: () => START,
    seed: { seats: 2, subscriptionExpiresAt: SUBSCRIPTION_END, apiKey: API_KEY },
  });
  onTestFinished(() => service.close());
  const sandbox = new Sandbox(service);
  await sandbox.signIn();
  return sandbox;
}

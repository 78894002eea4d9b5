/** A running sandbox service a test, on its own folder and ports, and short ways to call it over HTTP. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { z } from "zod";
import { areaOf, type CredentialKind } from "../../../provider/api/calls/call.ts";
import { calls } from "../../../provider/api/calls/calls.ts";
import { type CallTable, platforms } from "../../../provider/api/calls/platform.ts";
import {
  accessTokenSchema,
  createdServiceAccountSchema,
  userSchema,
} from "../../../provider/api/schemas/schemas.ts";
import { type RunningService, type ServiceOptions, startService } from "../../../sandbox/service/index.ts";
import { type Answer, exchange } from "../../setup/exchange.ts";
import { vectorTemplates } from "../../setup/vector-templates.ts";

/** Where every test's clock begins. */
export const START = Date.parse("2026-01-15T12:00:00Z");
export const SUBSCRIPTION_END = "2026-12-31T23:59:59Z";
export const DAY_MS = 86_400_000;

export type CallName = keyof typeof calls;

export const callNames = Object.keys(calls).filter((name): name is CallName => name in calls);
/** Those of the organization area. */
export const organizationCalls = callNames.filter((name) => areaOf(calls[name]) === "organization");

export { type Answer, exchange };

export interface SendOptions {
  readonly token?: string | undefined;
  /** With its question mark. */
  readonly query?: string;
  readonly body?: unknown;
  /** Besides those of the platform, which they override; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string().min(1) }) });
const detailSchema = z.object({ detail: z.array(z.object({ loc: z.array(z.unknown()), type: z.string() })) });

/** The `error.code` of an error body. */
export function codeOf(answer: Answer): string {
  return errorSchema.parse(answer.body).error.code;
}

/** The fields that a 422 names, as `body.email`. */
export function fieldsOf(answer: Answer): string[] {
  return detailSchema.parse(answer.body).detail.map(({ loc }) => loc.join("."));
}

/** Takes what has to be done when the test, or the tests that share something, have ended. */
type AtEnd = (work: () => void | Promise<void>) => void;

/** Makes a folder that goes away with the test. */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "orgseat-service-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One running service with its admin signed in and a service account at hand. */
export class Sandbox {
  readonly service: RunningService;
  /** The User_Token of the admin. */
  adminToken = "";
  /** The ServiceAccount_Token of `account`. */
  accountToken = "";
  account = { clientId: "", clientSecret: "" };

  constructor(service: RunningService) {
    this.service = service;
  }

  get management() {
    return this.service.management;
  }

  get #tokens(): Record<CredentialKind, string> {
    return { user: this.adminToken, serviceAccount: this.accountToken, apiKey: this.service.seed.apiKey };
  }

  get organizationId(): string {
    return this.service.seed.organizationId;
  }

  askToken(form: Record<string, string>): Promise<Answer> {
    return exchange(this.service.tokenUrl, { method: "POST", body: new URLSearchParams(form) });
  }

  async signIn(): Promise<void> {
    const { username, password } = this.service.seed;
    this.adminToken = accessTokenOf(await this.askToken({ grant_type: "password", username, password }));
  }

  /** Makes the service account `ci` and signs it in. */
  async makeAccount(): Promise<void> {
    const made = createdServiceAccountSchema.parse(
      (await this.send("createServiceAccount", {}, { body: { name: "ci" } })).body,
    );
    this.account = { clientId: made.client_id, clientSecret: made.client_secret };
    await this.signInAccount();
  }

  async signInAccount(): Promise<void> {
    const { clientId, clientSecret } = this.account;
    const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
    this.accountToken = accessTokenOf(await this.askToken(form));
  }

  /** The URL of a call, its variables filled in; `org_id` is the sandbox's own if it is not named. */
  url(name: keyof CallTable, variables: Record<string, string> = {}, query = ""): string {
    const all: Record<string, string> = { org_id: this.organizationId, ...variables };
    const call = this.#call(name);
    const base = areaOf(call) === "model" ? this.service.modelUrl : this.service.orgUrl;
    const path = call.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(all[key] ?? key));
    return base + path + query;
  }

  /** Sends a call with the credential that the contract asks for, unless a token is named. */
  send(
    name: keyof CallTable,
    variables: Record<string, string> = {},
    options: SendOptions = {},
  ): Promise<Answer> {
    const call = this.#call(name);
    const token = options.token ?? this.#tokens[call.credential];
    const headers = new Headers(token === "" ? {} : { authorization: `Bearer ${token}` });
    for (const [header, value] of platforms[this.service.platform].headers) {
      headers.set(header, value.replace("{org_id}", variables.org_id ?? this.organizationId));
    }
    if (options.body !== undefined) headers.set("content-type", "application/json");
    for (const [header, value] of Object.entries(options.headers ?? {})) {
      if (value === undefined) headers.delete(header);
      else headers.set(header, value);
    }
    return exchange(this.url(name, variables, options.query), {
      method: call.method,
      headers,
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
  }

  #call(name: keyof CallTable): NonNullable<CallTable[keyof CallTable]> {
    const table: CallTable = platforms[this.service.platform].calls;
    const call = table[name];
    if (!call) throw new Error(`the platform has no call ${name}`);
    return call;
  }

  /** Adds a user and returns the id. */
  async addUser(body: Record<string, string> = {}): Promise<string> {
    return userSchema.parse((await this.send("createUser", {}, { body })).body).id;
  }
}

export function accessTokenOf(answer: Answer): string {
  return accessTokenSchema.parse(answer.body).access_token;
}

/** Starts a service on a fresh folder (or on `dataFolder`), closed with the test, its clock at START. */
export async function startSandbox(
  options: Partial<ServiceOptions> = {},
  atEnd: AtEnd = onTestFinished,
): Promise<Sandbox> {
  const service = await startService({
    dataFolder: options.dataFolder ?? temporaryFolder(atEnd),
    now: () => START,
    vectorTemplates,
    ...options,
    seed: { seats: 2, subscriptionExpiresAt: SUBSCRIPTION_END, ...options.seed },
  });
  atEnd(() => service.close());
  const sandbox = new Sandbox(service);
  await sandbox.signIn();
  await sandbox.makeAccount();
  await sandbox.management.clearRequests();
  return sandbox;
}

/** One service for all tests of a file, for what is slow to start. @returns a way to it, for inside of a test */
export function shareSandbox(options: Partial<ServiceOptions> = {}): () => Sandbox {
  const ends: (() => void | Promise<void>)[] = [];
  let shared: Sandbox | undefined;
  beforeAll(async () => {
    shared = await startSandbox(options, (work) => void ends.push(work));
  });
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return () => {
    if (!shared) throw new Error("asked for outside of a test");
    return shared;
  };
}

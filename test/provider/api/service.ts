/** A small real HTTP service for tests of the client: every request is on record, every answer scripted. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createRawServer, type Socket } from "node:net";
import { ApiError } from "../../../provider/api/calls/errors.ts";
import type { OrganizationApi } from "../../../provider/api/calls/organization.ts";
import { platforms } from "../../../provider/api/calls/platform.ts";
import type { Credentials } from "../../../provider/api/client/credentials.ts";
import { type Client, type ClientSettings, createClient } from "../../../provider/api/client.ts";
import type { Clock } from "../../../provider/util/instants.ts";
import type { Certificate } from "../../setup/certificate.ts";

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Scripted {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | object;
  /** Instead of an answer: closes the connection, never answers, or stops in the middle of the body. */
  readonly fault?: "close" | "hang" | "cut";
}

export type Script = (request: Received, count: number) => Scripted | Promise<Scripted>;

export const credentials: Credentials = {
  user: { username: "admin@example.org", password: 'Pa55 w/ö"rd+secret' },
  serviceAccount: { clientId: "the-client", clientSecret: "client-secret-0815" },
};

/** A service with an organization area below `/api/v1` and a token endpoint at `/token`. */
export class Service implements AsyncDisposable {
  readonly calls: Received[] = [];
  readonly tokenRequests: Received[] = [];
  readonly #server: Server;
  readonly #host: string;
  readonly #clients: Client[] = [];

  private constructor(server: Server, host: string) {
    this.#server = server;
    this.#host = host;
  }

  /**
   * @param onToken default: a token `access-<n>` that lives 900 s
   * @param tls of a service that is known as service.example, which only a proxy can find
   */
  static async start(onCall: Script, onToken?: Script, tls?: Certificate): Promise<Service> {
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", async () => {
        const { method = "", url = "", headers } = request;
        const isToken = url === "/token";
        const log = isToken ? service.tokenRequests : service.calls;
        const received = { method, url, headers, body };
        log.push(received);
        const script = isToken ? (onToken ?? issue) : onCall;
        play(await script(received, log.length), response);
      });
    };
    const server = tls ? createTlsServer(tls, answer) : createServer(answer);
    const service = new Service(server, tls ? "https://service.example" : "http://127.0.0.1");
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#host}:${this.port}`;
  }

  client(settings: Partial<ClientSettings> = {}): Client {
    const client = createClient({
      orgUrl: `${this.url}/api/v1`,
      tokenUrl: `${this.url}/token`,
      platform: platforms.basic,
      ...settings,
    });
    this.#clients.push(client);
    return client;
  }

  organization(settings: Partial<ClientSettings> = {}): OrganizationApi {
    return this.client(settings).organization("the-org", credentials);
  }

  /** What configures a command: this service, and a service account. @param more over these variables */
  variables(more: Readonly<Record<string, string>>): Readonly<Record<string, string | undefined>> {
    return {
      ORGSEAT_ORG_URL: `${this.url}/api/v1`,
      ORGSEAT_TOKEN_URL: `${this.url}/token`,
      ORGSEAT_CLIENT_ID: credentials.serviceAccount?.clientId,
      ORGSEAT_CLIENT_SECRET: credentials.serviceAccount?.clientSecret,
      ...more,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}

function issue(_: Received, count: number): Scripted {
  return { body: { access_token: `access-${count}`, token_type: "Bearer", expires_in: 900 } };
}

function play(scripted: Scripted, response: ServerResponse): void {
  const { status = 200, headers = {}, body = "", fault } = scripted;
  if (fault === "close") return void response.destroy();
  if (fault === "hang") return;
  // The clock of a test is another one than this machine's.
  response.sendDate = false;
  const text = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  response.writeHead(status, fault === "cut" ? { ...headers, "content-length": "100000" } : headers);
  if (fault === "cut") response.write(text || "{", () => response.destroy());
  else response.end(text);
}

/** A clock that stands still until someone sleeps, and then goes straight to the next wake-up. */
export class TestClock implements Clock {
  /** How long each sleep was, in milliseconds. */
  readonly sleeps: number[] = [];
  #time = 1_000_000;
  #sleepers: { at: number; wake: () => void }[] = [];

  now(): number {
    return Date.UTC(2027, 0, 1) + this.#time - 1_000_000;
  }
  monotonic(): number {
    return this.#time;
  }
  advance(ms: number): void {
    this.#time += ms;
  }
  sleep(ms: number): Promise<void> {
    this.sleeps.push(ms);
    return new Promise((wake) => {
      this.#sleepers.push({ at: this.#time + ms, wake });
      setTimeout(() => this.#next(), 3);
    });
  }
  #next(): void {
    if (this.#sleepers.length === 0) return;
    const at = Math.min(...this.#sleepers.map((sleeper) => sleeper.at));
    this.#time = Math.max(this.#time, at);
    for (const { wake } of this.#sleepers.filter((sleeper) => sleeper.at <= this.#time)) wake();
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.at > this.#time);
  }
}

/** The error of a call that has to fail. */
export async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) throw new Error(`succeeded with ${JSON.stringify(outcome.value)}`);
  if (outcome.error instanceof ApiError) return outcome.error;
  throw outcome.error;
}

/** An operation that ends in so many milliseconds of real time. */
export function during(ms = 10_000): { deadline: number } {
  return { deadline: performance.now() + ms };
}

/** A server below HTTP. @param onData what to do with each piece that arrives on a connection */
export async function startRaw(
  onData: (socket: Socket, text: string) => void,
): Promise<AsyncDisposable & { url: string }> {
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => onData(socket, data.toString("latin1")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

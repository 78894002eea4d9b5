/**
 * One exchange over HTTP: the request goes out once or not at all, and the outcome says which. Whether a failed
 * request had left decides whether it may be sent again, so this is read off undici's own order of events, not
 * guessed from error codes.
 */
import type { Dispatcher } from "undici";
import { decodeResponse } from "./encodings.ts";
import type { ProxyServer } from "./proxies.ts";

/** The size at which an answer is given up, in bytes. */
const LARGEST_ANSWER = 8 * 1024 * 1024;

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path and query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body?: string | undefined;
}

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A whole answer. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly text: string;
}

/** No whole answer. */
export interface HttpLoss {
  /** `never-left`: not one byte of the request was written. `lost`: anything else, also where that is only doubtful.
   *  `too-large`, `unreadable`: a whole answer came, and is of no use. */
  readonly loss: "never-left" | "lost" | "too-large" | "unreadable";
  /** The transport's error code, such as `ECONNREFUSED`; `TIMEOUT` where our own time-out ended it. */
  readonly code: string;
  /** The transport's message; nothing else of its error is kept, for undici's hold sockets and raw bytes. */
  readonly message: string;
}

/** How an origin is reached. */
export interface ConnectionOptions {
  /** Connections at most. */
  readonly connections: number;
  /** After which an attempt to connect is given up. */
  readonly connectTimeoutMs: number;
  /** Undefined: directly. */
  readonly proxy: ProxyServer | undefined;
}

/**
 * The connections to one origin. undici is loaded here and not before: a run that calls nothing, as most previews, does
 * not pay for it.
 */
export async function openConnections(
  origin: string,
  { connections, connectTimeoutMs, proxy }: ConnectionOptions,
): Promise<Dispatcher> {
  const { EnvHttpProxyAgent, Pool } = await import("undici");
  const options = {
    connections,
    connectTimeout: connectTimeoutMs,
    // One request at a time on a connection, and HTTP/1.1 only: the order of events below is proven for that.
    pipelining: 1,
    allowH2: false,
    // A POST written to a connection that the server is just closing is lost, and nobody can tell whether it was
    // read. So idle connections are left early: after 1 s (common servers close after 2 s and more), or, where the
    // server's Keep-Alive header says how long it waits, 2 s before that and at most after 4 s.
    keepAliveTimeout: 1_000,
    keepAliveTimeoutThreshold: 2_000,
    keepAliveMaxTimeout: 4_000,
    // One timer of our own spans the exchange, from connecting to the last byte.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (proxy === undefined) return new Pool(origin, options);
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: proxy.url.href,
    httpsProxy: proxy.url.href,
    noProxy: proxy.except,
    factory: (to, own) => new Pool(to, { ...own, ...options }),
    // A proxy that never answers CONNECT would be waited for after our own timer has ended the exchange.
    clientFactory: (to, own) => new Pool(to, { ...own, headersTimeout: Math.ceil(connectTimeoutMs) }),
  });
}

/**
 * Sends a request once. Redirects are answers like any other. Never rejects.
 * @param timeoutMs for everything, from connecting to the last byte of the answer
 */
export function exchange(
  connections: Dispatcher,
  origin: string,
  { method, path, headers, body }: HttpRequest,
  timeoutMs: number,
): Promise<HttpResponse | HttpLoss> {
  return new Promise((resolve) => {
    connections.dispatch(
      { origin, method, path, headers, body: body ?? null },
      new Exchange(resolve, timeoutMs),
    );
  });
}

/** The longest a timer can be told to wait; a longer time would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** That time as `setTimeout` can take it. */
export function timerMs(ms: number): number {
  return Math.min(ms, LONGEST_TIMER_MS);
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (outcome: HttpResponse | HttpLoss) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #headers: HttpHeaders = {};
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(resolve: (outcome: HttpResponse | HttpLoss) => void, timeoutMs: number) {
    this.#resolve = resolve;
    this.#timer = setTimeout(() => {
      this.#giveUp(undefined, "TIMEOUT", `no complete response within ${Math.round(timeoutMs)} ms`);
    }, timerMs(timeoutMs));
  }

  /**
   * undici calls this in the very turn in which it writes the request to a connected socket, and never before; with a
   * proxy that is a tunnel to the service, once the proxy has opened it, or else the connection to the proxy.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error("timed out while connecting"));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= LARGEST_ANSWER) this.#chunks.push(chunk);
    else this.#giveUp("too-large", "TOO_LARGE", `the response is larger than ${LARGEST_ANSWER} bytes`);
  }

  onResponseEnd(): void {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
    const decoded = decodeResponse(bytes, this.#headers["content-encoding"], LARGEST_ANSWER);
    if ("error" in decoded) {
      this.#settle({ loss: decoded.error, code: "ENCODING", message: decoded.message });
    } else {
      this.#settle({ status: this.#status, headers: this.#headers, text: decoded.toString("utf8") });
    }
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
    this.#settle({ loss: this.#lossNow(), code, message: error.message });
  }

  #lossNow(): "never-left" | "lost" {
    return this.#controller === undefined ? "never-left" : "lost";
  }

  #giveUp(loss: HttpLoss["loss"] | undefined, code: string, message: string): void {
    this.#settle({ loss: loss ?? this.#lossNow(), code, message });
    this.#controller?.abort(new Error(message));
  }

  #settle(outcome: HttpResponse | HttpLoss): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#chunks = [];
    this.#resolve(outcome);
  }
}

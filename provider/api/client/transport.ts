/**
 * One HTTP exchange: the request is sent once or not at all, and the outcome says which. Retries depend on whether a failed
 * request was sent, so this uses undici's order of events instead of error codes.
 */

import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from "node:zlib";
import type { Dispatcher } from "undici";
import { timerMs } from "../../util/instants.ts";
import type { ProxyServer } from "./proxies.ts";

/** The maximum size of a response, in bytes. */
const LARGEST_RESPONSE = 8 * 1024 * 1024;

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path and query. */
  readonly path: string;
  /** Names and values, alternating. */
  readonly headers: string[];
  readonly body?: string | undefined;
}

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly text: string;
}

/** A request without a usable response. */
export interface HttpLoss {
  /**
   * `never-left`: no byte of the request was written. `lost`: the request was or may have been sent. `too-large`,
   * `unreadable`: the response is complete and unusable.
   */
  readonly loss: "never-left" | "lost" | "too-large" | "unreadable";
  /** The transport's error code, such as `ECONNREFUSED`; `TIMEOUT` for the timeout of this module. */
  readonly code: string;
  /** The transport's message. The rest of undici's errors contains sockets and raw bytes. */
  readonly message: string;
}

/** The options of the connections to an origin. */
export interface ConnectionOptions {
  /** The maximum number of parallel requests. */
  readonly concurrency: number;
  /** The timeout of one request, without its wait for a free connection, in milliseconds. */
  readonly timeoutMs: number;
  /** Undefined: without a proxy. */
  readonly proxy: ProxyServer | undefined;
}

/** Opens connections. Loads undici only here, because most previews make no call. */
export async function openConnections({
  concurrency,
  timeoutMs,
  proxy,
}: ConnectionOptions): Promise<Dispatcher> {
  const { EnvHttpProxyAgent, Pool } = await import("undici");
  const proxyUrl = proxy?.url.href ?? "";
  const options = {
    connections: concurrency,
    connectTimeout: timeoutMs,
    // One request at a time on a connection, and HTTP/1.1 only: tests verify the order of events for these.
    pipelining: 1,
    allowH2: false,
    // If the server closes a connection while a POST is written to it, whether the server read the POST is unknown. So
    // this closes idle connections early: after 1 s (common servers close after at least 2 s), or, with a Keep-Alive
    // header of the server, 2 s before its time and after 4 s at most.
    keepAliveTimeout: 1_000,
    keepAliveTimeoutThreshold: 2_000,
    keepAliveMaxTimeout: 4_000,
    // The timer of Exchange covers everything from connecting to the last byte. These two limit the time to the headers
    // and the time between two parts of the body, so a response that trickles would never end.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  return new EnvHttpProxyAgent({
    ...options,
    // Empty: none. Without it, undici would read the environment of this process.
    httpProxy: proxyUrl,
    httpsProxy: proxyUrl,
    noProxy: proxy?.except ?? "",
    factory: (to, own) => new Pool(to, { ...own, ...options }),
    // Otherwise a proxy that never responds to CONNECT would keep the connection after the timer has ended the exchange.
    clientFactory: (to, own) => new Pool(to, { ...own, headersTimeout: Math.ceil(timeoutMs) }),
  });
}

/**
 * Sends a request once. Does not follow redirects. Never rejects.
 * @param timeoutMs for everything from connecting to the last byte of the response
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
   * undici calls this when it writes the request to a connected socket, in the same turn of the event loop, and never
   * earlier. With a proxy, the socket is the open tunnel to the service, or the connection to the proxy.
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
    if (this.#size <= LARGEST_RESPONSE) this.#chunks.push(chunk);
    else this.#giveUp("too-large", "TOO_LARGE", `the response is larger than ${LARGEST_RESPONSE} bytes`);
  }

  onResponseEnd(): void {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
    const decoded = decodeResponse(bytes, this.#headers["content-encoding"]);
    if ("loss" in decoded) this.#settle(decoded);
    else this.#settle({ status: this.#status, headers: this.#headers, text: decoded.toString("utf8") });
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

// undici's interceptor for this prints an ExperimentalWarning on the terminal of each user.
type Decode = (bytes: Buffer, options: ZlibOptions) => Buffer;

const decoders: Readonly<Record<string, Decode>> = {
  identity: (bytes) => bytes,
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  // Some servers omit the two-byte header of RFC 1950, whose first byte has 8 in its lower half.
  deflate: (bytes, options) =>
    ((bytes[0] ?? 0) & 15) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options),
  br: (bytes, { maxOutputLength = 0 }) => brotliDecompressSync(bytes, { maxOutputLength }),
};

/** @param header `Content-Encoding`, the last encoding outermost */
function decodeResponse(bytes: Buffer, header: string | string[] | undefined): Buffer | HttpLoss {
  let decoded = bytes;
  const names = String(header ?? "")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  // A response without a body can have an encoding too.
  for (const name of bytes.length === 0 ? [] : names.reverse()) {
    const decode = decoders[name];
    if (!decode) return undecoded("unreadable", "has an encoding that was not requested");
    try {
      decoded = decode(decoded, { maxOutputLength: LARGEST_RESPONSE });
    } catch (error) {
      const isTooLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
      return isTooLarge
        ? undecoded("too-large", `is larger than ${LARGEST_RESPONSE} bytes, decompressed`)
        : undecoded("unreadable", `is declared as ${name} and cannot be decompressed`);
    }
  }
  return decoded;
}

function undecoded(loss: HttpLoss["loss"], why: string): HttpLoss {
  return { loss, code: "ENCODING", message: `the response ${why}` };
}

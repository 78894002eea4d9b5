/**
 * The part of S3 that Pulumi's backend uses, over a folder whose files are the objects: get, head, put, copy, delete, and list
 * of one bucket, without a check of the signature. One write can fail: each put, copy, and delete counts.
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { listenOnLoopback } from "../setup/loopback.ts";

/**
 * - `before`: the client is gone before the bucket gets the write; `half`: when the bucket has a half of its bytes; `after`:
 *   before it gets the answer.
 * - `full`: this and all later writes that need space are refused.
 * - `away`: from this write on, every connection ends without an answer.
 * - `pause`: the write waits for `act`, and is done.
 */
export type BucketFault = "before" | "half" | "after" | "full" | "away" | "pause";

interface Plan {
  readonly write: number;
  readonly fault: BucketFault;
  /** Ends the client, and resolves when it is gone; of a pause, what happens meanwhile. */
  readonly act: () => Promise<void>;
}

const NAME = "acme-state";

export class Bucket {
  readonly folder: string;
  /** The method and the key of each write since the last plan. */
  writes: string[] = [];
  #address = "";
  #plan: Plan | undefined;
  #struck = false;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @param folder of the objects */
  static async over(folder: string): Promise<Bucket> {
    const bucket = new Bucket(folder);
    const server = createServer((incoming, outgoing) => void bucket.#answer(incoming, outgoing));
    // A client that is killed cuts its connection off.
    server.on("connection", (socket) => socket.on("error", () => socket.destroy()));
    bucket.#address = await listenOnLoopback(server);
    return bucket;
  }

  /** For PULUMI_BACKEND_URL. */
  get url(): string {
    return `s3://${NAME}?endpoint=${this.#address}&use_path_style=true&disable_https=true&region=us-east-1`;
  }

  get struck(): boolean {
    return this.#struck;
  }

  /** Counts the writes from now on; one of them fails. */
  plan(plan?: Plan): void {
    this.writes = [];
    this.#plan = plan;
    this.#struck = false;
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = incoming;
    const { pathname, searchParams } = new URL(url, this.#address);
    const key = decodeURIComponent(pathname).replace(new RegExp(`^/${NAME}/?`), "");
    if (method === "GET" || method === "HEAD") {
      if (this.#struck && this.#plan?.fault === "away") return void outgoing.destroy();
      if (key === "" && searchParams.has("list-type")) return this.#list(searchParams, outgoing);
      return this.#read(key, method, outgoing);
    }
    const write = this.writes.push(`${method} ${key}`);
    const plan = this.#plan;
    const isStruck = plan?.write === write;
    if (isStruck) this.#struck = true;
    if (plan !== undefined && this.#struck) {
      const { fault, act } = plan;
      if (fault === "away") return void outgoing.destroy();
      if (fault === "full" && method === "PUT") {
        await bodyOf(incoming);
        return refuse(outgoing, 507, "InsufficientStorage", "the disk of the bucket is full");
      }
      if (isStruck && fault === "pause") await act();
      if (isStruck && (fault === "before" || fault === "half")) {
        // S3 keeps an object only when it has the whole.
        if (fault === "half") await firstBytes(incoming);
        await act();
        return void outgoing.destroy();
      }
    }
    const body = await bodyOf(incoming).catch(() => undefined);
    if (body === undefined) return;
    this.#write(method, key, headers, body);
    if (plan !== undefined && isStruck && plan.fault === "after") {
      await plan.act();
      return void outgoing.destroy();
    }
    if (method === "DELETE") outgoing.writeHead(204).end();
    else if (headers["x-amz-copy-source"] !== undefined)
      xml(
        outgoing,
        `<CopyObjectResult><ETag>${etagOf(readFileSync(this.#file(key)))}</ETag></CopyObjectResult>`,
      );
    else outgoing.writeHead(200, { etag: etagOf(body) }).end();
  }

  #write(method: string, key: string, headers: IncomingMessage["headers"], body: Buffer): void {
    const file = this.#file(key);
    if (method === "DELETE") {
      rmSync(file, { force: true });
      return;
    }
    mkdirSync(dirname(file), { recursive: true });
    const from = headers["x-amz-copy-source"];
    const written = `${file}.put`;
    if (typeof from === "string")
      copyFileSync(this.#file(decodeURIComponent(from).replace(new RegExp(`^/?${NAME}/`), "")), written);
    else writeFileSync(written, body);
    renameSync(written, file);
  }

  #read(key: string, method: string, outgoing: ServerResponse): void {
    const file = this.#file(key);
    if (key === "" || !existsSync(file) || !statSync(file).isFile()) {
      refuse(outgoing, 404, "NoSuchKey", `no object ${key}`);
      return;
    }
    const content = readFileSync(file);
    outgoing.writeHead(200, {
      ...{ "content-length": content.length, "content-type": "application/json", etag: etagOf(content) },
      "last-modified": statSync(file).mtime.toUTCString(),
    });
    outgoing.end(method === "HEAD" ? undefined : content);
  }

  #list(query: URLSearchParams, outgoing: ServerResponse): void {
    const prefix = query.get("prefix") ?? "";
    const delimiter = query.get("delimiter") ?? "";
    const keys = readdirSync(this.folder, { recursive: true, encoding: "utf8" })
      .filter((key) => key.startsWith(prefix) && statSync(this.#file(key)).isFile())
      .toSorted();
    const folderOf = (key: string): string | undefined => {
      const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
      return end < 0 ? undefined : key.slice(0, end + delimiter.length);
    };
    const folders = new Set(keys.map(folderOf).filter((folder) => folder !== undefined));
    const objects = keys
      .filter((key) => folderOf(key) === undefined)
      .map((key) => {
        const { size, mtime } = statSync(this.#file(key));
        const etag = etagOf(readFileSync(this.#file(key)));
        return `<Contents><Key>${key}</Key><LastModified>${mtime.toISOString()}</LastModified><ETag>${etag}</ETag><Size>${size}</Size></Contents>`;
      });
    const prefixes = [...folders].map(
      (folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`,
    );
    xml(
      outgoing,
      `<ListBucketResult><Name>${NAME}</Name><Prefix>${prefix}</Prefix><IsTruncated>false</IsTruncated>${[...objects, ...prefixes].join("")}</ListBucketResult>`,
    );
  }

  #file(key: string): string {
    return join(this.folder, key);
  }
}

function etagOf(content: Buffer): string {
  return `"${createHash("md5").update(content).digest("hex")}"`;
}

function xml(outgoing: ServerResponse, text: string, status = 200): void {
  outgoing.writeHead(status, { "content-type": "application/xml" });
  outgoing.end(`<?xml version="1.0" encoding="UTF-8"?>${text}`);
}

function refuse(outgoing: ServerResponse, status: number, code: string, message: string): void {
  xml(outgoing, `<Error><Code>${code}</Code><Message>${message}</Message></Error>`, status);
}

/** Resolves with a part of the body, which ends the rest of it. */
async function firstBytes(incoming: IncomingMessage): Promise<void> {
  for await (const _ of incoming) return;
}

/** The whole body, without the frames in which SDKs send signed or checked parts. */
async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const body = Buffer.concat(chunks);
  if (!/aws-chunked/.test(String(incoming.headers["content-encoding"]))) return body;
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = body.indexOf("\r\n", at);
    const length = Number.parseInt(body.toString("latin1", at, line), 16);
    if (!(length > 0)) return Buffer.concat(parts);
    parts.push(body.subarray(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
}

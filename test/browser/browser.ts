/** A browser without a window, by its DevTools protocol: messages in JSON over two pipes, each ended by a zero byte. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { temporaryFolder } from "../setup/temporary.ts";
import { browserProgram } from "./chromium.ts";

export interface View {
  /** In CSS pixels. */
  readonly width: number;
  readonly height?: number;
  readonly isDark?: boolean;
  /** Whether it is laid out as on paper. */
  readonly isPrinted?: boolean;
}

export class Page {
  /** Errors of the console, and refusals of the page's own policy. */
  readonly console: string[];
  readonly #send: (method: string, params: object) => Promise<unknown>;

  constructor(console: string[], send: (method: string, params: object) => Promise<unknown>) {
    this.console = console;
    this.#send = send;
  }

  /** The value of an expression in the page, which may be a promise. */
  async evaluate<Value>(schema: z.ZodType<Value>, expression: string): Promise<Value> {
    const answer = await this.#send("Runtime.evaluate", {
      ...{ expression, awaitPromise: true, returnByValue: true },
    });
    const { result, exceptionDetails } = evaluationSchema.parse(answer);
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return schema.parse(result.value);
  }

  /** @param height from the top of the page, in CSS pixels. @returns a PNG */
  async screenshot(width: number, height: number): Promise<Buffer> {
    const answer = await this.#send("Page.captureScreenshot", {
      ...{ format: "png", captureBeyondViewport: true, optimizeForSpeed: false },
      clip: { x: 0, y: 0, width, height, scale: 1 },
    });
    return Buffer.from(z.object({ data: z.string() }).parse(answer).data, "base64");
  }
}

const evaluationSchema = z.object({
  result: z.object({ value: z.unknown().optional() }),
  exceptionDetails: z.unknown().optional(),
});
const messageSchema = z.object({
  id: z.number().optional(),
  sessionId: z.string().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});
type Message = z.infer<typeof messageSchema>;
const targetSchema = z.object({ targetId: z.string() });
const sessionSchema = z.object({ sessionId: z.string() });
const entrySchema = z.object({ entry: z.object({ text: z.string() }) });

export class Browser {
  readonly #child: ChildProcess;
  readonly #input: Writable;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #listeners = new Set<(message: Message) => void>();
  #last = 0;

  private constructor(child: ChildProcess, input: Writable, output: Readable) {
    this.#child = child;
    this.#input = input;
    let rest = "";
    output.setEncoding("utf8").on("data", (text: string) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop() ?? "";
      for (const message of messages) this.#receive(messageSchema.parse(JSON.parse(message)));
    });
    child.once("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the browser has ended"));
    });
  }

  /** Starts one that ends with the test. */
  static async start(): Promise<Browser> {
    const { command, environment } = await browserProgram();
    const args = [
      ...["--headless", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--font-render-hinting=none"],
      ...["--remote-debugging-pipe", `--user-data-dir=${join(temporaryFolder(), "profile")}`],
      // The pages are ours, and root and some containers have no sandbox.
      "--no-sandbox",
    ];
    const child = spawn(command, args, {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    const [, , , input, output] = child.stdio;
    if (!(input instanceof Writable && output instanceof Readable))
      throw new Error("no pipes to the browser");
    input.on("error", () => undefined);
    const ended = once(child, "close");
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    return new Browser(child, input, output);
  }

  /** Opens a page from a file. @param text in HTML */
  async open(text: string, { width, height = 900, isDark = false, isPrinted = false }: View): Promise<Page> {
    const file = join(temporaryFolder(), "page.html");
    writeFileSync(file, text);
    const { targetId } = targetSchema.parse(await this.#send("Target.createTarget", { url: "about:blank" }));
    const attached = await this.#send("Target.attachToTarget", { targetId, flatten: true });
    const { sessionId } = sessionSchema.parse(attached);
    const send = (method: string, params: object = {}) => this.#send(method, params, sessionId);
    const { console, loaded } = this.#listen(sessionId);
    for (const domain of ["Page", "Log", "Runtime"]) await send(`${domain}.enable`);
    const metrics = { width, height, deviceScaleFactor: 1, mobile: false };
    await send("Emulation.setDeviceMetricsOverride", metrics);
    await send("Emulation.setEmulatedMedia", {
      media: isPrinted ? "print" : "screen",
      features: [{ name: "prefers-color-scheme", value: isDark ? "dark" : "light" }],
    });
    await send("Page.navigate", { url: pathToFileURL(file).href });
    await loaded;
    return new Page(console, send);
  }

  /** @returns what the console of a page gets, and when the page is loaded */
  #listen(sessionId: string): { console: string[]; loaded: Promise<void> } {
    const console: string[] = [];
    const { promise: loaded, resolve } = Promise.withResolvers<void>();
    this.#listeners.add(({ sessionId: from, method, params }) => {
      if (from !== sessionId) return;
      if (method === "Page.loadEventFired") resolve();
      if (method === "Log.entryAdded") console.push(entrySchema.parse(params).entry.text);
      if (method === "Runtime.exceptionThrown" || method === "Runtime.consoleAPICalled")
        console.push(JSON.stringify(params));
    });
    return { console, loaded };
  }

  #send(method: string, params: object, sessionId?: string): Promise<unknown> {
    this.#last += 1;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#last, answer);
    this.#input.write(`${JSON.stringify({ id: this.#last, method, params, sessionId })}\0`);
    if (this.#child.exitCode !== null) answer.reject(new Error("the browser has ended"));
    return answer.promise;
  }

  #receive(message: Message): void {
    if (message.id === undefined) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    const answer = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error !== undefined) answer?.reject(new Error(message.error.message));
    else answer?.resolve(message.result);
  }
}

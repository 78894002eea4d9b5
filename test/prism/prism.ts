/**
 * Prism, a proxy of a third party: it compares each request and each response with an OpenAPI document, and answers in
 * the service's place where one of them breaks it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { InterceptedRequest } from "../setup/intercepting-proxy.ts";
import { installedOnDemand } from "../setup/on-demand.ts";

export interface Prism {
  /** Its address, in the place of the service's. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts Prism in front of a service.
 * @param document an OpenAPI document
 * @param file where Prism reads it
 * @param service any address of it
 */
export async function startPrism(document: unknown, file: string, service: string): Promise<Prism> {
  writeFileSync(file, JSON.stringify(document));
  const command = join(await installedOnDemand("prism"), "@stoplight", "prism-cli", "dist", "index.js");
  const args = ["proxy", file, new URL(service).origin, "--errors", "--port", "0"];
  const child = spawn(process.execPath, [command, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const close = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  return { url: await addressOf(child), close };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (text: Buffer): void => {
      said += text.toString();
      const [, url] = /listening on (http:\/\/\S+)/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    };
    // Both are read to the end, or Prism would wait when the pipe is full.
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("exit", () => reject(new Error(`prism ended: ${said}`)));
  });
}

/** What Prism found wrong: of a request, of a response, or a status that the document does not list. */
export function violationsIn(passed: readonly InterceptedRequest[]): string[] {
  return passed.flatMap(({ method, path, answer }) => {
    const found = answer?.headers["sl-violations"];
    const isPrisms = String(answer?.headers["content-type"]).startsWith("application/problem+json");
    if (answer === undefined || (found === undefined && !isPrisms)) return [];
    return [`${method} ${path}: ${isPrisms ? answer.body.toString() : String(found)}`];
  });
}

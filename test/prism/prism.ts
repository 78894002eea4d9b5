/**
 * Prism, a proxy of a third party: it compares each request and each response with an OpenAPI document, and answers in
 * the service's place where one of them breaks it.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { packageRoot } from "../../sandbox/package-root.ts";
import type { InterceptedRequest } from "../setup/intercepting-proxy.ts";
import { makeUnlessThere } from "../setup/once.ts";

const own = join(packageRoot, "test", "prism");
const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()) });

export interface Prism {
  /** Its address, in the place of the service's. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Installs Prism below `.orgseat`, once for all runs, because the root's `npm ci` leaves it out. Install scripts do not run.
 * @returns its command
 */
async function installPrism(): Promise<string> {
  const manifest: unknown = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
  const version = manifestSchema.parse(manifest).dependencies["@stoplight/prism-cli"];
  const installs = join(packageRoot, ".orgseat", "prism");
  mkdirSync(installs, { recursive: true });
  const folder = await makeUnlessThere(join(installs, String(version)), async (empty) => {
    for (const name of ["package.json", "package-lock.json"]) cpSync(join(own, name), join(empty, name));
    const options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    await promisify(execFile)("npm", options, { cwd: empty });
  });
  return join(folder, "node_modules", "@stoplight", "prism-cli", "dist", "index.js");
}

/**
 * Starts Prism in front of a service.
 * @param document an OpenAPI document
 * @param file where Prism reads it
 * @param service any address of it
 */
export async function startPrism(document: unknown, file: string, service: string): Promise<Prism> {
  writeFileSync(file, JSON.stringify(document));
  const command = await installPrism();
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

/**
 * Exchanges: files of operations as Pulumi asks resources for them, with all that a resource sends to a service whose answers are
 * given, what it says, and what changes in the state. The files are stories (`test/command/stories/stories.ts`).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { definitions } from "../../provider/definitions.ts";
import { DynamicProvider } from "../../provider/runtime/dynamic.ts";
import { type Story, testStories } from "../command/stories/stories.ts";
import type { Received, Scripted } from "../provider/api/service.ts";
import { type Held, operate } from "./operations.ts";
import { ORGANIZATION, scripted } from "./scripted.ts";

const DAY_MS = 86_400_000;
/** The prefixes of paths that no request lacks. */
const PREFIX = new RegExp(`^/(?:api/v1/organizations/${ORGANIZATION}|m)(?=/)`);
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

const bodySchema = z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]);

type TypeName = keyof typeof definitions;
class Exchange {
  /** By method and path, or "" for all others; the last answer stays. */
  readonly #answers: Map<string, Scripted[]>;
  readonly #run: Awaited<ReturnType<typeof scripted>>;
  readonly #known: Map<string, unknown>;
  /** What the text says of ids is no random one. */
  readonly #text: string;
  readonly #state = new Map<string, Held>();
  #process;
  #sent: string[] = [];

  private constructor(
    run: Awaited<ReturnType<typeof scripted>>,
    text: string,
    answers: Map<string, Scripted[]>,
  ) {
    this.#run = run;
    this.#text = text;
    this.#answers = answers;
    this.#process = run.process;
    this.#known = new Map([["unknown", "04da6b54-80e4-46f7-96ec-b56ff0331ba9"]]);
  }

  /** @param head the lines above the stories of a file */
  static async of({ setting, lines }: Story, head: readonly string[]): Promise<Exchange> {
    const answers = new Map<string, Scripted[]>();
    const environment = setting
      .split(" ")
      .filter(Boolean)
      .map((word) => {
        const [name = "", value] = word.split("=");
        return value === undefined ? ["ORGSEAT_PLATFORM", name] : [`ORGSEAT_${name}`, value];
      });
    const run = await scripted((request) => exchange.#answer(request), Object.fromEntries(environment));
    const exchange = new Exchange(run, [...head, ...lines].join("\n"), answers);
    for (const line of head) await exchange.line(line);
    return exchange;
  }

  /** @returns what came of a line */
  async line(text: string): Promise<readonly string[]> {
    const [, name, value = ""] = /^\$(\w+) = (.*)$/.exec(text) ?? [];
    const [, word = "", what = "", rest = ""] = /^(\w+)(?: ([^{]\S*))?(?: (.*))?$/.exec(text) ?? [];
    if (name !== undefined) this.#known.set(name, this.#read(value));
    else if (text.startsWith("answers")) this.#script(text);
    else if (word === "time") this.#run.clock.advance(Number.parseInt(what, 10) * DAY_MS);
    else if (word === "again") this.#process = this.#run.startProcess();
    else if (word === "pauses") return [this.#run.clock.sleeps.splice(0).join(" ") || "none"];
    else return this.#operate(word, what, z.array(z.unknown()).parse(this.#read(`[${rest}]`)));
    return [];
  }

  /** `answers POST /users: close | 409 {error: {code: NO}}`; without a route, the answers of all other requests. */
  #script(text: string): void {
    const [, route = "", answers = ""] = /^answers ?([A-Z]+ \S+)?: (.*)$/.exec(text) ?? [];
    this.#answers.set(
      route,
      answers.split(" | ").map((one) => {
        const [, fault, status, body = ""] = /^(?:(close|cut)|(\d{3})?)? ?(.*)$/.exec(one) ?? [];
        if (fault === "close" || fault === "cut") return { fault };
        return { status: Number(status ?? 200), ...(body && { body: bodySchema.parse(this.#read(body)) }) };
      }),
    );
  }

  #answer({ method, url, body }: Received): Scripted {
    const path = url.replace(PREFIX, "");
    const routes = [`${method} ${path}`, `${method} ${path.replace(/\?.*/, "")}`, ""];
    const route = routes.find((one) => this.#answers.has(one));
    const answers = this.#answers.get(route ?? "") ?? [{ status: 500 }];
    const [answer = {}] = answers.length > 1 ? answers.splice(0, 1) : answers;
    this.#sent.push(`${method} ${path}${body && ` ${body}`} -> ${answer.fault ?? answer.status}`);
    return answer;
  }

  async #operate(verb: string, what: string, args: readonly unknown[]): Promise<string[]> {
    const type = what.replace(/:.*/, "");
    if (!isType(type)) throw new Error(`no resource is called ${what}`);
    const resource = new DynamicProvider(definitions[type], this.#process);
    const { lines, held } = await operate(verb, { resource, held: this.#state.get(what), args });
    if (held !== undefined) this.#state.set(what, held);
    const said = this.#run.messages.splice(0).map(({ severity, text }) => `${severity}: ${text}`);
    return [...repeated(this.#sent.splice(0)), ...said, ...lines].map((line) => this.#masked(line));
  }

  #masked(text: string): string {
    return text
      .replaceAll(this.#run.service.url, "<service>")
      .replaceAll(UUID, (id) => (this.#text.includes(id) ? id : "<id>"))
      .replaceAll(/\b(user|seat|token|undecided)-[0-9a-f]{8}-[0-9a-f]{4}\b/g, "<$1>");
  }

  /** YAML, in which `$name` is a value of the story. */
  #read(text: string): unknown {
    const filled = text.replaceAll(/(?<!\$)\$([a-z]\w*)/g, (_, name: string) => {
      if (!this.#known.has(name)) throw new Error(`no value is called ${name}`);
      return JSON.stringify(this.#known.get(name));
    });
    return parse(filled, { merge: true });
  }
}

export function isType(name: string): name is TypeName {
  return Object.hasOwn(definitions, name);
}

/** Equal lines that follow each other become one. */
function repeated(lines: readonly string[]): string[] {
  const groups: { line: string; count: number }[] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.line === line) last.count += 1;
    else groups.push({ line, count: 1 });
  }
  return groups.map(({ line, count }) => (count === 1 ? line : `${line} (${count} times)`));
}

/** A test for each exchange of a file in this folder. What stands above the first one begins each of them. */
export function exchanges(name: string): void {
  const file = join(import.meta.dirname, name);
  const [head = ""] = readFileSync(file, "utf8").split(/^== /m);
  const given = head.split("\n").filter((line) => line.startsWith("$"));
  testStories(file, (story) => Exchange.of(story, given));
}

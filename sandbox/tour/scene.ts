/** The tools of the chapters: the service, the program, the roster, the engine and the output. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { anacondaCalls } from "../../provider/api/calls/anaconda-calls.ts";
import type { LoggedRequest, RunningService, ServiceSnapshot } from "../service/index.ts";
import type { CommandResult, Stack } from "../start/stack.ts";
import type { StackContents as Members } from "../start/state.ts";
import { type TourRoster, writeProgram } from "./program.ts";

/** @throws Error with the sentence, unless the condition holds */
export function expectThat(condition: boolean, sentence: string): void {
  if (!condition) throw new Error(sentence);
}

interface SceneDependencies {
  readonly service: RunningService;
  readonly stack: Pick<Stack, "capture" | "orgseat" | "roster">;
  /** The folder of the program. */
  readonly folder: string;
  /** A service account of the organization. */
  readonly account: { readonly clientId: string; readonly clientSecret: string };
  readonly print: (line: string) => void;
}

interface Run {
  readonly output: EngineOutput;
  /** The requests since the previous command, by person. */
  readonly operations: ReadonlyMap<string, readonly string[]>;
}

export class Scene {
  readonly #parts: SceneDependencies;
  /** Names by user id, former members included. */
  readonly #names = new Map<string, string>();
  #roster: TourRoster | undefined;
  #seenRequests = 0;
  #last: CommandResult | undefined;

  constructor(parts: SceneDependencies) {
    this.#parts = parts;
  }

  get service(): RunningService {
    return this.#parts.service;
  }

  /** The last output of the engine. */
  get lastOutput(): string | undefined {
    return this.#last?.output;
  }

  print(line = ""): void {
    this.#parts.print(line);
  }

  /** Changes the program, and prints the changed lines. */
  program(roster: TourRoster): void {
    const lines = writeProgram(this.#parts.folder, roster, this.#roster);
    this.#printBlock(this.#roster === undefined ? "index.ts" : "index.ts changes", lines);
    this.#roster = roster;
  }

  /** `pulumi preview`. @throws Error if it fails */
  async preview(...options: string[]): Promise<Run> {
    const { output } = await this.#engine(["preview", ...options], "succeeds");
    const shortened = shorten(output);
    this.#printBlock("preview", [...shortened.steps, ...shortened.messages]);
    return { output: shortened, operations: await this.#requests() };
  }

  /** `pulumi up`, with its preview unless `--skip-preview` is among the options. */
  async up(ending: "succeeds" | "fails", ...options: string[]): Promise<Run> {
    const { output } = await this.#engine(["up", "--yes", ...options], ending);
    const { preview, run } = previewAndRun(output);
    if (!options.includes("--skip-preview")) {
      const { steps, messages } = shorten(preview);
      this.#printBlock("preview", [...steps, ...messages]);
    }
    const shortened = shorten(run);
    this.#printRun("up", shortened);
    return { output: shortened, operations: await this.#requests() };
  }

  /** `pulumi destroy`. @throws Error if it fails */
  async destroy(): Promise<Run> {
    const { output } = await this.#engine(["destroy", "--yes", "--skip-preview"], "succeeds");
    const shortened = shorten(output);
    this.#printRun("destroy", shortened);
    return { output: shortened, operations: await this.#requests() };
  }

  /** Writes the roster `people.csv` with the id that it has, and prints it. @param header its fields besides the organization */
  roster(people: readonly string[], ...header: readonly string[]): void {
    const file = join(this.#rosterFolder, "people.csv");
    const id = existsSync(file) ? /roster: \S+/.exec(readFileSync(file, "utf8")) : null;
    const fields = [`organization: ${this.service.seed.organizationId}`, ...(id ?? []), ...header];
    const text = [...fields.map((field) => `# ${field}`), "email", ...people];
    mkdirSync(this.#rosterFolder, { recursive: true });
    writeFileSync(file, text.map((line) => `${line}\n`).join(""));
    this.#printBlock("people.csv", text);
  }

  /** `orgseat`, in the folder of the roster. @param code its expected exit code */
  async orgseat(code: number, ...args: string[]): Promise<Run["operations"]> {
    this.print(`  $ orgseat ${args.join(" ")}`);
    this.#last = await this.#parts.stack.orgseat(args, this.#rosterFolder);
    expectThat(this.#last.code === code, `\`orgseat ${args[0]}\` ended with exit code ${this.#last.code}`);
    for (const line of this.#last.output.trimEnd().split("\n")) this.print(`    ${line}`.trimEnd());
    return this.#requests();
  }

  get #rosterFolder(): string {
    return join(this.#parts.folder, "roster");
  }

  /** Someone else's request. @param path below the organization */
  async behindOurBack(path: string, body: object): Promise<void> {
    const { tokenUrl, orgUrl, seed } = this.service;
    const { clientId, clientSecret } = this.#parts.account;
    const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
    const granted = await fetch(tokenUrl, { method: "POST", body: new URLSearchParams(form) });
    const { access_token: token } = z.object({ access_token: z.string() }).parse(await granted.json());
    const answer = await fetch(`${orgUrl}/organizations/${seed.organizationId}/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expectThat(answer.ok, `the service answered ${answer.status}`);
    this.#seenRequests =
      (await this.service.management.requests(this.#seenRequests)).at(-1)?.number ?? this.#seenRequests;
  }

  /** The service's tokens by person, without revoked ones: the hash of the value, and the expiry. */
  async tokens(): Promise<Map<string, { hash: string; expiresAt: string }>> {
    const tokens = (await this.#snapshot()).tokens.filter(({ revoked }) => !revoked);
    return new Map(tokens.map(({ userId, hash, expiresAt }) => [this.#nameOf(userId), { hash, expiresAt }]));
  }

  /** The content of the service. */
  async contents(): Promise<{ users: number; seats: number; tokens: number }> {
    const { users, tokens } = await this.#snapshot();
    return { users: users.length, seats: users.filter(({ seat }) => seat).length, tokens: tokens.length };
  }

  /** The content of Pulumi's state. */
  async state(): Promise<Members> {
    return this.#parts.stack.roster();
  }

  async #engine(args: readonly string[], ending: "succeeds" | "fails"): Promise<CommandResult> {
    this.print(`  $ pulumi ${args.join(" ")}`);
    this.#last = await this.#parts.stack.capture(args);
    expectThat(
      (this.#last.code === 0) === (ending === "succeeds"),
      `\`pulumi ${args[0]}\` ended with exit code ${this.#last.code}`,
    );
    return this.#last;
  }

  /** Prints the messages that the preview has not printed. */
  #printRun(command: string, { messages, sum }: EngineOutput): void {
    const failures = messages.filter((line) => /^(error|warning):/.test(line));
    this.#printBlock(command, [...failures, sum]);
  }

  async #requests(): Promise<Map<string, string[]>> {
    const requests = await this.service.management.requests(this.#seenRequests);
    this.#seenRequests = requests.at(-1)?.number ?? this.#seenRequests;
    await this.#snapshot();
    const nameOf = (userId: string) => this.#nameOf(userId);
    const lines = requestLines(requests, nameOf);
    this.#printBlock("requests to the service", lines.length === 0 ? ["none"] : lines);
    return operationsByPerson(requests, nameOf);
  }

  async #snapshot(): Promise<ServiceSnapshot> {
    const snapshot = await this.service.management.snapshot();
    for (const { userId, email, firstName } of snapshot.users) {
      this.#names.set(userId, email ?? firstName ?? userId);
    }
    return snapshot;
  }

  #nameOf(userId: string): string {
    return this.#names.get(userId) ?? userId;
  }

  #printBlock(title: string, lines: readonly string[]): void {
    this.print(`  ${title}:`);
    for (const line of lines) this.print(`    ${line}`.trimEnd());
  }
}

/** The names of operations by their number in the interface document, which the request log has. */
const names = new Map<number, string>(Object.values(anacondaCalls).map(({ number, name }) => [number, name]));

/** The names of the operations for each person, in order. @param nameOf the person of a user id */
function operationsByPerson(
  requests: readonly LoggedRequest[],
  nameOf: (userId: string) => string,
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { call, userId } of requests) {
    if (typeof call !== "number") continue;
    const person = userId === null ? "" : nameOf(userId);
    found.set(person, [...(found.get(person) ?? []), names.get(call) ?? ""]);
  }
  return found;
}

/** One line per request, those of one person together. */
function requestLines(requests: readonly LoggedRequest[], nameOf: (userId: string) => string): string[] {
  const rows = requests.map(({ call, userId, status }) => ({
    operation: typeof call === "number" ? (names.get(call) ?? "") : "get access token",
    person: userId === null ? "(service account)" : nameOf(userId),
    status: status === null ? "no response" : String(status),
  }));
  const width = (key: "operation" | "person"): number => Math.max(0, ...rows.map((row) => row[key].length));
  const [operation, person] = [width("operation"), width("person")];
  return [...Map.groupBy(rows, (row) => row.person).values()]
    .flat()
    .map((row) => `${row.operation.padEnd(operation)}  ${row.person.padEnd(person)}  ${row.status}`);
}

/** The operations of a preview. */
const STEP =
  /^ *[+~-]{1,2} +\S*orgseat:(ServiceAccount|OrgMember|OrgUser|SeatAssignment|UserToken) (.+?) (create|update|delete|replace)(?: *\[diff: .*| *)$/;
const SUM = /^ +(?:[+~-]{1,2} ?)?\d+ (?:to \w+|created|updated|deleted|replaced|changes\.|unchanged|errored)/;

/** Lines that say nothing by themselves. */
const UNTOLD = /^error: (update failed|\d+ errors? occurred:)$/;

/** The output of either engine, shortened. */
interface EngineOutput {
  /** `create  UserToken  ada@acme.example-token`, in the engine's order. */
  readonly steps: readonly string[];
  /** Messages, errors first with their `error:`; each once. */
  readonly messages: readonly string[];
  /** `4 to update, 13 unchanged`. */
  readonly sum: string;
}

/** The output of `pulumi up`: the preview, if any, and the run. */
export function previewAndRun(output: string): { preview: string; run: string } {
  const at = output.search(/^(Updating|Destroying) \(/m);
  return at < 0 ? { preview: output, run: "" } : { preview: output.slice(0, at), run: output.slice(at) };
}

/** @param part the output of one preview or one run */
export function shorten(part: string): EngineOutput {
  const lines = part.split("\n");
  return {
    steps: lines.flatMap((line) => {
      const [, type = "", name = "", word = ""] = STEP.exec(line) ?? [];
      return word === "" ? [] : [`${word.padEnd(7)}  ${type.padEnd(14)}  ${name}`];
    }),
    messages: messagesOf(lines),
    sum: lines
      .filter((line) => SUM.test(line))
      .map((line) => line.replace(/^[ +~-]+/, "").trim())
      .join(", "),
  };
}

/** The messages under `Diagnostics:`, without the lines that name resources. */
function messagesOf(lines: readonly string[]): string[] {
  const begin = lines.indexOf("Diagnostics:");
  if (begin < 0) return [];
  const end = lines.findIndex((line, at) => at > begin && /^\S/.test(line));
  const inside = lines.slice(begin + 1, end < 0 ? undefined : end);
  // Pulumi lists the failures of a resource that it keeps in the state.
  const messages = inside
    .filter((line) => /^ {4}/.test(line))
    .map((line) => line.trim().replace(/^\* /, "error: "));
  return [...new Set(messages)].filter((line) => line !== "" && !UNTOLD.test(line));
}

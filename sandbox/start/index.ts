/**
 * `npm start`: the main job on this machine alone. Runs the embedded service, has the engine preview and apply the
 * program at the root, and shows the members. Everything it keeps lies in `.orgseat`; `npm run reset` removes it.
 */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import type { RunningService, Snapshot } from "../service/index.ts";
import { runInTerminal } from "../terminal.ts";
import { roomEnvironment } from "./closed-room.ts";
import { chooseEngine, type Engine, engineInWords } from "./engine.ts";
import { type Roster, readRoster } from "./state.ts";
import { membersTable } from "./table.ts";

const STACK = "sandbox";
const LARGEST_EXPORT_BYTES = 64 * 1024 * 1024;

/** @param project the folder of the Pulumi program @returns the exit code */
export async function start(project: string): Promise<number> {
  const engine = await chooseEngine(process.env);
  console.log(engineInWords(engine));
  const folder = keptIn(project);
  const { startService } = await import("../service/index.ts");
  const service = await startService({ dataFolder: join(folder, "service") });
  try {
    const environment = await environmentOf(service, folder);
    return await applyProgram(new Stack(engine, environment, project), service);
  } finally {
    await service.close();
  }
}

/** Removes everything that `start` keeps. */
export function reset(project: string): void {
  rmSync(keptIn(project), { recursive: true, force: true });
  console.log(
    "The service, the state and the configuration of `npm start` are gone; the next one starts over.",
  );
}

function keptIn(project: string): string {
  return join(project, ".orgseat");
}

async function applyProgram(stack: Stack, service: RunningService): Promise<number> {
  console.log(`Service: the embedded one, at ${service.orgUrl}; it ends with this command.`);
  const known = await stack.prepare();
  const mismatch = describeMismatch(known, await service.management.snapshot());
  if (mismatch !== undefined) {
    console.error(mismatch);
    return 1;
  }
  const code = await stack.run(["up", "--yes", "--stack", STACK, "--non-interactive"]);
  if (code !== 0) {
    console.error("The run failed; the lines above say why. Run `npm start` again to go on from here.");
    return code;
  }
  const [roster, changed] = await Promise.all([stack.roster(), stack.lastRunChanged()]);
  console.log(`\n${membersTable(roster.members, Date.now())}`);
  console.log(
    changed
      ? "Done. Edit the roster in index.ts and run `npm start` again to see and apply the difference."
      : "Nothing changes: the organization is as index.ts says. Edit the roster there and run `npm start` again.",
  );
  return 0;
}

async function environmentOf(service: RunningService, folder: string): Promise<Record<string, string>> {
  const { organizations } = await service.management.snapshot();
  const { organizationId, username, password } = service.seed;
  const own = organizations.find((organization) => organization.organizationId === organizationId);
  return roomEnvironment(process.env, {
    folder,
    passphrase: passphrase(folder),
    compileCache: join(folder, "compiled"),
    configuration: {
      ORGSEAT_ORGANIZATION_ID: organizationId,
      ORGSEAT_ORG_URL: service.orgUrl,
      ORGSEAT_TOKEN_URL: service.tokenUrl,
      ORGSEAT_USERNAME: username,
      ORGSEAT_PASSWORD: password,
      ORGSEAT_SUBSCRIPTION_EXPIRES_AT: own?.subscriptionExpiresAt ?? "",
    },
  });
}

/** The passphrase of the state's secrets, made at the first start. */
function passphrase(folder: string): string {
  const file = join(folder, "passphrase");
  if (!existsSync(file)) writeFileSync(file, randomUUID(), { mode: 0o600 });
  return readFileSync(file, "utf8");
}

/** One sentence where state and service are not of one piece; undefined where they are. */
function describeMismatch(known: Roster, snapshot: Snapshot): string | undefined {
  const served = new Set([
    ...snapshot.users.map(({ userId }) => userId),
    ...snapshot.serviceAccounts.map(({ clientId }) => clientId),
  ]);
  const recorded = new Set([...known.members.map(({ userId }) => userId), ...known.serviceAccountIds]);
  const gone = recorded.difference(served).size;
  const extra = served.difference(recorded).size;
  if (gone === 0 && extra === 0) return undefined;
  return `The state in .orgseat does not match the embedded service (${gone} of its people and service accounts are not at the service, ${extra} at the service are not in the state): run \`npm run reset\` to start over.`;
}

const historySchema = z.array(z.object({ resourceChanges: z.record(z.string(), z.number()).nullish() }));

/** The stack of `npm start`, by the engine's command line. */
class Stack {
  readonly #engine: Engine;
  readonly #environment: Record<string, string>;
  readonly #project: string;

  constructor(engine: Engine, environment: Record<string, string>, project: string) {
    this.#engine = engine;
    this.#project = project;
    this.#environment = environment;
  }

  /** Makes what is missing. @returns what the state holds */
  async prepare(): Promise<Roster> {
    const state = join(keptIn(this.#project), "state");
    mkdirSync(state, { recursive: true });
    // Looking for the file saves a run of the engine.
    if (existsSync(join(state, ".pulumi", "stacks", "acme", `${STACK}.json`))) return this.roster();
    await this.#answer(["stack", "init", STACK, "--non-interactive"]);
    return { members: [], serviceAccountIds: [] };
  }

  async roster(): Promise<Roster> {
    return readRoster(await this.#answer(["stack", "export", "--stack", STACK, "--non-interactive"]));
  }

  /** Whether the last run did anything. */
  async lastRunChanged(): Promise<boolean> {
    const answer = await this.#answer([
      "stack",
      "history",
      "--json",
      "--page-size",
      "1",
      "--page",
      "1",
      "--stack",
      STACK,
    ]);
    const [last] = historySchema.parse(JSON.parse(answer));
    return Object.keys(last?.resourceChanges ?? {}).some((operation) => operation !== "same");
  }

  /** Runs with the person's terminal. @returns the exit code */
  run(args: readonly string[]): Promise<number> {
    return runInTerminal(this.#engine.command, args, { cwd: this.#project, env: this.#environment });
  }

  async #answer(args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(this.#engine.command, args, {
      cwd: this.#project,
      env: this.#environment,
      maxBuffer: LARGEST_EXPORT_BYTES,
    });
    return stdout;
  }
}

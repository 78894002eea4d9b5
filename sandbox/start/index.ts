/**
 * `npm start`: the main job on this machine alone. Runs the embedded service, has the engine preview and apply the
 * program at the root, and shows the members. Everything it keeps lies in `.orgseat`; `npm run reset` removes it.
 */
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Command } from "commander";
import { z } from "zod";
import type { RunningService, Snapshot } from "../service/index.ts";
import { roomEnvironment } from "./closed-room.ts";
import { chooseEngine, type Engine, engineInWords, packageRoot } from "./engine.ts";
import { type Roster, readRoster } from "./state.ts";
import { membersTable } from "./table.ts";

const STACK = "acme";
const LARGEST_EXPORT_BYTES = 64 * 1024 * 1024;

/** Adds `start` and `reset` to the command. */
export function registerStart(program: Command): void {
  program
    .command("start")
    .description("run the embedded service, preview and apply the program at the root, show the members")
    .action(async () => {
      process.exitCode = await start();
    });
  program
    .command("reset")
    .description("remove everything that start has kept")
    .action(() => {
      rmSync(folder, { recursive: true, force: true });
      console.log(
        "The service, the state and the configuration of `npm start` are gone; the next one starts over.",
      );
    });
}

const folder = join(packageRoot, ".orgseat");

async function start(): Promise<number> {
  const engine = await chooseEngine(process.env);
  console.log(engineInWords(engine));
  const { startService } = await import("../service/index.ts");
  const service = await startService({ dataFolder: join(folder, "service") });
  try {
    return await applyProgram(new Stack(engine, await environmentOf(service)), service);
  } finally {
    await service.close();
  }
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

async function environmentOf(service: RunningService): Promise<Record<string, string>> {
  const { organizations } = await service.management.snapshot();
  const { organizationId, username, password } = service.seed;
  const own = organizations.find((organization) => organization.organizationId === organizationId);
  return roomEnvironment(process.env, {
    folder,
    passphrase: passphrase(),
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
function passphrase(): string {
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

  constructor(engine: Engine, environment: Record<string, string>) {
    this.#engine = engine;
    this.#environment = environment;
  }

  /** Makes what is missing. @returns what the state holds */
  async prepare(): Promise<Roster> {
    mkdirSync(join(folder, "state"), { recursive: true });
    if (existsSync(join(folder, "state", ".pulumi", "stacks", "acme", `${STACK}.json`))) return this.roster();
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
  async run(args: readonly string[]): Promise<number> {
    const child = spawn(this.#engine.command, args, {
      cwd: packageRoot,
      env: this.#environment,
      stdio: "inherit",
    });
    // Ctrl-C reaches the whole terminal: the engine ends in its own time, and this command after it.
    const ignore = (): void => {};
    process.on("SIGINT", ignore);
    process.on("SIGTERM", () => child.kill("SIGTERM"));
    try {
      return await new Promise<number>((resolve, reject) => {
        child.once("error", reject);
        child.once("exit", (code) => resolve(code ?? 1));
      });
    } finally {
      process.off("SIGINT", ignore);
    }
  }

  async #answer(args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(this.#engine.command, args, {
      cwd: packageRoot,
      env: this.#environment,
      maxBuffer: LARGEST_EXPORT_BYTES,
    });
    return stdout;
  }
}

/**
 * `npm start`: runs the embedded service, lets the engine preview and apply the program in the checkout's root, and
 * shows the members, servers and tables. It keeps its files in `.orgseat`; `npm run reset` removes them.
 */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import Table from "cli-table3";
import { findOrMakeCli } from "../pulumi/cli.ts";
import type { PlatformName, RunningService, ServiceSnapshot } from "../service/index.ts";
import {
  type Change,
  changesIn,
  doneKey,
  type EngineEvent,
  isOfChange,
  messageIn,
  peopleFirst,
} from "./changes.ts";
import { isolatedEnvironment } from "./isolated-environment.ts";
import { Stack } from "./stack.ts";
import type { StackContents, TrackedMember } from "./state.ts";

const STACK = "sandbox";
/** The name in the root's Pulumi.yaml. */
const PROJECT_NAME = "acme";

/**
 * @param project the folder of the Pulumi program
 * @param yes whether to apply without a question, which a terminal is asked otherwise
 * @returns the exit code
 */
export async function start(project: string, platform: PlatformName, yes: boolean): Promise<number> {
  const cli = await findOrMakeCli(process.env, { download: true });
  console.log(`Pulumi CLI ${cli.version} (${cli.command})`);
  const folder = keptIn(project);
  const { startService } = await import("../service/index.ts");
  const service = await startService({ dataFolder: join(folder, "service"), platform });
  try {
    const environment = await environmentOf(service, folder);
    const place = { project, projectName: PROJECT_NAME, stack: STACK, folder };
    return await applyProgram(new Stack(cli, environment, place), service, yes);
  } finally {
    await service.close();
  }
}

/** Removes the files of `start`. */
export function reset(project: string): void {
  rmSync(keptIn(project), { recursive: true, force: true });
  console.log("Removed the service, the state and the configuration of `npm start`.");
}

function keptIn(project: string): string {
  return join(project, ".orgseat");
}

async function applyProgram(stack: Stack, service: RunningService, yes: boolean): Promise<number> {
  console.log(`Service: the sandbox service at ${service.orgUrl}; it stops with this command.`);
  const known = await stack.prepare();
  const mismatch = describeMismatch(known, await service.management.snapshot());
  if (mismatch !== undefined) {
    console.error(mismatch);
    return 1;
  }
  const changes = await previewed(stack);
  if (changes === undefined) {
    console.error("The preview failed. Fix the errors above and run `npm start` again.");
    return 1;
  }
  if (changes.length > 0) {
    if (!yes && !(await confirmed())) {
      console.log("No changes were made.");
      return 0;
    }
    if (!(await applied(stack, changes))) {
      console.error(
        "The run failed. Fix the errors above and run `npm start` again; it resumes where it stopped.",
      );
      return 1;
    }
  }
  const roster = await stack.roster();
  console.log(`\n${membersTable(roster.members, Date.now())}`);
  const models = modelTable(roster);
  if (models !== undefined) console.log(models);
  console.log(
    changes.length > 0
      ? "Done. Edit the roster in index.ts and run `npm start` again to preview and apply the changes."
      : "No changes. Edit the roster in index.ts and run `npm start` again.",
  );
  return 0;
}

/** Prints the changes. @returns undefined if the preview fails */
async function previewed(stack: Stack): Promise<Change[] | undefined> {
  const events: EngineEvent[] = [];
  const { code, output } = await stack.watch(["preview"], (event) => void events.push(event));
  const changes = changesIn(events);
  for (const event of events) report(event, changes);
  if (code !== 0) {
    process.stderr.write(output);
    return undefined;
  }
  const width = Math.max(0, ...changes.map(({ who }) => who.length));
  if (changes.length > 0) console.log(`\nChanges (${changes.length}):`);
  for (const { who, what } of changes) console.log(`  ${who.padEnd(width)}  ${what}`);
  return changes;
}

/** Applies the changes, and prints a line for each that is done. @returns whether all are */
async function applied(stack: Stack, changes: readonly Change[]): Promise<boolean> {
  console.log("\nApplying:");
  const open = changes.map(({ who, keys }) => ({ who, keys: new Set(keys) }));
  const { code, output } = await stack.watch(["up", "--yes", "--skip-preview"], (event) => {
    report(event, changes);
    const key = doneKey(event);
    if (key === undefined) return;
    for (const { who, keys } of open) if (keys.delete(key) && keys.size === 0) console.log(`  done  ${who}`);
  });
  if (code !== 0) process.stderr.write(output);
  return code === 0;
}

function report(event: EngineEvent, changes: readonly Change[]): void {
  const message = messageIn(event);
  if (message !== undefined && !isOfChange(message, changes)) console.log(message);
}

/** Asks at a terminal; where there is none, as in CI, the sandbox has nothing to lose. */
async function confirmed(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question("\nApply these changes? [y/N] ")).trim());
  } finally {
    terminal.close();
  }
}

async function environmentOf(service: RunningService, folder: string): Promise<Record<string, string>> {
  const { organizations } = await service.management.snapshot();
  const { organizationId, username, password, apiKey } = service.seed;
  const own = organizations.find((organization) => organization.organizationId === organizationId);
  return isolatedEnvironment(process.env, {
    folder,
    passphrase: passphrase(folder),
    compileCache: join(folder, "compiled"),
    configuration: {
      ORGSEAT_ORGANIZATION_ID: organizationId,
      ORGSEAT_ORG_URL: service.orgUrl,
      ORGSEAT_TOKEN_URL: service.tokenUrl,
      ORGSEAT_MODEL_URL: service.modelUrl,
      ORGSEAT_PLATFORM: service.platform,
      ORGSEAT_USERNAME: username,
      ORGSEAT_PASSWORD: password,
      ORGSEAT_API_KEY: apiKey,
      ORGSEAT_SUBSCRIPTION_EXPIRES_AT: own?.subscriptionExpiresAt ?? "",
    },
  });
}

/** The passphrase of the state's secrets, created at the first start. */
function passphrase(folder: string): string {
  const file = join(folder, "passphrase");
  if (!existsSync(file)) writeFileSync(file, randomUUID(), { mode: 0o600 });
  return readFileSync(file, "utf8");
}

/** A sentence where state and service do not match; undefined if they do. */
function describeMismatch(known: StackContents, snapshot: ServiceSnapshot): string | undefined {
  const served = new Set([
    ...snapshot.users.map(({ userId }) => userId),
    ...snapshot.serviceAccounts.map(({ clientId }) => clientId),
  ]);
  const recorded = new Set([...known.members.map(({ userId }) => userId), ...known.serviceAccountIds]);
  const missing = recorded.difference(served).size;
  const extra = served.difference(recorded).size;
  if (missing === 0 && extra === 0) return undefined;
  return `The state in .orgseat does not match the embedded service (${missing} of its people and service accounts are not in the service, ${extra} in the service are not in the state): run \`npm run reset\` to start over.`;
}

const DAY_MS = 86_400_000;

/** The members, without tokens and secrets. @param now milliseconds since 1970 */
function membersTable(members: readonly TrackedMember[], now: number): string {
  const head = ["Person or purpose", "Seat", "Token expires", "Expiry", "Days left"];
  const table = tableOf(head, "right");
  const sorted = members.toSorted((a, b) => peopleFirst(a.name, b.name));
  for (const { name, seat, token } of sorted) table.push([name, seat ? "yes" : "no", ...dates(token, now)]);
  return render(table);
}

/** The servers and tables of the model area; undefined if the program has none. */
export function modelTable({
  servers,
  tables,
}: Pick<StackContents, "servers" | "tables">): string | undefined {
  if (servers.length + tables.length === 0) return undefined;
  const table = tableOf(["Server or table", "Kind", "Status or rows", "Address"], "left");
  for (const { id, tag, status, endpoint } of servers) {
    table.push([tag ?? id, "server", status ?? "", endpoint ? `${endpoint.host}:${endpoint.port}` : ""]);
  }
  for (const { name, numRows } of tables) {
    table.push([name, "table", numRows === null ? "" : `${numRows} ${numRows === 1 ? "row" : "rows"}`, ""]);
  }
  return render(table);
}

function tableOf(head: string[], last: "left" | "right"): Table.Table {
  return new Table({
    head,
    colAligns: [...head.slice(1).map(() => "left" as const), last],
    style: { head: [], border: [] },
  });
}

/** A table with a line below its header and none between its rows. */
function render(table: Table.Table): string {
  const lines = table.toString().split("\n");
  const isRule = (line: string): boolean => line.startsWith("├");
  const header = lines.findIndex(isRule);
  return lines.filter((line, index) => !isRule(line) || index === header).join("\n");
}

function dates(token: TrackedMember["token"], now: number): string[] {
  if (token === undefined) return ["no token", "", ""];
  const days = Math.floor((Date.parse(token.validUntil) - now) / DAY_MS);
  return [token.validUntil, token.expirySource === "service" ? "confirmed" : "declared", String(days)];
}

/** The command as a process, with the Pulumi CLI and its provider; all have the time of the driver. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { formatInstant } from "../../provider/util/instants.ts";
import type { PlatformName, ServiceSnapshot } from "../../sandbox/service/index.ts";
import { type TestOrganization, testOrganization } from "../automation/organization.ts";
import { unlocked } from "../faults/completion.ts";
import { CutoffProxy } from "../setup/cutoff-proxy.ts";
import { killTree } from "../setup/process-tree.ts";
import { nodeOptions } from "../setup/quick-node.ts";
import { inTheClear, stateResources } from "../setup/state-file.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { expectPrinted } from "./checks.ts";
import {
  type Circumstances,
  type HeldTokens,
  heldTokensIn,
  KILLED,
  type MonthsCommand,
  type Outcome,
  outcomeIn,
  repeatableIds,
} from "./command.ts";

const standingClock = fileURLToPath(new URL("../setup/standing-clock.cjs", import.meta.url));

export class ProcessCommand implements MonthsCommand {
  static readonly level = "E";
  readonly atOnce = 16;
  readonly fixture: TestOrganization;
  readonly #link: CutoffProxy;
  #now = 0;
  readonly #plan = join(temporaryFolder(), "plan.json");

  private constructor(fixture: TestOrganization, link: CutoffProxy) {
    this.fixture = fixture;
    this.#link = link;
  }

  static async of(seats: number, platform: PlatformName, seed: number): Promise<ProcessCommand> {
    const acme = await testOrganization({ seats }, undefined, platform, { newId: repeatableIds(seed) });
    acme.environment.NODE_OPTIONS = `${nodeOptions} --require=${JSON.stringify(standingClock)}`;
    acme.environment.PULUMI_PARALLEL = "16";
    return new ProcessCommand(acme, await CutoffProxy.to(acme.sandbox.service.orgUrl));
  }

  get file(): string {
    return this.fixture.file;
  }

  async setTime(now: number): Promise<void> {
    this.#now = now;
    this.fixture.environment.TEST_TIME = String(now);
    await this.fixture.sandbox.service.management.setClock({ fixedAt: formatInstant(now) });
  }

  up({ approve, stale, refresh, ...more }: Circumstances = {}, file = this.file): Promise<Outcome> {
    const args = [
      ...["up", "--yes", "--roster", file],
      ...(approve === undefined ? [] : ["--approve", approve]),
      ...(stale ? ["--plan", this.#plan] : []),
      ...(refresh ? ["--refresh", "--refresh-tokens", "all"] : []),
    ];
    return this.#run(args, more);
  }

  offboard(key: string): Promise<Outcome> {
    return this.#run(["offboard", key, "--yes"]);
  }

  rotate(key: string): Promise<Outcome> {
    return this.#run(["rotate", key, "--yes"]);
  }

  async hasChanges(): Promise<string> {
    const { code, stdout, stderr } = await this.fixture.orgseat("preview", "--exit-code");
    return code === 0 ? "" : `${code}: ${stdout}${stderr}`;
  }

  async savePlan(): Promise<void> {
    await this.fixture.succeed("preview", "--plan", this.#plan);
  }

  backup(): () => void {
    const { stateFolder } = this.fixture;
    const copy = join(temporaryFolder(), "state");
    cpSync(stateFolder, copy, { recursive: true });
    return () => {
      rmSync(stateFolder, { recursive: true });
      cpSync(copy, stateFolder, { recursive: true });
    };
  }

  async tokens(): Promise<HeldTokens[]> {
    const { stateFile } = this.fixture;
    const { PULUMI_CONFIG_PASSPHRASE: passphrase = "" } = this.fixture.variables();
    const resources = await Promise.all(
      stateResources(stateFile).map(async ({ outputs = {} }) => {
        const value = await inTheClear(stateFile, passphrase, outputs.tokenValue);
        const tokenValue = value === undefined ? undefined : { plaintext: JSON.stringify(value) };
        return { outputs: { ...outputs, tokenValue } };
      }),
    );
    return heldTokensIn({ deployment: { resources } });
  }

  expectNoSecrets(): void {
    this.fixture.expectNoSecrets();
  }

  /** Runs a verb, and holds what the service got against the plan that it prints. */
  async #run(args: readonly string[], { killed, absent, isBrief }: Circumstances = {}): Promise<Outcome> {
    const acme = this.fixture;
    const { orgUrl, management } = acme.sandbox.service;
    let dead: Promise<void> | undefined;
    const kill = () => {
      dead = killTree(running.pid);
    };
    const own = {
      ...(isBrief && { ORGSEAT_OPERATION_TIMEOUT: "1s" }),
      ...(absent && { ORGSEAT_MAX_REMOVALS: absent }),
      ...(killed && { ORGSEAT_ORG_URL: this.#link.addressFor(orgUrl, killed, kill) }),
    };
    const before = await this.#users();
    const first = (await management.requests()).at(-1)?.number ?? 0;
    Object.assign(acme.environment, own);
    const running = acme.start(...args, "--json");
    for (const name of Object.keys(own)) delete acme.environment[name];
    const { stdout, stderr } = await running.ended;
    await dead;
    this.#stamp();
    if (dead !== undefined) return KILLED;
    expect(stdout, `${args.join(" ")} says: ${stderr}`).toMatch(/^\{/);
    const said: unknown = JSON.parse(stdout);
    expectPrinted(said, await management.requests(first), [...before, ...(await this.#users())]);
    const outcome = outcomeIn(said);
    if (outcome.failure === "stack-locked") await unlocked(acme);
    return outcome;
  }

  async #users(): Promise<ServiceSnapshot["users"]> {
    return (await this.fixture.sandbox.service.management.snapshot()).users;
  }

  /** Pulumi's own clock is that of the machine. */
  #stamp(): void {
    const { stateFile } = this.fixture;
    if (!existsSync(stateFile)) return;
    const time = /(?<="manifest": ?\{\s*"time": ?")[^"]+/;
    writeFileSync(stateFile, readFileSync(stateFile, "utf8").replace(time, formatInstant(this.#now)));
  }
}

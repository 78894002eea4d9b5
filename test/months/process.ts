/** The command as a process, with the Pulumi CLI and its provider; all have the time of the driver. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { formatInstant } from "../../provider/util/instants.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { type TestOrganization, testOrganization } from "../automation/organization.ts";
import { heal, unlocked } from "../faults/completion.ts";
import { CutoffProxy } from "../setup/cutoff-proxy.ts";
import { killTree } from "../setup/process-tree.ts";
import { nodeOptions } from "../setup/quick-node.ts";
import { repeatableIds } from "../setup/sandbox.ts";
import { inTheClear, stateResources } from "../setup/state-file.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { type CommandLine, type HeldTokens, heldTokensIn, MonthsCommand } from "./command.ts";

const standingClock = fileURLToPath(new URL("../setup/standing-clock.cjs", import.meta.url));

export class ProcessCommand extends MonthsCommand {
  static readonly level = "E";
  readonly atOnce = 16;
  readonly fixture: TestOrganization;
  readonly #link: CutoffProxy;
  #now = 0;
  readonly #plan = join(temporaryFolder(), "plan.json");

  private constructor(fixture: TestOrganization, link: CutoffProxy) {
    super();
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

  override expectNoSecrets(): void {
    this.fixture.expectNoSecrets();
  }

  protected async ran({ killed, environment, ...line }: CommandLine): Promise<unknown> {
    const acme = this.fixture;
    let dead: Promise<void> | undefined;
    const kill = () => {
      dead = killTree(running.pid);
    };
    const { orgUrl } = acme.sandbox.service;
    const cut = killed && { ORGSEAT_ORG_URL: this.#link.addressFor(orgUrl, killed, kill) };
    const own = { ...environment, ...cut };
    Object.assign(acme.environment, own);
    const running = acme.start(...this.#wordsOf(line));
    for (const name of Object.keys(own)) delete acme.environment[name];
    const { stdout, stderr } = await running.ended;
    await dead;
    this.#stamp();
    if (dead !== undefined) return undefined;
    expect(stdout, `${line.verb} says: ${stderr}`).toMatch(/^\{/);
    heal(stdout);
    if (stdout.includes('"code": "stack-locked"')) await unlocked(acme);
    return JSON.parse(stdout);
  }

  #wordsOf({ verb, key, file, approve, stale, refresh }: Omit<CommandLine, "environment">): string[] {
    return [
      ...[verb, ...(key === undefined ? [] : [key]), "--yes", "--json", "--roster", file],
      ...(approve === undefined ? [] : ["--approve", approve]),
      ...(stale ? ["--plan", this.#plan] : []),
      ...(refresh ? ["--refresh", "--refresh-tokens", "all"] : []),
    ];
  }

  /** Pulumi's own clock is that of the machine. */
  #stamp(): void {
    const { stateFile } = this.fixture;
    if (!existsSync(stateFile)) return;
    const time = /(?<="manifest": ?\{\s*"time": ?")[^"]+/;
    writeFileSync(stateFile, readFileSync(stateFile, "utf8").replace(time, formatInstant(this.#now)));
  }
}

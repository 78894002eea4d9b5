/** The functions of the command, with an engine of level R. */
import { join } from "node:path";
import { previewToText } from "../../command/cli/results.ts";
import { resultToJson } from "../../command/cli/results-json.ts";
import { offboardToJson } from "../../command/cli/verbs/offboard.ts";
import type { PlanDocument } from "../../command/plan/document.ts";
import { type Preview, previewOf } from "../../command/preview/preview.ts";
import { type Organization, openOrganization } from "../../command/stacks/organization.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { type UpOptions, upAll } from "../../command/verbs/up.ts";
import { codeOf } from "../../provider/util/error-codes.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { expectPlanned, type PlayedRun } from "../command/entry-properties.ts";
import { directFixture, type Fixture } from "../command/fixture.ts";
import { CutoffProxy } from "../setup/cutoff-proxy.ts";
import type { DirectEngine } from "../setup/direct-engine.ts";
import { repeatableIds, temporaryFolder } from "../setup/sandbox.ts";
import { type CommandLine, type HeldTokens, heldTokensIn, MonthsCommand, type Printed } from "./command.ts";

export class DirectCommand extends MonthsCommand {
  static readonly level = "R";
  readonly atOnce = 1;
  readonly file = join(temporaryFolder(), "people.csv");
  readonly fixture: Fixture;
  readonly #link: CutoffProxy;
  readonly #clock: { now: number };
  #engine: DirectEngine;
  #plan: PlanDocument | undefined;
  /** By the last run. */
  #shown: Preview | undefined;

  private constructor(fixture: Fixture, link: CutoffProxy, clock: { now: number }) {
    super();
    this.fixture = fixture;
    this.#link = link;
    this.#clock = clock;
    this.#engine = fixture.engine;
  }

  static async of(seats: number, platform: PlatformName, seed: number): Promise<DirectCommand> {
    const clock = { now: 0 };
    const fixture = await directFixture(seats, platform, () => clock.now, { newId: repeatableIds(seed) });
    return new DirectCommand(fixture, await CutoffProxy.to(fixture.sandbox.service.orgUrl), clock);
  }

  async setTime(now: number): Promise<void> {
    this.#clock.now = now;
    await this.fixture.sandbox.service.management.setClock({ fixedAt: formatInstant(now) });
  }

  async hasChanges(): Promise<string> {
    const preview = await previewOf(await this.#open(this.file), {});
    return preview.plan.hasChanges ? previewToText(preview) : "";
  }

  async savePlan(): Promise<void> {
    this.#plan = (await previewOf(await this.#open(this.file), {})).document;
  }

  backup(): () => void {
    const copy = this.#engine.copy();
    return () => {
      this.#engine = copy.copy();
    };
  }

  async tokens(): Promise<HeldTokens[]> {
    const { engine, stack } = await this.#open(this.file);
    return heldTokensIn(await engine.exportWithSecrets(stack));
  }

  #open(file: string, engine = this.#engine, more = {}): Promise<Organization> {
    const environment = { ...this.fixture.environment, ...more };
    return openOrganization({ roster: file, environment }, { engine, now: () => this.#clock.now });
  }

  protected async ran({ killed, environment, ...line }: CommandLine): Promise<unknown> {
    const { promise: dead, resolve } = Promise.withResolvers<undefined>();
    const { orgUrl } = this.fixture.sandbox.service;
    let left: DirectEngine | undefined;
    const kill = () => {
      left = engine.copy({ ORGSEAT_ORG_URL: orgUrl });
      resolve(undefined);
    };
    const cut = killed && this.#link.addressFor(orgUrl, killed, kill);
    const engine = this.#engine.copy({ ...environment, ORGSEAT_ORG_URL: cut ?? orgUrl });
    const organization = await this.#open(line.file, engine, environment);
    this.#shown = undefined;
    const confirm = async (preview: Preview) => {
      this.#shown = preview;
      return true;
    };
    const ended = this.#verb(organization, line, { confirm }).catch((error: Error) => ({
      ...{ status: "failed", error: error.message, code: codeOf(error) ?? "" },
    }));
    const said = await Promise.race([ended, dead]);
    this.#engine = left ?? engine;
    return said ?? { status: "killed" };
  }

  protected override expectSent(printed: Printed, run: Pick<PlayedRun, "requests" | "users">): void {
    if (this.#shown === undefined) super.expectSent({ ...printed, status: "blocked" }, run);
    else expectPlanned({ ...run, plan: this.#shown.plan, offboarded: printed.revoked[0]?.userId });
  }

  async #verb(organization: Organization, line: Omit<CommandLine, "environment">, run: UpOptions) {
    const { verb, key = "", approve, refresh, stale } = line;
    if (verb === "rotate") return resultToJson(await rotateTokens(organization, [key], run));
    if (verb === "offboard") return offboardToJson(await offboardPeople(organization, [key], run));
    const tokens = refresh && ({ refresh, refreshTokens: "all" } as const);
    const approvedPlan = stale ? this.#plan : undefined;
    return resultToJson(await upAll(organization, { approve, approvedPlan, ...tokens, ...run }));
  }
}

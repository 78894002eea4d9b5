/** The functions of the command, with an engine of level R. */
import { join } from "node:path";
import { expect } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { resultToJson } from "../../command/cli/results-json.ts";
import type { PlanDocument } from "../../command/plan/document.ts";
import { type Preview, previewOf } from "../../command/preview/preview.ts";
import { type Organization, openOrganization } from "../../command/stacks/organization.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { type UpOptions, type UpResult, upAll } from "../../command/verbs/up.ts";
import { codeOf } from "../../provider/util/error-codes.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { expectPlanned } from "../command/entry-properties.ts";
import { directFixture, type Fixture } from "../command/fixture.ts";
import { CutoffProxy } from "../setup/cutoff-proxy.ts";
import type { DirectEngine } from "../setup/direct-engine.ts";
import { temporaryFolder } from "../setup/sandbox.ts";
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

type Verb = (organization: Organization, options: UpOptions) => Promise<UpResult>;

export class DirectCommand implements MonthsCommand {
  static readonly level = "R";
  readonly atOnce = 1;
  readonly file = join(temporaryFolder(), "people.csv");
  readonly fixture: Fixture;
  readonly #link: CutoffProxy;
  readonly #clock: { now: number };
  #engine: DirectEngine;
  #plan: PlanDocument | undefined;

  private constructor(fixture: Fixture, link: CutoffProxy, clock: { now: number }) {
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

  up({ killed, approve, stale, refresh, ...more }: Circumstances = {}, file = this.file): Promise<Outcome> {
    const approvedPlan = stale ? this.#plan : undefined;
    const options: UpOptions = { approve, approvedPlan, ...(refresh && { refresh, refreshTokens: "all" }) };
    const verb: Verb = (organization, own) => upAll(organization, { ...options, ...own });
    return this.#run(verb, { ...more, killed, file });
  }

  offboard(key: string): Promise<Outcome> {
    const userOf = async (organization: Organization) => (await this.fixture.userIds(organization)).get(key);
    return this.#run((organization, options) => offboardPeople(organization, [key], options), { userOf });
  }

  rotate(key: string): Promise<Outcome> {
    return this.#run((organization, options) => rotateTokens(organization, [key], options), {});
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

  #open(file: string, engine = this.#engine, limits = {}): Promise<Organization> {
    const environment = { ...this.fixture.environment, ...limits };
    return openOrganization({ roster: file, environment }, { engine, now: () => this.#clock.now });
  }

  /** Runs a verb, and holds what the service got against the plan that it showed. */
  async #run(
    verb: Verb,
    more: Pick<Circumstances, "absent" | "isBrief" | "killed"> & {
      readonly file?: string;
      readonly userOf?: (organization: Organization) => Promise<string | undefined>;
    },
  ): Promise<Outcome> {
    const { killed, absent, isBrief, file = this.file, userOf } = more;
    const limits = {
      ...(isBrief && { ORGSEAT_OPERATION_TIMEOUT: "1s" }),
      ...(absent && { ORGSEAT_MAX_REMOVALS: absent }),
    };
    const { promise: dead, resolve } = Promise.withResolvers<DirectEngine>();
    const { sandbox } = this.fixture;
    const { orgUrl } = sandbox.service;
    const cut =
      killed &&
      this.#link.addressFor(orgUrl, killed, () => resolve(engine.copy({ ORGSEAT_ORG_URL: orgUrl })));
    const engine = this.#engine.copy({ ...limits, ORGSEAT_ORG_URL: cut ?? orgUrl });
    const organization = await this.#open(file, engine, limits);
    const offboarded = await userOf?.(organization);
    const before = await this.fixture.users();
    const first = (await sandbox.service.management.requests()).at(-1)?.number ?? 0;
    let shown: Preview | undefined;
    const confirm = async (preview: Preview) => {
      shown = preview;
      return true;
    };
    const ended = await Promise.race([
      verb(organization, { confirm }).then(
        (result) => outcomeIn(resultToJson(result)),
        (error: Error) => outcomeIn({ status: "failed", error: error.message, code: codeOf(error) ?? "" }),
      ),
      dead,
    ]);
    this.#engine = "status" in ended ? engine : ended;
    const requests = await sandbox.service.management.requests(first);
    const users = [...before, ...(await this.fixture.users())];
    if (shown !== undefined) expectPlanned({ requests, users, plan: shown.plan, offboarded });
    else expect(requests.filter(({ method, call }) => method !== "GET" && call !== "token")).toEqual([]);
    return "status" in ended ? ended : KILLED;
  }
}

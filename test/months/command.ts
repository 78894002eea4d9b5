/** What runs the months: the command by its functions, or as a process. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { actionNames } from "../../command/members/action-table.ts";
import { type HeldToken, heldSchema } from "../../provider/member/held.ts";
import type { PlayedRun } from "../command/entry-properties.ts";
import type { Cutoff } from "../setup/cutoff-proxy.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { expectPrinted } from "./checks.ts";
import type { Office } from "./edits.ts";

interface Circumstances {
  /** The command is killed at one of its writes. */
  readonly killed?: Cutoff | undefined;
  /** An answer to what an earlier run asked. */
  readonly approve?: string | undefined;
  /** The plan of another day, which is to be applied and no other. */
  readonly stale?: boolean;
  /** Whether it gives up early, as the service is away. */
  readonly isBrief?: boolean | undefined;
  /** How many people have left, as the list of users lacks them. */
  readonly absent?: string | undefined;
  /** Whether each member is compared with the service, with all tokens. */
  readonly refresh?: boolean;
}

export interface CommandLine extends Circumstances {
  readonly verb: "up" | "offboard" | "rotate";
  readonly file: string;
  readonly key?: string;
  /** Besides those of all runs. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What every verb prints with `--json`, a run that did not begin too. */
const printedSchema = z.object({
  status: z.enum(["succeeded", "failed", "blocked", "killed"]),
  /** Why it did not begin. */
  error: z.string().nullish(),
  code: z.string().nullish(),
  plan: z
    .object({
      people: z.array(
        z.object({ who: z.string(), userId: z.string().nullable(), actions: z.array(z.enum(actionNames)) }),
      ),
      violations: z.array(z.object({ guard: z.string(), text: z.string(), override: z.string().nullable() })),
    })
    .default({ people: [], violations: [] }),
  /** By name, before there is a plan. */
  revoked: z.array(z.object({ userId: z.string() })).default([]),
  failure: z.object({ code: z.string(), text: z.string() }).nullish(),
  undecided: z.array(z.object({ key: z.string() })).default([]),
  undecidedOverride: z.string().nullish(),
  stopped: z.array(z.unknown()).default([]),
  results: z
    .array(
      z.object({
        ...{ key: z.string(), who: z.string(), status: z.string() },
        ...{ code: z.string().nullable(), text: z.string().nullable() },
      }),
    )
    .default([]),
});
export type Printed = z.output<typeof printedSchema>;

/** What the state has of the tokens of a user. */
export interface HeldTokens {
  readonly userId: string;
  readonly tokens: readonly HeldToken[];
  /** SHA-256 of the value, as the service has it; undefined without one. */
  readonly hash: string | undefined;
}

/** The command of the administrators, at the time that the driver sets. */
export abstract class MonthsCommand {
  /** The roster of the first administrator. */
  abstract readonly file: string;
  /** The same of the second one. */
  readonly otherFile = join(temporaryFolder(), "people.csv");
  abstract readonly fixture: Office["fixture"];
  /** How many people a run is about at once. */
  abstract readonly atOnce: number;

  abstract setTime(now: number): Promise<void>;
  /** What a preview would change; empty if nothing. */
  abstract hasChanges(): Promise<string>;
  abstract savePlan(): Promise<void>;
  /** @returns what restores the state of now */
  abstract backup(): () => void;
  abstract tokens(): Promise<HeldTokens[]>;
  /** @returns what it prints; undefined if it was killed before that */
  protected abstract ran(line: CommandLine): Promise<unknown>;
  /** Of all that was printed and stored. */
  expectNoSecrets(): void {}

  up(circumstances: Circumstances = {}, file = this.file) {
    return this.#run({ verb: "up", file, ...circumstances });
  }

  offboard(key: string) {
    return this.#run({ verb: "offboard", file: this.file, key });
  }

  rotate(key: string) {
    return this.#run({ verb: "rotate", file: this.file, key });
  }

  /** Runs a verb, and holds what the service got against the plan that it showed. */
  async #run(line: Omit<CommandLine, "environment">) {
    const environment = {
      ...(line.isBrief && { ORGSEAT_OPERATION_TIMEOUT: "1s" }),
      ...(line.absent && { ORGSEAT_MAX_REMOVALS: line.absent }),
    };
    const { management } = this.fixture.sandbox.service;
    const before = await management.snapshot();
    const first = (await management.requests()).at(-1)?.number ?? 0;
    const said = await this.ran({ ...line, environment });
    const printed = printedSchema.parse(said ?? { status: "killed" });
    const users = [...before.users, ...(await management.snapshot()).users];
    const requests = await management.requests(first);
    if (said !== undefined) this.expectSent(printed, { requests, users });
    return outcomeOf(printed);
  }

  protected expectSent(printed: Printed, { requests, users }: Pick<PlayedRun, "requests" | "users">): void {
    expectPrinted(printed, requests, users);
  }
}

function outcomeOf({ status, plan, results, undecided, stopped, ...said }: Printed) {
  const failed = results.filter((one) => one.status !== "succeeded" && one.status !== "already-gone");
  return {
    status,
    guards: plan.violations.map(({ guard }) => guard),
    /** The code of why it did not begin. */
    refusal: said.code ?? undefined,
    /** Of whom it wants to know more, with the code of the reason. */
    open: [
      ...undecided.map(({ key }) => ({ key, code: "undecided" })),
      ...failed.map(({ key, code }) => ({ key, code: code ?? "" })),
    ],
    override: plan.violations[0]?.override ?? said.undecidedOverride ?? undefined,
    /** All that it says, for messages of the test. */
    text: [
      ...plan.violations.map(({ text }) => text),
      ...(said.error ? [said.error] : []),
      ...(said.failure ? [said.failure.text] : []),
      ...stopped.map((one) => JSON.stringify(one)),
      ...failed.map(({ who, text }) => `${who}: ${text}`),
    ].join("\n"),
  };
}

const stateSchema = z.object({
  deployment: z.object({ resources: z.array(z.object({ outputs: z.unknown().optional() })).nullish() }),
});
const outputsSchema = z.object({
  held: heldSchema,
  tokenValue: z.object({ plaintext: z.string() }).nullish(),
});

/** @param state exported with its secrets */
export function heldTokensIn(state: unknown): HeldTokens[] {
  const all: HeldTokens[] = [];
  for (const { outputs } of stateSchema.parse(state).deployment.resources ?? []) {
    const { success, data } = outputsSchema.safeParse(outputs);
    if (!success) continue;
    const value = data.tokenValue && z.string().parse(JSON.parse(data.tokenValue.plaintext));
    for (const [index, { id, tokens }] of data.held.users.entries()) {
      const hash = index === 0 && value ? createHash("sha256").update(value).digest("hex") : undefined;
      all.push({ userId: id, tokens, hash });
    }
  }
  return all;
}

/** What runs the months: the command by its functions, or as a process. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { type HeldToken, heldSchema } from "../../provider/member/held.ts";
import type { Cutoff } from "../setup/cutoff-proxy.ts";
import type { Office } from "./edits.ts";

/** The command of the administrators, at the time that the driver sets. */
export interface MonthsCommand {
  /** The roster of the first administrator. */
  readonly file: string;
  readonly fixture: Office["fixture"];
  /** How many people a run is about at once. */
  readonly atOnce: number;
  setTime(now: number): Promise<void>;
  /** @param file the roster of someone else */
  up(circumstances?: Circumstances, file?: string): Promise<Outcome>;
  offboard(key: string): Promise<Outcome>;
  rotate(key: string): Promise<Outcome>;
  /** What a preview would change; empty if nothing. */
  hasChanges(): Promise<string>;
  savePlan(): Promise<void>;
  /** @returns what restores the state of now */
  backup(): () => void;
  tokens(): Promise<HeldTokens[]>;
  /** Of all that was printed and stored. */
  expectNoSecrets?(): void;
}

export interface Circumstances {
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

export interface Outcome {
  readonly status: "succeeded" | "failed" | "blocked" | "killed";
  readonly guards: readonly string[];
  /** The code of why it did not begin. */
  readonly refusal: string | undefined;
  /** The code of what failed first. */
  readonly failure: string | undefined;
  /** Of whom it wants to know more, with the code of the reason. */
  readonly open: readonly { readonly key: string; readonly code: string }[];
  readonly override: string | undefined;
  /** All that it says, for messages of the test. */
  readonly text: string;
}

export const KILLED: Outcome = {
  ...{ status: "killed", guards: [], refusal: undefined, failure: undefined },
  ...{ open: [], override: undefined, text: "killed" },
};

/** What every verb prints with `--json`, a run that did not begin too. */
const outcomeSchema = z.object({
  status: z.enum(["succeeded", "failed", "blocked"]),
  error: z.string().nullish(),
  code: z.string().nullish(),
  plan: z
    .object({
      violations: z.array(z.object({ guard: z.string(), text: z.string(), override: z.string().nullable() })),
    })
    .default({ violations: [] }),
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

export function outcomeIn(json: unknown): Outcome {
  const { status, plan, results, undecided, stopped, ...said } = outcomeSchema.parse(json);
  const failed = results.filter((one) => one.status !== "succeeded" && one.status !== "already-gone");
  return {
    status,
    guards: plan.violations.map(({ guard }) => guard),
    refusal: said.code ?? undefined,
    failure: said.failure?.code,
    open: [
      ...undecided.map(({ key }) => ({ key, code: "undecided" })),
      ...failed.map(({ key, code }) => ({ key, code: code ?? "" })),
    ],
    override: plan.violations[0]?.override ?? said.undecidedOverride ?? undefined,
    text: [
      ...plan.violations.map(({ text }) => text),
      ...(said.error ? [said.error] : []),
      ...(said.failure ? [said.failure.text] : []),
      ...stopped.map((one) => JSON.stringify(one)),
      ...failed.map(({ who, text }) => `${who}: ${text}`),
    ].join("\n"),
  };
}

/** The same users and tokens have the same ids in each run of a seed. */
export function repeatableIds(seed: number): (owner: string) => string {
  const made = new Map<string, number>();
  return (owner) => {
    const count = (made.get(owner) ?? 0) + 1;
    made.set(owner, count);
    const hex = createHash("sha256").update(`${seed} ${owner} ${count}`).digest("hex");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5");
  };
}

/** What the state has of the tokens of a user. */
export interface HeldTokens {
  readonly userId: string;
  readonly tokens: readonly HeldToken[];
  /** SHA-256 of the value, as the service has it; undefined without one. */
  readonly hash: string | undefined;
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

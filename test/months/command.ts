/** What a run of the months is given, and what it says. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { type HeldToken, heldSchema } from "../../provider/member/held.ts";
import type { Cutoff } from "../setup/cutoff-proxy.ts";

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
  /** Of whom it wants to know more, with the code of the reason. */
  readonly open: readonly { readonly key: string; readonly code: string }[];
  readonly override: string | undefined;
  /** All that it says, for messages of the test. */
  readonly text: string;
}

export const KILLED: Outcome = {
  ...{ status: "killed", guards: [], open: [], override: undefined, text: "killed" },
};

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

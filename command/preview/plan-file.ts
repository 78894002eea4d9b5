/** The file of `preview --plan` and `up --plan`. */

import { readFileSync } from "node:fs";
import { z } from "zod";
import { parseDuration } from "../../provider/util/duration.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { instantMs } from "../../provider/util/instants.ts";
import { messageOf, shellWord } from "../../provider/util/text.ts";
import { type PlanDocument, parsePlan } from "../plan/document.ts";
import { writePrivateText } from "../roster/formats/text-file.ts";

/** How old a plan may be by default. */
const MOST_AGE = "24h";
/** Clocks of two machines may differ by this much. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** Only this user can read it: it contains emails. @throws if it cannot be written */
export function writePlan(file: string, plan: PlanDocument): void {
  writePrivateText(file, `${JSON.stringify(plan, null, 2)}\n`);
}

/**
 * @param maximumAge a duration
 * @throws for a file that is not a plan, a plan that a guard refused or whose preview failed, and one that is too old
 */
export function readPlan(file: string, maximumAge = MOST_AGE, now = Date.now()): PlanDocument {
  const plan = parse(file);
  if (!plan.isApplicable) {
    throw new CodedError(
      "invalid-plan",
      `cannot apply plan ${file}: a guard refused it, or its preview failed. Run \`orgseat preview --plan ${shellWord(file)}\` again and follow its output`,
    );
  }
  const age = now - instantMs(plan.time);
  if (age > (parseDuration(maximumAge) ?? 0)) {
    throw new CodedError(
      "invalid-plan",
      `cannot apply plan ${file}: it was made at ${plan.time}, more than ${maximumAge} ago. Run \`orgseat preview --plan ${shellWord(file)}\` again, or pass --plan-max-age`,
    );
  }
  if (age < -CLOCK_SKEW_MS) {
    throw new CodedError(
      "clock-skew",
      `cannot apply plan ${file}: it was made at ${plan.time}, which is in the future according to the clock of this machine. Correct the clock of this machine, or of the machine that made the plan`,
    );
  }
  return plan;
}

function parse(file: string): PlanDocument {
  try {
    return parsePlan(readFileSync(file, "utf8"));
  } catch (error) {
    throw new CodedError(
      "invalid-plan",
      `cannot read plan ${file}: ${reasonOf(error)}. Write it with \`orgseat preview --plan ${shellWord(file)}\``,
    );
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return "it is not a plan of this release of orgseat";
  if (error instanceof SyntaxError) return "it is not valid JSON";
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return "the file does not exist";
  return messageOf(error);
}

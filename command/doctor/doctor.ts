/** `orgseat doctor`: gathers the facts, then decides the table of checks from them. */
import { configurationChecks } from "./configuration.ts";
import { type Check, type DoctorOptions, gatherFacts } from "./facts.ts";
import { modelChecks } from "./models.ts";
import { organizationChecks } from "./organization.ts";
import { checkReads } from "./reads.ts";
import type { DoctorReport } from "./report.ts";
import { rosterChecks } from "./roster.ts";
import { stackChecks } from "./stack.ts";

const TABLE: readonly Check[] = [
  ...rosterChecks,
  ...stackChecks,
  ...configurationChecks,
  ...organizationChecks,
  ...modelChecks,
  { name: "reads", when: ({ verbose }) => verbose === true, says: checkReads },
];

/** Runs all checks. A failed check does not reject. */
export async function diagnose(options: DoctorOptions): Promise<DoctorReport> {
  const facts = await gatherFacts(options);
  const checks = TABLE.filter(({ when }) => when === undefined || when(facts)).flatMap(
    ({ name: check, says }) => [says(facts)].flat().map((finding) => ({ check, ...finding })),
  );
  return { ok: checks.every(({ blocks }) => !blocks), checks };
}

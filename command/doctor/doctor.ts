/**
 * `orgseat doctor`: asks `pulumi` and the service, then decides the table of checks from the answers. It sends only token
 * requests and GETs.
 */

import { platforms } from "../../provider/api/calls/platform.ts";
import { Redactor } from "../../provider/api/client/redact.ts";
import { type Environment, environmentName, secretKeys } from "../../provider/config/setting-values.ts";
import { readSettings } from "../../provider/config/settings.ts";
import { type Clock, systemClock } from "../../provider/util/instants.ts";
import { configurationChecks, isModelAreaWanted, isOrganizationWanted } from "./configuration.ts";
import type { CheckRow, Facts } from "./facts.ts";
import { modelChecks } from "./model-area.ts";
import { organizationChecks } from "./organization.ts";
import { askPulumi } from "./pulumi.ts";
import type { DoctorReport } from "./report.ts";
import { askModelArea, askOrganization } from "./requests.ts";
import { stackChecks } from "./stack-checks.ts";

export interface DoctorOptions {
  readonly environment: Environment;
  /** The folder in which, or above which, to find the Pulumi project. */
  readonly folder: string;
  /** Default: the selected stack. */
  readonly stack?: string | undefined;
  /** The name of the Pulumi project, to find the files of the state. */
  readonly project?: string | undefined;
  /** Whether `orgseat up` creates the stack if it does not exist. Default: no. */
  readonly createsStack?: boolean | undefined;
  /** Whether commands run code of the folder. Default: yes. */
  readonly runsCode?: boolean | undefined;
  /** Checks of the caller, which come first. */
  readonly checks?: readonly CheckRow[] | undefined;
  readonly clock?: Clock | undefined;
  /** The time limit of all checks, in milliseconds. Default: 8,500. */
  readonly totalMs?: number | undefined;
}

const TOTAL_MS = 8500;
/** The share of the time for `pulumi`; the service gets the rest. */
const CONFIGURATION_SHARE = 0.6;

/** Runs all checks. A failed check does not reject. */
export async function diagnose(options: DoctorOptions): Promise<DoctorReport> {
  const { environment, folder, stack, clock = systemClock, totalMs = TOTAL_MS } = options;
  const until = clock.monotonic() + totalMs;
  const redactor = new Redactor();
  for (const key of secretKeys) redactor.add(environment[environmentName(key)]);
  const { createsStack = false, runsCode = true, project } = options;
  const place = { environment, folder, stack, project, createsStack, runsCode };
  const pulumi = await askPulumi({ ...place, redactor, timeoutMs: totalMs * CONFIGURATION_SHARE });
  const config = (key: string): string | undefined => pulumi.values.get(key)?.value;
  for (const key of secretKeys) redactor.add(config(`orgseat:${key}`));
  const written = (key: string) => environment[environmentName(key)] || config(`orgseat:${key}`) || undefined;
  const settings = readSettings(config, environment);
  const { timeoutMs, proxies, platform = "basic" } = settings;
  const parts = { clock, redactor, timeoutMs, until, proxies, platform: platforms[platform] };
  const [organization, models] = await Promise.all([
    isOrganizationWanted({ written }) ? askOrganization(settings, parts) : {},
    isModelAreaWanted({ written }) ? askModelArea(settings, parts) : {},
  ]);
  const read = { environment, stack, settings, written, now: clock.now() };
  return reportOf([...(options.checks ?? []), ...TABLE], { ...pulumi, ...organization, ...models, ...read });
}

const TABLE: readonly CheckRow[] = [
  ...stackChecks,
  ...configurationChecks,
  ...organizationChecks,
  ...modelChecks,
];

function reportOf(table: readonly CheckRow[], facts: Facts): DoctorReport {
  const checks = table
    .filter(({ when }) => when === undefined || when(facts))
    .flatMap(({ name: check, says }) => [says(facts)].flat().map((finding) => ({ check, ...finding })));
  return { ok: checks.every(({ blocks }) => !blocks), checks };
}

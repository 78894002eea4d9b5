/** What the checks of `orgseat doctor` decide from, and the form of a check. */
import { Redactor } from "../../provider/api/client/redact.ts";
import { type Environment, environmentName, secretKeys } from "../../provider/config/setting-values.ts";
import { readSettings } from "../../provider/config/settings.ts";
import { type Clock, systemClock } from "../../provider/util/instants.ts";
import { RosterError } from "../roster/formats/validation.ts";
import type { Roster } from "../roster/roster.ts";
import { askPulumi } from "./pulumi.ts";
import type { Finding } from "./report.ts";
import { askService } from "./service.ts";

export interface DoctorOptions {
  readonly environment: Environment;
  /** The folder in which, or above which, to find the Pulumi project. */
  readonly folder: string;
  /** Default: the selected stack. */
  readonly stack?: string | undefined;
  /** The roster of the stack, or its errors. Default: none. */
  readonly roster?: Roster | RosterError | undefined;
  readonly clock?: Clock | undefined;
  /** The time limit of all checks, in milliseconds. Default: 8,500. */
  readonly totalMs?: number | undefined;
  /** The variables of `environment` that a file had. */
  readonly taken?: { readonly file: string; readonly names: readonly string[] } | undefined;
  /** Whether to compare the answer of each read with the interface. */
  readonly verbose?: boolean | undefined;
}

export const TOTAL_MS = 8500;
/** The share of the time for `pulumi`; the service gets the rest. */
const PULUMI_SHARE = 0.6;

/** One check: its name in the report, when it applies, and what it says. Without a finding it prints nothing. */
export interface Check {
  readonly name: string;
  /** Default: always. */
  readonly when?: (facts: Facts) => boolean;
  readonly says: (facts: Facts) => Finding | readonly Finding[];
}

export type Facts = Awaited<ReturnType<typeof gatherFacts>>;

/** Asks `pulumi`, and with the configuration of the stack the service. It sends only token requests and GETs. */
export async function gatherFacts(options: DoctorOptions) {
  const { folder, stack, roster, clock = systemClock, totalMs = TOTAL_MS, verbose, taken } = options;
  const until = clock.monotonic() + totalMs;
  const environment = environmentOf(options);
  const redactor = new Redactor();
  for (const key of secretKeys) redactor.add(environment[environmentName(key)]);
  const place = { environment, folder, stack, isOfRoster: roster !== undefined };
  const pulumi = await askPulumi(place, redactor, totalMs * PULUMI_SHARE);
  const config = (key: string): string | undefined => pulumi.values?.get(key)?.value;
  for (const key of secretKeys) redactor.add(config(`orgseat:${key}`));
  const settings = readSettings(config, environment);
  const service = await askService(settings, { clock, redactor, until }, verbose);
  const valueIn = (source: Environment) => (key: string) =>
    source[environmentName(key)] || config(`orgseat:${key}`) || undefined;
  return {
    ...pulumi,
    ...service,
    ...{ environment, stack, roster, settings, verbose, taken, now: clock.now() },
    /** The raw value of a configuration key, from any source; undefined if it is not set. */
    written: valueIn(environment),
    /** The same without what the roster says. */
    configured: valueIn(options.environment),
  };
}

const ORGANIZATION = environmentName("organizationId");
const SUBSCRIPTION = environmentName("subscriptionExpiresAt");

/** The environment of the runs of a roster, which has its own values. */
function environmentOf({ environment, roster }: DoctorOptions): Environment {
  if (roster === undefined || roster instanceof RosterError) return environment;
  return {
    ...environment,
    [ORGANIZATION]: environment[ORGANIZATION] || roster.organizationId,
    [SUBSCRIPTION]: roster.subscriptionExpiresAt ?? environment[SUBSCRIPTION],
  };
}

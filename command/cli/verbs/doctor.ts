/** `orgseat doctor`: reads the roster, if there is one, and checks the rest. */
import { dirname } from "node:path";
import { diagnose } from "../../doctor/doctor.ts";
import { type DoctorOptions, TOTAL_MS } from "../../doctor/facts.ts";
import { formatReport } from "../../doctor/report.ts";
import { canonicalStackName, projectFolderOf } from "../../engine/stack-names.ts";
import { realPathOf } from "../../roster/formats/text-file.ts";
import { RosterError } from "../../roster/formats/validation.ts";
import { readRoster } from "../../roster/read.ts";
import { DEFAULT_STACK } from "../../stacks/organization.ts";
import { painter } from "../color.ts";
import { type CommonOptions, defaultRoster } from "../line/options.ts";
import { print, printJson } from "../output.ts";

/** The command ends within ten seconds, including its start and end. */
const SHORTEST_MS = 3000;

type DoctorFlags = Pick<CommonOptions, "roster" | "stack" | "json" | "verbose"> &
  Pick<DoctorOptions, "taken">;

export async function doctorVerb(options: DoctorFlags): Promise<void> {
  // The start of this process counts too; a slow machine still gets some time.
  const totalMs = Math.max(SHORTEST_MS, TOTAL_MS - performance.now());
  process.exitCode = (await printDiagnosis(options, process.env, totalMs)) ? 0 : 1;
}

/** @returns whether the configuration can work */
export async function printDiagnosis(
  { roster = defaultRoster(), stack, json, verbose, taken }: DoctorFlags,
  environment: NodeJS.ProcessEnv,
  totalMs = TOTAL_MS,
): Promise<boolean> {
  const place = roster === undefined ? { folder: process.cwd(), stack } : await placeOf(roster, stack);
  const report = await diagnose({ ...place, environment, totalMs, verbose, taken });
  if (json) printJson(report);
  else print(formatReport(report, (code) => painter({})?.(code, "code") ?? code));
  return report.ok;
}

/** The target of `orgseat up`. */
async function placeOf(
  file: string,
  typed = DEFAULT_STACK,
): Promise<Pick<DoctorOptions, "folder" | "stack" | "roster">> {
  const folder = dirname(realPathOf(file));
  const stack = canonicalStackName(typed, folder);
  const roster = await readRoster(file).catch((error: unknown) => {
    if (error instanceof RosterError) return error;
    throw error;
  });
  return { folder: projectFolderOf(folder), stack, roster };
}

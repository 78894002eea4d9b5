/** `orgseat doctor`: reads the roster, if there is one, and checks the rest. */
import { dirname } from "node:path";
import { type DoctorOptions, diagnose } from "../../doctor/doctor.ts";
import { formatReport } from "../../doctor/report.ts";
import { optionsOf, type RosterFacts } from "../../doctor/roster.ts";
import { canonicalStackName, OWN_PROJECT, projectFolderOf, readProject } from "../../engine/stack-names.ts";
import { realPathOf } from "../../roster/formats/text-file.ts";
import { placeOf, RosterError } from "../../roster/formats/validation.ts";
import { readRoster } from "../../roster/read.ts";
import { hasAccessEnded, type Roster } from "../../roster/roster.ts";
import { DEFAULT_STACK } from "../../stacks/organization.ts";
import { painter } from "../color.ts";
import { type CommonOptions, defaultRoster } from "../line/options.ts";
import { print, printJson } from "../output.ts";

/** The command ends within ten seconds, including its start and end. */
const TOTAL_MS = 8500;
const SHORTEST_MS = 3000;

type DoctorFlags = Pick<CommonOptions, "roster" | "stack" | "json">;

export async function doctorVerb(options: DoctorFlags): Promise<void> {
  // The start of this process counts too; a slow machine still gets some time.
  const totalMs = Math.max(SHORTEST_MS, TOTAL_MS - performance.now());
  process.exitCode = (await printDiagnosis(options, process.env, totalMs)) ? 0 : 1;
}

/** @returns whether the configuration can work */
export async function printDiagnosis(
  options: DoctorFlags,
  environment: NodeJS.ProcessEnv,
  totalMs = TOTAL_MS,
): Promise<boolean> {
  const { stack, json } = options;
  const file = options.roster ?? defaultRoster();
  const place =
    file === undefined
      ? { folder: process.cwd(), stack, environment }
      : await rosterPlace(file, environment, stack);
  const report = await diagnose({ ...place, totalMs });
  if (json) printJson(report);
  else print(formatReport(report, (code) => painter({})?.(code, "code") ?? code));
  return report.ok;
}

/** The target of `orgseat up`. */
async function rosterPlace(
  file: string,
  environment: NodeJS.ProcessEnv,
  typed = DEFAULT_STACK,
): Promise<DoctorOptions> {
  const folder = dirname(realPathOf(file));
  const stack = canonicalStackName(typed, folder);
  const roster = await factsOf(file, stack);
  const project = readProject(projectFolderOf(folder)).name ?? OWN_PROJECT;
  return { folder: projectFolderOf(folder), project, ...optionsOf(roster, environment) };
}

async function factsOf(file: string, stack: string): Promise<RosterFacts> {
  try {
    return factsIn(await readRoster(file), stack);
  } catch (error) {
    if (!(error instanceof RosterError)) throw error;
    const errors = error.issues.map((issue) => `${placeOf({ file, ...issue })}: ${issue.text}`);
    return { file, errors, people: 0, seated: 0, stack };
  }
}

export function factsIn(roster: Roster, stack: string): RosterFacts {
  const { file, organizationId, subscriptionExpiresAt, seats, people } = roster;
  const counts = Map.groupBy(people, (person) => person.file ?? file);
  return {
    ...{ file, errors: [], organizationId, subscriptionExpiresAt, seats },
    files: (roster.files ?? [roster]).map((one) => ({
      ...{ file: one.file, rows: one.rows, people: counts.get(one.file)?.length ?? 0 },
    })),
    people: people.length,
    seated: people.filter((person) => person.seat && !hasAccessEnded(person, Date.now())).length,
    stack,
    identities: people.flatMap(({ email, userId }) => [email, userId].filter((one) => one !== undefined)),
  };
}

/** How the time of a run grows with the organization: no change, one person is added, all are added; beside an organization of 3. */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PulumiCli } from "../sandbox/pulumi/cli.ts";
import { type RunningService, sandboxServiceAccount, startService } from "../sandbox/service/index.ts";
import { alternate } from "./measure.ts";
import { PeopleProject } from "./people-project.ts";
import { configurationOf } from "./project.ts";

const FEW = 3;
const ROUNDS = 3;

/** Seconds, and how many times as long as with 3 people. */
export interface Duration {
  readonly seconds: number;
  readonly ratio: number;
}

export interface ChangeFigure {
  readonly people: number;
  /** Seconds of the first `up`. */
  readonly allJoin: number;
  readonly unchanged: Duration;
  readonly addedPreview: Duration;
  readonly addedUp: Duration;
  /** The maximum memory of all processes of the first `up`, in bytes. */
  readonly peakBytes: number;
}

/** @param sizes the numbers of people @param add gets each figure when it is measured */
export async function measureChange(
  cli: PulumiCli,
  sizes: readonly number[],
  add: (figure: ChangeFigure) => void,
): Promise<void> {
  const few = await organizationOf(cli, FEW);
  try {
    await few.project.run("up", "--yes");
    for (const people of sizes) {
      const many = await organizationOf(cli, people);
      try {
        add(await figureOf(people, many, few));
      } finally {
        await many.close();
      }
    }
  } finally {
    await few.close();
  }
}

async function figureOf(
  people: number,
  many: MeasuredOrganization,
  few: MeasuredOrganization,
): Promise<ChangeFigure> {
  const { seconds: allJoin, peakBytes } = await many.project.run("up", "--yes");
  const compare = async (work: (one: MeasuredOrganization) => Promise<number>): Promise<Duration> => {
    const { ratio, ours } = await alternate(
      ROUNDS,
      () => work(many),
      () => work(few),
    );
    return { ratio, seconds: ours };
  };
  const unchanged = await compare(async ({ project }) => (await project.run("preview")).seconds);
  // Each round adds one person: the preview shows it, and the `up` after it adds it.
  const ups = new Map<MeasuredOrganization, number[]>([
    [many, []],
    [few, []],
  ]);
  const addedPreview = await compare(async (one) => {
    one.addPerson();
    const { seconds } = await one.project.run("preview");
    ups.get(one)?.push((await one.project.run("up", "--yes")).seconds);
    return seconds;
  });
  const next = (one: MeasuredOrganization) => async () => ups.get(one)?.shift() ?? Number.NaN;
  const { ratio, ours } = await alternate(ROUNDS, next(many), next(few));
  return { people, allJoin, peakBytes, unchanged, addedPreview, addedUp: { ratio, seconds: ours } };
}

interface MeasuredOrganization {
  readonly project: PeopleProject;
  addPerson(): void;
  close(): Promise<void>;
}

async function organizationOf(cli: PulumiCli, people: number): Promise<MeasuredOrganization> {
  const dataFolder = mkdtempSync(join(tmpdir(), "orgseat-bench-service-"));
  const seed = { seats: people + 100, serviceAccount: sandboxServiceAccount };
  const service: RunningService = await startService({ dataFolder, seed });
  const project = new PeopleProject(cli, configurationOf(service, sandboxServiceAccount));
  const emails = Array.from({ length: people }, (_, index) => `person-${index}@acme.example`);
  project.write(service.seed.organizationId, emails, undefined);
  let added = 0;
  return {
    project,
    addPerson: () => appendFileSync(join(project.folder, "people.csv"), `added-${added++}@acme.example\n`),
    close: async () => {
      project.close();
      await service.close();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

export function changeTable(figures: readonly ChangeFigure[]): string {
  const shown = ({ seconds, ratio }: Duration): string => `${seconds.toFixed(2)} s (${ratio.toFixed(1)})`;
  const rows = figures.map((one) =>
    [
      one.people.toLocaleString("en"),
      ...[one.unchanged, one.addedPreview, one.addedUp].map(shown),
      `${one.allJoin.toFixed(1)} s`,
      `${Math.round(one.peakBytes / 1024 ** 2)} MiB`,
    ].join(" | "),
  );
  return [
    "| people | preview, no change | preview, one person added | `up`, one person added | first `up`, all added | memory of that `up` |",
    "|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
  ].join("\n");
}

/** How the time of a run grows with the organization: no change, one person is added, all are added; beside an organization of 3. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { PulumiCli } from "../sandbox/pulumi/cli.ts";
import { sandboxServiceAccount } from "../sandbox/service/index.ts";
import { alternate, mebibytes, tableOf } from "./measure.ts";
import { PeopleProject } from "./people-project.ts";
import { configurationOf, emailsOf, withService } from "./project.ts";

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
export function measureChange(
  cli: PulumiCli,
  sizes: readonly number[],
  add: (figure: ChangeFigure) => void,
): Promise<void> {
  return withOrganization(cli, FEW, async (few) => {
    await few.project.run("up", "--yes");
    for (const people of sizes)
      await withOrganization(cli, people, async (many) => add(await figureOf(people, many, few)));
  });
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
}

function withOrganization(
  cli: PulumiCli,
  people: number,
  work: (organization: MeasuredOrganization) => Promise<void>,
): Promise<void> {
  const seed = { seats: people + 100, serviceAccount: sandboxServiceAccount };
  return withService({ seed }, async (service) => {
    const project = new PeopleProject(cli, configurationOf(service, sandboxServiceAccount));
    project.write(service.seed.organizationId, emailsOf(people));
    let added = 0;
    const addPerson = () =>
      appendFileSync(join(project.folder, "people.csv"), `added-${added++}@acme.example\n`);
    try {
      await work({ project, addPerson });
    } finally {
      project.close();
    }
  });
}

export function changeTable(figures: readonly ChangeFigure[]): string {
  const shown = ({ seconds, ratio }: Duration): string => `${seconds.toFixed(2)} s (${ratio.toFixed(1)})`;
  const head = ["people", "preview, no change", "preview, one person added", "`up`, one person added"];
  const rows = figures.map((one) => [
    one.people.toLocaleString("en"),
    ...[one.unchanged, one.addedPreview, one.addedUp].map(shown),
    `${one.allJoin.toFixed(1)} s`,
    mebibytes(one.peakBytes),
  ]);
  return tableOf([...head, "first `up`, all added", "memory of that `up`"], rows);
}

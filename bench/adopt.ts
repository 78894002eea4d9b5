/** The adoption of an organization that no one manages yet, if the service lists its members: reads and time. */
import { createClient, platforms } from "../provider/api/index.ts";
import { mapConcurrently } from "../provider/util/lists.ts";
import type { PulumiCli } from "../sandbox/pulumi/cli.ts";
import { type RunningService, sandboxServiceAccount } from "../sandbox/service/index.ts";
import { mebibytes, tableOf } from "./measure.ts";
import { PeopleProject } from "./people-project.ts";
import { configurationOf, emailsOf, withService } from "./project.ts";

export interface AdoptFigure {
  readonly people: number;
  readonly verb: string;
  readonly seconds: number;
  readonly reads: number;
  readonly mostReads: number;
  readonly writes: number;
  /** The maximum memory of all processes together, in bytes; 0 on systems without /proc. */
  readonly peakBytes: number;
}

const CONCURRENCY = 16;

/** @param add gets each figure when it is measured */
export function measureAdoption(
  cli: PulumiCli,
  people: number,
  add: (figure: AdoptFigure) => void,
): Promise<void> {
  const seed = { seats: people, serviceAccount: sandboxServiceAccount };
  return withService({ seed, platform: "anaconda" }, async (service) => {
    const project = new PeopleProject(cli, configurationOf(service, sandboxServiceAccount));
    project.environment.ORGSEAT_PLATFORM = "anaconda";
    try {
      await measureVerbs(project, service, people, add);
    } finally {
      project.close();
    }
  });
}

async function measureVerbs(
  project: PeopleProject,
  service: RunningService,
  people: number,
  add: (figure: AdoptFigure) => void,
): Promise<void> {
  const { organizationId, subscriptionExpiresAt } = service.seed;
  const record = async (verb: string, ...args: readonly string[]): Promise<void> => {
    const before = (await service.management.requests()).at(-1)?.number ?? 0;
    const { seconds, peakBytes } = await project.run(...args);
    const requests = (await service.management.requests(before)).filter(({ call }) => call !== "token");
    const reads = requests.filter(({ method }) => method === "GET").length;
    const figure = { people, verb, seconds, peakBytes, reads };
    // One list of users, and one of tokens for each user: the people and the administrator.
    add({ ...figure, mostReads: people + 2, writes: requests.length - reads });
  };
  await makeMembers(service, people);
  const header = ["--organization", organizationId, "--subscription", subscriptionExpiresAt];
  await record("adopt", "adopt", ...header, "--on-delete", "delete", "--yes");
  await record("preview --refresh", "preview", "--refresh", "--exit-code");
}

/** Members with a seat and a token each. */
async function makeMembers({ orgUrl, tokenUrl, seed }: RunningService, people: number): Promise<void> {
  const client = createClient({ orgUrl, tokenUrl, platform: platforms.anaconda });
  const api = client.organization(seed.organizationId, { serviceAccount: sandboxServiceAccount });
  const operation = () => ({ deadline: performance.now() + 60_000 });
  await mapConcurrently(emailsOf(people), CONCURRENCY, async (email) => {
    const { id } = await api.createUser({ email }, operation());
    await api.assignSeat(id, operation());
    await api.issueToken(id, seed.subscriptionExpiresAt, operation());
  });
  await client.close();
}

export function adoptFigureTable(figures: readonly AdoptFigure[]): string {
  const rows = figures.map((one) => [
    one.people.toLocaleString("en"),
    one.verb,
    `${one.seconds.toFixed(1)} s`,
    `${one.reads} of at most ${one.mostReads}${one.reads > one.mostReads ? ", missed" : ""}`,
    one.writes,
    mebibytes(one.peakBytes),
  ]);
  return tableOf(["people", "verb", "time", "reads", "writes", "memory of all processes"], rows);
}

/** The adoption of an organization that no one manages yet, if the service lists its members: reads and time. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, platforms } from "../provider/api/index.ts";
import { mapConcurrently } from "../provider/util/lists.ts";
import type { PulumiCli } from "../sandbox/pulumi/cli.ts";
import { type RunningService, sandboxServiceAccount, startService } from "../sandbox/service/index.ts";
import { type Ended, PeopleProject } from "./people-project.ts";
import { configurationOf } from "./project.ts";

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
export async function measureAdoption(
  cli: PulumiCli,
  people: number,
  add: (figure: AdoptFigure) => void,
): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), "orgseat-bench-service-"));
  const seed = { seats: people, serviceAccount: sandboxServiceAccount };
  const service = await startService({ dataFolder, seed, platform: "anaconda" });
  const project = new PeopleProject(cli, configurationOf(service, sandboxServiceAccount));
  project.environment.ORGSEAT_PLATFORM = "anaconda";
  const { organizationId, subscriptionExpiresAt } = service.seed;
  const record = async (verb: string, { seconds, peakBytes }: Ended, seen: number): Promise<void> => {
    const requests = (await service.management.requests(seen)).filter(({ call }) => call !== "token");
    const reads = requests.filter(({ method }) => method === "GET").length;
    const figure = { people, verb, seconds, peakBytes, reads };
    // One list of users, and one of tokens for each user: the people and the administrator.
    add({ ...figure, mostReads: people + 2, writes: requests.length - reads });
  };
  const lastRequest = async () => (await service.management.requests()).at(-1)?.number ?? 0;
  try {
    await makeMembers(service, people);
    const before = await lastRequest();
    const header = ["--organization", organizationId, "--subscription", subscriptionExpiresAt];
    const adopted = await project.run("adopt", ...header, "--on-delete", "delete", "--yes");
    await record("adopt", adopted, before);
    const seen = await lastRequest();
    await record("preview --refresh", await project.run("preview", "--refresh", "--exit-code"), seen);
  } finally {
    project.close();
    await service.close();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

/** Members with a seat and a token each. */
async function makeMembers({ orgUrl, tokenUrl, seed }: RunningService, people: number): Promise<void> {
  const client = createClient({ orgUrl, tokenUrl, platform: platforms.anaconda });
  const api = client.organization(seed.organizationId, { serviceAccount: sandboxServiceAccount });
  const operation = () => ({ deadline: performance.now() + 60_000 });
  const emails = Array.from({ length: people }, (_, index) => `person-${index}@acme.example`);
  await mapConcurrently(emails, CONCURRENCY, async (email) => {
    const { id } = await api.createUser({ email }, operation());
    await api.assignSeat(id, operation());
    await api.issueToken(id, seed.subscriptionExpiresAt, operation());
  });
  await client.close();
}

export function adoptFigureTable(figures: readonly AdoptFigure[]): string {
  const rows = figures.map((one) =>
    [
      one.people.toLocaleString("en"),
      one.verb,
      `${one.seconds.toFixed(1)} s`,
      `${one.reads} of at most ${one.mostReads}${one.reads > one.mostReads ? ", missed" : ""}`,
      one.writes,
      one.peakBytes === 0 ? "" : `${Math.round(one.peakBytes / 1024 / 1024)} MiB`,
    ].join(" | "),
  );
  return [
    "| people | verb | time | reads | writes | memory of all processes |",
    "|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
  ].join("\n");
}

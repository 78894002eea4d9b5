/** `up`, `up` without changes and `destroy` of real resources, relative to as many that do nothing. */
import { createClient, platforms } from "../provider/api/index.ts";
import type { PulumiCli } from "../sandbox/pulumi/cli.ts";
import type { RunningService } from "../sandbox/service/index.ts";
import { alternate, type Figure, mebibytes, timed } from "./measure.ts";
import { BenchProject, configurationOf, withService } from "./project.ts";

const AIMS = { up: 1.1, "no-change up": 1.05, destroy: 1.15 } as const;
const measurements = ["up", "no-change up", "destroy"] as const;
type Measured = (typeof measurements)[number];
const LARGEST_STATE = 1250;
const LARGEST_MEMORY = 200 * 1024 * 1024;

/** @param members each has three resources; there is one more service account */
export function measureResources(cli: PulumiCli, members: number, rounds: number): Promise<Figure[]> {
  return withService({ seed: { seats: members } }, async (service) => {
    const configuration = configurationOf(service, await createAccount(service));
    const real = new BenchProject(cli, "real", members, configuration);
    const idle = new BenchProject(cli, "idle", members, configuration);
    try {
      await Promise.all([real.init(), idle.init()]);
      const all: Round[] = [];
      for (let round = 0; round < rounds; round++) all.push(await measureRound(real, idle, service));
      return figuresOf(all, members * 3 + 1, { real, idle });
    } finally {
      real.close();
      idle.close();
    }
  });
}

function figuresOf(
  all: readonly Round[],
  resources: number,
  { real, idle }: Readonly<Record<"real" | "idle", BenchProject>>,
): Figure[] {
  const last = all.at(-1);
  if (!last) throw new Error("nothing was measured");
  return [
    ...measurements.map((what) => {
      const pairs = all.map((round) => round[what]);
      return ratioFigure(`${what} of ${resources} resources`, AIMS[what], pairs);
    }),
    requestFigure(resources, last.requests),
    stateFigure(resources, last.bytes),
    ...(real.peakProviderBytes > 0 ? [memoryFigure(resources, real, idle)] : []),
  ];
}

/** One `up`, one without changes, and one `destroy`. */
interface Round extends Readonly<Record<Measured, Pair>> {
  /** Those of the first `up`. */
  readonly requests: number;
  /** Of the whole states. */
  readonly bytes: Readonly<Record<"real" | "idle", number>>;
}

async function measureRound(
  real: BenchProject,
  idle: BenchProject,
  { management }: RunningService,
): Promise<Round> {
  const lastRequest = async () => (await management.requests()).at(-1)?.number ?? 0;
  const ups = () =>
    pairOf(
      () => real.up(),
      () => idle.up(),
    );
  const before = await lastRequest();
  const up = await ups();
  const requests = (await lastRequest()) - before;
  const bytes = { real: real.stateBytes(), idle: idle.stateBytes() };
  const again = await ups();
  const destroy = await pairOf(
    () => real.destroy(),
    () => idle.destroy(),
  );
  return { up, "no-change up": again, destroy, requests, bytes };
}

interface Pair {
  readonly ratio: number;
  /** Milliseconds. */
  readonly real: number;
  readonly idle: number;
  /** The processor time of the sandbox service, which runs in this process, in milliseconds. */
  readonly service: number;
}

async function pairOf(real: () => Promise<void>, idle: () => Promise<void>): Promise<Pair> {
  let service = 0;
  const withService = async (): Promise<void> => {
    const before = process.cpuUsage();
    await real();
    const { user, system } = process.cpuUsage(before);
    service = (user + system) / 1000;
  };
  const measured = await alternate(
    1,
    () => timed(withService),
    () => timed(idle),
  );
  return { ratio: measured.ratio, real: measured.ours, idle: measured.theirs, service };
}

function ratioFigure(what: string, aim: number, pairs: readonly Pair[]): Figure {
  const sorted = pairs.toSorted((a, b) => a.ratio - b.ratio);
  const middle = sorted[sorted.length >> 1];
  if (!middle) throw new Error("nothing was measured");
  return {
    what,
    aim: `at most ${aim.toFixed(2)} times`,
    measured: `${middle.ratio.toFixed(2)} times`,
    met: middle.ratio <= aim,
    detail: `${seconds(middle.real)} over ${seconds(middle.idle)}, median of ${pairs.length}; the service took ${seconds(middle.service)} of processor time`,
  };
}

function requestFigure(resources: number, requests: number): Figure {
  // The minimum: one call per resource, and one token request per credential.
  const least = resources + 2;
  return {
    what: `requests of an up of ${resources} resources`,
    aim: String(least),
    measured: String(requests),
    met: requests <= least,
    detail:
      "the service account's creation lists the accounts first (one GET), so that a lost response can be undone",
  };
}

function stateFigure(resources: number, bytes: Readonly<Record<"real" | "idle", number>>): Figure {
  return {
    what: `bytes of state per resource, of ${resources}`,
    aim: `at most ${LARGEST_STATE}`,
    measured: (bytes.real / resources).toFixed(0),
    met: bytes.real / resources <= LARGEST_STATE,
    detail: `the state file over the number of resources; an idle one has ${(bytes.idle / resources).toFixed(0)}`,
  };
}

function memoryFigure(resources: number, real: BenchProject, idle: BenchProject): Figure {
  const peak = real.peakProviderBytes;
  return {
    what: `peak memory of the provider process, ${resources} resources`,
    aim: "at most 200 MiB",
    measured: mebibytes(peak),
    met: peak <= LARGEST_MEMORY,
    detail: `VmHWM of the process, the most of all runs; the idle one had ${mebibytes(idle.peakProviderBytes)}`,
  };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

export async function createAccount({ orgUrl, tokenUrl, seed }: RunningService) {
  const client = createClient({ orgUrl, tokenUrl, platform: platforms.basic });
  const user = { username: seed.username, password: seed.password };
  const operation = { deadline: performance.now() + 10_000 };
  const made = await client
    .organization(seed.organizationId, { user })
    .createServiceAccount("bench", operation);
  await client.close();
  return { clientId: made.client_id, clientSecret: made.client_secret };
}

/** Organizations of many people with the command `orgseat`: what each verb takes and sends, beside a plain script and idle resources. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { PulumiCli } from "../sandbox/pulumi/cli.ts";
import { type PlatformName, type RunningService, sandboxServiceAccount } from "../sandbox/service/index.ts";
import { mebibytes, tableOf, timed } from "./measure.ts";
import { atPace, DELAY_MS, type Pace } from "./pace.ts";
import { type Ended, PeopleProject } from "./people-project.ts";
import { BenchProject, configurationOf, emailsOf, withService } from "./project.ts";

type Other = "script" | "idle";

/** What one verb takes and sends. */
export interface PeopleFigure {
  readonly people: number;
  readonly platform: PlatformName;
  readonly pace: Pace;
  readonly verb: string;
  readonly seconds: number;
  /** Seconds, of the comparison. */
  readonly beside?: Readonly<Partial<Record<Other, number>>> | undefined;
  readonly writes: number;
  readonly mostWrites: number;
  readonly reads: number;
  /** The maximum memory of all processes together, in bytes; 0 on systems without /proc. */
  readonly peakBytes: number;
  /** Bytes of the state for each person. */
  readonly stateBytes: number;
}

export interface Size {
  readonly people: number;
  readonly platform: PlatformName;
  /** How quickly the service answers. Default: at once. */
  readonly pace?: Pace;
  /** What is measured after all have joined. Default: all of it. */
  readonly verbs?: readonly Verb[];
  /** What all joining is compared with. Default: both. */
  readonly beside?: readonly Other[];
}

const RENEWED = "2031-12-31T23:59:59Z";
const ROTATED = 250;

interface Measured {
  readonly size: Size;
  readonly service: RunningService;
  readonly project: PeopleProject;
  record(verb: string, ended: Ended, mostWrites: number, beside?: PeopleFigure["beside"]): Promise<void>;
}

const verbs = {
  unchanged: async ({ project, record }: Measured) =>
    record("preview, no change", await project.run("preview"), 0),
  preview: async ({ size, project, record }: Measured) => {
    project.edit((emails) => [...emails.slice(1), "joiner@acme.example"]);
    await record("preview, one joins and one leaves", await project.run("preview"), 0);
    project.edit(() => emailsOf(size.people));
  },
  join: async ({ project, record }: Measured) => {
    project.edit((emails) => [...emails, "late-joiner@acme.example"]);
    await record("up, one joins", await project.run("up", "--yes"), 3);
  },
  rotate: async ({ size: { people }, project, record }: Measured) => {
    const some = emailsOf(Math.min(people, ROTATED));
    await record(`rotate ${some.length}`, await project.run("rotate", ...some, "--yes"), some.length * 2);
  },
  renew: async ({ size: { people }, service, project, record }: Measured) => {
    await service.management.changeSubscription(service.seed.organizationId, { expiresAt: RENEWED });
    project.environment.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = RENEWED;
    await record("renew all", await project.run("renew", "--yes"), people + 1);
  },
} as const;
export type Verb = keyof typeof verbs;

/** @param add gets each figure when it is measured */
export async function measurePeople(
  cli: PulumiCli,
  sizes: readonly Size[],
  add: (figure: PeopleFigure) => void,
): Promise<void> {
  for (const size of sizes) await measureSize(cli, size, add);
}

function measureSize(cli: PulumiCli, size: Size, add: (figure: PeopleFigure) => void): Promise<void> {
  const { people, platform, beside = ["script", "idle"] } = size;
  return withOrganization(size, async (service) => {
    const project = new PeopleProject(cli, configurationFor(service, platform));
    const measured = { size, service, project, record: recorderOf(size, service, project, add) };
    try {
      project.write(service.seed.organizationId, emailsOf(people));
      const all = await project.run("up", "--yes");
      const others: Partial<Record<Other, number>> = {};
      for (const one of beside) others[one] = (await othersBy[one](size, cli)) / 1000;
      await measured.record("up, all join", all, people * 3, others);
      for (const verb of size.verbs ?? (["unchanged", "preview", "join", "rotate", "renew"] as const))
        await verbs[verb](measured);
    } finally {
      project.close();
    }
  });
}

function withOrganization<T>(
  { people, platform, pace = "at once" }: Size,
  work: (service: RunningService) => Promise<T>,
): Promise<T> {
  return withService(
    { seed: { seats: people + 10, serviceAccount: sandboxServiceAccount }, platform },
    (service) => atPace(pace, service, work),
  );
}

function configurationFor(service: RunningService, platform: PlatformName): Record<string, string> {
  return { ...configurationOf(service, sandboxServiceAccount), ORGSEAT_PLATFORM: platform };
}

/** The same requests by a script. @returns milliseconds */
function measureScript(size: Size): Promise<number> {
  return withOrganization(size, async (service) => {
    const folder = mkdtempSync(join(tmpdir(), "orgseat-bench-script-"));
    const file = fileURLToPath(new URL("plain-script.ts", import.meta.url));
    const own = { BENCH_PEOPLE: String(size.people), BENCH_OUT: join(folder, "tokens.json") };
    const env = { ...process.env, ...configurationFor(service, size.platform), ...own };
    try {
      return await timed(() => promisify(execFile)(process.execPath, [file], { env }));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

/** As many resources whose provider responds at once, or after the delay of three requests. @returns milliseconds */
async function measureIdle({ people, pace = "at once" }: Size, cli: PulumiCli): Promise<number> {
  const idle = new BenchProject(cli, "idle-members", people, { BENCH_DELAY_MS: String(3 * DELAY_MS[pace]) });
  try {
    await idle.init();
    return await timed(() => idle.up());
  } finally {
    idle.close();
  }
}

const othersBy = { script: measureScript, idle: measureIdle };

/** Makes the figure of a verb from the requests since the last one. */
function recorderOf(
  { people, platform, pace = "at once" }: Size,
  { management }: RunningService,
  project: PeopleProject,
  add: (figure: PeopleFigure) => void,
): Measured["record"] {
  let seen = 0;
  return async (verb, { seconds, peakBytes }, mostWrites, beside) => {
    const requests = await management.requests(seen);
    seen = requests.at(-1)?.number ?? seen;
    const sent = requests.filter(({ call }) => call !== "token");
    const reads = sent.filter(({ method }) => method === "GET").length;
    const stateBytes = Math.round(project.stateBytes() / people);
    add({
      ...{ people, platform, pace, verb, seconds, peakBytes, mostWrites, beside, stateBytes },
      ...{ writes: sent.length - reads, reads },
    });
  };
}

export function peopleFigureTable(figures: readonly PeopleFigure[]): string {
  const seconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} s`;
  const times = (one: PeopleFigure, what: Other): string => {
    const other = one.beside?.[what];
    return other === undefined ? "" : `${seconds(other)} (${(one.seconds / other).toFixed(1)})`;
  };
  const rows = figures.map((one) => [
    `${one.people.toLocaleString("en")} on ${one.platform}${one.pace === "at once" ? "" : `, ${one.pace}`}`,
    one.verb,
    seconds(one.seconds),
    ...[times(one, "script"), times(one, "idle")],
    `${one.writes} of at most ${one.mostWrites}${one.writes > one.mostWrites ? ", missed" : ""}`,
    one.reads,
    mebibytes(one.peakBytes),
    one.stateBytes,
  ]);
  const head = ["people", "verb", "time", "plain script", "idle resources", "writes", "reads"];
  return tableOf([...head, "memory of all processes", "bytes of state a person"], rows);
}

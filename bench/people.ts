/** An organization of many people with the command `orgseat`: the time and the requests of each verb. */
import type { PulumiCli } from "../sandbox/pulumi/cli.ts";
import { type RunningService, sandboxServiceAccount } from "../sandbox/service/index.ts";
import { mebibytes, tableOf } from "./measure.ts";
import { type Ended, PeopleProject } from "./people-project.ts";
import { configurationOf, emailsOf, withService } from "./project.ts";

/** The time and the requests of one verb. */
export interface PeopleFigure {
  readonly people: number;
  readonly verb: string;
  readonly seconds: number;
  readonly writes: number;
  readonly mostWrites: number;
  readonly tokens: number;
  readonly mostTokens: number;
  readonly lists: number;
  readonly mostLists: number;
  /** The maximum memory of all processes together, in bytes; 0 on systems without /proc. */
  readonly peakBytes: number;
}

/** An access token lives for 15 minutes; orgseat requests a new one a minute earlier. */
const TOKEN_SECONDS = 14 * 60;
const JOINER = "late-joiner@acme.example";
const OFFBOARDED = "person-7@acme.example";
const RENEWED = "2031-12-31T23:59:59Z";

/** @param add gets each figure when it is measured */
export function measurePeople(
  cli: PulumiCli,
  people: number,
  add: (figure: PeopleFigure) => void,
): Promise<void> {
  const seed = { seats: people + 1, serviceAccount: sandboxServiceAccount };
  return withService({ seed }, async (service) => {
    const project = new PeopleProject(cli, configurationOf(service, sandboxServiceAccount));
    const record = recorderOf(people, service, add);
    try {
      project.write(service.seed.organizationId, emailsOf(people));
      await record("up: all join", await project.run("up", "--yes"), people * 3);
      await measureLife(project, service, record, people);
    } finally {
      project.close();
    }
  });
}

async function measureLife(
  project: PeopleProject,
  service: RunningService,
  record: RecordVerb,
  people: number,
): Promise<void> {
  const { organizationId } = service.seed;
  await record("up: nothing changes", await project.run("up", "--yes"), 0);
  await service.management.changeSubscription(organizationId, { expiresAt: RENEWED });
  project.environment.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = RENEWED;
  await record("renew: all tokens", await project.run("renew", "--yes"), people);
  project.write(organizationId, [...emailsOf(people), JOINER]);
  const seconds = await revokeDuringUp(service, project);
  // Three writes for the added person, four for the removed one: of the other run, the revocation, and the run after it.
  const beside = "offboard during an up that locks the stack, until the tokens are revoked";
  await record(beside, { seconds, peakBytes: 0 }, 7, 4);
}

type RecordVerb = (verb: string, ended: Ended, mostWrites: number, processes?: number) => Promise<void>;

/**
 * Makes the figure of a verb from the requests since the last one. By default, two `processes` request a token: the run, and
 * the command before it applies anything.
 */
function recorderOf(
  people: number,
  { management }: RunningService,
  add: (figure: PeopleFigure) => void,
): RecordVerb {
  let seen = 0;
  return async (verb, { seconds, peakBytes }, mostWrites, processes = 2) => {
    const requests = await management.requests(seen);
    seen = requests.at(-1)?.number ?? seen;
    const count = (fits: (request: (typeof requests)[number]) => boolean) => requests.filter(fits).length;
    add({
      ...{ people, verb, seconds, peakBytes, mostWrites },
      writes: count(({ call, method }) => call !== "token" && method !== "GET"),
      tokens: count(({ call }) => call === "token"),
      mostTokens: processes * Math.ceil(seconds / TOKEN_SECONDS),
      lists: count(({ method }) => method === "GET"),
      mostLists: 1,
    });
  };
}

/** Offboards a person while the slow creation of another person locks the stack. @returns seconds */
async function revokeDuringUp({ management }: RunningService, project: PeopleProject): Promise<number> {
  const slow = { kind: "delay", ms: 45_000 } as const;
  await management.addFaults({ match: { call: 5 }, fault: slow });
  const before = (await management.requests()).at(-1)?.number ?? 0;
  const isRequested = async (wanted: number) =>
    (await management.requests(before)).some(({ call }) => call === wanted);
  project.environment.ORGSEAT_TIMEOUT = "60s";
  let upHasEnded = false;
  const up = project.run("up", "--yes").finally(() => {
    upHasEnded = true;
  });
  while (!(await isRequested(5))) if (upHasEnded) throw new Error("the other run sent no request");
  const begun = performance.now();
  const offboard = project.start("offboard", OFFBOARDED, "--yes");
  await offboard.prints(/token revoked/);
  const seconds = (performance.now() - begun) / 1000;
  if (upHasEnded) throw new Error("the other run had ended by then");
  await Promise.all([up, offboard.ended]);
  return seconds;
}

export function peopleFigureTable(figures: readonly PeopleFigure[]): string {
  const of = (count: number, most: number): string =>
    `${count} of at most ${most}${count > most ? ", missed" : ""}`;
  const rows = figures.map((one) => [
    one.people.toLocaleString("en"),
    one.verb,
    `${one.seconds.toFixed(1)} s`,
    of(one.writes, one.mostWrites),
    of(one.tokens, one.mostTokens),
    of(one.lists, one.mostLists),
    mebibytes(one.peakBytes),
  ]);
  const head = ["people", "verb", "time", "writes", "token requests", "lists"];
  return tableOf([...head, "memory of all processes"], rows);
}

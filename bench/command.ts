/** The command `orgseat` in relation to plain `pulumi`: 3 people in the same resources, many people in idle ones. */
import type { PulumiCli } from "../sandbox/pulumi/cli.ts";
import { sandboxServiceAccount } from "../sandbox/service/index.ts";
import { alternate, type Figure, timed } from "./measure.ts";
import { PeopleProject } from "./people-project.ts";
import { BenchProject, configurationOf, emailsOf, type ProgramKind, withService } from "./project.ts";

const FEW = 3;
const AIMS = { preview: 1.5, up: 2, previewOfMany: 0.8, upOfMany: 1.4 };
const LARGEST_MEMORY = 1.2 * 1024 ** 3;
const LARGEST_STATE = 1150;

/** @param people measured once @param rounds of the 3 people */
export async function measureCommand(cli: PulumiCli, people: number, rounds: number): Promise<Figure[]> {
  const few = await measured(cli, FEW, "members", (projects) => fewFigures(projects, rounds));
  const many = await measured(cli, people, "idle-members", (projects) => manyFigures(projects, people));
  return [...few, ...many];
}

async function fewFigures({ orgseat, plain }: Projects, rounds: number): Promise<Figure[]> {
  const ups = await alternate(
    rounds,
    async () => {
      const { seconds } = await orgseat.run("up", "--yes");
      await orgseat.run("destroy", "--yes");
      return seconds * 1000;
    },
    async () => {
      const duration = await timed(() => plain.run("up", "--yes"));
      await plain.destroy();
      return duration;
    },
  );
  await orgseat.run("up", "--yes");
  await plain.up();
  const previews = await comparePreviews({ orgseat, plain }, rounds);
  return [
    ratioFigure(`orgseat up of ${FEW} people over plain pulumi up`, AIMS.up, ups),
    ratioFigure(`orgseat preview of ${FEW} people over plain pulumi preview`, AIMS.preview, previews),
  ];
}

async function manyFigures({ orgseat, plain }: Projects, people: number): Promise<Figure[]> {
  let peakBytes = 0;
  const up = await alternate(
    1,
    async () => {
      const ended = await orgseat.run("up", "--yes");
      peakBytes = ended.peakBytes;
      return ended.seconds * 1000;
    },
    () => timed(() => plain.run("up", "--yes")),
  );
  const preview = await comparePreviews({ orgseat, plain }, 3);
  return [
    ratioFigure(`orgseat up, ${people} people join, over idle resources`, AIMS.upOfMany, up),
    ratioFigure(
      `orgseat preview, ${people} people, no changes, over idle resources`,
      AIMS.previewOfMany,
      preview,
    ),
    memoryFigure(people, peakBytes),
    stateFigure(orgseat.stateBytes() / (people * 4)),
  ];
}

function comparePreviews({ orgseat, plain }: Projects, rounds: number): ReturnType<typeof alternate> {
  return alternate(
    rounds,
    async () => (await orgseat.run("preview")).seconds * 1000,
    () => timed(() => plain.run("preview")),
  );
}

function memoryFigure(people: number, bytes: number): Figure {
  return {
    what: `memory of all processes, orgseat up, ${people} people join`,
    aim: "at most 1.2 GiB",
    measured: `${(bytes / 1024 ** 3).toFixed(2)} GiB`,
    met: bytes <= LARGEST_MEMORY,
    detail: "the sum of the resident memory, sampled every 250 ms",
  };
}

function stateFigure(bytes: number): Figure {
  return {
    what: "bytes of state per resource of a roster",
    aim: `at most ${LARGEST_STATE}`,
    measured: bytes.toFixed(0),
    met: bytes <= LARGEST_STATE,
    detail: "the state file divided by four resources per person: component, user, seat, token",
  };
}

interface Projects {
  readonly orgseat: PeopleProject;
  readonly plain: BenchProject;
}

/** Both projects with their own organization. */
function measured(
  cli: PulumiCli,
  people: number,
  kind: ProgramKind,
  measure: (projects: Projects) => Promise<Figure[]>,
): Promise<Figure[]> {
  const options = { seed: { seats: people, serviceAccount: sandboxServiceAccount } };
  return withService(options, (own) =>
    withService(options, async (other) => {
      const orgseat = new PeopleProject(cli, configurationOf(own, sandboxServiceAccount));
      const plain = new BenchProject(cli, kind, people, configurationOf(other, sandboxServiceAccount));
      try {
        orgseat.write(own.seed.organizationId, emailsOf(people));
        await plain.init();
        return await measure({ orgseat, plain });
      } finally {
        orgseat.close();
        plain.close();
      }
    }),
  );
}

function ratioFigure(
  what: string,
  aim: number,
  { ratio, ours, theirs, rounds }: Awaited<ReturnType<typeof alternate>>,
): Figure {
  return {
    what,
    aim: `at most ${aim.toFixed(2)} times`,
    measured: `${ratio.toFixed(2)} times`,
    met: ratio <= aim,
    detail: `${(ours / 1000).toFixed(2)} s over ${(theirs / 1000).toFixed(2)} s, median of ${rounds}`,
  };
}

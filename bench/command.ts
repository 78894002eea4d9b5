/** The command `orgseat` in relation to plain `pulumi` with a program of the same members. */
import type { PulumiCli } from "../sandbox/pulumi/cli.ts";
import { sandboxServiceAccount } from "../sandbox/service/index.ts";
import { alternate, type Figure, timed } from "./measure.ts";
import { PeopleProject } from "./people-project.ts";
import { BenchProject, configurationOf, emailsOf, type ProgramKind, withService } from "./project.ts";

const FEW = 3;
const AIMS = { preview: 1.5, up: 2 };

export function measureCommand(cli: PulumiCli, rounds: number): Promise<Figure[]> {
  return measured(cli, FEW, "members", (projects) => figuresOf(projects, rounds));
}

async function figuresOf({ orgseat, plain }: Projects, rounds: number): Promise<Figure[]> {
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

function comparePreviews({ orgseat, plain }: Projects, rounds: number): ReturnType<typeof alternate> {
  return alternate(
    rounds,
    async () => (await orgseat.run("preview")).seconds * 1000,
    () => timed(() => plain.run("preview")),
  );
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

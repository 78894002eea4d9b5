/** The same members as dynamic resources, and through the packaged plugin from a Node and a YAML program. */
import type { PulumiCli } from "../sandbox/pulumi/cli.ts";
import { median, tableOf } from "./measure.ts";
import { BenchProject, configurationOf, type ProgramKind, type Usage, withService } from "./project.ts";
import { createAccount } from "./resources.ts";

const doors = { dynamic: "real", plugin: "plugin", "plugin, YAML": "yaml" } as const satisfies Record<
  string,
  ProgramKind
>;
const operations = ["up", "no-change up", "destroy"] as const;
type Operation = (typeof operations)[number];

export interface DoorFigure {
  readonly door: keyof typeof doors;
  readonly resources: number;
  readonly usage: Readonly<Record<Operation, Usage>>;
  /** Bytes of state for each resource. */
  readonly bytes: number;
}

/** @param members each has three resources; there is one more service account @param onFigure gets a row when it is there */
export function measureDoors(
  cli: PulumiCli,
  members: number,
  rounds: number,
  onFigure: (figure: DoorFigure) => void,
): Promise<void> {
  return withService({ seed: { seats: members } }, async (service) => {
    const configuration = configurationOf(service, await createAccount(service));
    const projects = new Map<DoorFigure["door"], BenchProject>();
    for (const door of ["dynamic", "plugin", "plugin, YAML"] as const)
      projects.set(door, new BenchProject(cli, doors[door], members, configuration));
    try {
      await measureProjects(projects, members * 3 + 1, rounds, onFigure);
    } finally {
      for (const project of projects.values()) project.close();
    }
  });
}

async function measureProjects(
  projects: ReadonlyMap<DoorFigure["door"], BenchProject>,
  resources: number,
  rounds: number,
  onFigure: (figure: DoorFigure) => void,
): Promise<void> {
  const runs = new Map<DoorFigure["door"], Run[]>();
  for (const project of projects.values()) await project.init();
  for (let round = 0; round < rounds; round++) {
    for (const [door, project] of projects)
      runs.set(door, [...(runs.get(door) ?? []), await measureRun(project)]);
  }
  for (const [door, all] of runs) {
    const of = (operation: Operation) => medianOf(all.map((run) => run[operation]));
    const usage = { up: of("up"), "no-change up": of("no-change up"), destroy: of("destroy") };
    const bytes = median(all.map((run) => run.bytes)) / resources;
    onFigure({ door, resources, usage, bytes });
  }
}

interface Run extends Readonly<Record<Operation, Usage>> {
  /** Of the whole state. */
  readonly bytes: number;
}

async function measureRun(project: BenchProject): Promise<Run> {
  const up = await project.measured("up", "--yes", "--skip-preview");
  const bytes = project.stateBytes();
  const again = await project.measured("up", "--yes", "--skip-preview");
  const destroy = await project.measured("destroy", "--yes", "--skip-preview");
  return { up, "no-change up": again, destroy, bytes };
}

export function doorTable(figures: readonly DoorFigure[]): string {
  const rows = figures.map(({ door, resources, usage, bytes }) => {
    const cells = operations.map((operation) => {
      const { seconds, cpuSeconds } = usage[operation];
      return `${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s`;
    });
    return [door, resources, ...cells, bytes.toFixed(0), usage.up.processes];
  });
  const head = ["resources of", "number", "up: time, CPU", "no-change up", "destroy"];
  return tableOf([...head, "bytes of state a resource", "processes"], rows);
}

function medianOf(all: readonly Usage[]): Usage {
  return {
    seconds: median(all.map(({ seconds }) => seconds)),
    cpuSeconds: median(all.map(({ cpuSeconds }) => cpuSeconds)),
    processes: Math.max(...all.map(({ processes }) => processes)),
  };
}

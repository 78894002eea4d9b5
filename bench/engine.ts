/** The engines alone: as many dynamic resources that do nothing are created, left alone and destroyed, on each in turn. */
import type { EngineCommand } from "../sandbox/start/engine.ts";
import { median, timed } from "./measure.ts";
import { BenchProject } from "./project.ts";

/** What one engine took for one size; times in milliseconds, medians of the rounds. */
export interface EngineFigure {
  readonly engine: EngineCommand["kind"];
  readonly resources: number;
  readonly rounds: number;
  readonly create: number;
  readonly unchanged: number;
  readonly destroy: number;
  readonly stateBytes: number;
}

/** Of every three resources each needs the one before; one stands alone. */
const sizes = [
  { members: 33, rounds: 3 },
  { members: 333, rounds: 1 },
  { members: 1333, rounds: 1 },
];

/** What the real CLI is spared unless all is asked for: it writes the whole state at every step, which takes twenty minutes. */
const mostOnReal = 333;

/** @param add hears of each as it is measured */
export async function measureEngines(
  engines: readonly EngineCommand[],
  all: boolean,
  add: (one: EngineFigure) => void,
): Promise<void> {
  for (const { members, rounds } of sizes) {
    for (const engine of engines) {
      if (all || engine.kind === "stand-in" || members <= mostOnReal) {
        add(await measure(engine, members, rounds));
      }
    }
  }
}

async function measure(engine: EngineCommand, members: number, rounds: number): Promise<EngineFigure> {
  const configuration = { ORGSEAT_ORGANIZATION_ID: "00000000-0000-4000-8000-000000000000" };
  const project = new BenchProject(engine, "idle", members, configuration);
  const times = { create: [] as number[], unchanged: [] as number[], destroy: [] as number[] };
  let stateBytes = 0;
  try {
    await project.init();
    for (let round = 0; round < rounds; round++) {
      times.create.push(await timed(() => project.up()));
      stateBytes = project.stateBytes();
      times.unchanged.push(await timed(() => project.up()));
      times.destroy.push(await timed(() => project.destroy()));
    }
  } finally {
    project.close();
  }
  return {
    engine: engine.kind,
    resources: members * 3 + 1,
    rounds,
    create: median(times.create),
    unchanged: median(times.unchanged),
    destroy: median(times.destroy),
    stateBytes,
  };
}

/** A table; the growth is the time a resource over that of the size before on the same engine. */
export function growthTable(all: readonly EngineFigure[]): string {
  const rows = all.map((one) => {
    const before = all
      .filter(({ engine, resources }) => engine === one.engine && resources < one.resources)
      .at(-1);
    const cell = (key: "create" | "unchanged" | "destroy"): string => {
      const each = one[key] / one.resources;
      const growth = before ? `, ${(each / (before[key] / before.resources)).toFixed(2)} times` : "";
      return `${(one[key] / 1000).toFixed(2)} s (${each.toFixed(1)} ms a resource${growth})`;
    };
    const bytes = `${one.stateBytes} (${Math.round(one.stateBytes / one.resources)} a resource)`;
    const cells = [
      one.resources,
      one.engine,
      cell("create"),
      cell("unchanged"),
      cell("destroy"),
      bytes,
      one.rounds,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "| resources | engine | create | no change | destroy | state, bytes | rounds |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** The engines alone: each creates, compares and destroys the same number of dynamic resources that do nothing. */
import type { EngineCommand } from "../sandbox/start/engine.ts";
import { median, timed } from "./measure.ts";
import { BenchProject } from "./project.ts";

/** The times of one engine for one size, in milliseconds: medians of the rounds. */
export interface EngineFigure {
  readonly engine: EngineCommand["kind"];
  readonly resources: number;
  readonly rounds: number;
  readonly create: number;
  readonly unchanged: number;
  readonly destroy: number;
  readonly stateBytes: number;
}

/** Chains of three resources each, and one single resource. */
const sizes = [
  { members: 33, rounds: 3 },
  { members: 333, rounds: 1 },
  { members: 1333, rounds: 1 },
];

/** The maximum size for the real CLI by default: it writes the whole state at every step, which takes 20 minutes. */
const mostOnReal = 333;

/** @param add gets each figure when it is measured */
export async function measureEngines(
  engines: readonly EngineCommand[],
  all: boolean,
  add: (one: EngineFigure) => void,
): Promise<void> {
  for (const { members, rounds } of sizes) {
    for (const engine of engines) {
      if (all || engine.kind === "emulator" || members <= mostOnReal) {
        add(await measure(engine, members, rounds));
      }
    }
  }
}

async function measure(engine: EngineCommand, members: number, rounds: number): Promise<EngineFigure> {
  const configuration = { ORGSEAT_ORGANIZATION_ID: "00000000-0000-4000-8000-000000000000" };
  const project = new BenchProject(engine, "idle", members, configuration);
  const times: Record<"create" | "unchanged" | "destroy", number[]> = {
    create: [],
    unchanged: [],
    destroy: [],
  };
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

/** A Markdown table. The growth is the time per resource relative to the previous size of the same engine. */
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

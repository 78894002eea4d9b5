/**
 * `npm run bench`: measures all tables but that of `change`, and writes them to the README.md in this folder. `-- NAME`
 * measures one of them; `-- quick` measures `resources` with fewer rounds.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { findOrMakeCli } from "../sandbox/pulumi/cli.ts";
import { packageRoot } from "../sandbox/pulumi/package-root.ts";
import { adoptFigureTable, measureAdoption } from "./adopt.ts";
import { changeTable, measureChange } from "./change.ts";
import { changeChart } from "./chart.ts";
import { measureClient } from "./client.ts";
import { measureCommand } from "./command.ts";
import { doorTable, measureDoors } from "./doors.ts";
import type { Figure } from "./measure.ts";
import { paces } from "./pace.ts";
import { measurePeople, peopleFigureTable, type Size } from "./people.ts";
import { measureResources } from "./resources.ts";
import { measureStart } from "./start.ts";

const page = join(packageRoot, "bench", "README.md");
const parts = {
  resources: async () => write("figures", await resourcesTable(5, 3)),
  quick: async () => write("figures", await resourcesTable(3, 1)),
  command: async () => write("command figures", await commandTable()),
  people: async () => write("people figures", await peopleTable(SIZES)),
  peers: async () => write("peer figures", await peopleTable(PEERS)),
  bulk: async () => write("bulk figures", await peopleTable(BULK)),
  adopt: async () => write("adopt figures", await adoptTable()),
  doors: async () => write("door figures", await doorFigures()),
  change: async () => write("change figures", await changeFigures()),
};
const isPart = (name: string): name is keyof typeof parts => Object.hasOwn(parts, name);
const inAll = ["resources", "command", "people", "peers", "adopt", "doors"] as const;

/** Another number of people for `people`, `bulk`, and `adopt`. */
const PEOPLE = process.env.BENCH_PEOPLE === undefined ? undefined : Number(process.env.BENCH_PEOPLE);
const SIZES: readonly Size[] = [
  { people: 300, platform: "basic" },
  { people: 600, platform: "basic", verbs: ["unchanged", "preview"], beside: [] },
  { people: 1000, platform: "basic" },
  { people: 5000, platform: "anaconda", beside: ["script"] },
];
/** A service that answers later, and one that admits fewer requests. */
const PEERS: readonly Size[] = paces.map((pace) => ({
  ...{ people: 300, platform: "basic", pace },
  verbs: pace === "at once" ? ["unchanged", "join"] : [],
}));
/** Once, as figures: minutes each. */
const BULK: readonly Size[] = [
  { people: 5000, platform: "basic", verbs: [], beside: [] },
  { people: 20_000, platform: "anaconda", verbs: ["unchanged"], beside: [] },
];
const mode = process.argv[2] ?? "all";
if (mode !== "all" && !isPart(mode))
  throw new Error(`there is no such part: ${mode}; there are all, ${Object.keys(parts).join(", ")}`);
const cli = await findOrMakeCli(process.env, { download: false });
for (const part of mode === "all" ? inAll : [mode]) await parts[part]();

/** Collects figures, and prints each as a row when it is there. */
function collector<F>(table: (figures: readonly F[]) => string): { add(figure: F): void; figures: F[] } {
  const figures: F[] = [];
  const add = (figure: F): void => {
    figures.push(figure);
    console.log(table([figure]).split("\n").at(-1));
  };
  return { add, figures };
}

/** Up to 600 people, with a picture. `BENCH_SIZES=50,200` measures other numbers. */
async function changeFigures(): Promise<string> {
  const sizes = process.env.BENCH_SIZES?.split(",").map(Number) ?? [100, 600];
  const { add, figures } = collector(changeTable);
  await measureChange(cli, sizes, add);
  if (figures.length > 1)
    writeFileSync(join(packageRoot, "docs", "time-over-people.svg"), changeChart(figures));
  return changeTable(figures);
}

async function adoptTable(): Promise<string> {
  const { add, figures } = collector(adoptFigureTable);
  await measureAdoption(cli, PEOPLE ?? 5000, add);
  return adoptFigureTable(figures);
}

async function peopleTable(sizes: readonly Size[]): Promise<string> {
  const { add, figures } = collector(peopleFigureTable);
  await measurePeople(
    cli,
    PEOPLE === undefined ? sizes : sizes.map((size) => ({ ...size, people: PEOPLE })),
    add,
  );
  return peopleFigureTable(figures);
}

/** @param rounds with 100 resources, and with 1,000 */
async function resourcesTable(...rounds: [number, number]): Promise<string> {
  return figureList([
    ...logged(await measureClient()),
    ...logged(await measureResources(cli, 33, rounds[0])),
    ...logged(await measureResources(cli, 333, rounds[1])),
    ...logged(await measureStart()),
  ]);
}

async function commandTable(): Promise<string> {
  return figureList(logged(await measureCommand(cli, 5)));
}

function logged(figures: Figure[]): Figure[] {
  for (const { what, measured, aim, met, detail } of figures) {
    console.log(`${met ? "met   " : "missed"}  ${what}: ${measured} (aim: ${aim}; ${detail})`);
  }
  return figures;
}

function figureList(figures: readonly Figure[]): string {
  const rows = figures.map(
    ({ what, aim, measured, met }) => `- ${what}: ${measured} (aim: ${aim}; ${met ? "met" : "missed"})`,
  );
  return rows.join("\n");
}

async function doorFigures(): Promise<string> {
  const { add, figures } = collector(doorTable);
  await measureDoors(cli, 100, 3, add);
  return doorTable(figures);
}

/** Writes a table between its markers, with the command that measured it. */
function write(name: string, table: string): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: packageRoot,
    encoding: "utf8",
  }).trim();
  const people = PEOPLE === undefined ? "" : `BENCH_PEOPLE=${PEOPLE} `;
  const command = `${people}npm run bench${mode === "all" ? "" : ` -- ${mode}`}`;
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}`;
  const head = `\`${command}\`, commit ${commit}, Node ${process.versions.node}, Pulumi ${cli.version}, ${machine}.`;
  const start = `<!--${name}-->`;
  const end = `<!--end of ${name}-->`;
  const [before = "", after = ""] = readFileSync(page, "utf8").split(new RegExp(`${start}[^]*${end}`));
  writeFileSync(page, `${before}${start}\n${head}\n\n${table}\n${end}${after}`);
}

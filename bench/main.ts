/**
 * `npm run bench`: measures all figures and writes them to the README.md in this folder. `-- resources`, `-- command`, `-- engine` and
 * `-- people`, `-- adopt` and `-- doors` measure one of its tables; `-- change` how the time grows with the people; `-- quick` measures resources with fewer rounds on the emulator only.
 * `-- engine-all` includes the real CLI with 4,000 resources; `-- people-real` lets as many people join on the real CLI.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { chooseEngine, type EngineCommand, emulatorCommand, findRealCli } from "../sandbox/start/engine.ts";
import { packageRoot } from "../sandbox/start/package-root.ts";
import { type AdoptFigure, adoptFigureTable, measureAdoption } from "./adopt.ts";
import { type ChangeFigure, changeTable, measureChange } from "./change.ts";
import { changeChart } from "./chart.ts";
import { measureClient } from "./client.ts";
import { measureCommand } from "./command.ts";
import { type DoorFigure, doorTable, measureDoors } from "./doors.ts";
import { type EngineFigure, growthTable, measureEngines } from "./engine.ts";
import type { Figure } from "./measure.ts";
import { type MeasuredOrganization, measurePeople, type PeopleFigure, peopleFigureTable } from "./people.ts";
import { measureResources } from "./resources.ts";
import { measureStart } from "./start.ts";

const page = join(packageRoot, "bench", "README.md");
const modes = [
  "all",
  "resources",
  "engine",
  "engine-all",
  "quick",
  "command",
  "people",
  "people-real",
  "adopt",
  "doors",
  "change",
] as const;
const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 1000);
const mode = modes.find((one) => one === (process.argv[2] ?? "all"));
if (!mode) throw new Error(`there is no such part: ${process.argv[2]}; there are ${modes.join(", ")}`);

const real =
  mode === "quick" || mode === "people" || mode === "adopt"
    ? undefined
    : (process.env.ORGSEAT_PULUMI_PATH ?? findRealCli(process.env));
const commands = real === undefined ? [emulatorCommand] : [emulatorCommand, real];
const engines: EngineCommand[] = [];
for (const command of commands) {
  engines.push(await chooseEngine({ ...process.env, ORGSEAT_PULUMI_PATH: command }));
}

const engineOnly = mode === "engine" || mode === "engine-all";
const peopleOnly = mode === "people";
const peopleReal = mode === "people-real";
const commandOnly = mode === "command";
const adoptOnly = mode === "adopt";
const doorsOnly = mode === "doors";
const changeOnly = mode === "change";
if (!engineOnly && !peopleOnly && !peopleReal && !commandOnly && !adoptOnly && !doorsOnly && !changeOnly)
  write("figures", await resourcesTable(mode === "quick"));
if (mode === "all" || commandOnly) write("command figures", await commandTable());
if (mode === "all" || engineOnly) write("engine figures", await engineTable());
if (mode === "all" || peopleOnly) write("people figures", await peopleFigures());
if (peopleReal) write("real people figures", await realPeopleFigures());
if (mode === "all" || adoptOnly) write("adopt figures", await adoptFigures());
if (mode === "all" || doorsOnly) write("door figures", await doorFigures());
if (changeOnly) write("change figures", await changeFigures());

/** Up to 20,000 people on the emulator, with a picture, and 600 on the Pulumi CLI. `BENCH_SIZES=100,600` measures other numbers. */
async function changeFigures(): Promise<string> {
  const given = process.env.BENCH_SIZES?.split(",").map(Number);
  const figures: ChangeFigure[] = [];
  for (const engine of engines) {
    const sizes = given ?? (engine.kind === "emulator" ? [100, 600, 5000, 20_000] : [600]);
    await measureChange(engine, sizes, (figure) => {
      figures.push(figure);
      console.log(changeTable([figure]).split("\n").at(-1));
    });
  }
  const drawn = figures.filter(({ engine }) => engine === "emulator");
  if (drawn.length > 1) writeFileSync(join(packageRoot, "docs", "time-over-people.svg"), changeChart(drawn));
  return changeTable(figures);
}

/** With five times as many people as the others, on the emulator alone. */
async function adoptFigures(): Promise<string> {
  const figures: AdoptFigure[] = [];
  for (const engine of engines.slice(0, 1)) {
    await measureAdoption(engine, PEOPLE * 5, (figure) => {
      figures.push(figure);
      console.log(adoptFigureTable([figure]).split("\n").at(-1));
    });
  }
  return adoptFigureTable(figures);
}

/** The number of stacks that `orgseat` chooses, with five times as many people too, and one stack. */
function peopleFigures(): Promise<string> {
  return peopleTable(engines.slice(0, 1), [
    { people: PEOPLE },
    { people: PEOPLE * 5 },
    { people: PEOPLE, stacks: 1 },
  ]);
}

/** Joins only: with one stack, the CLI writes the whole state at every step, which takes a quarter of an hour. */
function realPeopleFigures(): Promise<string> {
  const joins = { people: PEOPLE, joinsOnly: true };
  return peopleTable(engines.slice(1), [joins, { ...joins, stacks: 1 }]);
}

async function peopleTable(which: EngineCommand[], organizations: MeasuredOrganization[]): Promise<string> {
  const figures: PeopleFigure[] = [];
  for (const engine of which) {
    for (const organization of organizations) {
      await measurePeople(engine, organization, (figure) => {
        figures.push(figure);
        console.log(peopleFigureTable([figure]).split("\n").at(-1));
      });
    }
  }
  return peopleFigureTable(figures);
}

async function resourcesTable(quick: boolean): Promise<string> {
  const figures = logged(await measureClient());
  for (const engine of engines) {
    figures.push(...logged(await measureResources(engine, 33, quick ? 3 : 5)));
    figures.push(...logged(await measureResources(engine, 333, quick ? 1 : 3)));
  }
  figures.push(...logged(await measureStart()));
  return figureTable(figures);
}

async function commandTable(): Promise<string> {
  const figures: Figure[] = [];
  for (const engine of engines) figures.push(...logged(await measureCommand(engine, PEOPLE, 5)));
  return figureTable(figures);
}

function logged(figures: Figure[]): Figure[] {
  for (const { what, measured, aim, met } of figures) {
    console.log(`${met ? "met   " : "missed"}  ${what}: ${measured} (aim: ${aim})`);
  }
  return figures;
}

function figureTable(figures: readonly Figure[]): string {
  const rows = figures.map(
    ({ what, aim, measured, met, detail }) =>
      `| ${what} | ${aim} | ${measured} | ${met ? "met" : "missed"} | ${detail} |`,
  );
  return ["| figure | aim | measured | | how |", "|---|---|---|---|---|", ...rows].join("\n");
}

async function doorFigures(): Promise<string> {
  const figures: DoorFigure[] = [];
  for (const engine of engines) {
    await measureDoors(engine, 100, 3, (figure) => {
      figures.push(figure);
      console.log(doorTable([figure]).split("\n").at(-1));
    });
  }
  return doorTable(figures);
}

async function engineTable(): Promise<string> {
  const all: EngineFigure[] = [];
  await measureEngines(engines, mode === "engine-all", (one) => {
    all.push(one);
    console.log(growthTable(all).split("\n").at(-1));
  });
  return growthTable(all);
}

type TableName =
  | "figures"
  | "real people figures"
  | "command figures"
  | "engine figures"
  | "people figures"
  | "adopt figures"
  | "door figures"
  | "change figures";

/** Writes a table between its markers, with the command that measured it. */
function write(name: TableName, table: string): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: packageRoot,
    encoding: "utf8",
  }).trim();
  const people = PEOPLE === 1000 ? "" : `BENCH_PEOPLE=${PEOPLE} `;
  const command = `${people}npm run bench${mode === "all" ? "" : ` -- ${mode}`}`;
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}`;
  const head = `\`${command}\`, commit ${commit}, Node ${process.versions.node}, ${machine}.`;
  const start = `<!-- ${name}: written by npm run bench -->`;
  const end = `<!-- end of ${name} -->`;
  const [before = "", after = ""] = readFileSync(page, "utf8").split(new RegExp(`${start}[^]*${end}`));
  writeFileSync(page, `${before}${start}\n${head}\n\n${table}\n${end}${after}`);
}

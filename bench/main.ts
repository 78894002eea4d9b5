/** `npm run bench`: measures all figures and writes them into README.md beside this file. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../sandbox/package-root.ts";
import { chooseEngine, findRealCli, standInCommand } from "../sandbox/start/engine.ts";
import { measureClient } from "./client.ts";
import { measureEngine } from "./engine.ts";
import type { Figure } from "./measure.ts";
import { measureStart } from "./start.ts";

const page = join(packageRoot, "bench", "README.md");
const START = "<!-- figures: written by npm run bench -->";
const END = "<!-- end of figures -->";

const real = process.env.ORGSEAT_PULUMI ?? findRealCli(process.env);
const commands = real === undefined ? [standInCommand] : [standInCommand, real];
/** `npm run bench -- quick`: fewer rounds, and on the stand-in only. */
const quick = process.argv[2] === "quick";
const figures: Figure[] = [];
const add = (measured: readonly Figure[]): void => {
  figures.push(...measured);
  for (const { what, measured: value, aim, met } of measured) {
    console.log(`${met ? "met   " : "missed"}  ${what}: ${value} (aim: ${aim})`);
  }
};

add(await measureClient());
for (const command of quick ? [standInCommand] : commands) {
  const engine = await chooseEngine({ ...process.env, ORGSEAT_PULUMI: command });
  add(await measureEngine(engine, 33, quick ? 3 : 5));
  add(await measureEngine(engine, 333, quick ? 1 : 3));
}
add(await measureStart());

const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
  cwd: packageRoot,
  encoding: "utf8",
}).trim();
const head = `\`npm run bench${quick ? " -- quick" : ""}\`, commit ${commit}, Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}.`;
const rows = figures.map(
  ({ what, aim, measured, met, detail }) =>
    `| ${what} | ${aim} | ${measured} | ${met ? "met" : "missed"} | ${detail} |`,
);
const table = ["| figure | aim | measured | | how |", "|---|---|---|---|---|", ...rows].join("\n");
const [before = "", after = ""] = readFileSync(page, "utf8").split(new RegExp(`${START}[^]*${END}`));
writeFileSync(page, `${before}${START}\n${head}\n\n${table}\n${END}${after}`);

/** The time of `npm start` with warm caches: to its first line, and to its end. */
import { spawn } from "node:child_process";
import { packageRoot } from "../sandbox/pulumi/package-root.ts";
import { type Figure, median } from "./measure.ts";

const ROUNDS = 3;
const FIRST_LINE_MS = 1000;
const END_MS = 6000;

export async function measureStart(): Promise<Figure[]> {
  const runs: { first: number; end: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await npm("run", "--silent", "reset");
    const run = await npm("start", "--silent");
    // The first round warms the caches.
    if (round > 0) runs.push(run);
  }
  const first = median(runs.map((run) => run.first));
  const end = median(runs.map((run) => run.end));
  return [
    figure("npm start to its first line", FIRST_LINE_MS, first),
    figure("npm start to its end, eight members made", END_MS, end),
  ];
}

function figure(what: string, aim: number, measured: number): Figure {
  const met = measured <= aim;
  const detail = `median of ${ROUNDS}, on a warm checkout`;
  return { what, aim: `at most ${aim / 1000} s`, measured: `${(measured / 1000).toFixed(2)} s`, met, detail };
}

function npm(...args: string[]): Promise<{ first: number; end: number }> {
  const started = performance.now();
  const child = spawn("npm", args, { cwd: packageRoot, stdio: ["ignore", "pipe", "inherit"] });
  let first = Number.NaN;
  child.stdout.once("data", () => {
    first = performance.now() - started;
  });
  child.stdout.resume();
  return new Promise((resolve, reject) => {
    child.once("close", (code) => {
      if (code === 0) resolve({ first, end: performance.now() - started });
      else reject(new Error(`npm ${args.join(" ")} ended with ${code}`));
    });
  });
}

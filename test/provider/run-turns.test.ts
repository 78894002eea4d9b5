/** Turns of the Providers of one run: one process at a time, even after one of them has died. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { RunFacts } from "../../provider/safety/run-facts.ts";
import { inTurn } from "../../provider/safety/run-turns.ts";
import { processMark } from "../../provider/util/running-process.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const ENGINE = "127.0.0.1:40001";
const NAME = "tags";

/** The facts of one process of a run, and the turns in them as another process sees them. */
function startRun() {
  const folder = temporaryFolder();
  const facts = () => new RunFacts(folder, ENGINE);
  const turns = facts().map(`turns ${NAME}`);
  return { folder, facts, turns };
}

/** Adds one to the number in the file, in two steps between which another process could do the same. */
const COUNT = `
const url = (file) => new URL(file, ${JSON.stringify(new URL("../../provider/safety/", import.meta.url).href)});
const { readFileSync, writeFileSync } = await import("node:fs");
const { setImmediate } = await import("node:timers/promises");
const { RunFacts } = await import(url("run-facts.ts"));
const { inTurn } = await import(url("run-turns.ts"));
const [folder, engine, file, rounds] = process.argv.slice(1);
const facts = new RunFacts(folder, engine);
const clock = { monotonic: () => 0, sleep: () => setImmediate() };
for (let round = 0; round < Number(rounds); round++) {
  await inTurn(facts, ${JSON.stringify(NAME)}, async () => {
    const count = Number(readFileSync(file, "utf8"));
    await setImmediate();
    writeFileSync(file, String(count + 1));
  }, clock);
}
`;

describe("inTurn", () => {
  test("lets one of several processes work at a time", async () => {
    const { folder } = startRun();
    const file = join(temporaryFolder(), "count");
    writeFileSync(file, "0");
    const rounds = 100;
    const codes = await Promise.all(
      [1, 2, 3].map(async () => {
        const args = ["--input-type=module", "-e", COUNT, folder, ENGINE, file, String(rounds)];
        const [code] = await once(spawn(process.execPath, args, { stdio: "inherit" }), "exit");
        return code;
      }),
    );
    expect(codes).toEqual([0, 0, 0]);
    expect(readFileSync(file, "utf8")).toBe(String(3 * rounds));
  });

  test("ends the turn of a dead process, and lets one caller at a time follow", async () => {
    const { facts, turns } = startRun();
    turns.add("0", "1@0 dead");
    let inside = 0;
    const work = () =>
      inTurn(facts(), NAME, async () => {
        expect(++inside).toBe(1);
        await new Promise(setImmediate);
        return inside--;
      });
    expect(await Promise.all(Array.from({ length: 10 }, work))).toEqual(Array(10).fill(1));
  });

  test("gives the next turn after work that failed", async () => {
    const { facts } = startRun();
    const failing = inTurn(facts(), NAME, () => Promise.reject(new Error("no tag")));
    await expect(failing).rejects.toThrow("no tag");
    expect(await inTurn(facts(), NAME, async () => "done")).toBe("done");
  });

  test("gives up where one process keeps its turn, and says which", async () => {
    const { facts, turns } = startRun();
    turns.add("0", `${processMark(process.ppid)} other`);
    const work = vi.fn(async () => undefined);
    let now = 0;
    const sleep = async (ms: number): Promise<void> => {
      now += ms;
    };
    await expect(inTurn(facts(), NAME, work, { monotonic: () => now, sleep })).rejects.toThrow(
      `process ${process.ppid}, another Provider of this run, has kept this Provider waiting for more than 75 seconds. If that process hangs, end it`,
    );
    expect(now).toBeGreaterThan(60_000);
    expect(work).not.toHaveBeenCalled();
    expect(turns.has("end of 0")).toBe(false);
  });

  test("waits on as long as the turns change", async () => {
    const { facts, turns } = startRun();
    let now = 0;
    let turn = 0;
    const take = () => turns.add(String(turn), `${processMark(process.ppid)} other ${turn}`);
    const sleep = async (ms: number): Promise<void> => {
      now += ms * 1_000;
      turns.add(`end of ${turn}`, "");
      if (++turn < 5) take();
    };
    take();
    expect(await inTurn(facts(), NAME, async () => "done", { monotonic: () => now, sleep })).toBe("done");
    expect(now).toBeGreaterThan(200_000);
  });

  test("refuses the work where the processes cannot share their turns", async () => {
    const file = join(temporaryFolder(), "runs");
    writeFileSync(file, "a file where the folder would be");
    const broken = new RunFacts(file, ENGINE);
    const work = vi.fn(async () => undefined);
    await expect(inTurn(broken, NAME, work)).rejects.toThrow("the Providers of this run cannot share");
    expect(work).not.toHaveBeenCalled();
  });

  test("needs no file where a run has one process", async () => {
    expect(await inTurn(new RunFacts(), NAME, async () => "done")).toBe("done");
  });
});

import fs, { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { withLockFile } from "../../provider/unfinished/lock-file.ts";
import { processMark } from "../../provider/util/running-process.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const DEAD = "1@0";

describe("withLockFile", () => {
  test("takes over the lock of a dead process, one caller at a time", async () => {
    const file = join(temporaryFolder(), "tags.lock");
    writeFileSync(file, DEAD);
    let inside = 0;
    const work = () =>
      withLockFile(file, async () => {
        expect(++inside).toBe(1);
        await new Promise(setImmediate);
        inside--;
      });
    await Promise.all(Array.from({ length: 10 }, work));
    expect(existsSync(file)).toBe(false);
  });

  test("leaves the new lock of a process that took over the same dead one first", async () => {
    const file = join(temporaryFolder(), "tags.lock");
    writeFileSync(file, DEAD);
    const other = processMark(process.ppid);
    const read = vi.spyOn(fs, "readFileSync").mockImplementationOnce(() => {
      writeFileSync(file, other);
      return DEAD;
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      read.mockRestore();
      syncBuiltinESMExports();
    });
    const found: string[] = [];
    const taken = withLockFile(file, async () => void found.push("taken"));
    await vi.waitUntil(() => read.mock.calls.filter(([name]) => name === file).length > 2);
    expect([readFileSync(file, "utf8"), found]).toEqual([other, []]);
    fs.rmSync(file);
    await taken;
    expect(found).toEqual(["taken"]);
  });

  test("gives up where one holder keeps the lock, and says whose it is", async () => {
    const file = join(temporaryFolder(), "tags.lock");
    const holder = processMark(process.ppid);
    writeFileSync(file, holder);
    const work = vi.fn(async () => undefined);
    let now = 0;
    const sleep = async (ms: number): Promise<void> => {
      now += ms;
    };
    await expect(withLockFile(file, work, { now: () => now, sleep })).rejects.toThrow(
      `cannot lock ${file}: process ${process.ppid} has held it for more than 75 seconds. If that process hangs, end it`,
    );
    expect(now).toBeGreaterThan(60_000);
    expect(work).not.toHaveBeenCalled();
    expect(readFileSync(file, "utf8")).toBe(holder);
  });

  test("waits on as long as the holders change", async () => {
    const file = join(temporaryFolder(), "tags.lock");
    let now = 0;
    let turns = 0;
    const sleep = async (ms: number): Promise<void> => {
      now += ms * 1_000;
      if (++turns < 5) writeFileSync(file, processMark([process.ppid, process.pid][turns % 2] ?? 0));
      else fs.rmSync(file);
    };
    writeFileSync(file, processMark(process.ppid));
    expect(await withLockFile(file, async () => "done", { now: () => now, sleep })).toBe("done");
    expect(now).toBeGreaterThan(200_000);
  });

  test("takes over an empty lock, which a process left that died before it wrote its mark", async () => {
    const file = join(temporaryFolder(), "tags.lock");
    writeFileSync(file, "");
    utimesSync(file, 0, 0);
    expect(await withLockFile(file, async () => "done")).toBe("done");
  });
});

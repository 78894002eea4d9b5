import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startRun, withRunFolder } from "../../command/stacks/run.ts";
import { machineMark } from "../../provider/util/running-process.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const runsOf = (folder: string) => join(folder, ".orgseat", "runs");

/** A process that is in the middle of a run. @returns its folder and what kills it */
async function otherRun(folder: string): Promise<{ made: string; kill: () => Promise<void> }> {
  const script = `
    import { writeFileSync } from "node:fs";
    import { withRunFolder } from ${JSON.stringify(import.meta.resolve("../../command/stacks/run.ts"))};
    await withRunFolder(process.argv[1], (made) => {
      writeFileSync(made + "/approved-plan.json", "{}");
      process.stdout.write(made);
      return new Promise((resolve) => setTimeout(resolve, 60_000));
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  const [made] = await once(child.stdout, "data");
  return { made: String(made), kill };
}

describe("the commit of a run", () => {
  test("comes with a warning in its place if the repository belongs to another user, and without one if there is none", async () => {
    const folder = temporaryFolder();
    expect(await startRun(folder, {})).toMatchObject({ commit: undefined, warning: undefined });
    execFileSync("git", ["init", "--quiet"], { cwd: folder });
    // What git's own tests set for this.
    vi.stubEnv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "true");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { commit, warning } = await startRun(folder, {});
    expect(commit).toBeUndefined();
    expect(warning).toContain("the audit log gets no commit for this run: git does not read");
    expect(warning).toContain("run `git config --global --add safe.directory ");
    expect(await startRun(folder, { ORGSEAT_COMMIT: "abc" })).not.toHaveProperty("warning");
  });
});

describe("the folder of a run", () => {
  test("fails with what cannot be written and what to do", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, ".orgseat"), "");
    await expect(withRunFolder(folder, async () => undefined)).rejects.toThrow(
      /^cannot write \S+\.orgseat \([A-Z]+\)\. Make the folder of the roster writable, or copy/,
    );
  });

  test("lies beside the roster, for this user only, and goes with the run, also one that fails", async () => {
    const folder = temporaryFolder();
    await withRunFolder(folder, async (made) => {
      writeFileSync(join(made, "x"), "");
      expect(readdirSync(runsOf(folder))).toHaveLength(1);
      expect(statSync(made).mode & 0o777).toBe(0o700);
    });
    const failed = withRunFolder(folder, () => Promise.reject(new Error("no")));
    await expect(failed).rejects.toThrow("no");
    expect(readdirSync(runsOf(folder))).toEqual([]);
  });

  test("goes with the next run if its own was killed; those of runs under way and of other machines stay", async () => {
    const folder = temporaryFolder();
    const [killed, alive] = await Promise.all([otherRun(folder), otherRun(folder)]);
    await killed.kill();
    const foreign = join(runsOf(folder), `another-machine.example-${process.pid}0@1-abcdef`);
    mkdirSync(foreign);
    expect(existsSync(killed.made), "a killed process removes nothing").toBe(true);
    await withRunFolder(folder, async () => {
      expect([killed.made, alive.made, foreign].map(existsSync)).toEqual([false, true, true]);
    });
  });

  test("goes although a later process has the pid of the killed run; that of a container with the same host name stays", async () => {
    const folder = temporaryFolder();
    await withRunFolder(folder, async (made) => {
      const [mark = ""] = /\d+@\d+/.exec(made) ?? [];
      const reused = made.replace(mark, `${process.pid}@1`);
      const contained = made.replace(machineMark(), machineMark().replace(/\d+$/, "1")).replace(mark, "1@1");
      for (const other of [reused, contained]) mkdirSync(other);
      await withRunFolder(folder, async () => {
        expect([made, reused, contained].map(existsSync)).toEqual([true, false, true]);
      });
    });
  });
});

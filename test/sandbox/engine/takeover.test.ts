/** What a command does with the journal and the lock that another process has left or still uses. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Backend, listFolder } from "../../../sandbox/engine/backend/backend.ts";
import { LockedError, takeLock } from "../../../sandbox/engine/backend/locks.ts";
import { type Owner, thisProcess } from "../../../sandbox/engine/backend/owner.ts";
import { Recorder } from "../../../sandbox/engine/backend/recorder.ts";
import { parseCheckpoint, parseExport, readSnapshot } from "../../../sandbox/engine/deployment/checkpoint.ts";
import { SnapshotManager } from "../../../sandbox/engine/deployment/snapshots.ts";
import { ResourceState } from "../../../sandbox/engine/deployment/state.ts";
import { runHere } from "../../setup/run-here.ts";
import { temporaryFolder } from "../../setup/sandbox.ts";
import { checkpointOf, secrets, type, urnOf } from "./checkpoints.ts";

const name = { project: "test", stack: "dev" };

/** A process that has ended. */
const dead: Owner = { ...thisProcess(), pid: spawnSync("true").pid };

/** A stack of two resources, without any engine. */
class StackFolder {
  readonly folder = temporaryFolder();
  readonly backend = new Backend(`file://${this.folder}/backend`, this.folder);

  constructor() {
    writeFileSync(join(this.folder, "Pulumi.yaml"), "name: test\nruntime: nodejs\n");
    this.backend.writeCheckpoint(name, checkpointOf(2));
  }

  get checkpoint(): string {
    return this.backend.readCheckpoint(name) ?? "";
  }

  get files(): { locks: string[]; journals: string[] } {
    const { backend } = this;
    return {
      locks: listFolder(backend.lockFolder(name)),
      journals: listFolder(backend.journalFolder(name)),
    };
  }

  get journal(): string {
    return join(this.backend.journalFolder(name), this.files.journals[0] ?? "none");
  }

  /** A run that has created `a`, is creating `b`, and does no more. @param end leaves it to write its state */
  async run(owner: Owner): Promise<{ end: () => void }> {
    const lock = { ...takeLock(this.backend, name, () => {}), owner };
    writeFileSync(join(this.backend.lockFolder(name), `${lock.id}.json`), JSON.stringify(owner));
    const snapshot = readSnapshot(parseCheckpoint(this.checkpoint), secrets.crypter);
    const recorder = new Recorder(this.backend, name, lock);
    const manager = new SnapshotManager(snapshot, secrets, (text) => recorder.save(text), recorder);
    const [a, b] = ["a", "b"].map((name) => new ResourceState({ urn: urnOf(name), type, custom: true }));
    if (!a || !b) throw new Error("there are two");
    await manager.begin(a, "creating");
    a.id = "id of a";
    manager.end({ operation: a, news: [a] });
    await manager.begin(b, "creating");
    return { end: () => manager.close() };
  }

  async pulumi(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const env = { PULUMI_BACKEND_URL: this.backend.url, PULUMI_STACK: "dev", HOME: this.folder };
    const { code, stdout, stderr } = await runHere(["-C", this.folder, "--non-interactive", ...args], env);
    return { code, out: stdout, err: stderr };
  }

  /** What `stack export` says: resources and what is pending, by name. */
  async exported(): Promise<{ names: string[]; err: string }> {
    const { out, err } = await this.pulumi("stack", "export");
    return { names: namesIn(parseExport(out)), err };
  }
}

function namesIn(deployment: ReturnType<typeof parseExport>): string[] {
  const last = (urn: string) => urn.split("::").at(-1) ?? "";
  return [
    ...(deployment?.resources ?? []).map(({ urn }) => last(urn)),
    ...(deployment?.pending_operations ?? []).map(({ resource, type }) => `${type} ${last(resource.urn)}`),
  ];
}

const withRun = ["a", "old0", "old1", "creating b", "creating old0"];
const written = (stackFolder: StackFolder) => namesIn(parseCheckpoint(stackFolder.checkpoint));

describe("the journal of a process that died", () => {
  test("enters the state with the next command that reads it, with a backup and one line", async () => {
    const stackFolder = new StackFolder();
    const before = stackFolder.checkpoint;
    await stackFolder.run(dead);
    const { names, err } = await stackFolder.exported();
    expect(names).toEqual(withRun);
    expect(err).toBe(
      `warning: took the lock of process ${dead.pid}, which no longer runs, and merged what it had recorded: ` +
        "2 operations, 1 of them unfinished\n",
    );
    expect(written(stackFolder)).toEqual(withRun);
    expect(stackFolder.files).toEqual({ locks: [], journals: [] });
    expect(readFileSync(`${stackFolder.backend.checkpointFile(name)}.bak`, "utf8")).toBe(before);
    expect((await stackFolder.exported()).err).toBe("");
  });

  test.each([
    ["stack", "ls"],
    ["stack", "history", "--json"],
    ["stack", "output"],
  ])("enters the state by %s %s", async (...args) => {
    const stackFolder = new StackFolder();
    await stackFolder.run(dead);
    const { code, err } = await stackFolder.pulumi(...args);
    expect([code, err]).toEqual([0, expect.stringContaining("merged what it had recorded: 2 operations")]);
    expect(written(stackFolder)).toEqual(withRun);
  });

  test("enters the state without its last line if that was cut off", async () => {
    const stackFolder = new StackFolder();
    await stackFolder.run(dead);
    appendFileSync(stackFolder.journal, '{"end":{"operation":3');
    expect((await stackFolder.exported()).names).toEqual(withRun);
  });

  test("enters the state even if its lock is missing", async () => {
    const stackFolder = new StackFolder();
    await stackFolder.run(dead);
    rmSync(stackFolder.backend.lockFolder(name), { recursive: true });
    const { names, err } = await stackFolder.exported();
    expect(names).toEqual(withRun);
    expect(err).toContain(
      `merged what process ${dead.pid}, which no longer runs, had recorded: 2 operations`,
    );
  });

  test("goes if the state has all of it already", async () => {
    const stackFolder = new StackFolder();
    const { end } = await stackFolder.run(dead);
    const { journal } = stackFolder;
    linkSync(journal, `${journal}.kept`);
    end();
    renameSync(`${journal}.kept`, journal);
    const before = stackFolder.checkpoint;
    expect((await stackFolder.exported()).names).toEqual(withRun);
    expect(stackFolder.checkpoint).toBe(before);
    expect(stackFolder.files.journals).toEqual([]);
  });

  test("enters the state even if its process died before it wrote the state that the journal announces", async () => {
    const stackFolder = new StackFolder();
    const before = stackFolder.checkpoint;
    const { end } = await stackFolder.run(dead);
    const { journal } = stackFolder;
    linkSync(journal, `${journal}.kept`);
    end();
    renameSync(`${journal}.kept`, journal);
    stackFolder.backend.writeCheckpoint(name, before);
    expect((await stackFolder.exported()).names).toEqual(withRun);
    expect(stackFolder.files.journals).toEqual([]);
  });

  test.skipIf(process.platform !== "linux")(
    "enters the state even if another process now has its number",
    async () => {
      const stackFolder = new StackFolder();
      await stackFolder.run({ ...thisProcess(), started: "1" });
      expect((await stackFolder.exported()).err).toContain(`took the lock of process ${process.pid}`);
    },
  );
});

describe("the journal of a process that may still run", () => {
  test.each([
    ["on this machine", thisProcess()],
    ["on another machine", { ...dead, hostname: "elsewhere" }],
  ])("%s is read, and nothing is written or taken over", async (_where, owner) => {
    const stackFolder = new StackFolder();
    await stackFolder.run(owner);
    const before = [stackFolder.checkpoint, stackFolder.files];
    expect(await stackFolder.exported()).toEqual({ names: withRun, err: "" });
    expect([stackFolder.checkpoint, stackFolder.files]).toEqual(before);
    const refused = await stackFolder.pulumi("stack", "rm", "--yes", "--force");
    expect(refused.err).toContain("error: the stack is currently locked by 1 lock(s).");
    expect(refused.err).toContain(`created by ${owner.username}@${owner.hostname} (pid ${owner.pid})`);
    expect([stackFolder.checkpoint, stackFolder.files]).toEqual(before);
  });

  test("keeps others away even if its lock was removed", async () => {
    const stackFolder = new StackFolder();
    await stackFolder.run(thisProcess());
    rmSync(stackFolder.backend.lockFolder(name), { recursive: true });
    expect(() => takeLock(stackFolder.backend, name, () => {})).toThrow(LockedError);
    expect(stackFolder.files.locks).toEqual([]);
  });

  test("enters the state by cancel, which removes the lock, and the run's own end is the last word", async () => {
    const stackFolder = new StackFolder();
    const { end } = await stackFolder.run(thisProcess());
    const { code, err } = await stackFolder.pulumi("cancel", "--yes");
    expect([code, err]).toEqual([
      0,
      `warning: merged what process ${process.pid} had recorded: 2 operations, 1 of them unfinished\n`,
    ]);
    expect(stackFolder.files).toEqual({ locks: [], journals: [] });
    expect(written(stackFolder)).toEqual(withRun);
    end();
    expect(stackFolder.files.journals).toEqual([]);
    expect(written(stackFolder)).toEqual(withRun);
  });
});

describe("a journal whose state has changed since then", () => {
  async function strange(): Promise<{ stackFolder: StackFolder; err: string }> {
    const stackFolder = new StackFolder();
    await stackFolder.run(dead);
    stackFolder.backend.writeCheckpoint(name, checkpointOf(1));
    const { code, err } = await stackFolder.pulumi("stack", "export");
    expect(code).toBe(1);
    return { stackFolder, err };
  }

  test("stays with an error that names the file, what it holds and the ways on", async () => {
    const { stackFolder, err } = await strange();
    expect(written(stackFolder)).toEqual(["old0", "creating old0", "updating old0"]);
    expect(err).toContain(`which has changed since then: ${stackFolder.journal}\n`);
    expect(err).toContain("2 operations, 1 of them unfinished:\n");
    expect(err).toContain(`  * creating ${urnOf("a")}\n  * creating ${urnOf("b")}, not finished\n`);
    expect(stackFolder.files).toMatchObject({ journals: [expect.any(String)], locks: [expect.any(String)] });
    expect(await stackFolder.pulumi("cancel", "--yes")).toMatchObject({ code: 1, err });
  });

  test("enters the state once the state from which it began is back", async () => {
    const { stackFolder, err } = await strange();
    const [, from = "", to = ""] = /copy (\S+) to (\S+);/.exec(err) ?? [];
    copyFileSync(from, to);
    expect((await stackFolder.exported()).names).toEqual(withRun);
    expect(stackFolder.files).toEqual({ locks: [], journals: [] });
  });

  test("stops nothing once it is deleted", async () => {
    const { stackFolder } = await strange();
    rmSync(stackFolder.journal);
    const { names, err } = await stackFolder.exported();
    expect(names).toEqual(["old0", "creating old0", "updating old0"]);
    expect(err).toContain(`took the lock of process ${dead.pid}, which no longer runs`);
  });
});

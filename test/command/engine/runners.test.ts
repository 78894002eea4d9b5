/** When a runner stops, and when its process ends. */
import { fork } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { program, ScriptedPulumi, until } from "../../setup/scripted-pulumi.ts";

const up = { stack: "people", targets: ["urn:pulumi:people::orgseat::orgseat:index:Roster::r"] } as const;
const cancelled = { failure: { code: "cancelled", text: "cancelled" } };

/** An up that Pulumi holds. */
async function heldUp(pulumi = new ScriptedPulumi()) {
  pulumi.hold("up");
  const stopping = new AbortController();
  const run = pulumi.engine().run({ ...up, program }, undefined, stopping.signal);
  await pulumi.called("up");
  return { pulumi, stopping, run };
}

describe("a run that is stopped", () => {
  test("ends before its begin if its runner still creates the stack", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.hold("stack");
    const stopping = new AbortController();
    const begun = join(pulumi.folder, "begun");
    pulumi.beforePulumi(`writeFileSync(${JSON.stringify(begun)}, "")`);
    const run = pulumi.engine().run({ ...up, isNew: true, program }, undefined, stopping.signal);
    await pulumi.called("stack");
    stopping.abort();
    pulumi.letGo("stack");
    expect(await run).toMatchObject(cancelled);
    expect(existsSync(begun)).toBe(false);
  });

  test("ends before its begin if nothing has asked its runner", async () => {
    const pulumi = new ScriptedPulumi();
    const run = pulumi.engine().run({ ...up, program }, undefined, AbortSignal.abort());
    expect(await run).toMatchObject(cancelled);
    expect(pulumi.calls("up")).toEqual([]);
  });

  test("stops between the load of its program and Pulumi's listening", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.hold("up");
    pulumi.beforePulumi('process.emit("message", "stop")');
    expect(await pulumi.engine().run({ ...up, program })).toMatchObject(cancelled);
  });
});

describe("a run that does not stop", () => {
  /** Advances the clock of the engine, not that of the runner. */
  const passSeconds = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());
  const killed = {
    code: "cancelled",
    text: expect.stringContaining("remove it with `pulumi cancel --stack people --cwd "),
  };

  test("dies after eight seconds, with its Pulumi", async () => {
    const { pulumi, stopping, run } = await heldUp();
    pulumi.ignoreInterrupts();
    const ended = vi.fn();
    void run.then(ended);
    stopping.abort();
    await pulumi.called("interrupted");
    await passSeconds(7.9);
    expect(ended).not.toHaveBeenCalled();
    await passSeconds(0.2);
    expect((await run).failure).toEqual(killed);
  });

  test("interrupts Pulumi if its program is in a loop, and is killed", async () => {
    const pulumi = new ScriptedPulumi();
    const looping = join(pulumi.folder, "looping");
    const loop = `writeFileSync(${JSON.stringify(looping)}, ""); while (true);`;
    pulumi.beforePulumi(`setTimeout(() => { ${loop} }, 1000)`);
    const { stopping, run } = await heldUp(pulumi);
    await until(() => existsSync(looping));
    stopping.abort();
    await passSeconds(3.1);
    await pulumi.called("interrupted");
    await passSeconds(5);
    expect((await run).failure).toEqual(killed);
  });

  test("receives no second interruption if it has confirmed the stop", async () => {
    const { pulumi, stopping, run } = await heldUp();
    stopping.abort();
    await pulumi.called("interrupted");
    await passSeconds(5);
    expect(await run).toMatchObject(cancelled);
    expect(pulumi.calls("interrupted")).toHaveLength(1);
  });

  test("ends with its Pulumi, and with the commands beside it, when the engine is killed", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.hold("up");
    const engine = pulumi.engine();
    const run = engine.run({ ...up, program });
    await pulumi.called("up");
    pulumi.hold("stack");
    const states = expect(engine.exportStack("people")).rejects.toThrow("pulumi did not finish in time");
    await pulumi.called("stack export");
    engine.kill();
    await states;
    pulumi.letGo("stack");
    expect((await run).failure).toMatchObject({ code: "pulumi-failed" });
    expect(pulumi.calls("interrupted")).toEqual([]);
  });

  test("ends the commands of Pulumi that hang beside it", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.hold("stack");
    const engine = pulumi.engine();
    const stopping = new AbortController();
    engine.stopWith(stopping.signal);
    const states = engine.exportStack("people");
    const failed = expect(states).rejects.toThrow("pulumi did not finish in time");
    await pulumi.called("stack export");
    stopping.abort();
    await passSeconds(9.1);
    await failed;
    pulumi.letGo("stack");
    expect(await engine.exportStack("people")).toBeUndefined();
  });
});

describe("a runner", () => {
  test("runs stacks one after the other, and tells Pulumi which", async () => {
    const pulumi = new ScriptedPulumi();
    const engine = pulumi.engine();
    for (const stack of ["people-01", "people-02", "people-01"])
      expect(await engine.run({ ...up, stack, program })).toMatchObject({ failure: undefined });
    const callers = pulumi.callers("up");
    expect(callers.map(({ stack }) => stack)).toEqual(["people-01", "people-02", "people-01"]);
    expect(new Set(callers.map(({ process }) => process)).size).toBe(1);
  });

  test("creates a new stack once, with its secrets provider", async () => {
    const pulumi = new ScriptedPulumi();
    const engine = pulumi.engine({}, "awskms://alias/people");
    for (const stack of ["people-01", "people-02", "people-01", "people-02"])
      await engine.run({ ...up, stack, program, isNew: true });
    expect(pulumi.calls("stack init")).toEqual([
      expect.stringMatching(/people-01.* --secrets-provider awskms:\/\/alias\/people/),
      expect.stringMatching(/people-02.* --secrets-provider awskms:\/\/alias\/people/),
    ]);
  });
});

describe("a run of no targets", () => {
  test("fails, and runs nothing instead of everything", async () => {
    const pulumi = new ScriptedPulumi();
    const { failure } = await pulumi.engine().run({ ...up, program, targets: [] });
    expect(failure).toEqual({ code: "pulumi-failed", text: expect.stringContaining("no targets") });
    expect(pulumi.calls("up")).toEqual([]);
  });
});

describe("the runner of a program that leaves a timer running", () => {
  /** Its process id lies in a file as soon as it is about to start Pulumi. */
  const makeRestless = (pulumi: ScriptedPulumi): void =>
    pulumi.beforePulumi(
      `writeFileSync(${JSON.stringify(join(pulumi.folder, "pid"))}, String(process.pid)); setInterval(() => undefined, 1000)`,
    );
  const isAlive = (pulumi: ScriptedPulumi, signal: NodeJS.Signals | 0 = 0): boolean => {
    try {
      return process.kill(Number(readFileSync(join(pulumi.folder, "pid"), "utf8")), signal);
    } catch {
      return false;
    }
  };

  test("ends when it is let go", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.fail("up");
    onTestFinished(() => void isAlive(pulumi, "SIGKILL"));
    makeRestless(pulumi);
    expect(await pulumi.engine().run({ ...up, program })).toMatchObject({
      failure: { code: "pulumi-failed" },
    });
    await until(() => !isAlive(pulumi));
  });

  test("goes on to the end of its run when the command is gone, and ends then", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.hold("up");
    const folder = pulumi.makeProject();
    onTestFinished(() => void isAlive(pulumi, "SIGKILL"));
    makeRestless(pulumi);
    const runner = fork(fileURLToPath(import.meta.resolve("../../../command/engine/runner/runner.ts")), {
      env: {
        ...process.env,
        ...pulumi.environment(),
        PATH: [pulumi.folder, process.env.PATH].join(delimiter),
      },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    runner.send({ ...up, program, workspace: { folder } });
    await pulumi.called("up");
    runner.disconnect();
    // Long enough for a process to end.
    await pause(500);
    expect(isAlive(pulumi)).toBe(true);
    pulumi.letGo("up");
    await until(() => !isAlive(pulumi));
  });
});

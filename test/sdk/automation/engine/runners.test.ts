/** When a runner stops, and when its process ends. */
import { fork } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { ScriptedPulumi, until } from "../../../setup/scripted-pulumi.ts";

const up = { operation: "up", stack: "people" } as const;
const cancelled = { failure: { code: "cancelled", text: "cancelled" } };

/** A program that does something when its workspace is asked for arguments, which comes right before Pulumi is started. */
const beforePulumi = (deed: string): string =>
  `import { writeFileSync } from "node:fs";
  import { LocalWorkspace } from ${JSON.stringify(import.meta.resolve("@pulumi/pulumi/automation/index.js"))};
  LocalWorkspace.prototype.serializeArgsForOp = async () => {
    ${deed};
    return [];
  };
  export default () => {};`;

describe("a run that is stopped", () => {
  test("while its runner creates the stack does not begin", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.hold("stack");
    const stopping = new AbortController();
    const begun = join(pulumi.folder, "begun");
    const program = pulumi.program(beforePulumi(`writeFileSync(${JSON.stringify(begun)}, "")`));
    const run = pulumi.engine().run({ ...up, isNew: true, program }, undefined, stopping.signal);
    await pulumi.called("stack");
    stopping.abort();
    pulumi.letGo("stack");
    expect(await run).toMatchObject(cancelled);
    expect(existsSync(begun)).toBe(false);
  });

  test("before its runner is asked does not begin", async () => {
    const pulumi = new ScriptedPulumi();
    const program = pulumi.program("export default () => {};");
    const run = pulumi.engine().run({ ...up, program }, undefined, AbortSignal.abort());
    expect(await run).toMatchObject(cancelled);
    expect(pulumi.calls("up")).toEqual([]);
  });

  test("after its program was loaded and before Pulumi listens is stopped", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.hold("up");
    const program = pulumi.program(beforePulumi('process.emit("message", "stop")'));
    expect(await pulumi.engine().run({ ...up, program })).toMatchObject(cancelled);
  });

  test("while Pulumi is at work is stopped by one SIGINT", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.hold("up");
    const stopping = new AbortController();
    const program = pulumi.program("export default () => {};");
    const run = pulumi.engine().run({ ...up, program }, undefined, stopping.signal);
    await pulumi.called("up");
    stopping.abort();
    expect(await run).toMatchObject(cancelled);
  });
});

describe("a run of no targets", () => {
  test("is refused, and is not taken for a run of everything", async () => {
    const pulumi = new ScriptedPulumi();
    const program = pulumi.program("export default () => {};");
    const { failure } = await pulumi.engine().run({ ...up, program, targets: [] });
    expect(failure).toEqual({ code: "failed", text: expect.stringContaining("no targets") });
    expect(pulumi.calls("up")).toEqual([]);
  });
});

describe("the runner of a program that leaves a timer running", () => {
  /** Its process id lies in a file as soon as it is loaded. */
  const restless = (pulumi: ScriptedPulumi) =>
    pulumi.program(
      `import { writeFileSync } from "node:fs";
      writeFileSync(${JSON.stringify(join(pulumi.folder, "pid"))}, String(process.pid));
      setInterval(() => undefined, 1000);
      export default () => {};`,
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
    expect(await pulumi.engine().run({ ...up, program: restless(pulumi) })).toMatchObject({
      failure: { code: "failed" },
    });
    await until(() => !isAlive(pulumi));
  });

  test("goes on to the end of its run when the command is gone, and ends then", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.hold("up");
    const folder = pulumi.makeProject();
    onTestFinished(() => void isAlive(pulumi, "SIGKILL"));
    const runner = fork(fileURLToPath(import.meta.resolve("../../../../sdk/automation/engine/runner.ts")), {
      env: { ...process.env, PATH: [pulumi.folder, process.env.PATH].join(delimiter) },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    runner.send({ ...up, program: restless(pulumi), workspace: { folder } });
    await pulumi.called("up");
    runner.disconnect();
    // Long enough for a process to end.
    await pause(500);
    expect(isAlive(pulumi)).toBe(true);
    pulumi.letGo("up");
    await until(() => !isAlive(pulumi));
  });
});

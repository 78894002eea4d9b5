// @module-tag ci
/** The Automation API drives the emulator as it drives the real CLI: one test, both engines. */
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as automation from "@pulumi/pulumi/automation/index.js";
import { describe, type TestContext, test } from "vitest";
import { engines, Stack } from "./harness.ts";

const { LocalWorkspace, PulumiCommand } = automation;

class Thing extends pulumi.CustomResource {
  declare readonly out: pulumi.Output<string>;
  constructor(name: string, props: Record<string, unknown>) {
    const text = 'exports.handler=()=>require("./provider.cjs").provider';
    super("pulumi-nodejs:test:Thing", name, { out: undefined, ...props, name, __provider: text });
  }
}

async function program() {
  const a = new Thing("a", { value: new pulumi.Config().get("x") ?? "1" });
  const b = new Thing("b", { of: a.id });
  return { last: b.out, password: pulumi.secret("hunter2") };
}

async function workspace(
  bin: string,
  context: TestContext,
): Promise<{ folder: Stack; options: automation.LocalWorkspaceOptions }> {
  const folder = await Stack.make(bin);
  context.onTestFinished(() => folder.remove());
  const pulumiCommand = await PulumiCommand.get({ root: join(dirname(bin), "..") });
  return { folder, options: { workDir: folder.folder, pulumiCommand, envVars: folder.variables() } };
}

/** What a progress bar is made of: how many steps a preview announces, and how many of them a run has done. */
class Progress {
  readonly kinds: string[] = [];
  announced = 0;
  done = 0;

  readonly onEvent = (event: automation.EngineEvent): void => {
    this.kinds.push(...Object.keys(event).filter((key) => key.endsWith("Event")));
    const changes = event.summaryEvent?.resourceChanges ?? {};
    if (event.summaryEvent) {
      this.announced = Object.values(changes).reduce((sum, count) => sum + (count ?? 0), 0);
    }
    const step = (event.resOutputsEvent ?? event.resOpFailedEvent)?.metadata;
    // Default providers are steps, too, and count nowhere.
    if (step && !step.type.startsWith("pulumi:providers:")) this.done += 1;
  };
}

const quiet = { onOutput: () => {} };

describe.each(engines)("$title: the Automation API", ({ bin }) => {
  const available = test.skipIf(bin === "");

  available("runs an inline program from its first preview to its end", async (context) => {
    const { expect } = context;
    const { folder, options } = await workspace(bin, context);
    const named = { stackName: "inline", projectName: "test", program };
    const stack = await LocalWorkspace.createOrSelectStack(named, options);
    await stack.setAllConfig({ x: { value: "one" }, token: { value: "hush", secret: true } });
    expect((await stack.getAllConfig())["test:token"]).toEqual({ value: "hush", secret: true });

    const planned = new Progress();
    const preview = await stack.preview({ ...quiet, onEvent: planned.onEvent });
    expect(preview.changeSummary).toEqual({ create: 3 });
    expect(planned.kinds[0]).toBe("preludeEvent");
    expect(planned.kinds.slice(-2)).toEqual(["summaryEvent", "cancelEvent"]);
    const made = new Progress();
    const up = await stack.up({ ...quiet, onEvent: made.onEvent, message: "for a reason" });
    expect(up.summary.resourceChanges).toEqual({ create: 3 });
    expect(made.done).toBe(planned.announced);
    const outputs = {
      last: { value: "out of b-1", secret: false },
      password: { value: "hunter2", secret: true },
    };
    expect(up.outputs).toEqual(outputs);
    expect(await stack.outputs()).toEqual(outputs);

    await stack.setConfig("x", { value: "two" });
    expect((await stack.preview(quiet)).changeSummary).toEqual({ update: 1, same: 2 });
    expect((await stack.up(quiet)).summary.resourceChanges).toEqual({ update: 1, same: 2 });
    expect((await stack.refresh(quiet)).summary.resourceChanges).toEqual({ same: 3 });
    const history = await stack.history();
    expect(history.map(({ kind, result, message }) => `${kind} ${result} ${message}`.trim())).toEqual([
      "refresh succeeded",
      "update succeeded",
      "update succeeded for a reason",
    ]);
    expect((await stack.info())?.kind).toBe("refresh");

    expect((await stack.destroy(quiet)).summary.resourceChanges).toEqual({ delete: 3 });
    expect(folder.changes()).toEqual([
      "create a",
      "create b",
      "update a a-1",
      "delete b b-1",
      "delete a a-1",
    ]);
    await stack.workspace.removeStack("inline");
    const gone = LocalWorkspace.selectStack(named, options);
    await expect(gone).rejects.toBeInstanceOf(automation.StackNotFoundError);
  });

  available(
    "runs a local program, and distinguishes a failure, a locked stack and an existing stack",
    async (context) => {
      const { expect } = context;
      const { folder, options } = await workspace(bin, context);
      await folder.program([{ name: "a", inputs: { value: 1 } }]);
      const stack = await LocalWorkspace.selectStack({ stackName: "dev", workDir: folder.folder }, options);
      await folder.faults({ "create a": "plain" });
      await expect(stack.up(quiet)).rejects.toThrow("create of a refused");
      await folder.faults({ "create a": "slow" });
      const first = stack.up(quiet);
      await folder.calledTimes("create a", 2);
      await expect(stack.up(quiet)).rejects.toBeInstanceOf(automation.ConcurrentUpdateError);
      await stack.cancel();
      await writeFile(join(folder.folder, "go"), "");
      expect((await first).summary.resourceChanges).toEqual({ create: 1, same: 1 });
      expect((await stack.up({ ...quiet, expectNoChanges: true })).summary.resourceChanges).toEqual({
        same: 2,
      });
      const again = LocalWorkspace.createStack({ stackName: "dev", workDir: folder.folder }, options);
      await expect(again).rejects.toBeInstanceOf(automation.StackAlreadyExistsError);
    },
  );
});

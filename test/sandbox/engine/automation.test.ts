/** The Automation API drives the stand-in as it drives the real CLI. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as automation from "@pulumi/pulumi/automation/index.js";
import { describe, type TestContext, test } from "vitest";
import { Stack, standIn } from "./harness.ts";

const { LocalWorkspace, PulumiCommand } = automation;
const root = join(standIn, "../..");

class Thing extends pulumi.CustomResource {
  declare readonly out: pulumi.Output<string>;
  constructor(name: string, props: Record<string, unknown>) {
    const text = 'exports.handler=()=>require("./provider.cjs").provider';
    super("pulumi-nodejs:test:Thing", name, { out: undefined, ...props, name, __provider: text });
  }
}

async function program() {
  const a = new Thing("a", { value: 1 });
  const b = new Thing("b", { of: a.id });
  return { last: b.out, password: pulumi.secret("hunter2") };
}

async function workspaceOptions(
  context: TestContext,
): Promise<{ folder: Stack; options: automation.LocalWorkspaceOptions }> {
  const folder = await Stack.make(standIn);
  context.onTestFinished(() => folder.remove());
  const pulumiCommand = await PulumiCommand.get({ root });
  return { folder, options: { workDir: folder.folder, pulumiCommand, envVars: folder.variables() } };
}

describe.concurrent("the Automation API", () => {
  test("runs an inline program from its preview to its end", async (context) => {
    const { expect } = context;
    const { folder, options } = await workspaceOptions(context);
    const stack = await LocalWorkspace.createOrSelectStack(
      { stackName: "inline", projectName: "test", program },
      options,
    );
    await stack.setAllConfig({ x: { value: "1" }, token: { value: "hush", secret: true } });
    const events: string[] = [];
    const onEvent = (event: automation.EngineEvent) =>
      events.push(...Object.keys(event).filter((key) => key.endsWith("Event")));
    const preview = await stack.preview({ onEvent, onOutput: () => {} });
    expect(preview.changeSummary).toEqual({ create: 3 });
    expect(events[0]).toBe("preludeEvent");
    expect(events.slice(-2)).toEqual(["summaryEvent", "cancelEvent"]);
    expect(events.filter((event) => event === "resourcePreEvent")).toHaveLength(3);
    const up = await stack.up({ onOutput: () => {} });
    expect(up.summary.resourceChanges).toEqual({ create: 3 });
    expect(up.outputs.last).toEqual({ value: "out of b-1", secret: false });
    expect(up.outputs.password).toEqual({ value: "hunter2", secret: true });
    expect((await stack.getAllConfig())["test:token"]).toEqual({ value: "hush", secret: true });
    expect((await stack.refresh({ onOutput: () => {} })).summary.resourceChanges).toEqual({ same: 3 });
    expect((await stack.destroy({ onOutput: () => {} })).summary.resourceChanges).toEqual({ delete: 3 });
    expect(folder.changes()).toEqual(["create a", "create b", "delete b b-1", "delete a a-1"]);
    await stack.workspace.removeStack("inline");
    const gone = LocalWorkspace.selectStack({ stackName: "inline", projectName: "test", program }, options);
    await expect(gone).rejects.toBeInstanceOf(automation.StackNotFoundError);
  });

  test("runs a local program and tells a failure and a held stack apart", async (context) => {
    const { expect } = context;
    const { folder, options } = await workspaceOptions(context);
    await folder.program([{ name: "a", inputs: { value: 1 } }]);
    const stack = await LocalWorkspace.selectStack({ stackName: "dev", workDir: folder.folder }, options);
    await folder.faults({ "create a": "plain" });
    await expect(stack.up({ onOutput: () => {} })).rejects.toThrow("create of a refused");
    await folder.faults({ "create a": "slow" });
    const first = stack.up({ onOutput: () => {} });
    await folder.calledTimes("create a", 2);
    await expect(stack.up()).rejects.toBeInstanceOf(automation.ConcurrentUpdateError);
    await writeFile(join(folder.folder, "go"), "");
    expect((await first).summary.resourceChanges).toEqual({ create: 1, same: 1 });
    const again = LocalWorkspace.createStack({ stackName: "dev", workDir: folder.folder }, options);
    await expect(again).rejects.toBeInstanceOf(automation.StackAlreadyExistsError);
  });
});

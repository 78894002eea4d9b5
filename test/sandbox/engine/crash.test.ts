// @module-tag ci
/** What is left when the engine is stopped, gently or not. */
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, type TestContext, test } from "vitest";
import { counts, emulator, engines, finished, realCli, Stack } from "./harness.ts";

const up = ["up", "--yes", "--skip-preview", "--non-interactive", "--parallel", "2"];

/** A stack that goes with its test. Tests run side by side, so each uses its own context. */
async function make(bin: string, { onTestFinished }: TestContext): Promise<Stack> {
  const stack = await Stack.make(bin);
  onTestFinished(() => stack.remove());
  return stack;
}

/** Kills the engine while it creates b, and the provider it leaves behind. */
async function killDuringCreate(stack: Stack, env: NodeJS.ProcessEnv = {}): Promise<void> {
  await stack.program([{ name: "a" }, { name: "b", opts: { dependsOn: ["a"] } }]);
  await stack.faults({ "create b": "hang" });
  const engine = stack.start(up, env);
  const end = finished(engine);
  await stack.called("create b");
  engine.kill("SIGKILL");
  await stack.killProvider();
  await end;
  await stack.faults({});
}

function locks(stack: Stack): string[] {
  const files = readdirSync(join(stack.folder, "backend/.pulumi/locks/organization/test/dev"));
  // The real CLI writes its attributes beside each file.
  return files.filter((file) => file.endsWith(".json"));
}

describe.each(engines)("$title", { concurrent: true }, ({ title, bin }) => {
  const available = test.skipIf(bin === "");

  available(
    `${title}: a kill during a creation leaves it pending, and the next run says so`,
    async (context) => {
      const { expect } = context;
      const stack = await make(bin, context);
      await killDuringCreate(stack);
      expect(locks(stack)).toHaveLength(1);
      await stack.run("cancel", "--yes", "--non-interactive");
      expect(stack.pending()).toEqual(["creating b"]);
      expect(stack.state().at(-1)?.name).toContain("::a");
      stack.calls();
      const again = await stack.up();
      expect([again.code, again.stderr]).toEqual([0, ""]);
      expect(again.stdout).toContain("1 pending operations");
      expect(again.stdout).toContain("interrupted while creating");
      expect(stack.changes()).toEqual(["create b"]);
      expect(stack.pending()).toEqual(["creating b"]);
      await stack.refresh("--clear-pending-creates");
      expect(stack.pending()).toEqual([]);
    },
  );

  available(
    `${title}: a kill with PULUMI_SKIP_CHECKPOINTS leaves the state of the start, and a whole run writes it at its end`,
    async (context) => {
      const { expect } = context;
      const stack = await make(bin, context);
      await killDuringCreate(stack, { PULUMI_SKIP_CHECKPOINTS: "true" });
      await stack.run("cancel", "--yes", "--non-interactive");
      expect([stack.state(), stack.pending()]).toEqual([[], []]);
      stack.calls();
      const again = await stack.runWith({ PULUMI_SKIP_CHECKPOINTS: "1" }, up);
      expect([again.code, again.stderr]).toEqual([0, ""]);
      expect(stack.changes()).toEqual(["create a", "create b"]);
      expect(stack.state().at(-1)?.id).toBe("b-2");
    },
  );

  available(`${title}: a second Ctrl-C cuts off what is under way and leaves it pending`, async (context) => {
    const { expect } = context;
    const stack = await make(bin, context);
    await stack.program([{ name: "a" }]);
    await stack.faults({ "create a": "hang" });
    const engine = stack.start(up);
    const end = finished(engine);
    await stack.called("create a");
    engine.kill("SIGINT");
    await stack.said(engine, "cancel");
    engine.kill("SIGINT");
    expect((await end).code).not.toBe(0);
    expect(stack.pending()).toEqual(["creating a"]);
    expect(locks(stack)).toEqual([]);
  });

  available(`${title}: Ctrl-C lets what is under way end and keeps it`, async (context) => {
    const { expect } = context;
    const stack = await make(bin, context);
    await stack.program([{ name: "a" }, { name: "b", opts: { dependsOn: ["a"] } }]);
    await stack.faults({ "create a": "slow" });
    const engine = stack.start(up);
    const end = finished(engine);
    await stack.called("create a");
    engine.kill("SIGINT");
    await stack.said(engine, "cancel");
    await writeFile(join(stack.folder, "go"), "");
    const result = await end;
    expect(result.code).toBe(1);
    expect(result.stdout).toContain("^C received; cancelling.");
    expect(stack.changes()).toEqual(["create a"]);
    expect(stack.state().at(-1)?.id).toBe("a-1");
    expect(stack.pending()).toEqual([]);
    expect(locks(stack)).toEqual([]);
  });
});

describe.skipIf(realCli === undefined)("real CLI: states change hands", { concurrent: true }, () => {
  const resources = [
    { name: "a", inputs: { value: 1, password: { secret: "hunter2" } } },
    { name: "g", kind: "component" as const },
    { name: "b", inputs: { of: { ref: "a.id" } }, opts: { parent: "g", protect: false } },
  ];

  test.for([
    { title: "from the emulator to the real CLI", from: emulator, to: realCli ?? "" },
    { title: "from the real CLI to the emulator", from: realCli ?? "", to: emulator },
  ])("$title", async ({ from, to }, context) => {
    const { expect } = context;
    const first = await make(from, context);
    await first.program({ resources, outputs: { id: { ref: "b.id" }, password: { ref: "a.password" } } });
    expect((await first.up()).code).toBe(0);
    const second = first.withEngine(to);
    const preview = await second.preview("--expect-no-changes");
    expect(preview.stderr).toBe("");
    expect([preview.code, counts(preview)]).toEqual([0, { unchanged: 4 }]);
    expect(await second.outputs()).toEqual({ id: "b-1", password: "hunter2" });
    second.calls();
    expect((await second.refresh()).code).toBe(0);
    const destroy = await second.destroy();
    expect([destroy.code, counts(destroy)]).toEqual([0, { deleted: 4 }]);
    expect(second.changes()).toEqual(["delete b b-1", "delete a a-1"]);
  });

  test("locks the stack of a killed emulator for the real CLI until the emulator has merged it", async (context) => {
    const { expect } = context;
    const stack = await make(emulator, context);
    await killDuringCreate(stack);
    const real = stack.withEngine(realCli ?? "");
    expect((await real.up()).stderr).toContain("the stack is currently locked by 1 lock(s)");
    expect(real.changes()).toEqual([]);
    expect((await stack.ok("stack", "export")).stderr).toContain("1 of them unfinished");
    const again = await real.up();
    expect(again.stdout).toContain("1 pending operations");
    expect([again.code, real.changes()]).toEqual([0, ["create b"]]);
    expect((await real.refresh("--clear-pending-creates")).code).toBe(0);
    expect(real.pending()).toEqual([]);
    expect((await real.preview("--expect-no-changes")).code).toBe(0);
  });

  test("leaves a journal alone that the real CLI went past, and reports it", async (context) => {
    const { expect } = context;
    const stack = await make(emulator, context);
    await killDuringCreate(stack);
    const real = stack.withEngine(realCli ?? "");
    await real.ok("cancel", "--yes", "--non-interactive");
    expect((await real.up()).code).toBe(0);
    const state = stack.checkpoint();
    const refused = await stack.up();
    expect([refused.code, stack.checkpoint()]).toEqual([1, state]);
    expect(refused.stderr).toContain("does not fit the stack's state, which has changed since then");
    expect((await real.preview("--expect-no-changes")).code).toBe(0);
  });
});

// @module-tag ci
/** Plugins and programs that break: each is told in one error, and what was made before is kept. */
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { full } from "../../setup/cases.ts";
import { engines, finished, realCli } from "./harness.ts";
import { type Abilities, able, asked, known, part, plugged } from "./plug.ts";

/** A quick run without a real CLI plays what needs processes, and leaves the rest to the tests of answers. */
const thorough = full || realCli !== undefined;

describe.each(engines)("$title", { concurrent: true }, ({ title, bin }) => {
  const available = test.skipIf(bin === "");

  available(
    `${title}: a plugin that does not start is reported with its path, and nothing is made`,
    async (context) => {
      const { expect } = context;
      const stack = await plugged(bin, context);
      await stack.program([part("p")]);
      const cases: [Abilities["start"], string][] = [
        ["crash", "the plugin cannot start today"],
        ["garbage", "hello, I am no port"],
        ["silent", "exited prematurely"],
      ];
      for (const [start = "crash", says] of thorough ? cases : cases.slice(0, 2)) {
        able(stack, { start });
        const failed = await stack.up();
        expect([start, failed.code, failed.stdout.includes("plugin/pulumi-resource-plug")]).toEqual([
          start,
          1,
          true,
        ]);
        expect(failed.stdout).toContain("pulumi:providers:plug (default):");
        expect(failed.stdout).toContain(says);
        expect([known(stack), stack.pending()]).toEqual([[], []]);
      }
    },
  );

  available(
    `${title}: a plugin that is missing or not executable is reported with its folder`,
    async (context) => {
      const { expect } = context;
      const stack = await plugged(bin, context);
      await stack.program([part("p")]);
      chmodSync(join(stack.folder, "plugin/pulumi-resource-plug"), 0o644);
      const denied = await stack.up();
      expect([denied.code, denied.stdout.includes("plugin/pulumi-resource-plug")]).toEqual([1, true]);
      rmSync(join(stack.folder, "plugin/pulumi-resource-plug"));
      const empty = await stack.up();
      expect([empty.code, empty.stdout.includes("PulumiPlugin.yaml")]).toEqual([1, true]);
      rmSync(join(stack.folder, "plugin"), { recursive: true });
      const before = stack.resources();
      const missing = await stack.up();
      expect([missing.code, missing.stderr.includes(`${stack.folder}/plugin`)]).toEqual([1, true]);
      expect(missing.stderr.trim().split("\n")).toHaveLength(1);
      expect(stack.resources()).toEqual(before);
    },
  );

  available(
    `${title}: a plugin that breaks or babbles costs what was not made, and no more`,
    async (context) => {
      const { expect } = context;
      const stack = await plugged(bin, context);
      await stack.program([part("p"), part("q", { value: 1, of: { ref: "p.out" } })]);
      const provider = "pulumi:providers:plug::default";
      const cases: [call: string, kind: string, says: string, calls: string[]][] = [
        ["configure", "crash", "exited prematurely", ["configure plug"]],
        ["check p", "malformed", "unrecognized signature", ["configure plug", "check p new", "cancel plug"]],
        ["create q", "nameless", "empty resource.ID", []],
        ["create q", "malformed", "unrecognized signature", []],
        ["create q", "unknown", "unexpected unknown property value", []],
        ["create q", "crash", "exited prematurely", []],
      ];
      for (const [call, kind, says, calls] of cases.filter(([, kind]) => thorough || kind === "crash")) {
        await stack.faults({ [call]: kind });
        const failed = await stack.up();
        expect([call, kind, failed.code, failed.stdout.includes(says)]).toEqual([call, kind, 1, true]);
        expect(failed.stdout).toContain(`plug:index:Part (${call.at(-1) === "q" ? "q" : "p"}):`);
        expect(stack.pending()).toEqual([]);
        const made = call === "create q" ? [provider, "plug:index:Part::p p-1"] : [provider];
        expect(known(stack)).toEqual(made);
        const seen = asked(stack);
        if (calls.length > 0) expect(seen).toEqual(calls);
        // Whoever has crashed cannot be told that the run is over.
        expect(seen.includes("cancel plug")).toBe(kind !== "crash");
      }
      await stack.faults({ "create q": "partial" });
      expect((await stack.up()).code).toBe(1);
      expect(known(stack).at(-1)).toMatch(/^plug:index:Part::q q-\d initErrors after p$/);
      for (const [call, kind, says] of [
        ["diff q", "malformed", "unrecognized diff state"],
        ["update q", "crash", "exited prematurely"],
      ] as const) {
        await stack.faults({ [call]: kind });
        const failed = await stack.up();
        expect([failed.code, failed.stdout.includes(says)]).toEqual([1, true]);
        expect(known(stack).at(-1)).toMatch(/^plug:index:Part::q q-\d initErrors after p$/);
      }
      await stack.faults({ "delete q": "crash" });
      expect((await stack.destroy()).code).toBe(1);
      expect([known(stack).length, stack.pending()]).toEqual([3, []]);
      await stack.faults({});
      expect([(await stack.destroy()).code, stack.state()]).toEqual([0, []]);
    },
  );

  available(`${title}: a plugin that hangs is cut off by a second Ctrl-C`, async (context) => {
    const { expect } = context;
    const stack = await plugged(bin, context);
    await stack.program([part("p")]);
    await stack.faults({ "create p": "hang" });
    const engine = stack.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
    const end = finished(engine);
    await stack.called("create p");
    engine.kill("SIGINT");
    await stack.called("cancel plug");
    engine.kill("SIGINT");
    expect((await end).code).not.toBe(0);
    expect(stack.pending()).toEqual(["creating p"]);
  });

  available(`${title}: a program that cannot run leaves everything as it was`, async (context) => {
    const { expect } = context;
    const stack = await plugged(bin, context);
    await stack.program([{ name: "a" }]);
    expect((await stack.up()).code).toBe(0);
    asked(stack);
    const run = async (program: string) => {
      writeFileSync(join(stack.folder, "index.js"), program);
      const failed = await stack.up();
      expect([failed.code, asked(stack), known(stack).length]).toEqual([1, [], 2]);
      return failed.stdout + failed.stderr;
    };
    expect(await run('import "nonesuch";')).toContain("Cannot find package 'nonesuch'");
    expect(await run("process.exit(5);")).toContain(
      "an unhandled error occurred: Program exited with non-zero exit code: 5",
    );
    rmSync(join(stack.folder, "node_modules"));
    expect(await run("export default {};")).toContain("Pulumi SDK");
    rmSync(join(stack.folder, "index.js"));
    const before = stack.resources();
    const missing = await stack.up();
    expect([missing.code, missing.stderr.includes(`${stack.folder}/index.js`)]).toEqual([1, true]);
    expect(stack.resources()).toEqual(before);
  });
});

// @module-tag ci
/** Provider plugins that Pulumi.yaml names: configured, asked and ended as Pulumi does it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { z } from "zod";
import { counts, emulator, engines, realCli, type Stack } from "./harness.ts";
import { able, asked, part, plugged } from "./plug.ts";

const secret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

describe.each(engines)("$title", { concurrent: true }, ({ title, bin }) => {
  const available = test.skipIf(bin === "");

  available(
    `${title}: a plugin gets its own configuration, and secrets as it takes them`,
    async (context) => {
      const { expect } = context;
      const stack = await plugged(bin, context, { config: true, acceptSecrets: true });
      const config = [
        "--plaintext",
        "plug:region=eu",
        "--secret",
        "plug:password=hunter2",
        "--plaintext",
        "x=1",
      ];
      await stack.ok("config", "set-all", ...config, "--non-interactive");
      await stack.program({
        resources: [part("p", { value: 1, word: { secret: "hush" } }), part("q", { of: { ref: "p.out" } })],
        outputs: { answer: { ask: "plug:index:ask", args: { question: "is it?" } }, word: { ref: "p.word" } },
      });
      expect((await stack.up()).code).toBe(0);
      const calls = stack.asked();
      const given = (call: string) => calls.find(([name]) => name.startsWith(call))?.slice(1);
      // A plugin that checks is told no secrets of its configuration; one that is configured is.
      expect(given("checkConfig default")).toEqual([{}, { region: "eu", password: "hunter2" }]);
      expect(given("configure plug")).toEqual([
        { region: "eu", password: secret("hunter2"), checked: "yes" },
      ]);
      expect(given("create p")).toEqual([{ value: 1, word: secret("hush") }, 0]);
      expect(given("invoke")).toEqual([{ question: "is it?" }, false]);
      const order = calls.map(([call]) => call).filter((call) => !call.startsWith("invoke"));
      expect(order).toEqual([
        ...["checkConfig default", "configure plug password=*"],
        ...["check p new word=*", "create p word=*", "check q new", "create q", "cancel plug"],
      ]);
      expect(await stack.outputs()).toEqual({ answer: "yes, is it?", word: "hush" });
      expect(stack.checkpoint()).not.toContain("hush");
    },
  );

  available(
    `${title}: a plugin that knows the handshake is asked in previews, with unknowns`,
    async (context) => {
      const { expect } = context;
      const stack = await plugged(bin, context, { handshake: true, acceptSecrets: true });
      await stack.program([
        part("p", { value: 1 }),
        part("q", { of: { ref: "p.out" }, word: { secret: "hush" } }),
      ]);
      const preview = await stack.preview();
      expect([preview.code, counts(preview)]).toEqual([0, { create: 3 }]);
      expect(asked(stack)).toEqual([
        ...["handshake", "configure plug", "check p new", "create p preview"],
        ...["check q new of=?,word=*", "create q preview of=?,word=*", "cancel plug"],
      ]);
      expect(stack.state()).toEqual([]);
    },
  );

  available(
    `${title}: differences are reported by property, by the plugin or by the engine`,
    async (context) => {
      const { expect } = context;
      const stack = await plugged(bin, context, { supportsPreview: true });
      const timeouts = { customTimeouts: { create: "1m30s" } };
      await stack.program([part("p", { value: 1, gone: true, deep: { list: [1] } }, timeouts)]);
      expect((await stack.up()).code).toBe(0);
      expect(
        stack
          .asked()
          .find(([call]) => call === "create p")
          ?.at(-1),
      ).toBe(90);
      expect(stack.resources().at(-1)?.customTimeouts).toEqual({ create: 90 });

      const changed = { value: 2, deep: { list: [2, 3] }, replaceOn: ["value"] };
      await stack.program([part("p", changed)]);
      await stack.preview("--event-log", "replace.json");
      expect(stepIn(stack, "replace.json", "replace")).toMatchObject({
        keys: ["value"],
        detailedDiff: {
          deep: { diffKind: "update", inputDiff: false },
          gone: { diffKind: "delete", inputDiff: false },
          replaceOn: { diffKind: "add", inputDiff: false },
          value: { diffKind: "update-replace", inputDiff: false },
        },
      });
      expect(asked(stack)).toEqual([
        ...["configure plug", "check p", "diff p p-1", "check p new", "create p preview", "cancel plug"],
      ]);

      await stack.program([part("p", { value: 1, quiet: true, deep: { list: [2, 3] } })]);
      await stack.preview("--event-log", "update.json");
      expect(stepIn(stack, "update.json", "update")?.detailedDiff).toEqual({
        "deep.list[0]": { diffKind: "update", inputDiff: true },
        "deep.list[1]": { diffKind: "add", inputDiff: true },
        gone: { diffKind: "delete", inputDiff: true },
        quiet: { diffKind: "add", inputDiff: true },
      });
      expect(asked(stack)).toContain("update p p-1 preview");
    },
  );

  available(
    `${title}: a replaced provider replaces what it serves, and deletes it as it was`,
    async (context) => {
      const { expect } = context;
      const stack = await plugged(bin, context, { config: true });
      const program = (region: string, word: string) => [
        { name: "prov", kind: "provider" as const, type: "plug", inputs: { region, word: { secret: word } } },
        part("p", { value: 1 }, { provider: "prov" }),
      ];
      await stack.program(program("eu", "a"));
      expect(counts(await stack.up())).toEqual({ created: 3 });
      expect(asked(stack)).toContain("configure plug word=*");
      await stack.program(program("eu", "b"));
      expect(counts(await stack.up())).toEqual({ updated: 1, unchanged: 2 });
      expect(stack.changes()).toEqual([]);
      await stack.program(program("us", "b"));
      expect(counts(await stack.up())).toEqual({ replaced: 2, unchanged: 1 });
      const calls = stack.asked();
      expect(calls.map(([call]) => call).filter((call) => /^(create|delete|diffConfig)/.test(call))).toEqual([
        ...["diffConfig prov", "diffConfig prov", "create p", "delete p p-1"],
      ]);
      const regions = calls.filter(([call]) => call.startsWith("configure")).map(([, args]) => args);
      expect(regions).toMatchObject([{ region: "us" }, { region: "eu" }]);
      expect(stack.checkpoint()).not.toContain('"b"');
    },
  );

  available(`${title}: what was made is read, refreshed and destroyed`, async (context) => {
    const { expect } = context;
    const stack = await plugged(bin, context);
    await stack.program([
      part("p", { value: 1 }),
      { ...part("seen", { id: "x-7" }), kind: "get" },
      part("q", { of: { ref: "seen.id" } }),
    ]);
    expect((await stack.up()).code).toBe(0);
    expect(asked(stack)).toContain("read seen x-7");
    await stack.faults({ "read p": "drift", "read q": "gone" });
    expect(counts(await stack.refresh())).toEqual({ updated: 1, deleted: 1, unchanged: 2 });
    const reads = asked(stack).filter((call) => !call.startsWith("diff"));
    expect(reads.sort()).toEqual([
      "cancel plug",
      "configure plug",
      "read p p-1",
      "read q q-1",
      "read seen x-7",
    ]);
    expect(counts(await stack.destroy())).toEqual({ deleted: 2 });
    expect(asked(stack)).toEqual(["configure plug", "delete p p-1", "cancel plug"]);
    expect(stack.state()).toEqual([]);
  });

  available(`${title}: the issues of a refused check are reported, and nothing is made`, async (context) => {
    const { expect } = context;
    const stack = await plugged(bin, context, { config: true });
    await stack.program([
      { name: "prov", kind: "provider", type: "plug", inputs: { bad: "x" } },
      part("p", {}, { provider: "prov" }),
    ]);
    const refused = await stack.up();
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("bad");
    expect(refused.stdout).toContain("it is bad");
    expect(asked(stack)).toEqual(["checkConfig prov", "cancel plug"]);
    able(stack, {});
    await stack.program({
      resources: [],
      outputs: { answer: { ask: "plug:index:ask", args: { bad: true } } },
    });
    const failed = await stack.up();
    expect([failed.code, failed.stdout.includes("it is bad")]).toEqual([1, true]);
  });
});

describe.skipIf(realCli === undefined)("real CLI: a plugin's stack changes hands", () => {
  test.for([
    { title: "from the emulator to the real CLI", from: emulator, to: realCli ?? "" },
    { title: "from the real CLI to the emulator", from: realCli ?? "", to: emulator },
  ])("$title", async ({ from, to }, context) => {
    const { expect } = context;
    const first = await plugged(from, context, { config: true, acceptSecrets: true });
    await first.program([
      { name: "prov", kind: "provider", type: "plug", inputs: { region: "eu", word: { secret: "a" } } },
      part("p", { value: { secret: 1 } }, { provider: "prov", customTimeouts: { update: "5m" } }),
      part("q", { of: { ref: "p.id" } }),
    ]);
    expect((await first.up()).code).toBe(0);
    const second = first.withEngine(to);
    const preview = await second.preview("--expect-no-changes");
    expect([preview.code, counts(preview)]).toEqual([0, { unchanged: 4 }]);
    expect(counts(await second.destroy())).toEqual({ deleted: 4 });
  });
});

const eventSchema = z.looseObject({
  resourcePreEvent: z.object({ metadata: z.looseObject({ op: z.string() }) }).optional(),
});

/** The first step with this operation in an event log. */
function stepIn({ folder }: Stack, file: string, op: string): Record<string, unknown> | undefined {
  const lines = readFileSync(join(folder, file), "utf8").trim().split("\n");
  return lines
    .map((line) => eventSchema.parse(JSON.parse(line)).resourcePreEvent?.metadata)
    .find((metadata) => metadata?.op === op);
}

// @module-tag ci
/** Plugins that Pulumi.yaml names under `packages`, and programs of other languages. */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { counts, emulator, engines } from "./harness.ts";
import { able, asked, known, nameIn, packaged, part } from "./plug.ts";

describe.each(engines)("$title", { concurrent: true }, ({ title, bin }) => {
  const available = test.skipIf(bin === "");

  available(`${title}: a package in a folder serves resources and functions`, async (context) => {
    const { expect } = context;
    const stack = await packaged(bin, context);
    const args = { question: { secret: "is it?" }, of: { ref: "p.out" } };
    await stack.program({
      resources: [part("p", { word: { secret: "hush" } }), part("q", { of: { ref: "p.out" } })],
      outputs: { answer: { ask: "plug:index:ask", args } },
    });
    expect(counts(await stack.preview())).toEqual({ create: 3 });
    // A function whose arguments are unknown waits for the update.
    expect(asked(stack)).toEqual([
      ...["handshake", "configure plug", "check p new word=*", "create p preview word=*"],
      ...["check q new of=?", "create q preview of=?", "cancel plug"],
    ]);
    expect(counts(await stack.up())).toEqual({ created: 3 });
    expect(asked(stack)).toContain("invoke plug:index:ask");
    expect(await stack.outputs()).toEqual({ answer: "yes, is it?" });
    expect(counts(await stack.refresh())).toEqual({ unchanged: 3 });
    expect(counts(await stack.destroy())).toEqual({ deleted: 3 });
    expect(asked(stack)).toContain("delete p p-1 word=*");
  });

  available(`${title}: the executable of a folder wins over its PulumiPlugin.yaml`, async (context) => {
    const { expect } = context;
    const stack = await packaged(bin, context);
    const folder = join(stack.folder, "plugin");
    const options = "runtime:\n  name: nodejs\n  options:\n    typescript: false\n";
    writeFileSync(join(folder, "PulumiPlugin.yaml"), options);
    writeFileSync(join(folder, "package.json"), '{"type":"module","main":"main.cjs"}');
    const mark = 'require("node:fs").writeFileSync("by-runtime", "")';
    writeFileSync(join(folder, "main.cjs"), `${mark};import("./plugin.js");`);
    await stack.program([part("p")]);
    expect((await stack.preview()).code).toBe(0);
    expect(existsSync(join(stack.folder, "by-runtime"))).toBe(false);
    rmSync(join(folder, "pulumi-resource-plug"));
    expect((await stack.preview()).code).toBe(0);
    expect(existsSync(join(stack.folder, "by-runtime"))).toBe(true);
  });

  available(`${title}: plugins.providers wins over packages`, async (context) => {
    const stack = await packaged(bin, context, "./other");
    cpSync(join(stack.folder, "plugin"), join(stack.folder, "other"), { recursive: true });
    rmSync(join(stack.folder, "other/pulumi-resource-plug"));
    nameIn(stack, "plugin");
    await stack.program([part("p")]);
    context.expect((await stack.preview()).code).toBe(0);
    context.expect(asked(stack)).toContain("create p preview");
  });

  available(`${title}: a remote component that the plugin cannot make fails the run`, async (context) => {
    const { expect } = context;
    const stack = await packaged(bin, context);
    const component = 'new pulumi.ComponentResource("plug:index:Whole", "w", {}, { dependsOn: p }, true);';
    const program = `import * as pulumi from "@pulumi/pulumi";
      const p = new pulumi.CustomResource("plug:index:Part", "p", {});\n${component}`;
    writeFileSync(join(stack.folder, "index.js"), program);
    for (const [kind, says] of [
      ["lacks", "not here"],
      ["crash", bin === emulator ? "exited prematurely (exit code 3) during the construction of w" : ""],
    ] as const) {
      await stack.faults({ "construct w": kind });
      const failed = await stack.up();
      expect(failed.code).not.toBe(0);
      const printed = (failed.stdout + failed.stderr).replace(/\s+/g, " ");
      expect(printed).toContain("plug:index:Whole resource 'w' has a problem: ");
      expect(printed).toContain(says);
      expect(known(stack)).toEqual(["pulumi:providers:plug::default", "plug:index:Part::p p-1"]);
    }
  });

  available(`${title}: a folder that is not there fails the run`, async (context) => {
    const stack = await packaged(bin, context, "./elsewhere");
    await stack.program([]);
    const failed = await stack.preview();
    context.expect(failed.code).not.toBe(0);
    context.expect(failed.stdout + failed.stderr).toContain(join(stack.folder, "elsewhere"));
  });
});

describe("the emulator alone", { concurrent: true }, () => {
  const sources = ["plug@1.2.3", "pulumi/plug", "node_modules/x/plugin", "github.com/acme/plug@v1.0.0"];
  test.for(sources)("refuses %s, which is no path of a folder", async (source, context) => {
    const stack = await packaged(emulator, context, source);
    await stack.program([part("p")]);
    const failed = await stack.runHere("preview", "--non-interactive");
    context.expect(failed.code).toBe(1);
    context.expect(failed.stdout).toContain(`names "${source}" for the package "plug"`);
    context.expect(failed.stdout).toContain("packages: {plug: ./<folder>}");
  });

  test("reads a source with its details, as the Pulumi CLI writes it", async (context) => {
    const stack = await packaged(emulator, context, "{source: ./plugin, parameters: []}");
    await stack.program([part("p")]);
    context.expect((await stack.runHere("preview", "--non-interactive")).code).toBe(0);
  });

  test.for(["yaml", "python", "go", "dotnet", "java"])(
    "refuses programs of %s, not their stacks",
    async (runtime, context) => {
      const stack = await packaged(emulator, context);
      await stack.program([part("p")]);
      await stack.runHere("up", "--yes", "--skip-preview", "--non-interactive");
      const file = join(stack.folder, "Pulumi.yaml");
      writeFileSync(file, readFileSync(file, "utf8").replace("name: nodejs", `name: ${runtime}`));
      renameSync(join(stack.folder, "index.js"), join(stack.folder, "kept.js"));
      able(stack, { handshake: true });
      const refused = await stack.runHere("preview", "--non-interactive");
      context.expect(refused.code).toBe(1);
      context.expect(refused.stderr).toContain(`asks for "${runtime}": use the real Pulumi CLI`);
      context
        .expect((await stack.runHere("destroy", "--yes", "--skip-preview", "--non-interactive")).code)
        .toBe(0);
    },
  );
});

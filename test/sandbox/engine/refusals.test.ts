// @module-tag ci
/** What the emulator refuses: told once, by its name, with the way out. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { emulator } from "./harness.ts";
import { asked, known, part, plugged } from "./plug.ts";

describe("the emulator alone", { concurrent: true }, () => {
  const thing =
    'class Thing extends pulumi.CustomResource { constructor(name, options) { super("pulumi-nodejs:test:Thing", name, ' +
    '{ name, __provider: `exports.handler=()=>require("./provider.cjs").provider` }, options); } }';
  const refused: { title: string; program: string; says: string; where?: string }[] = [
    {
      title: "transforms of the stack",
      program: 'pulumi.runtime.registerResourceTransform(() => undefined); new Thing("a");',
      says: "does not have transforms: use the real Pulumi CLI",
    },
    {
      title: "resource hooks",
      program: 'new Thing("a", { hooks: { beforeCreate: [new pulumi.ResourceHook("h", () => {})] } });',
      says: "does not have resource hooks: use the real Pulumi CLI",
    },
    {
      title: "stack references",
      program: 'new pulumi.StackReference("organization/test/other"); new Thing("a");',
      says: "does not have stack references (organization/test/other): use the real Pulumi CLI",
    },
    {
      title: "imports",
      program: 'new Thing("a", { import: "a-7" });',
      says: "does not have the option import of a: import it with the real Pulumi CLI",
      where: "pulumi-nodejs:test:Thing (a):",
    },
    {
      title: "packages that no plugin is named for",
      program: 'new pulumi.CustomResource("aws:s3/bucket:Bucket", "b", {});',
      says: 'there is no plugin for the package "aws"',
      where: "pulumi:providers:aws (default):",
    },
    {
      title: "functions of packages that no plugin is named for",
      program: 'export const answer = pulumi.runtime.invoke("aws:index:ask", {});',
      says: 'there is no plugin for the package "aws"',
      where: "pulumi:providers:aws (default):",
    },
  ];

  test.for(refused)("refuses $title by name, once, and touches nothing", async (item, context) => {
    const stack = await plugged(emulator, context);
    const program = `import * as pulumi from "@pulumi/pulumi";\n${thing}\n${item.program}`;
    writeFileSync(join(stack.folder, "index.js"), program);
    const failed = await stack.runHere("up", "--yes", "--skip-preview", "--non-interactive");
    const diagnostics = failed.stdout.split("Diagnostics:\n").at(-1) ?? "";
    context.expect(failed.code).toBe(1);
    context.expect(diagnostics.split(item.says)).toHaveLength(2);
    context.expect(diagnostics).toContain(item.where ?? "pulumi:pulumi:Stack (test-dev):");
    context.expect(diagnostics).not.toContain("UNAVAILABLE");
    context.expect(asked(stack).filter((call) => !call.startsWith("configure"))).toEqual([]);
    context.expect(known(stack).filter((name) => !name.startsWith("pulumi:providers"))).toEqual([]);
  });

  test("says which version of a plugin Pulumi.yaml names, where the program asks for another", async (context) => {
    const stack = await plugged(emulator, context);
    const file = join(stack.folder, "Pulumi.yaml");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace("path: plugin", "path: plugin\n      version: 1.2.3"),
    );
    await stack.program([part("p", {}, { version: "2.0.0" })]);
    const failed = await stack.runHere("up", "--yes", "--skip-preview", "--non-interactive");
    context.expect(failed.code).toBe(1);
    context.expect(failed.stdout).toContain('the plugin "plug" in version 2.0.0');
    await stack.program([part("p", {}, { version: "1.2.3" })]);
    const up = await stack.runHere("up", "--yes", "--skip-preview", "--non-interactive");
    context.expect(up.code).toBe(0);
    context.expect(known(stack)[0]).toBe("pulumi:providers:plug::default_1_2_3");
  });

  test("runs a plugin that is a folder with a PulumiPlugin.yaml, for Node alone", async (context) => {
    const stack = await plugged(emulator, context);
    const folder = join(stack.folder, "plugin");
    rmSync(join(folder, "pulumi-resource-plug"));
    writeFileSync(join(folder, "PulumiPlugin.yaml"), "runtime: python\n");
    await stack.program([part("p")]);
    const refused = await stack.runHere("up", "--yes", "--skip-preview", "--non-interactive");
    context.expect(refused.stdout).toContain("runs nodejs plugins only");
    writeFileSync(
      join(folder, "PulumiPlugin.yaml"),
      "runtime:\n  name: nodejs\n  options:\n    typescript: false\n",
    );
    writeFileSync(join(folder, "package.json"), '{"type":"module","main":"main.cjs"}');
    writeFileSync(join(folder, "main.cjs"), 'import("./plugin.js");');
    const up = await stack.runHere("up", "--yes", "--skip-preview", "--non-interactive");
    context.expect(up.code).toBe(0);
    context.expect(asked(stack)).toContain("create p");
  });
});

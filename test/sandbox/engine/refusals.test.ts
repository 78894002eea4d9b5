/** What the stand-in refuses: told once, by its name, with the way out. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import callbackPb from "@pulumi/pulumi/proto/callback_pb.js";
import resourcePb from "@pulumi/pulumi/proto/resource_pb.js";
import structPb from "google-protobuf/google/protobuf/struct_pb.js";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../../../sandbox/engine/refusals.ts";
import { secondsOf } from "../../../sandbox/engine/rpc/requests.ts";
import { refuseDownload, refuseUnknown } from "../../../sandbox/engine/rpc/unknown-options.ts";
import { standIn } from "./harness.ts";
import { asked, known, part, plugged } from "./plug.ts";

describe("the stand-in alone", { concurrent: true, timeout: 120_000 }, () => {
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
      title: "remote components",
      program: 'new pulumi.ComponentResource("plug:index:Whole", "w", {}, {}, true); new Thing("a");',
      says: "does not have remote components (plug:index:Whole w): use the real Pulumi CLI",
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
    const stack = await plugged(standIn, context);
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
    const stack = await plugged(standIn, context);
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
    const stack = await plugged(standIn, context);
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

describe("refusals", () => {
  test("every sentence by which the SDK blames the age of the CLI gets words that fit", () => {
    const folder = join(
      dirname(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json")),
      "runtime",
    );
    const files = readdirSync(folder).filter((file) => file.endsWith(".js"));
    const sentences = files.flatMap((file) => [
      ...readFileSync(join(folder, file), "utf8").matchAll(
        /"(The Pulumi CLI does not support [^"]*Please update[^"]*)"/g,
      ),
    ]);
    expect(sentences.length).toBeGreaterThan(8);
    for (const [, sentence = ""] of sentences) {
      expect(refusalOf(`Error: ${sentence}\n    at x`)).toMatch(
        /^Error: this stand-in for the Pulumi CLI does not have [\w ]+: use the real Pulumi CLI for this program\n {4}at x$/,
      );
    }
    expect(refusalOf("Error: on purpose")).toBeUndefined();
  });

  const request = (fill: (request: resourcePb.RegisterResourceRequest) => unknown) => {
    const made = new resourcePb.RegisterResourceRequest();
    made.setType("plug:index:Part");
    made.setName("p");
    fill(made);
    return made;
  };

  test.for<[option: string, fill: (request: resourcePb.RegisterResourceRequest) => unknown]>([
    ["remote components (plug:index:Part p)", (made) => made.setRemote(true)],
    ["the option transforms of p", (made) => made.setTransformsList([new callbackPb.Callback()])],
    ["the option stateMigrations of p", (made) => made.setStateMigrationsList([new callbackPb.Callback()])],
    ["the option hideDiffs of p", (made) => made.setHidediffsList(["a"])],
    ["the option envVarMappings of p", (made) => made.getEnvvarmappingsMap().set("A", "B")],
    ["the option replacementTrigger of p", (made) => made.setReplacementTrigger(new structPb.Value())],
    [
      "the option hooks of p",
      (made) => {
        const hooks = new resourcePb.RegisterResourceRequest.ResourceHooksBinding();
        hooks.setBeforeCreateList(["h"]);
        made.setHooks(hooks);
      },
    ],
  ])("an option that is not known is no option that is ignored: %s", ([what, fill]) => {
    expect(() => refuseUnknown(request(fill))).toThrow(`does not have ${what}: use the real Pulumi CLI`);
  });

  test("a resource without such options passes", () => {
    expect(() => refuseUnknown(request(() => {}))).not.toThrow();
    expect(() =>
      refuseDownload(
        "plug:index:Part",
        request(() => {}),
      ),
    ).not.toThrow();
  });

  test("plugins are not downloaded", () => {
    const asking = request((made) => made.setPlugindownloadurl("https://plugins.example"));
    expect(() => refuseDownload("plug:index:Part", asking)).toThrow("pluginDownloadURL of plug:index:Part");
  });

  test("timeouts are counted in seconds, and what is none is told", () => {
    expect(["30s", "1h30m", "1.5m", "500ms"].map(secondsOf)).toEqual([30, 5400, 90, 0.5]);
    for (const wrong of ["", "5", "5 m", "m", "1h30"])
      expect(() => secondsOf(wrong)).toThrow("is no timeout");
  });
});

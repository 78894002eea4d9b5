/** What programs may ask for and the emulator does not have: found, named, told with the way out. */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import callbackPb from "@pulumi/pulumi/proto/callback_pb.js";
import resourcePb from "@pulumi/pulumi/proto/resource_pb.js";
import structPb from "google-protobuf/google/protobuf/struct_pb.js";
import { describe, expect, test } from "vitest";
import { refusalOf, refuseConfig } from "../../../sandbox/engine/refusals.ts";
import { refuseDownload, refuseUnknown, secondsOf } from "../../../sandbox/engine/rpc/requests.ts";

describe("refusals", () => {
  test("replace every sentence in which the SDK blames an old CLI", () => {
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
        /^Error: this emulator for the Pulumi CLI does not have [\w ]+: use the real Pulumi CLI for this program\n {4}at x$/,
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
  ])("report an unknown option instead of ignoring it: %s", ([what, fill]) => {
    expect(() => refuseUnknown(request(fill))).toThrow(`does not have ${what}: use the real Pulumi CLI`);
  });

  test("let a resource without such options pass", () => {
    expect(() => refuseUnknown(request(() => {}))).not.toThrow();
    expect(() =>
      refuseDownload(
        "plug:index:Part",
        request(() => {}),
      ),
    ).not.toThrow();
  });

  test("say that plugins are not downloaded", () => {
    const asking = request((made) => made.setPlugindownloadurl("https://plugins.example"));
    expect(() => refuseDownload("plug:index:Part", asking)).toThrow("pluginDownloadURL of plug:index:Part");
  });

  test("count timeouts in seconds, and reject an invalid one", () => {
    expect(["30s", "1h30m", "1.5m", "500ms"].map(secondsOf)).toEqual([30, 5400, 90, 0.5]);
    for (const wrong of ["", "5", "5 m", "m", "1h30"])
      expect(() => secondsOf(wrong)).toThrow("is not a timeout");
  });

  test("cover names that the engine is configured to give", () => {
    expect(() => refuseConfig(new Map([["pulumi:autonaming", {}]]))).toThrow(
      "does not have the configuration pulumi:autonaming: run",
    );
    expect(() => refuseConfig(new Map([["plug:region", "eu"]]))).not.toThrow();
  });
});

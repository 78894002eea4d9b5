import { expect, test } from "vitest";
import { modelArea } from "../setup/model-area.ts";
import { onEachEngine } from "../setup/project.ts";
import { exampleStack, filesThatHold, outputsInReadme } from "./example.ts";

onEachEngine("the example model-area", (engine) => {
  test("takes over a server, makes a table, looks up the rest, changes nothing after, and leaves both", async () => {
    const area = await modelArea();
    const { organization, models } = area;
    const { service } = organization;
    await area.addServer("chat", { status: "running", port: 8080 });
    await area.addServer("search");
    const download = { receivedBytes: 250, paused: true };
    const { modelId } = await models.addModel({
      name: "big",
      files: [{ name: "big.gguf", sizeBytes: 1000, download }],
    });
    const apiKey = service.seed.apiKey;
    const stack = await exampleStack(engine, organization, "model-area", {
      ORGSEAT_MODEL_URL: service.modelUrl,
      ORGSEAT_API_KEY: apiKey,
    });
    expect(
      await stack.pulumi(
        "config",
        "set-all",
        "--plaintext",
        "serverTag=chat",
        "--plaintext",
        `modelId=${modelId}`,
      ),
    ).toMatchObject({ code: 0 });
    await organization.requests();

    const preview = await stack.preview();
    expect(preview, preview.output).toMatchObject({
      code: 0,
      output: expect.stringContaining("3 to create"),
    });
    expect((await organization.calls()).toSorted(), "reads alone").toEqual([12, 13]);

    const up = await stack.up();
    expect(up, up.output).toMatchObject({ code: 0 });
    expect((await organization.calls()).toSorted()).toEqual([12, 12, 13, 15, 16]);
    expect(await stack.outputs()).toEqual({
      serverStatus: "running",
      serverAddress: "127.0.0.1:8080",
      documentCount: 2,
      downloads: { "big.gguf": 25 },
      tables: ["documents"],
    });
    expect(outputsInReadme("model-area")).toEqual(["downloads"]);
    expect(filesThatHold([apiKey], stack)).toEqual([]);

    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect((await organization.calls()).toSorted(), "reads alone").toEqual([12, 13, 15]);

    const destroyed = await stack.destroy();
    expect(destroyed).toMatchObject({ code: 0 });
    expect(destroyed.output).toContain("is released: nothing is deleted");
    expect(destroyed.output).toContain("VectorTable documents is forgotten");
    expect(await organization.calls()).toEqual([]);
    expect(await area.servers()).toEqual(["chat", "search"]);
    expect((await models.vectorTables()).map(({ name, numRows }) => [name, numRows])).toEqual([
      ["documents", 2],
    ]);
  });
});

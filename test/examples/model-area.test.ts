// @module-tag ci
import { describe, expect, test } from "vitest";
import { sandbox } from "../setup/sandbox.ts";
import { exampleSection, exampleStack, filesThatHold, outputsInReadme } from "./example.ts";

/** The configuration that examples/README.md gives for the sandbox. */
function configurationInReadme(): string[] {
  const commands = exampleSection("model-area").matchAll(/pulumi config set (\w+) (\S+)/g);
  return [...commands].map(([, key, value]) => `${key}=${value}`);
}

describe("the example model-area", () => {
  test("takes over a server, makes a table, looks up the rest, changes nothing after, and leaves both", async () => {
    const organization = await sandbox({ dataSet: "lanternfield" });
    const { service } = organization;
    const { management, seed } = service;
    const before = await management.snapshot();
    const stack = await exampleStack(organization, "model-area", {
      ORGSEAT_MODEL_URL: service.modelUrl,
      ORGSEAT_API_KEY: seed.apiKey,
    });
    const configured = configurationInReadme();
    expect(configured.map((pair) => pair.split("=")[0])).toEqual(["serverTag", "modelId"]);
    const options = configured.flatMap((pair) => ["--plaintext", pair]);
    expect(await stack.pulumi("config", "set-all", ...options)).toMatchObject({ code: 0 });
    await organization.requests();

    const preview = await stack.preview();
    expect(preview, preview.output).toMatchObject({
      code: 0,
      output: expect.stringContaining("3 to create"),
    });
    expect((await organization.calls()).toSorted(), "reads alone").toEqual([12, 13]);

    // With its own preview, which another provider process may have checked: the rows arrive all the same.
    const up = await stack.pulumi("up", "--yes");
    expect(up, up.output).toMatchObject({ code: 0 });
    expect((await organization.calls()).toSorted()).toEqual([12, 12, 12, 13, 13, 15, 16]);
    expect(await stack.outputs()).toEqual({
      serverStatus: "errored",
      serverAddress: "gpu-2.lanternfield.example:8083",
      handbookRows: 2,
      downloads: { "wick-chat-70b-Q4_K_M.gguf": expect.any(Number), "wick-chat-70b-Q5_K_M.gguf": 0 },
      tables: expect.arrayContaining(["handbook", "support_tickets"]),
    });
    expect(outputsInReadme("model-area")).toEqual(["downloads"]);
    expect(filesThatHold([seed.apiKey], stack)).toEqual([]);

    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect((await organization.calls()).toSorted(), "reads alone").toEqual([12, 13, 15]);

    const destroyed = await stack.destroy();
    expect(destroyed).toMatchObject({ code: 0 });
    expect(destroyed.output).toContain("is retained: nothing is deleted");
    expect(destroyed.output).toContain(
      "VectorTable handbook is removed from the state: the API cannot delete tables",
    );
    expect(await organization.calls()).toEqual([]);
    const names = (servers: typeof before.servers) => servers.map(({ tag }) => tag);
    expect(names((await management.snapshot()).servers)).toEqual(names(before.servers));
    const handbook = (await management.models.vectorTables()).find(({ name }) => name === "handbook");
    expect(handbook).toMatchObject({ numRows: 2 });
  });
});

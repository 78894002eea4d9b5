import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ModelArea, modelArea } from "../setup/model-area.ts";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

const MOVE = 24;
const serverConfig = { modelFileName: "tiny-q4.gguf", loadParams: { ctx_size: 4096 } };

function program({ modelId, fileId }: ModelArea, { running = true, stopOnDelete = true } = {}): Declared[] {
  return [
    { type: "ModelFile", name: "file", args: { modelId, fileId, onDelete: "delete" } },
    {
      type: "ModelServer",
      name: "chat",
      args: { serverConfig, running, onDelete: "delete", stopOnDelete },
    },
    { type: "VectorDatabase", name: "database" },
    {
      type: "VectorTable",
      name: "docs",
      args: { name: "docs", data: [{ id: 1 }], onDelete: "delete" },
      options: { dependsOn: "$database" },
    },
  ];
}

onEachDoor("the model area of the platform anaconda", (door) => {
  test("server, database and table are made in order, changed, and removed as they say", async () => {
    const organization = await sandbox({}, temporaryFolder(), "anaconda");
    const { service } = organization;
    const { management } = service;
    const area = await modelArea(organization);
    await area.models.removeVectorDatabase();
    const marker = "the-marked-secret-";
    await management.setSwitches({ secretMarker: marker });
    const start = Date.now();
    const standAt = (ms: number) => management.setClock({ fixedAt: new Date(start + ms).toISOString() });
    await standAt(0);
    const stack = await testStack(
      organization,
      {
        ORGSEAT_MODEL_URL: service.modelUrl,
        ORGSEAT_API_KEY: service.seed.apiKey,
        ORGSEAT_PLATFORM: "anaconda",
        ORGSEAT_OPERATION_TIMEOUT: "10m",
      },
      door,
    );
    const statuses = async () => (await management.snapshot()).servers.map(({ status }) => status);
    const outputsOf = (type: string) =>
      stack.resources().find((resource) => resource.type.endsWith(`:${type}`))?.outputs;

    stack.declare(program(area), { password: "$database.password" });
    const up = stack.up();
    await expect.poll(statuses, { timeout: 60_000 }).toEqual(["starting"]);
    await standAt(20_000);
    const done = await up;
    expect(done, done.output).toMatchObject({ code: 0 });
    const calls = (await organization.calls()).filter((call) => call !== 23);
    expect(calls.toSorted()).toEqual([12, 12, 16, 22, 25, 28]);
    expect(calls.indexOf(25), "the database before the table").toBeLessThan(calls.indexOf(16));
    expect(outputsOf("ModelServer")).toMatchObject({ status: "running", serverConfig });
    expect(outputsOf("ModelFile")).toMatchObject({ name: "tiny-q4.gguf", downloadStatus: "completed" });
    expect(outputsOf("VectorDatabase")).toMatchObject({ running: true, host: "127.0.0.1" });
    expect(await stack.stackOutput("password")).toContain(marker);
    expect(readFileSync(stack.stateFile, "utf8"), "the password is encrypted").not.toContain(marker);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
    expect((await organization.calls()).toSorted()).toEqual([12, 15, 28]);

    stack.declare(program(area, { running: false }));
    const stopping = stack.up();
    await expect.poll(statuses, { timeout: 60_000 }).toEqual(["stopping"]);
    await standAt(40_000);
    expect(await stopping).toMatchObject({ code: 0, output: expect.stringMatching(/1 updated/) });
    expect((await organization.calls()).filter((call) => call !== 23)).toEqual([MOVE]);

    const destroyed = await stack.destroy();
    expect(destroyed, destroyed.output).toMatchObject({ code: 0 });
    expect((await organization.calls()).toSorted()).toEqual([14, 27, 29]);
    expect(destroyed.output).toContain("the API cannot delete the vector database, so it stays");
    expect(stack.resources()).toEqual([]);
    expect(await statuses()).toEqual([]);
    expect(await area.models.vectorTables()).toEqual([]);
    expect(stack.printed.join()).not.toContain(marker);
  });
});

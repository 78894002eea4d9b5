import { expect, test } from "vitest";
import { modelArea } from "../setup/model-area.ts";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

const MOVE = 24;
const serverConfig = { modelFileName: "tiny-q4.gguf", loadParams: { ctx_size: 4096 } };

function program({ running = true, stopOnDelete = true } = {}): Declared[] {
  return [
    {
      type: "ModelServer",
      name: "chat",
      args: { serverConfig, running, onDelete: "delete", stopOnDelete },
    },
    {
      type: "VectorTable",
      name: "docs",
      args: { name: "docs", data: [{ id: 1 }], onDelete: "delete" },
    },
  ];
}

type Organization = Awaited<ReturnType<typeof sandbox>>;

function stackOf(organization: Organization, door: Parameters<typeof testStack>[2]) {
  const { modelUrl, seed } = organization.service;
  const environment = {
    ORGSEAT_MODEL_URL: modelUrl,
    ORGSEAT_API_KEY: seed.apiKey,
    ORGSEAT_PLATFORM: "anaconda",
    ORGSEAT_OPERATION_TIMEOUT: "10m",
  };
  return testStack(organization, environment, door);
}

onEachDoor("the model area of the platform anaconda", (door) => {
  test("server and table are made, changed, and removed as they say", async () => {
    const organization = await sandbox({}, temporaryFolder(), "anaconda");
    const { service } = organization;
    const { management } = service;
    const area = await modelArea(organization);
    const start = Date.now();
    const standAt = (ms: number) => management.setClock({ fixedAt: new Date(start + ms).toISOString() });
    await standAt(0);
    const stack = await stackOf(organization, door);
    const statuses = async () => (await management.snapshot()).servers.map(({ status }) => status);

    stack.declare(program());
    const up = stack.up();
    await expect.poll(statuses, { timeout: 60_000 }).toEqual(["starting"]);
    await standAt(20_000);
    const done = await up;
    expect(done, done.output).toMatchObject({ code: 0 });
    const calls = (await organization.calls()).filter((call) => call !== 23);
    expect(calls.toSorted()).toEqual([12, 12, 16, 22]);
    const made = stack.resources().find(({ type }) => type.endsWith(":ModelServer"));
    expect(made?.outputs).toMatchObject({ status: "running", serverConfig });
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
    expect((await organization.calls()).toSorted()).toEqual([12, 15]);

    stack.declare(program({ running: false }));
    const stopping = stack.up();
    await expect.poll(statuses, { timeout: 60_000 }).toEqual(["stopping"]);
    await standAt(40_000);
    expect(await stopping).toMatchObject({ code: 0, output: expect.stringMatching(/1 updated/) });
    expect((await organization.calls()).filter((call) => call !== 23)).toEqual([MOVE]);

    const destroyed = await stack.destroy();
    expect(destroyed, destroyed.output).toMatchObject({ code: 0 });
    expect((await organization.calls()).toSorted()).toEqual([14, 27]);
    expect(stack.resources()).toEqual([]);
    expect(await statuses()).toEqual([]);
    expect(await area.models.vectorTables()).toEqual([]);
  });

  test("an interrupted run ends the wait for a server at once, and the state keeps the server", async () => {
    const organization = await sandbox({}, temporaryFolder(), "anaconda");
    const { service } = organization;
    const { management } = service;
    await modelArea(organization);
    // The server never starts: its clock stands.
    await management.setClock({ fixedAt: new Date().toISOString() });
    const stack = await stackOf(organization, door);
    stack.programs = "process";
    stack.declare(program().slice(0, 1));
    const { pid, ended } = stack.start("up", "--yes", "--skip-preview");
    await expect.poll(() => organization.calls(), { timeout: 60_000 }).toContain(23);
    process.kill(-pid, "SIGINT");
    const { code, output } = await ended;
    expect(code, output).not.toBe(0);
    expect(output).toContain("it is still starting when the run was cancelled");
    expect(stack.resources().filter(({ type }) => type.endsWith(":ModelServer"))).toHaveLength(1);
  });
});

// @module-tag ci
import { expect, test } from "vitest";
import { modelArea } from "../setup/model-area.ts";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

const serverConfig = { modelFileName: "tiny-q4.gguf", loadParams: { ctx_size: 4096 } };

const server: Declared = {
  type: "ModelServer",
  name: "chat",
  args: { serverConfig, running: true, onDelete: "delete", stopOnDelete: true },
};

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
  test("an interrupted run ends the wait for a server at once, and the state keeps the server", async () => {
    const organization = await sandbox({}, temporaryFolder(), "anaconda");
    const { service } = organization;
    const { management } = service;
    await modelArea(organization);
    // The server never starts: its clock stands.
    await management.setClock({ fixedAt: new Date().toISOString() });
    const stack = await stackOf(organization, door);
    stack.programs = "process";
    stack.declare([server]);
    const { pid, ended } = stack.start("up", "--yes", "--skip-preview");
    await expect.poll(() => organization.calls(), { timeout: 60_000 }).toContain(23);
    process.kill(-pid, "SIGINT");
    const { code, output } = await ended;
    expect(code, output).not.toBe(0);
    expect(output).toContain("it is still starting when the run was cancelled");
    expect(stack.resources().filter(({ type }) => type.endsWith(":ModelServer"))).toHaveLength(1);
  });
});

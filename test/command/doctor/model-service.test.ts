/** The health of the model area in the report of `orgseat doctor`. */
import { describe, expect, test } from "vitest";
import { diagnose } from "../../../command/doctor/doctor.ts";
import { hangMs } from "../../setup/limits.ts";
import { pulumiCommand, pulumiReady } from "../../setup/project.ts";
import { type Sandbox, sandbox, temporaryFolder } from "../../setup/sandbox.ts";

async function checksOf({ service }: Sandbox) {
  await pulumiReady();
  const environment = {
    ORGSEAT_PLATFORM: service.platform,
    ORGSEAT_MODEL_URL: service.modelUrl,
    ORGSEAT_API_KEY: service.seed.apiKey,
    ORGSEAT_PULUMI_PATH: pulumiCommand,
  };
  return (await diagnose({ environment, folder: temporaryFolder(), totalMs: hangMs })).checks;
}
const NAME = "model service";

describe("the check of the model service", () => {
  test("asks the API and the health of its parts, by GET alone", async () => {
    const organization = await sandbox({}, temporaryFolder(), "anaconda");
    await organization.requests();
    expect(await checksOf(organization)).toContainEqual(
      expect.objectContaining({
        ...{ check: NAME, status: "ok", text: "healthy: models, servers, and vector tables" },
      }),
    );
    expect((await organization.calls()).toSorted()).toEqual([12, 15, 30, 31, 32, 33]);
  });

  test("names each part that is not healthy", async () => {
    const organization = await sandbox({}, temporaryFolder(), "anaconda");
    const { management } = organization.service;
    const body = { error: { code: "INTERNAL_SERVER_ERROR", message: "no GPU" } };
    for (const call of [31, 33])
      await management.addFaults({ match: { call }, fault: { kind: "refuse", status: 500, body } });
    const found = (await checksOf(organization)).find(({ check }) => check === NAME);
    expect(found).toMatchObject({ status: "failed" });
    expect(found?.text).toMatch(/^models: cannot check health of models: no GPU .*; vector tables: /);
    expect(found?.text).not.toContain("servers");
  });

  test.each([
    ["a page", "Cannot GET", 404],
    ["an error without a code", { error: { message: "Not Found" } }, 404],
    ["an empty error", {}, 410],
  ])("passes for a product without vector database and without GET /api: %s", async (_, body, status) => {
    const organization = await sandbox({}, temporaryFolder(), "anaconda");
    const { management } = organization.service;
    for (const call of [15, 30, 33])
      await management.addFaults({ match: { call }, fault: { kind: "refuse", status, body } });
    const checks = await checksOf(organization);
    expect(checks.find(({ check }) => check === NAME)).toMatchObject({
      ...{ status: "ok", text: "healthy: models and servers" },
    });
    expect(checks.find(({ check }) => check === "vector database")).toMatchObject({
      ...{ status: "ok", text: "this service has no vector database" },
    });
  });

  test("reports a stopped database as such", async () => {
    const organization = await sandbox({}, temporaryFolder(), "anaconda");
    const body = { error: { code: "DATABASE_NOT_RUNNING", message: "stopped" } };
    for (const call of [15, 33])
      await organization.service.management.addFaults({
        match: { call },
        fault: { kind: "refuse", status: 404, body },
      });
    const found = (await checksOf(organization)).find(({ check }) => check === "vector database");
    expect(found).toMatchObject({ status: "failed" });
  });

  test("stays away in a platform without these requests", async () => {
    const organization = await sandbox();
    expect((await checksOf(organization)).map(({ check }) => check)).not.toContain(NAME);
  });
});

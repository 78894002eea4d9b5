import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createdServiceAccountSchema } from "../../../provider/api/schemas/schemas.ts";
import { organizationSeedSchema } from "../../../sandbox/service/base/settings.ts";
import { Management, startService } from "../../../sandbox/service/index.ts";
import { Sandbox, START, startSandbox, temporaryFolder } from "./harness.ts";

const startedSchema = z.object({
  orgUrl: z.string(),
  tokenUrl: z.string(),
  modelUrl: z.string(),
  managementUrl: z.string(),
  seed: organizationSeedSchema,
});

describe("a restart on the same folder", () => {
  it("keeps everything but the faults", async () => {
    const dataFolder = temporaryFolder();
    const first = await startSandbox({ dataFolder });
    const user_id = await first.addUser({ email: "ada@acme.example" });
    await first.send("assignSeat", { user_id });
    await first.send("issueToken", { user_id }, { body: { expires_at: "2026-06-30" } });
    const { fileIds } = await first.management.models.addModel({ name: "tiny", files: [{ name: "a.gguf" }] });
    const server = { tag: "chat", fileId: fileIds[0] ?? "", port: 8080, status: "running" } as const;
    await first.management.models.addServer(server);
    await first.management.setClock({ offsetMs: 1000 });
    await first.management.setSwitches({ repeatSeat: "409" });
    await first.management.addFaults({ times: "always", fault: { kind: "cut-before" } });
    const [snapshot, requests] = [await first.management.snapshot(), await first.management.requests()];
    await first.service.close();

    const service = await startService({ dataFolder, now: () => START, seed: { seats: 77 } });
    onTestFinished(() => service.close());
    expect(await service.management.snapshot()).toEqual(snapshot);
    expect(await service.management.requests()).toEqual(requests);
    expect((await service.management.clock()).setting).toEqual({ offsetMs: 1000 });
    expect((await service.management.switches()).repeatSeat).toBe("409");
    const second = new Sandbox(service);
    expect((await second.send("assignSeat", { user_id }, { token: first.accountToken })).status).toBe(409);
  });

  it("a seed without a subscription's end runs for a year, to the end of the day, and keeps that", async () => {
    const dataFolder = temporaryFolder();
    for (const now of [START, START + 5 * 86_400_000]) {
      const service = await startService({ dataFolder, now: () => now });
      expect(service.seed.subscriptionExpiresAt).toBe("2027-01-15T23:59:59Z");
      await service.close();
    }
  });

  it("a folder is one process's, a port too, and neither start leaves anything behind", async () => {
    const dataFolder = temporaryFolder();
    const { service } = await startSandbox({ dataFolder });
    await expect(startService({ dataFolder })).rejects.toThrow("is in use by another sandbox service");
    const other = temporaryFolder();
    const port = Number(new URL(service.orgUrl).port);
    await expect(startService({ dataFolder: other, port })).rejects.toThrow(
      `port ${port} of 127.0.0.1 is in use; name another one by --port`,
    );
    await expect(startService({ dataFolder: other, managementPort: port })).rejects.toThrow(
      "name another one by --management-port",
    );
    await (await startService({ dataFolder: other })).close();
  });

  it("fails for a file that is not a database, instead of starting with an empty organization", async () => {
    const dataFolder = temporaryFolder();
    writeFileSync(
      join(dataFolder, "service.db"),
      "this is no database, and long enough to look like one".repeat(99),
    );
    await expect(startService({ dataFolder })).rejects.toThrow("not a database");
  });
});

describe("kill -9", () => {
  for (const [phase, effects, tags] of [
    ["before", 0, ["ci"]],
    ["after", 1, []],
  ] as const)
    it(`${phase} the commit leaves ${effects} effects`, { tags: [...tags] }, async () => {
      const dataFolder = temporaryFolder();
      const script = fileURLToPath(new URL("child.ts", import.meta.url));
      const child = spawn(process.execPath, [script, dataFolder], { stdio: ["ignore", "pipe", "inherit"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      const [line] = await once(createInterface(child.stdout), "line");
      const started = startedSchema.parse(JSON.parse(line));
      const management = new Management(started.managementUrl);
      const sandbox = new Sandbox({
        platform: "basic",
        ...started,
        management,
        loadVectorDatabase: async () => undefined,
        close: async () => undefined,
      });
      await sandbox.signIn();
      await management.addFaults({ match: { call: 1 }, fault: { kind: "hang", phase } });
      const lost = sandbox.send("createServiceAccount", {}, { body: { name: "ci" } });
      lost.catch(() => undefined);
      while (!(await management.requests()).some(({ fault }) => fault === "hang"));
      const closed = once(child, "close");
      child.kill("SIGKILL");
      await expect(lost).rejects.toThrow();
      await closed;

      const service = await startService({ dataFolder });
      onTestFinished(() => service.close());
      expect((await service.management.snapshot()).serviceAccounts).toHaveLength(effects);
      const again = new Sandbox(service);
      await again.signIn();
      const answer = await again.send("createServiceAccount", {}, { body: { name: "ci" } });
      expect(createdServiceAccountSchema.parse(answer.body).name).toBe("ci");
    });
});

/**
 * Each of the 28 operations of the platform `anaconda` as a resource, a lookup or a command uses it, over a service that
 * answers exactly what the description requires: with all optional fields, and with none.
 */
import * as pulumi from "@pulumi/pulumi";
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { diagnose } from "../../command/doctor/doctor.ts";
import { formatReport } from "../../command/doctor/report.ts";
import { createClient, platforms } from "../../provider/api/index.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import {
  getModel,
  getModelFiles,
  getModelServers,
  getModels,
  getServiceAccounts,
  getUsers,
  getVectorTables,
} from "../../sdk/index.ts";
import { operationUsers } from "../docs/operation-users.ts";
import { configurationOf, DirectStack } from "../setup/direct.ts";
import { hangMs } from "../setup/limits.ts";
import { modelArea } from "../setup/model-area.ts";
import { pulumiCommand, pulumiReady } from "../setup/project.ts";
import { type Sandbox, sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { directLiving } from "./direct-living.ts";
import { lifecycles } from "./lifecycles.ts";
import { modelLifecycles } from "./model-lifecycles.ts";
import { ObservedUses } from "./observed-uses.ts";

/** Not in every lifecycle: sent after a lost response or an adoption, for fields that a response lacks, or if no other resource has read the list. */
const UNSEEN = ["listTables VectorTable", "listUsers SeatAssignment"];
const OPERATIONS = Object.values(platforms.anaconda.calls).map(({ number }) => number);

for (const optionalFields of ["sent", "omitted"] as const)
  describe(`a service whose optional fields are ${optionalFields}`, {
    tags: optionalFields === "sent" ? ["ci"] : [],
  }, () => {
    /** The operations that were called, by number. */
    const used = new Set<unknown>();
    const uses = new ObservedUses();

    async function begin(): Promise<Sandbox> {
      const serviceAccount = sandboxServiceAccount;
      const organization = await sandbox({ seats: 10, serviceAccount }, temporaryFolder(), "anaconda");
      await organization.service.management.setSwitches({ optionalFields });
      return organization;
    }

    async function note(organization: Sandbox): Promise<void> {
      for (const call of await organization.calls()) used.add(call);
    }

    test.each([...lifecycles, ...modelLifecycles])("lives through %s", async (_, live) => {
      const organization = await begin();
      const { service } = organization;
      const serviceAccount = sandboxServiceAccount;
      const stack = new DirectStack(configurationOf(organization, serviceAccount));
      stack.configuration.ORGSEAT_OPERATION_TIMEOUT = "1h";
      let passed = 0;
      const sleep = async (ms: number): Promise<void> => {
        passed += ms;
        await service.management.advance(ms);
      };
      stack.time = () => ({ monotonic: () => passed, sleep });
      const client = createClient({ ...service, platform: platforms.anaconda });
      onTestFinished(() => client.close());
      const org = client.organization(organization.organizationId, { serviceAccount });
      const operation = { deadline: performance.now() + hangMs };
      uses.begin();
      await live(directLiving({ stack, organization, client: { org, operation } }));
      await note(organization);
    });

    describe("the environment", () => {
      afterEach(() => vi.unstubAllEnvs());

      test("leads every lookup to its answer", async () => {
        const organization = await begin();
        const { modelId, fileId, addServer } = await modelArea(organization);
        const serverId = await addServer("chat", { status: "running" });
        pulumi.runtime.setAllConfig({});
        for (const name of Object.keys(process.env))
          if (name.startsWith("ORGSEAT_")) vi.stubEnv(name, undefined);
        for (const [name, value] of Object.entries(configurationOf(organization, sandboxServiceAccount)))
          vi.stubEnv(name, value);
        uses.begin();
        expect(await uses.by("getServiceAccounts", () => getServiceAccounts())).toHaveLength(1);
        expect(await uses.by("getUsers", () => getUsers())).toMatchObject([{ role: "admin" }]);
        expect(await uses.by("getModels", () => getModels({ downloaded: true }))).toMatchObject([
          { id: modelId, quantizations: [{}] },
        ]);
        expect(await uses.by("getModel", () => getModel(modelId))).toMatchObject({ id: modelId });
        expect(await uses.by("getModelFiles", () => getModelFiles(modelId))).toMatchObject([
          { id: fileId, name: "tiny-q4.gguf" },
        ]);
        expect(await uses.by("getModelServers", () => getModelServers({ status: "running" }))).toMatchObject([
          { id: serverId },
        ]);
        expect(await uses.by("getVectorTables", () => getVectorTables())).toEqual([]);
        await note(organization);
      });
    });

    test("passes the doctor's checks", async () => {
      await pulumiReady();
      const organization = await begin();
      const configuration = configurationOf(organization, sandboxServiceAccount);
      const environment = { ...configuration, ORGSEAT_PULUMI_PATH: pulumiCommand };
      uses.begin();
      const options = { folder: temporaryFolder(), totalMs: hangMs, verbose: true };
      const diagnosed = () => diagnose({ environment, ...options });
      const report = await uses.by("orgseat doctor", diagnosed);
      const found = report.checks.filter(({ check }) => /^(model|vector|api)/i.test(check));
      expect(
        Object.fromEntries(found.map(({ check, status }) => [check, status])),
        formatReport(report),
      ).toEqual({ "model area": "ok", apiKey: "ok", "model service": "ok", "vector database": "ok" });
      await note(organization);
    });

    afterAll(() => {
      expect(OPERATIONS).toHaveLength(28);
      expect(
        OPERATIONS.filter((number) => !used.has(number)),
        "used by nothing",
      ).toEqual([]);
      const listed = Object.entries(operationUsers).flatMap(([name, users]) =>
        users.map((user) => `${name} ${user}`),
      );
      const observed = [...uses.seen];
      expect(
        observed.filter((use) => !listed.includes(use)),
        "missing in test/docs/operation-users.ts",
      ).toEqual([]);
      const unseen = listed.filter((use) => !uses.seen.has(use) && !/ orgseat (?!doctor)/.test(use));
      expect(
        unseen.filter((use) => !UNSEEN.includes(use)),
        "sent by nothing",
      ).toEqual([]);
    });
  });

/** The lookups that only some platforms can answer. */
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { environmentName } from "../../provider/config/setting-values.ts";
import {
  getModel,
  getModelFiles,
  getModelOutput,
  getModels,
  getModelsOutput,
  getUsers,
  getUsersOutput,
} from "../../sdk/index.ts";
import { modelArea } from "../setup/model-area.ts";
import { makeServiceAccount } from "../setup/sandbox.ts";
import { configured, failureOf, resolved } from "./mocked.ts";

beforeEach(() => pulumi.runtime.setAllConfig({}));
afterEach(() => vi.unstubAllEnvs());

describe("getModels and getModel", () => {
  test("find models with their files, all or by what is downloaded, and one by its id", async () => {
    const organization = await configured("anaconda");
    const { modelId, fileId } = await modelArea(organization);
    await organization.service.management.models.addModel({ id: "big", name: "Big" });
    const common = {
      ...{
        contextWindowSize: 8192,
        trainedFor: "text-generation",
        license: null,
        publisher: null,
        files: null,
      },
    };
    const tiny = {
      ...{ ...common, id: modelId, name: "tiny", numParameters: "500000" },
      description: "tiny, a model of the sandbox",
      quantizations: [
        { modelFileName: "tiny-q4.gguf", method: "Q4_K_M", sizeBytes: 1_000_000, maxRamUsage: 1_200_000 },
      ],
    };
    const big = {
      ...{ ...common, id: "big", name: "Big", numParameters: "0", quantizations: [] },
      description: "Big, a model of the sandbox",
    };
    expect(await getModels()).toEqual([tiny, big]);
    expect(await getModels({ downloaded: true })).toEqual([tiny]);
    expect(await getModels({ downloaded: false })).toEqual([big]);
    const [file] = await getModelFiles(modelId);
    expect(file).toMatchObject({ id: fileId, isDownloaded: true, downloadStatus: { status: "completed" } });
    const { downloadStatus: _, ...fields } = { downloadStatus: null, ...file };
    const described = { ...fields, localPath: file?.downloadStatus?.localPath };
    const further = { quantizations: null, license: "apache-2.0", publisher: "the sandbox" };
    expect(await getModel(modelId)).toEqual({ ...tiny, ...further, files: [described] });
    // A filtered list takes a second one, of the opposite filter.
    expect(await organization.calls()).toEqual([19, 19, 19, 19, 19, 13, 20]);
    expect(await resolved(getModelsOutput({ downloaded: pulumi.output(false) }))).toEqual([big]);
    expect(await resolved(getModelOutput(pulumi.output("big")))).toEqual({ ...big, ...further, files: [] });
  });

  test("say in one sentence that an id is unknown, a filter is wrong or the service fails", async () => {
    const organization = await configured("anaconda");
    const unknown = await failureOf(getModel("nobody"));
    expect(unknown).toMatch(/^getModel: cannot get model: no such model \(HTTP 404 INVALID_REQUEST, GET /);
    expect(unknown).toMatch(
      /No model has the id nobody\. Correct it, then run the command again\. \[refused\]$/,
    );
    expect(await failureOf(getModels({ download: true } as object))).toBe(
      "getModels: download: unknown key; did you mean downloaded? Nothing was sent. [invalid-input]",
    );
    expect(await failureOf(getModel(""))).toBe("getModel: modelId: empty. Nothing was sent. [invalid-input]");
    await organization.requests();
    vi.stubEnv("ORGSEAT_OPERATION_TIMEOUT", "300ms");
    const fault = { kind: "refuse", status: 200, body: { data: null } } as const;
    await organization.service.management.addFaults({ match: { call: 19 }, times: "always", fault });
    expect(await failureOf(getModels())).toMatch(/^getModels: cannot list models: unexpected response/);
  });

  test("give null for the files of a model if the service lists none with it", async () => {
    const organization = await configured("anaconda");
    const fault = { kind: "refuse", status: 200, body: { data: { id: "m" } } } as const;
    await organization.service.management.addFaults({ match: { call: 20 }, fault });
    expect(await getModel("m")).toMatchObject({ id: "m", name: null, description: null, files: null });
  });
});

describe("getUsers", () => {
  test("finds people and admins, with names, role and seat, by one list", async () => {
    const organization = await configured("anaconda");
    const { management } = organization.service;
    const { createClient, platforms } = await import("../../provider/api/index.ts");
    const client = createClient({ ...organization.service, platform: platforms.anaconda });
    const credentials = await makeServiceAccount(organization);
    const api = client.organization(organization.organizationId, { serviceAccount: credentials });
    const operation = { deadline: Number.POSITIVE_INFINITY };
    const { id } = await api.createUser({ email: "ada@acme.example", first_name: "Ada" }, operation);
    await api.assignSeat(id, operation);
    await client.close();
    await organization.requests();
    const ada = {
      ...{ id, email: "ada@acme.example", firstName: "Ada", lastName: null, role: "member" },
      hasSeat: true,
    };
    const users = await getUsers();
    expect(users).toContainEqual(ada);
    expect(users).toContainEqual(expect.objectContaining({ role: "admin", hasSeat: false }));
    expect(await organization.calls()).toEqual(["token", 17]);
    expect(await resolved(getUsersOutput({ credentials: pulumi.output(credentials) }))).toEqual(users);
    vi.stubEnv(environmentName("product"), "another-product");
    // No user has it, so it may be mistyped.
    expect(await getUsers()).toContainEqual({ ...ada, hasSeat: null });
    await management.addFaults({ match: { call: 17 }, fault: { kind: "refuse", status: 200, body: {} } });
    expect(await failureOf(getUsers())).toMatch(/^getUsers: cannot list users: unexpected response/);
  });

  test("names the keys to set if there is no service account", async () => {
    await configured("anaconda");
    vi.stubEnv("ORGSEAT_CLIENT_ID", undefined);
    vi.stubEnv("ORGSEAT_CLIENT_SECRET", undefined);
    const said = await failureOf(getUsers());
    expect(said).toContain("Set orgseat:clientId and orgseat:clientSecret");
    expect(said).toContain("or the lookup's `credentials`");
    expect(await failureOf(getUsers({ organisationId: "o" } as object))).toContain(
      "did you mean organizationId?",
    );
  });
});

test.each([
  ["getModels", "list models", () => getModels()],
  ["getModel", "get model", () => getModel("m")],
] as const)(
  "%s says in one sentence that the platform has no such call, and sends nothing",
  async (...given) => {
    const [name, call, lookup] = given;
    const organization = await configured("basic");
    expect(await failureOf(lookup())).toContain(
      `${name}: cannot ${call}: not sent: the platform basic does not support this request`,
    );
    expect(await organization.calls()).toEqual([]);
  },
);

test("getUsers says in one sentence that the platform has no list of users, and sends nothing", async () => {
  const organization = await configured("basic");
  expect(await failureOf(getUsers())).toContain(
    "getUsers: cannot list members: this service (orgseat:platform) cannot list users, seats, or tokens",
  );
  expect(await organization.calls()).toEqual([]);
});

import { describe, expect, test } from "vitest";
import type { ModelApi } from "../../../provider/api/calls/models.ts";
import { platforms } from "../../../provider/api/calls/platform.ts";
import { during, failureOf, type Script, type Scripted, Service, TestClock } from "./service.ts";

const API_KEY = "7D0F4A1E-5b2c-4f63-9a08-1c2d3e4f5a6b";

function modelsOf(service: Service, apiKey: string | undefined = API_KEY): ModelApi {
  return service.client({ modelUrl: `${service.url}/models-at/` }).models({ apiKey });
}

async function serving(...answers: readonly (Scripted | Script)[]) {
  const service = await Service.start((request, count) => {
    const answer = answers[Math.min(count, answers.length) - 1] ?? {};
    return typeof answer === "function" ? answer(request, count) : answer;
  });
  return { service, models: modelsOf(service), [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** The calls of the area, by number. */
const calls: readonly (readonly [number, (models: ModelApi) => Promise<unknown>])[] = [
  [12, (models) => models.listServers({}, during())],
  [13, (models) => models.listModelFiles("m1", during())],
  [14, (models) => models.deleteServer("s1", during())],
  [15, (models) => models.listTables(during())],
  [16, (models) => models.createTable({ name: "docs" }, during())],
];

describe("every call of the model area", () => {
  test.each(calls)(
    "call %i: a page, or a route that nobody knows, names orgseat:modelUrl",
    async (_, call) => {
      await using run = await serving(
        { status: 404, body: "<html></html>" },
        { status: 404, body: { detail: "Not Found" } },
      );
      for (let i = 0; i < 2; i++) {
        const error = await failureOf(call(run.models));
        expect(error.code).toBe("unknown-route");
        expect(error.reason).toContain("check orgseat:modelUrl");
      }
    },
  );

  test("asks about orgseat:modelUrl if nobody listens", async () => {
    const closed = await Service.start(() => ({}));
    const { url } = closed;
    await closed[Symbol.asyncDispose]();
    await using run = await serving({});
    const clock = new TestClock();
    const models = run.service.client({ modelUrl: url, clock }).models({ apiKey: API_KEY });
    const error = await failureOf(models.listServers({}, { deadline: clock.monotonic() + 10_000 }));
    expect(error.code).toBe("unreachable");
    expect(error.reason).toContain("that orgseat:modelUrl is correct");
  });

  test("needs an address: without one the client says which", async () => {
    await using run = await serving({});
    expect(() => run.service.client().models({ apiKey: API_KEY })).toThrow(
      "the model area needs orgseat:modelUrl",
    );
  });
});

describe("call 12", () => {
  test.each([
    ["port", { port: 70_000 }],
    ["status", { status: "runing" }],
    ["fileId", { fileId: "" }],
  ])("rejects an invalid %s before it sends a request", async (name, filter) => {
    await using run = await serving({ body: { data: [] } });
    // As plain JavaScript may call it.
    const error = await failureOf(run.models.listServers(filter as object, during()));
    expect(error.reason).toMatch(new RegExp(`^not sent: ${name}: `));
    expect(run.service.calls).toEqual([]);
  });
});

describe("calls 13, 14 and 15", () => {
  test("escape an id in the path, and refuse one that would be another path", async () => {
    await using run = await serving({ body: { data: [] } }, { status: 404 });
    await run.models.listModelFiles("org/tiny model?", during());
    expect(await run.models.deleteServer("a/b", during())).toBe("gone");
    expect((await failureOf(run.models.deleteServer("..", during()))).reason).toContain("server_id");
    expect(run.service.calls.map(({ url }) => url)).toEqual([
      "/models-at/models/org%2Ftiny%20model%3F/files",
      "/models-at/api/servers/a%2Fb",
    ]);
  });
});

function anacondaOf(service: Service): ModelApi {
  const modelUrl = `${service.url}/serving`;
  return service.client({ platform: platforms.anaconda, modelUrl }).models({ apiKey: API_KEY });
}

describe("lists of the platform anaconda", () => {
  const file = { id: "f1", name: "a.gguf", sizeBytes: 1 };
  const reads: [string, (models: ModelApi) => Promise<unknown>, object][] = [
    ["list servers", (models) => models.listServers({}, during()), { id: "s1" }],
    ["list models", (models) => models.listModels(undefined, during()), { id: "m1" }],
    ["list model files", (models) => models.listModelFiles("m1", during()), file],
    ["list tables", (models) => models.listTables(during()), { name: "docs" }],
  ];
  test.each(reads)("come bare or in data: %s", async (_, read, item) => {
    for (const body of [[item], { data: [item] }]) {
      await using service = await Service.start(() => ({ body }));
      expect(await read(anacondaOf(service))).toEqual([item]);
    }
  });

  test("a file says where it is, in its download or beside it", async () => {
    for (const place of [{ localPath: "/a" }, { downloadStatus: { localPath: "/a" } }]) {
      const data = { id: "m1", metadata: { files: [{ ...file, ...place }] } };
      await using service = await Service.start(() => ({ body: { data } }));
      expect(await anacondaOf(service).getModel("m1", during())).toEqual(data);
    }
  });
});

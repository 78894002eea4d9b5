import { describe, expect, test } from "vitest";
import { calls as table } from "../../../provider/api/calls/calls.ts";
import type { ModelApi } from "../../../provider/api/calls/models.ts";
import { during, failureOf, type Script, type Scripted, Service } from "./service.ts";

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

const server = { id: "s1", tag: "chat" };

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
    "call %i: a 401 is an error at once, without a repeat and without a token",
    async (number, call) => {
      await using run = await serving({ status: 401, body: { error: { message: `no ${API_KEY}` } } });
      const error = await failureOf(call(run.models));
      expect(error).toMatchObject({ code: "unauthorized", status: 401 });
      expect(error.call).toBe(Object.values(table).find((one) => one.number === number)?.name);
      expect(error.message).toContain("the service rejects the model area's key (orgseat:apiKey");
      expect(error.message).not.toContain(API_KEY);
      expect(run.service.calls).toHaveLength(1);
      expect(run.service.tokenRequests).toEqual([]);
    },
  );

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
    const models = run.service.client({ modelUrl: url }).models({ apiKey: API_KEY });
    const error = await failureOf(models.listServers({}, during(100)));
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
  test("sends the filters that are given, escaped, and no other", async () => {
    await using run = await serving({ body: { data: [] } });
    await run.models.listServers({}, during());
    await run.models.listServers({ tag: "a & b", status: "running", port: 8080 }, during());
    expect(run.service.calls.map(({ url }) => url)).toEqual([
      "/models-at/api/servers",
      "/models-at/api/servers?tag=a+%26+b&port=8080&status=running",
    ]);
  });

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

  test("D22: reads a status in any letter case, in lower case, and none as undefined", async () => {
    const servers = [
      { ...server, status: "RUNNING" },
      { ...server, status: "Errored" },
      { ...server, status: null },
      server,
    ];
    await using run = await serving({ body: { data: servers } });
    const found = await run.models.listServers({}, during());
    expect(found.map(({ status }) => status)).toEqual(["running", "errored", undefined, undefined]);
  });

  test("reads a server of which the service says the id alone, and drops fields that nobody named", async () => {
    await using run = await serving({ body: { data: [{ id: "s1", colour: "red" }] } });
    expect(await run.models.listServers({}, during())).toEqual([{ id: "s1" }]);
  });

  test.each([[{ data: null }], [{ servers: [] }], [[]], [{ data: [{ tag: "no id" }] }]])(
    "a list of another shape (%j) is an error, never an empty list",
    async (body) => {
      await using run = await serving({ body });
      expect((await failureOf(run.models.listServers({}, during()))).code).toBe("bad-answer");
    },
  );
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

  test("call 14: with its answer, without one, or gone: deleted; a 409 is refused with its code", async () => {
    const deleted = { data: { id: "s1", status: "deleted", deletedAt: "2027-01-01T00:00:00.000Z" } };
    const running = { status: 409, body: { error: { code: "SERVER_RUNNING", message: "it runs" } } };
    const gone = { status: 404, body: { error: { message: "no such server" } } };
    await using run = await serving({ body: deleted }, { status: 204 }, gone, running);
    expect(await run.models.deleteServer("s1", during())).toBe("deleted");
    expect(await run.models.deleteServer("s1", during())).toBe("deleted");
    expect(await run.models.deleteServer("s1", during())).toBe("gone");
    const error = await failureOf(run.models.deleteServer("s1", during()));
    expect(error).toMatchObject({ code: "refused", status: 409, serviceCode: "SERVER_RUNNING" });
  });

  test("call 15: a 404 is an error and no empty list, with a code or without", async () => {
    const down = { error: { code: "DATABASE_NOT_RUNNING", message: "not running" } };
    await using run = await serving({ status: 404, body: down }, { status: 404 });
    expect(await failureOf(run.models.listTables(during()))).toMatchObject({
      code: "refused",
      serviceCode: "DATABASE_NOT_RUNNING",
    });
    expect(await failureOf(run.models.listTables(during()))).toMatchObject({ code: "refused", status: 404 });
  });

  test("a read and call 14 are sent again after a 503 that names a time; call 16 is not", async () => {
    const busy = { status: 503, headers: { "retry-after": "0" } };
    for (const [number, call] of calls) {
      const body = number === 15 ? [] : { data: number === 14 ? undefined : [] };
      await using run = await serving(busy, { body });
      if (number === 16) {
        expect((await failureOf(call(run.models))).effectUnknown).toBe(true);
        expect(run.service.calls).toHaveLength(1);
      } else {
        await call(run.models);
        expect(run.service.calls).toHaveLength(2);
      }
    }
  });
});

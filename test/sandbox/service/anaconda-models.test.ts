/** The model area of the platform `anaconda`, over bare HTTP. */
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { serverStates } from "../../../provider/api/schemas/anaconda-model-schemas.ts";
import { type Answer, exchange } from "../../setup/exchange.ts";
import { type ModelArea, modelArea } from "../../setup/model-area.ts";
import { sandbox } from "../../setup/sandbox.ts";
import { temporaryFolder } from "../../setup/temporary.ts";

const START = Date.parse("2027-01-01T00:00:00Z");
const UNKNOWN_ID = "00000000-0000-4000-8000-0000000000ff";
let area: ModelArea;

beforeEach(async () => {
  const organization = await sandbox({}, temporaryFolder(), "anaconda");
  await standAt(0, organization);
  area = await modelArea(organization);
});

/** Seconds after the start of the service's clock. */
async function standAt(seconds: number, { service } = area.organization): Promise<void> {
  await service.management.setClock({ fixedAt: new Date(START + seconds * 1000).toISOString() });
}

/** @param at method and path */
function send(at: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const [method = "", path = ""] = at.split(" ");
  const { modelUrl, seed } = area.organization.service;
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return exchange(modelUrl + path, {
    method,
    headers: { authorization: `Bearer ${seed.apiKey}`, ...type, ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

const errorSchema = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string().min(1) }),
});
/** The status and the code of an error body, which has nothing else. */
function refusalOf({ status, body }: Answer): string {
  return `${status} ${errorSchema.parse(body).error.code}`;
}
const dataOf = ({ body }: Answer): unknown => z.strictObject({ data: z.unknown() }).parse(body).data;
const idsOf = (answer: Answer) =>
  z
    .array(z.object({ id: z.string() }))
    .parse(dataOf(answer))
    .map(({ id }) => id);
const statusOf = async (id: string) =>
  z.object({ status: z.enum(serverStates) }).parse(dataOf(await send(`GET /api/servers/${id}`))).status;

describe("create server", () => {
  const serverConfig = { modelFileName: "tiny-q4.gguf", loadParams: { ctx: 1 }, logsDir: "/logs" };

  test("repeats the request without an id; the list shows the server, which is stopped, or starts", async () => {
    const answer = await send("POST /api/servers", { serverConfig });
    expect([answer.status, dataOf(answer)]).toEqual([200, { serverConfig, startServerOnCreate: false }]);
    expect(dataOf(await send("GET /api/servers"))).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: "STOPPED",
        tag: "tiny-q4.gguf",
        modelFile: expect.objectContaining({ id: area.fileId, isDownloaded: true }),
        serverConfig: { ...serverConfig, apiParams: {}, inferParams: {} },
        server: { host: "127.0.0.1", port: 8080 },
      },
    ]);
    await send("POST /api/servers", { serverConfig, startServerOnCreate: true });
    expect(dataOf(await send("GET /api/servers?status=starting"))).toMatchObject([
      { status: "STARTING", serverProcessId: expect.any(Number), server: { port: 8081 } },
    ]);
  });

  test("answers 404 if there is no such file, 400 if it is not downloaded or the body is invalid", async () => {
    await area.models.addModel({ name: "big", files: [{ name: "big.gguf", download: "none" }] });
    const create = async (body: unknown) => refusalOf(await send("POST /api/servers", body));
    expect(await create({ serverConfig: { modelFileName: "no.gguf" } })).toBe("404 INVALID_REQUEST");
    expect(await create({ serverConfig: { modelFileName: "big.gguf" } })).toBe("400 INVALID_REQUEST");
    expect(await create({})).toBe("400 INVALID_REQUEST");
    expect(await create({ serverConfig, startServerOnCreate: "yes" })).toBe("400 INVALID_REQUEST");
    expect(await create("{")).toBe("400 INVALID_REQUEST");
    expect(refusalOf(await send("POST /api/servers", "{}", { "content-type": "text/plain" }))).toBe(
      "400 INVALID_REQUEST",
    );
    expect(await area.servers()).toEqual([]);
  });
});

describe("a server", () => {
  test("starts in 20 seconds and stops in 5, and is there already where it is to be", async () => {
    const id = await area.addServer("chat");
    const move = (action: string) => send(`PATCH /api/servers/${id}`, { action });
    expect(await move("start")).toMatchObject({
      status: 200,
      body: { data: { id, status: "running", startedAt: "2027-01-01T00:00:00.000Z" } },
    });
    expect(await move("start")).toMatchObject({ status: 202, body: { data: { id, status: "running" } } });
    await standAt(19);
    expect(await statusOf(id)).toBe("STARTING");
    await standAt(20);
    expect(await statusOf(id)).toBe("RUNNING");
    expect(await move("start")).toMatchObject({ status: 202, body: { data: { id, status: "running" } } });
    expect(refusalOf(await send(`DELETE /api/servers/${id}`))).toBe("409 SERVER_RUNNING");
    expect(await move("stop")).toMatchObject({
      status: 200,
      body: { data: { id, status: "stopped", stoppedAt: "2027-01-01T00:00:20.000Z" } },
    });
    expect((await move("stop")).status).toBe(202);
    await standAt(25);
    expect(await move("stop")).toMatchObject({ status: 202, body: { data: { id, status: "stopped" } } });
    expect(await send(`DELETE /api/servers/${id}`)).toMatchObject({
      status: 200,
      body: { data: { id, status: "deleted" } },
    });
    expect(refusalOf(await send(`DELETE /api/servers/${id}`))).toBe("404 INVALID_REQUEST");
  });

  test.each([
    ["stopping", "start", "400 SERVER_RUNNING"],
    ["errored", "stop", "400 SERVER_NOT_RUNNING"],
  ] as const)("refuses what its status forbids: %s, %s", async (status, action, refusal) => {
    const id = await area.addServer("chat", { status });
    expect(refusalOf(await send(`PATCH /api/servers/${id}`, { action }))).toBe(refusal);
    expect((await area.organization.service.management.snapshot()).servers).toMatchObject([{ status }]);
  });

  test.each(["GET", "PATCH", "DELETE"])("answers 404 if unknown, 400 if no UUID: %s", async (method) => {
    const at = (id: string) =>
      send(`${method} /api/servers/${id}`, method === "PATCH" ? { action: "start" } : undefined);
    expect((await at(UNKNOWN_ID)).status).toBe(404);
    expect(refusalOf(await at("chat"))).toBe("400 INVALID_SERVER_ID");
  });

  test("refuses an unknown action", async () => {
    const id = await area.addServer("chat");
    for (const body of [{ action: "restart" }, {}, "null"])
      expect(refusalOf(await send(`PATCH /api/servers/${id}`, body))).toBe("400 INVALID_REQUEST");
  });

  test("matches each filter, and a value that no server has matches none", async () => {
    const chat = await area.addServer("chat", { status: "running" });
    const failed = await area.addServer("search", { status: "errored", host: "10.0.0.7" });
    const away = await area.addServer("away", { status: "unavailable" });
    const found = async (query: string) => idsOf(await send(`GET /api/servers${query}`));
    expect(await found("")).toEqual([chat, failed, away]);
    expect(await found("?status=running")).toEqual([chat]);
    expect(await found("?status=errored")).toEqual([failed]);
    expect(await statusOf(failed)).toBe("ERROR");
    expect(await found("?status=unavailable")).toEqual([away]);
    expect(await found("?host=10.0.0.7&port=8001&tag=search")).toEqual([failed]);
    expect(await found(`?fileId=${area.fileId}&status=stopped`)).toEqual([]);
    for (const query of ["?status=RUNNING", "?port=http", "?fileId=f"])
      expect(await found(query)).toEqual([]);
  });
});

describe("models", () => {
  test("list their files, by whether one is downloaded, and answer by id", async () => {
    const { modelId } = await area.models.addModel({
      id: "acme/big",
      name: "big",
      files: [{ name: "a.gguf", download: "none" }],
    });
    const list = async (query = "") => idsOf(await send(`GET /api/models${query}`));
    expect(await list()).toEqual([area.modelId, modelId]);
    expect(await list("?downloaded=true")).toEqual([area.modelId]);
    expect(await list("?downloaded=false")).toEqual([modelId]);
    expect(await list("?downloaded=maybe")).toEqual([area.modelId, modelId]);
    expect(dataOf(await send("GET /api/models"))).toContainEqual({
      ...{ id: modelId, name: "big" },
      metadata: expect.objectContaining({
        quantizations: [{ modelFileName: "a.gguf", method: "Q4_K_M", sizeBytes: 4e9, maxRamUsage: 4.8e9 }],
      }),
    });
    expect(dataOf(await send("GET /api/models/acme%2Fbig"))).toMatchObject({
      ...{ id: modelId, name: "big" },
      metadata: { files: [{ name: "a.gguf", isDownloaded: false }] },
    });
    expect(idsOf(await send(`GET /models/${area.modelId}/files`))).toEqual([area.fileId]);
    expect(refusalOf(await send("GET /api/models/nobody"))).toBe("404 INVALID_REQUEST");
    expect(refusalOf(await send("GET /models/nobody/files"))).toBe("404 INVALID_REQUEST");
  });

  test("report their health, as the other parts do", async () => {
    expect(await send("GET /api")).toMatchObject({ status: 200, text: "" });
    for (const part of ["models", "servers", "vector-db"])
      expect(dataOf(await send(`GET /api/${part}/health`))).toEqual({ message: expect.any(String) });
  });
});

describe("the vector database", () => {
  test("keeps its tables while it is stopped, refuses every request then, and deletes a table", async () => {
    const table = { name: "docs", data: [{ id: 1 }] };
    expect((await send("POST /api/vector-db/tables", table)).status).toBe(200);
    await area.models.runVectorDatabase(false);
    expect(refusalOf(await send("DELETE /api/vector-db/tables/docs"))).toBe("404 DATABASE_NOT_RUNNING");
    await area.models.runVectorDatabase(true);
    const list = await send("GET /api/vector-db/tables");
    expect([list.status, list.body]).toEqual([200, [expect.objectContaining({ name: "docs", numRows: 1 })]]);
    expect(refusalOf(await send("POST /api/vector-db/tables", table))).toBe("409 INVALID_REQUEST");
    expect(refusalOf(await send("POST /api/vector-db/tables", { name: "no name" }))).toBe(
      "400 INVALID_REQUEST",
    );
    const deleted = await send("DELETE /api/vector-db/tables/docs");
    expect([deleted.status, dataOf(deleted)]).toEqual([200, { message: expect.stringContaining("docs") }]);
    expect(refusalOf(await send("DELETE /api/vector-db/tables/docs"))).toBe("404 INVALID_REQUEST");
  });

  test("deletes a table that others refer to, and nothing but tables", async () => {
    const primary = { columns: [{ name: "id", type: "bigint", constraints: ["PRIMARY KEY"] }] };
    const referring = { columns: [{ name: "of", type: "bigint", constraints: ["REFERENCES a"] }] };
    await send("POST /api/vector-db/tables", { name: "a", schema: primary });
    await send("POST /api/vector-db/tables", { name: "b", schema: referring });
    expect((await send("DELETE /api/vector-db/tables/a")).status).toBe(200);
    for (const name of ["a", "A", "pg_class", "b%22%3B", "x".repeat(100)])
      expect((await send(`DELETE /api/vector-db/tables/${name}`)).status, name).toBe(404);
    expect((await area.models.vectorTables()).map(({ name }) => name)).toEqual(["b"]);
  });
});

test("a key that is unknown is a 401 with a code of the area", async () => {
  for (const at of ["GET /api/servers", "GET /api/vector-db/tables", "DELETE /api/vector-db/tables/a"])
    expect(refusalOf(await send(at, undefined, { authorization: `Bearer ${UNKNOWN_ID}` }))).toBe(
      "401 INVALID_REQUEST",
    );
});

test("the basic platform has none of these calls", async () => {
  area = await modelArea(await sandbox());
  const calls = [
    ...["POST /api/servers", "PATCH /api/servers/s", "GET /api/models", "GET /api/models/m"],
    "DELETE /api/vector-db/tables/t",
  ];
  for (const at of calls) expect([404, 405], at).toContain((await send(at)).status);
});

test("the optional fields of responses and errors are omitted where the management side says so", async () => {
  const id = await area.addServer("chat");
  await area.organization.service.management.setSwitches({ optionalFields: "omitted" });
  expect(dataOf(await send("GET /api/servers"))).toEqual([{ id }]);
  expect(dataOf(await send(`GET /api/models/${area.modelId}`))).toEqual({ id: area.modelId });
  const [file] = z.array(z.looseObject({})).parse(dataOf(await send(`GET /models/${area.modelId}/files`)));
  expect(Object.keys(file ?? {})).toHaveLength(8);
  expect(await send(`DELETE /api/servers/${UNKNOWN_ID}`)).toMatchObject({ status: 404, body: {} });
});

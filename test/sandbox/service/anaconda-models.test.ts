/** The model area of the platform `anaconda`, over bare HTTP. */
import { expect, it } from "vitest";
import { startSandbox } from "./harness.ts";
import { talks } from "./talk.ts";

const id = "aaaaaaaa-1111-4111-8111-111111111111";
const config = "serverConfig: { modelFileName: tiny-q4.gguf, loadParams: { ctx: 1 }, logsDir: /logs }";

talks(
  `
a creation repeats the request without an id; the list shows the server, which is stopped, or starts
  createServer { body: { ${config} } } -> 200 = { data: { ${config}, startServerOnCreate: false } }
  listServers -> 200 { data: [{ id: "/^[0-9a-f-]{36}$/", status: STOPPED, tag: tiny-q4.gguf,
    modelFile: { id: $tiny.fileIds.0, isDownloaded: true }, server: { host: 127.0.0.1, port: 8080 },
    serverConfig: { modelFileName: tiny-q4.gguf, loadParams: { ctx: 1 }, logsDir: /logs, apiParams: {}, inferParams: {} } }] }
  createServer { body: { ${config}, startServerOnCreate: true } } -> 200
  listServers { query: "?status=starting" }
    -> 200 { data: [{ status: STARTING, serverProcessId: <number>, server: { port: 8081 } }] }

a creation is a 404 if there is no such file, a 400 if it is not downloaded or the body is invalid
  models.addModel { name: big, files: [{ name: big.gguf, download: none }] }
  createServer { body: { serverConfig: { modelFileName: no.gguf } } } -> 404 INVALID_REQUEST
  createServer { body: { serverConfig: { modelFileName: big.gguf } } } -> 400 INVALID_REQUEST
  createServer { body: {} } -> 400 INVALID_REQUEST
  createServer { body: { ${config}, startServerOnCreate: "yes" } } -> 400 INVALID_REQUEST
  createServer { body: no object } -> 400 INVALID_REQUEST
  createServer { body: {}, headers: { content-type: text/plain } } -> 400 INVALID_REQUEST
  listServers -> 200 { data: [] }

a server starts in 20 seconds and stops in 5, and is there already where it is to be
  manage.setClock { fixedAt: 2027-01-01T00:00:00Z }
  models.addServer { id: ${id}, tag: chat, fileId: $tiny.fileIds.0, port: 8000 }
  moveServer { server_id: ${id}, body: { action: start } }
    -> 200 { data: { id: ${id}, status: running, startedAt: 2027-01-01T00:00:00.000Z } }
  moveServer { server_id: ${id}, body: { action: start } } -> 202 { data: { id: ${id}, status: running } }
  manage.advance 19000
  getServer { server_id: ${id} } -> 200 { data: { status: STARTING } }
  manage.advance 1000
  getServer { server_id: ${id} } -> 200 { data: { status: RUNNING } }
  moveServer { server_id: ${id}, body: { action: start } } -> 202 { data: { id: ${id}, status: running } }
  deleteServer { server_id: ${id} } -> 409 SERVER_RUNNING
  moveServer { server_id: ${id}, body: { action: stop } }
    -> 200 { data: { id: ${id}, status: stopped, stoppedAt: 2027-01-01T00:00:20.000Z } }
  moveServer { server_id: ${id}, body: { action: stop } } -> 202
  manage.advance 5000
  moveServer { server_id: ${id}, body: { action: stop } } -> 202 { data: { id: ${id}, status: stopped } }
  deleteServer { server_id: ${id} } -> 200 { data: { id: ${id}, status: deleted } }
  deleteServer { server_id: ${id} } -> 404 INVALID_REQUEST

a server refuses what its status forbids, an unknown action, and an id that is unknown or none
  $stopping = models.addServer { tag: chat, fileId: $tiny.fileIds.0, port: 8000, status: stopping }
  $errored = models.addServer { tag: chat, fileId: $tiny.fileIds.0, port: 8001, status: errored }
  moveServer { server_id: $stopping, body: { action: start } } -> 400 SERVER_RUNNING
  moveServer { server_id: $errored, body: { action: stop } } -> 400 SERVER_NOT_RUNNING
  moveServer { server_id: $errored, body: { action: restart } } -> 400 INVALID_REQUEST
  moveServer { server_id: $errored, body: {} } -> 400 INVALID_REQUEST
  moveServer { server_id: $errored, body: null } -> 400 INVALID_REQUEST
  manage.snapshot -> { servers: [{ status: stopping }, { status: errored }] }
  getServer { server_id: $nobody } -> 404
  getServer { server_id: chat } -> 400 INVALID_SERVER_ID
  moveServer { server_id: $nobody, body: { action: start } } -> 404
  moveServer { server_id: chat, body: { action: start } } -> 400 INVALID_SERVER_ID
  deleteServer { server_id: $nobody } -> 404
  deleteServer { server_id: chat } -> 400 INVALID_SERVER_ID

a list of servers matches each filter, and a value that no server has matches none
  $chat = models.addServer { tag: chat, fileId: $tiny.fileIds.0, port: 8000, status: running }
  $failed = models.addServer { tag: search, fileId: $tiny.fileIds.0, port: 8001, status: errored, host: 10.0.0.7 }
  $away = models.addServer { tag: away, fileId: $tiny.fileIds.0, port: 8002, status: unavailable }
  listServers -> 200 { data: [{ id: $chat }, { id: $failed }, { id: $away }] }
  listServers { query: "?status=running" } -> 200 { data: [{ id: $chat }] }
  listServers { query: "?status=errored" } -> 200 { data: [{ id: $failed, status: ERROR }] }
  listServers { query: "?status=unavailable" } -> 200 { data: [{ id: $away }] }
  listServers { query: "?host=10.0.0.7&port=8001&tag=search" } -> 200 { data: [{ id: $failed }] }
  listServers { query: "?status=stopped" } -> 200 { data: [] }
  listServers { query: "?status=RUNNING" } -> 200 { data: [] }
  listServers { query: "?port=http" } -> 200 { data: [] }
  listServers { query: "?fileId=f" } -> 200 { data: [] }

models list their files, by whether one is downloaded, and answer by id
  models.addModel { id: acme/big, name: big, files: [{ name: a.gguf, download: none }] }
  listModels -> 200 { data: [{ id: $tiny.modelId }, { id: acme/big, name: big, metadata: { quantizations: [
    { modelFileName: a.gguf, method: Q4_K_M, sizeBytes: 4000000000, maxRamUsage: 4800000000 }] } }] }
  listModels { query: "?downloaded=true" } -> 200 { data: [{ id: $tiny.modelId }] }
  listModels { query: "?downloaded=false" } -> 200 { data: [{ id: acme/big }] }
  listModels { query: "?downloaded=maybe" } -> 200 { data: [{ id: $tiny.modelId }, { id: acme/big }] }
  getModel { model_id: acme/big } -> 200 { data: { id: acme/big, name: big, metadata: { files: [{ name: a.gguf, isDownloaded: false }] } } }
  listModelFiles { model_id: $tiny.modelId } -> 200 { data: [{ id: $tiny.fileIds.0 }] }
  getModel { model_id: nobody } -> 404 INVALID_REQUEST
  listModelFiles { model_id: nobody } -> 404 INVALID_REQUEST

the parts report their health
  checkModelArea -> 200 empty
  checkModels -> 200 = { data: { message: <string> } }
  checkServers -> 200 = { data: { message: <string> } }
  checkVectorDatabase -> 200 = { data: { message: <string> } }

the vector database keeps its tables while it is stopped, refuses every request then, and deletes tables, also with references, and nothing else
  createTable { body: { name: docs, data: [{ id: 1 }] } } -> 200
  models.runVectorDatabase false
  deleteTable { name: docs } -> 404 DATABASE_NOT_RUNNING
  models.runVectorDatabase true
  listTables -> 200 [{ name: docs, numRows: 1 }]
  createTable { body: { name: docs } } -> 409 INVALID_REQUEST
  createTable { body: { name: no name } } -> 400 INVALID_REQUEST
  deleteTable { name: docs } -> 200 { data: { message: /docs/ } }
  deleteTable { name: docs } -> 404 INVALID_REQUEST
  createTable { body: { name: a, schema: { columns: [{ name: id, type: bigint, constraints: [PRIMARY KEY] }] } } } -> 200
  createTable { body: { name: b, schema: { columns: [{ name: of, type: bigint, constraints: [REFERENCES a] }] } } } -> 200
  deleteTable { name: a } -> 200
  deleteTable { name: a } -> 404
  deleteTable { name: A } -> 404
  deleteTable { name: pg_class } -> 404
  deleteTable { name: 'b";' } -> 404
  deleteTable { name: ${"x".repeat(100)} } -> 404
  models.vectorTables -> [{ name: b }]

a key that is unknown is a 401 with a code of the area
  listServers { token: $nobody } -> 401 INVALID_REQUEST
  listTables { token: $nobody } -> 401 INVALID_REQUEST
  deleteTable { name: a, token: $nobody } -> 401 INVALID_REQUEST

the optional fields of responses and errors are omitted where the management side says so
  $chat = models.addServer { tag: chat, fileId: $tiny.fileIds.0, port: 8000 }
  manage.setSwitches { optionalFields: omitted }
  listServers -> 200 = { data: [{ id: $chat }] }
  listModels -> 200
  getModel { model_id: $tiny.modelId } -> 200 = { data: { id: $tiny.modelId } }
  listModelFiles { model_id: $tiny.modelId } -> 200 { data: [{ name: tiny-q4.gguf }] }
  createServer { body: { serverConfig: { modelFileName: no.gguf } } } -> 404
  getServer { server_id: $chat } -> 200
  moveServer { server_id: $chat, body: { action: start } } -> 200
  moveServer { server_id: $chat, body: { action: start } } -> 202
  deleteServer { server_id: $chat } -> 409
  deleteServer { server_id: $nobody } -> 404 = {}
  createTable { body: { name: papers, schema: { columns: [{ name: id, type: int }] } } } -> 200
  createTable { body: { name: papers } } -> 409
  listTables -> 200
  deleteTable { name: papers } -> 200
  deleteTable { name: papers } -> 404
`,
  {
    platform: "anaconda",
    isDocumented: true,
    before:
      "\n  $tiny = models.addModel { name: tiny, files: [{ name: tiny-q4.gguf, quantization: Q4_K_M, sizeBytes: 1000000 }] }",
  },
);

it("the basic platform has none of these calls", async () => {
  const { service } = await startSandbox();
  const calls = [
    "POST /api/servers",
    "PATCH /api/servers/s",
    "GET /api/models",
    "DELETE /api/vector-db/tables/t",
  ];
  for (const at of [...calls, "GET /api/models/m"]) {
    const [method = "", path] = at.split(" ");
    const headers = { authorization: `Bearer ${service.seed.apiKey}` };
    expect([404, 405], at).toContain((await fetch(service.modelUrl + path, { method, headers })).status);
  }
});

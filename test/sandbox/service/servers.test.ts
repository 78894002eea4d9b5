/** Calls 12, 13 and 14: model servers, and the files of a model with downloads on the service's clock. */
import { expect, it } from "vitest";
import { z } from "zod";
import type { ServerStatus } from "../../../provider/api/schemas/model-types.ts";
import { startSandbox } from "./harness.ts";
import { talks } from "./talk.ts";

const file = "{ id: file-1, name: tiny-q4.gguf, quantization: Q4_K_M }";
const withModel = `
  models.addModel { id: acme/tiny, name: Tiny, files: [${file}, { id: file-2, name: tiny-q8.gguf, download: none }] }`;

const deletions = (["stopped", "errored", "unavailable", "running", "starting", "stopping"] as const)
  .map((status, index) => {
    const answer =
      index < 3
        ? "200 = { data: { id: $chat, status: deleted, deletedAt: 2026-01-15T12:00:00.000Z } }"
        : "409 SERVER_RUNNING";
    return `call 14, note 4, transition: server DELETE, D23, code SERVER_RUNNING: a server that is ${status}
  $chat = models.addServer { tag: chat, fileId: file-1, port: 8080, status: ${status} }
  models.addServer { tag: kept, fileId: file-1, port: 8080 }
  deleteServer { server_id: $chat } -> ${answer}
  listServers -> 200 { data: [${index < 3 ? "" : "{ tag: chat }, "}{ tag: kept }] }`;
  })
  .join("\n\n");

talks(
  `
call 12, note 1, D21: a list can be filtered by model file, tag, port, host, status, and several of them
  listServers -> 200 = { data: [] }
  models.addServer { tag: a, fileId: file-1, port: 9001, host: a.example }
  models.addServer { tag: b, fileId: file-2, port: 9002, host: b.example, status: errored }
  listServers { query: "?fileId=file-2" } -> 200 { data: [{ tag: b }] }
  listServers { query: "?tag=b" } -> 200 { data: [{ tag: b }] }
  listServers { query: "?port=9002" } -> 200 { data: [{ tag: b }] }
  listServers { query: "?host=b.example" } -> 200 { data: [{ tag: b }] }
  listServers { query: "?status=errored" } -> 200 { data: [{ tag: b }] }
  listServers { query: "?tag=a&port=9001" } -> 200 { data: [{ tag: a }] }
  listServers { query: "?tag=a&port=9002" } -> 200 { data: [] }
  listServers { query: "?tag=c" } -> 200 { data: [] }
  listServers -> 200 { data: [{ tag: a }, { tag: b }] }

call 12, note 1, filter by status: a server that has just started is running
  models.addServer { tag: chat, fileId: file-1, port: 8080, status: starting }
  manage.advance 20000
  listServers { query: "?status=starting" } -> 200 { data: [] }
  listServers { query: "?status=running" } -> 200 { data: [{ tag: chat }] }

call 12, note 2, D43: a bad filter is 422 and is named
  listServers { query: "?status=runing" } -> 422 query.status
  listServers { query: "?status=RUNNING" } -> 422 query.status
  listServers { query: "?port=70000" } -> 422 query.port
  listServers { query: "?port=0" } -> 422 query.port
  listServers { query: "?port=http" } -> 422 query.port
  listServers { query: "?port=" } -> 422 query.port
  listServers { query: "?tag=" } -> 422 query.tag
  listServers { query: "?tag=a&tag=b" } -> 422 query.tag
  listServers { query: "?fileid=file-1" } -> 422 query.fileid

${deletions}

call 14, note 4, D23, code INVALID_SERVER_ID: 400 where a text is no id
  deleteServer { server_id: nothing } -> 400 INVALID_SERVER_ID
  deleteServer { server_id: "1" } -> 400 INVALID_SERVER_ID
  deleteServer { server_id: 00000000-0000-0000-0000 } -> 400 INVALID_SERVER_ID
  deleteServer { server_id: "%ff" } -> 400 INVALID_SERVER_ID
  deleteServer { server_id: a b } -> 400 INVALID_SERVER_ID

call 14, note 4, D23, 404: an unknown server, and one that is gone already
  $chat = models.addServer { tag: chat, fileId: file-1, port: 8080 }
  deleteServer { server_id: $chat } -> 200
  deleteServer { server_id: $chat } -> 404 no such server
  deleteServer { server_id: $nobody } -> 404 no such server

server transitions refuse an unknown server, an unknown file, and an id that is taken
  models.addServer { id: AAAAAAAA-1111-4111-8111-111111111111, tag: chat, fileId: file-1, port: 8080 }
  models.stopServer $nobody -> ! 404
  models.addServer { tag: chat, fileId: nothing, port: 8080 } -> ! 404
  models.addServer { id: aaaaaaaa-1111-4111-8111-111111111111, tag: chat, fileId: file-1, port: 8080 } -> ! 409
  models.addServer { tag: chat, fileId: file-1, port: 70000 } -> ! 422

call 13, D34: a download continues with the service's clock until it is done, as a server's own file says
  models.addModel { id: big, name: Big, files: [{ id: file-3, name: big.gguf, sizeBytes: 1000000, download:
    { bytesPerSecond: 1000 } }] }
  models.addServer { tag: chat, fileId: file-3, port: 8080 }
  listModelFiles { model_id: big } -> 200 { data: [{ isDownloaded: false, downloadStatus: { progress: { transferredBytes: 0,
    downloadedRatio: 0, averageMbps: 0 } } }] }
  manage.advance 400000
  listModelFiles { model_id: big } -> 200 { data: [{ isDownloaded: false, downloadStatus: { progress: { transferredBytes: 400000,
    downloadedRatio: 0.4, downloadTimeTaken: 400000, averageMbps: 0.008 } } }] }
  manage.advance 599999
  listModelFiles { model_id: big } -> 200 { data: [{ isDownloaded: false, downloadStatus: { progress: { transferredBytes: 999999 } } }] }
  listServers -> 200 { data: [{ modelFile: { isDownloaded: false } }] }
  manage.advance 3600000
  listModelFiles { model_id: big } -> 200 { data: [{ isDownloaded: true, downloadStatus: { progress: { transferredBytes: 1000000,
    downloadedRatio: 1, downloadTimeTaken: 1000000 } } }] }
  listServers -> 200 { data: [{ modelFile: { isDownloaded: true } }] }

call 13: a paused download, a file without one, and a complete file stay as they are
  models.addModel { id: all, name: All, files: [{ name: a.gguf, download: { receivedBytes: 5, paused: true } },
    { name: b.gguf, download: none }, { name: c.gguf, download: done }] }
  manage.advance 1000000
  listModelFiles { model_id: all } -> 200 { data: [
    { isDownloaded: false, downloadStatus: { progress: { paused: true, transferredBytes: 5 } } },
    { isDownloaded: false, downloadStatus: { progress: { paused: false, transferredBytes: 0 } } },
    { isDownloaded: true, downloadStatus: { progress: { downloadedRatio: 1 } } }] }

call 13: the list has only the files of the requested model
  models.addModel { id: empty, name: Empty }
  listModelFiles { model_id: empty } -> 200 = { data: [] }
  models.addModel { id: acme/tiny, name: Again } -> ! 409
  models.addModel { name: A, files: [{ id: file-1, name: a }] } -> ! 409

call 13, note 4, D23, 404: what is no model
  listModelFiles { model_id: nothing } -> 404 no such model
  listModelFiles { model_id: acme } -> 404 no such model
  listModelFiles { model_id: "%ff" } -> 404 no such model
  listModelFiles { model_id: a b } -> 404 no such model
`,
  { before: withModel },
);

it("call 12, limit 4: no list comes in pages, and many requests at once are all answered", async () => {
  const sandbox = await startSandbox();
  const { models } = sandbox.management;
  const { fileIds } = await models.addModel({ name: "Tiny", files: [{ name: "tiny.gguf" }] });
  for (let count = 0; count < 120; count++)
    await models.addServer({ tag: "chat", fileId: fileIds[0] ?? "", port: 8080 });
  const lists = await Promise.all(Array.from({ length: 40 }, () => sandbox.send("listServers")));
  for (const { body } of lists) expect(body).toMatchObject({ data: Array(120).fill({ tag: "chat" }) });
});

/** By status: what a start, a stop, a failure, and a disappearance make of it. */
const moves: Readonly<Record<ServerStatus, readonly string[]>> = {
  running: ["SERVER_RUNNING", "STOPPING", "ERRORED", "UNAVAILABLE"],
  stopped: ["STARTING", "SERVER_NOT_RUNNING", "SERVER_NOT_RUNNING", "UNAVAILABLE"],
  starting: ["SERVER_RUNNING", "SERVER_NOT_RUNNING", "ERRORED", "UNAVAILABLE"],
  stopping: ["SERVER_RUNNING", "SERVER_NOT_RUNNING", "ERRORED", "UNAVAILABLE"],
  errored: ["STARTING", "SERVER_NOT_RUNNING", "SERVER_NOT_RUNNING", "UNAVAILABLE"],
  unavailable: ["STARTING", "SERVER_NOT_RUNNING", "SERVER_NOT_RUNNING", "UNAVAILABLE"],
};
const statusSchema = z.object({ data: z.array(z.object({ status: z.string().optional() })) });

it("D48, code SERVER_NOT_RUNNING: the moves of a server, and D22: its status is in upper case, in lower case, or not there", async () => {
  const sandbox = await startSandbox();
  const { management } = sandbox;
  const { models } = management;
  const statusNow = async () =>
    statusSchema.parse((await sandbox.send("listServers")).body).data.at(-1)?.status;
  const { fileIds } = await models.addModel({ name: "Tiny", files: [{ name: "tiny.gguf" }] });
  for (const [status, expected] of Object.entries(moves)) {
    const found: unknown[] = [];
    for (const move of ["startServer", "stopServer", "failServer", "makeServerUnavailable"] as const) {
      const id = await models.addServer({
        tag: "chat",
        fileId: fileIds[0] ?? "",
        port: 8080,
        status: status as ServerStatus,
      });
      const refused = await models[move](id).catch(
        (error: Error) => /409: .*"(SERVER_\w+)"/.exec(error.message)?.[1],
      );
      found.push(refused ?? (await statusNow()));
    }
    expect([status, ...found]).toEqual([status, ...expected]);
  }
  const seen: unknown[] = [];
  for (const serverStatus of ["upper", "lower", "none"] as const) {
    await management.setSwitches({ serverStatus });
    seen.push(await statusNow());
  }
  expect(seen).toEqual(["UNAVAILABLE", "unavailable", undefined]);
});

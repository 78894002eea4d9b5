/** Calls 12, 13 and 14: model servers, and the files of a model with downloads on the service's clock. */
import { expect, it } from "vitest";
import { z } from "zod";
import type { ServerStatus } from "../../../provider/api/schemas/model-types.ts";
import { startSandbox } from "./harness.ts";
import { talksIn } from "./talk.ts";

const file = "{ id: file-1, name: tiny-q4.gguf, quantization: Q4_K_M }";
const withModel = `
  models.addModel { id: acme/tiny, name: Tiny, files: [${file}, { id: file-2, name: tiny-q8.gguf, download: none }] }`;

talksIn("servers.txt", { before: withModel });

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

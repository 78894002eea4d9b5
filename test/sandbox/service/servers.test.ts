/** Calls 12 and 14: model servers. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { serverListSchema } from "../../../provider/api/schemas/model-schemas.ts";
import type { ServerStatus } from "../../../provider/api/schemas/model-types.ts";
import type { NewServer } from "../../../sandbox/service/index.ts";
import { type Answer, codeOf, fieldsOf, type Sandbox, START, startSandbox } from "./harness.ts";

const STARTING_MS = 20_000;

/** A sandbox with one model of two files. */
async function withModel(): Promise<Sandbox> {
  const sandbox = await startSandbox();
  await addModel(sandbox);
  return sandbox;
}

async function addModel({ management }: Sandbox): Promise<void> {
  await management.models.addModel({
    id: "acme/tiny",
    name: "Tiny",
    files: [
      { id: "file-1", name: "tiny-q4.gguf", quantization: "Q4_K_M" },
      { id: "file-2", name: "tiny-q8.gguf", quantization: "Q8_0", download: "none" },
    ],
  });
}

async function addServer(sandbox: Sandbox, server: Partial<NewServer> = {}): Promise<string> {
  return sandbox.management.models.addServer({ tag: "chat", fileId: "file-1", port: 8080, ...server });
}

function tagsOf(answer: Answer): (string | null | undefined)[] {
  return serverListSchema.parse(answer.body).data.map(({ tag }) => tag);
}

async function statusOf(sandbox: Sandbox, id: string): Promise<string | undefined> {
  const { data } = serverListSchema.parse((await sandbox.send("listServers")).body);
  return data.find((server) => server.id === id)?.status;
}

describe("call 12", () => {
  it("call 12, limit 4: no list comes in pages, and many requests at once are all answered", async () => {
    const sandbox = await withModel();
    expect((await sandbox.send("listServers")).body).toEqual({ data: [] });
    for (let count = 0; count < 120; count++) await addServer(sandbox);
    const lists = await Promise.all(Array.from({ length: 40 }, () => sandbox.send("listServers")));
    for (const list of lists) expect(tagsOf(list)).toHaveLength(120);
  });

  it("call 12, D22: the status is in upper case, in lower case, or not there", async () => {
    const sandbox = await withModel();
    await addServer(sandbox, { status: "errored" });
    const schema = z.object({ data: z.tuple([z.object({ status: z.string().optional() })]) });
    const seen: (string | undefined)[] = [];
    for (const serverStatus of ["upper", "lower", "none"] as const) {
      await sandbox.management.setSwitches({ serverStatus });
      seen.push(schema.parse((await sandbox.send("listServers")).body).data[0].status);
    }
    expect(seen).toEqual(["ERRORED", "errored", undefined]);
  });

  it.each([
    ["model file", "?fileId=file-2", ["b"]],
    ["tag", "?tag=b", ["b"]],
    ["port", "?port=9002", ["b"]],
    ["host", "?host=b.example", ["b"]],
    ["status", "?status=errored", ["b"]],
    ["two that fit", "?tag=a&port=9001", ["a"]],
    ["two of which one does not fit", "?tag=a&port=9002", []],
    ["a value without a match", "?tag=c", []],
    ["nothing", "", ["a", "b"]],
  ])("call 12, note 1, D21: filter by %s (%s)", async (_, query, tags) => {
    const sandbox = await withModel();
    await addServer(sandbox, { tag: "a", port: 9001, host: "a.example" });
    const b = { tag: "b", port: 9002, host: "b.example", fileId: "file-2", status: "errored" } as const;
    await addServer(sandbox, b);
    const answer = await sandbox.send("listServers", {}, { query });
    expect([answer.status, tagsOf(answer)]).toEqual([200, tags]);
  });

  it("call 12, note 1, filter by status: a server that has just started is running", async () => {
    const sandbox = await withModel();
    await addServer(sandbox, { status: "starting" });
    await sandbox.management.advance(STARTING_MS);
    expect(tagsOf(await sandbox.send("listServers", {}, { query: "?status=starting" }))).toEqual([]);
    expect(tagsOf(await sandbox.send("listServers", {}, { query: "?status=running" }))).toEqual(["chat"]);
  });

  it.each([
    ["status", "?status=runing"],
    ["status", "?status=RUNNING"],
    ["port", "?port=70000"],
    ["port", "?port=0"],
    ["port", "?port=http"],
    ["port", "?port="],
    ["tag", "?tag="],
    ["tag", "?tag=a&tag=b"],
    ["fileid", "?fileid=file-1"],
  ])("call 12, note 2, D43: a bad filter is 422 and names %s (%s)", async (field, query) => {
    const sandbox = await withModel();
    const answer = await sandbox.send("listServers", {}, { query });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [`query.${field}`]]);
  });
});

describe("call 14", () => {
  it.each([
    ["stopped", 200],
    ["errored", 200],
    ["unavailable", 200],
    ["running", 409],
    ["starting", 409],
    ["stopping", 409],
  ] as const)(
    "call 14, note 4, transition: server DELETE, D23, code SERVER_RUNNING: of one that is %s: %i",
    async (status, expected) => {
      const sandbox = await withModel();
      const server_id = await addServer(sandbox, { status });
      await addServer(sandbox, { tag: "kept" });
      const answer = await sandbox.send("deleteServer", { server_id });
      const isGone = expected === 200;
      const deletedAt = new Date(START).toISOString();
      expect(answer.status).toBe(expected);
      if (isGone) expect(answer.body).toEqual({ data: { id: server_id, status: "deleted", deletedAt } });
      else expect(codeOf(answer)).toBe("SERVER_RUNNING");
      expect(tagsOf(await sandbox.send("listServers"))).toEqual(isGone ? ["kept"] : ["chat", "kept"]);
    },
  );

  it.each(["nothing", "1", "00000000-0000-0000-0000", "%ff", "a b"])(
    "call 14, note 4, D23, code INVALID_SERVER_ID: 400 where %j is not an id",
    async (server_id) => {
      const sandbox = await startSandbox();
      const answer = await sandbox.send("deleteServer", { server_id });
      expect([answer.status, codeOf(answer)]).toEqual([400, "INVALID_SERVER_ID"]);
    },
  );

  it("call 14, note 4, D23, 404: an unknown server, and one that is gone already", async () => {
    const sandbox = await withModel();
    const server_id = await addServer(sandbox);
    await sandbox.send("deleteServer", { server_id });
    for (const id of [server_id, crypto.randomUUID()]) {
      const answer = await sandbox.send("deleteServer", { server_id: id });
      expect([answer.status, answer.body]).toEqual([404, { error: { message: "no such server" } }]);
    }
  });
});

describe("server transitions", () => {
  const moves = (start: string, stop: string, fail: string) => ({ start, stop, fail, leave: "unavailable" });
  const startable = moves("starting", "SERVER_NOT_RUNNING", "SERVER_NOT_RUNNING");
  const busy = moves("SERVER_RUNNING", "SERVER_NOT_RUNNING", "errored");
  it.each<[ServerStatus, Record<string, string>]>([
    ["running", moves("SERVER_RUNNING", "stopping", "errored")],
    ["stopped", startable],
    ["starting", busy],
    ["stopping", busy],
    ["errored", startable],
    ["unavailable", startable],
  ])("D48, code SERVER_NOT_RUNNING: the moves of a server that is %s: %j", async (status, expected) => {
    const sandbox = await withModel();
    const { models } = sandbox.management;
    const calls = {
      start: (id: string) => models.startServer(id),
      stop: (id: string) => models.stopServer(id),
      fail: (id: string) => models.failServer(id),
      leave: (id: string) => models.makeServerUnavailable(id),
    };
    for (const [name, move] of Object.entries(calls)) {
      const id = await addServer(sandbox, { status });
      const refused = await move(id).then(
        () => undefined,
        (error: Error) => /409: .*"(SERVER_\w+)"/.exec(error.message)?.[1],
      );
      expect([name, refused ?? (await statusOf(sandbox, id))]).toEqual([name, expected[name]]);
    }
  });

  it("refuse an unknown server, an unknown file, and an id that is taken", async () => {
    const sandbox = await withModel();
    const id = await addServer(sandbox);
    await expect(sandbox.management.models.stopServer(crypto.randomUUID())).rejects.toThrow("404");
    await expect(addServer(sandbox, { fileId: "nothing" })).rejects.toThrow("404");
    await expect(addServer(sandbox, { id: id.toUpperCase() })).rejects.toThrow("409");
    await expect(addServer(sandbox, { port: 70_000 })).rejects.toThrow("422");
  });
});

/** ModelServer against odd answers of a service that can create, start and stop servers. */
import { describe, expect, test } from "vitest";
import type { Received, Script, Scripted } from "../provider/api/service.ts";
import { failure, type Props, scripted } from "./scripted.ts";

const serverConfig = { modelFileName: "a.gguf", loadParams: { n: 1 } };
const server = (id: string, more: object = {}) => ({
  ...{ id, status: "STOPPED", tag: "a", modelFile: null, server: { host: "h", port: 1 } },
  ...{ serverConfig: { ...serverConfig, logsDir: "/logs" }, serverProcessId: null, ...more },
});
/** The outputs in the state of a server. */
const held = (id: string, more: object = {}) => {
  const { server: endpoint, ...fields } = server(id, more);
  return { ...fields, endpoint, stateVersion: 1, instance: "i1" };
};
const list = (...servers: object[]): Scripted => ({ body: { data: servers } });
const one = (id: string, more: object = {}): Scripted => ({ body: { data: server(id, more) } });
/** The response of a creation: the request again, without an id. */
const accepted: Scripted = { body: { data: { serverConfig, startServerOnCreate: false } } };
const refused = (status: number, code: string): Scripted => ({
  status,
  body: { error: { code, message: "why" } },
});
const lost: Scripted = { fault: "close" };
const news = { serverConfig, running: false, onDelete: "delete" };

/** Answers each request by its method and path, in turn; the last answer of each stays. */
function routed(answers: Readonly<Record<string, readonly Scripted[]>>): Script {
  const asked = new Map<string, number>();
  return ({ method, url }: Received) => {
    const key = `${method} ${url.replace("/m/", "/")}`;
    const count = asked.get(key) ?? 0;
    asked.set(key, count + 1);
    const found = answers[key] ?? [];
    return found[Math.min(count, found.length - 1)] ?? { status: 500 };
  };
}
const LIST = "GET /api/servers";
const CREATE = "POST /api/servers";
/** The list from before the creation, and the one after it. */
const listsOf = (...servers: object[]) => [list(server("s0")), list(server("s0"), ...servers)];
const GET = "GET /api/servers/s1";
const MOVE = "PATCH /api/servers/s1";
const DELETE = "DELETE /api/servers/s1";

function begin(answers: Readonly<Record<string, readonly Scripted[]>>, environment: Props = {}) {
  return scripted(routed(answers), { ORGSEAT_PLATFORM: "anaconda", ...environment });
}

describe("a creation", () => {
  const other = server("s2", { serverConfig: { modelFileName: "b.gguf" } });
  const file = (name: string) => ({ modelFile: { name } });
  const sentOnce = (lists: readonly Scripted[], body: object) => [lists, [{ body }]] as const;
  const configured = (shown: object | null) => server("s1", { serverConfig: shown });
  const parameters = (n: unknown) => ({ ...serverConfig, loadParams: { n } });

  test.each<[string, readonly Scripted[], readonly Scripted[]]>([
    ["an empty response", ...sentOnce(listsOf(server("s1"), other), {})],
    ["a response without its fields", ...sentOnce(listsOf(server("s1")), { data: { serverConfig: {} } })],
    ["the id of a server from before", ...sentOnce(listsOf(server("s1")), { data: { id: "s0" } })],
    ["what is no id", ...sentOnce(listsOf(server("s1")), { data: { id: 7 } })],
    ["an id in another place", ...sentOnce(listsOf(server("s1")), { id: "s9" })],
    ["a list of ids alone", listsOf({ id: "s1" }), [accepted]],
    [
      "a list of files alone",
      listsOf({ id: "s1", ...file("a.gguf") }, { id: "s2", ...file("b.gguf") }),
      [accepted],
    ],
    ["a list of servers without ids", listsOf({ tag: "a" }, { id: "s1" }, {}), [accepted]],
    ["a list with other parameters", listsOf(configured(parameters("1"))), [accepted]],
    [
      "a list with other servers of the file",
      listsOf({ id: "s2" }, server("s1"), server("s3", { serverConfig: parameters(2) })),
      [accepted],
    ],
    ["a lost response", [list(other), list(other), list(other, server("s1"))], [lost, accepted]],
  ])("finds its server after %s", async (_, lists, responses) => {
    const run = await begin({ [LIST]: lists, [CREATE]: responses, [GET]: [one("s1")] });
    expect(await run.server.create(news)).toMatchObject({ id: "s1", outs: { status: "stopped" } });
    expect(run.sentToModels().filter((sent) => sent === CREATE)).toHaveLength(responses.length);
    expect(run.messages).toEqual([]);
  });

  test.each([
    ["is shown", { [GET]: [one("s1")] }, { status: "stopped" }],
    ["is not shown yet", { [GET]: [refused(404, "INVALID_SERVER_ID")] }, { status: null }],
  ])("uses the id of the response, if there is one: the server %s", async (_, answers, outs) => {
    const declared = { ...news, running: undefined };
    const run = await begin({ [LIST]: [list()], [CREATE]: [{ body: { data: { id: "s1" } } }], ...answers });
    expect(await run.server.create(declared)).toMatchObject({ id: "s1", outs });
    expect(run.sentToModels()).toEqual([LIST, CREATE, GET]);
  });

  test("waits for a list that is a moment behind", async () => {
    const run = await begin({
      [LIST]: [list(), list(), list(other), list(other, server("s1"))],
      [CREATE]: [accepted],
    });
    expect(await run.server.create(news)).toMatchObject({ id: "s1" });
    expect(run.clock.sleeps).toEqual([500, 1000]);
  });

  const both = [server("s1"), server("s2")];
  const step = "Set `serverId` to the id of your server instead";
  test.each<[string, readonly Scripted[], readonly Scripted[], string]>([
    [
      "several servers are equal",
      listsOf(...both),
      [accepted],
      "created one, but new in the list: s1, s2. Set",
    ],
    ["none is new", listsOf(), [accepted], "created one, but its list contains no new server. Set"],
    [
      "the list fails",
      [list(), { status: 403, body: {} }],
      [accepted],
      `The service created a server. ${step}`,
    ],
    ["a lost one may be several", listsOf(...both), [lost], `a.gguf: new in the list: s1, s2. ${step}`],
    ["a lost one may be one without a configuration", listsOf(configured(null)), [lost], "in the list: s1."],
    [
      "a lost one may be one of other parameters",
      listsOf(configured(parameters(2))),
      [lost],
      "in the list: s1.",
    ],
    [
      "a lost one may be one of fewer parameters",
      listsOf(configured({ modelFileName: "a.gguf" })),
      [lost],
      "in the list: s1.",
    ],
    ["the list fails after a lost one", [list(), { status: 404 }], [lost], "listing the servers failed"],
  ])("fails, and is not sent again, if %s", async (_, lists, responses, why) => {
    const run = await begin({ [LIST]: lists, [CREATE]: responses });
    expect((await failure(run.server.create(news))).message).toContain(why);
    expect(run.sentToModels().filter((sent) => sent === CREATE)).toHaveLength(responses.length);
  });

  test("warns of a second server if it arrived late, and names it", async () => {
    const run = await begin({
      [LIST]: [list(), list(), list(server("s1"), server("s2"))],
      [CREATE]: [lost, accepted],
    });
    expect(await run.server.create(news)).toMatchObject({ id: "s2" });
    expect(run.messages.map(({ text }) => text)).toEqual([
      expect.stringContaining("may have created a second server of this file: s1."),
    ]);
  });
});

describe("a wrong name of a model file", () => {
  const MODELS = "GET /api/models?downloaded=true";
  const unknown = { [LIST]: [list()], [CREATE]: [refused(404, "INVALID_REQUEST")] };
  const quantizations = (...names: string[]) => names.map((modelFileName) => ({ modelFileName }));

  test("names the files of the downloaded models", async () => {
    const models = [
      { id: "m1", metadata: { quantizations: quantizations("b.gguf", "a2.gguf") } },
      { id: "m2" },
    ];
    const run = await begin({ ...unknown, [MODELS]: [{ body: { data: models } }] });
    expect((await failure(run.server.create(news))).message).toMatch(
      /^cannot create server: why \(HTTP 404 .*\)\. No model has the file a\.gguf\. Files of downloaded models: a2\.gguf, b\.gguf\. Correct `modelFileName`\. \[refused\]$/,
    );
    expect(run.sentToModels()).toEqual([LIST, CREATE, MODELS]);
  });

  test("stays the error if the models cannot be listed", async () => {
    const run = await begin({ ...unknown, [MODELS]: [{ status: 403 }] });
    expect((await failure(run.server.create(news))).message).not.toContain("Files of downloaded models");
  });
});

test("an adopted server is managed whatever its configuration is", async () => {
  const found = server("s1", { serverConfig: { modelFileName: "", apiParams: null } });
  const run = await begin({ [LIST]: [list(found)] });
  const adopted = { serverId: "s1", onDelete: "retain" };
  const { outs } = await run.server.create(adopted);
  expect(await run.server.diff("s1", outs ?? {}, adopted)).toMatchObject({ changes: false });
  expect(await run.server.read("s1", outs)).toMatchObject({ id: "s1" });
});

test("a creation sends what is declared, and null is not declared", async () => {
  const run = await begin({ [LIST]: listsOf(server("s1")), [CREATE]: [accepted] });
  await run.server.create({ ...news, serverConfig: { ...serverConfig, apiParams: null, logsDir: null } });
  expect(run.service.calls.find(({ method }) => method === "POST")?.body).toBe(
    JSON.stringify({ serverConfig, startServerOnCreate: false }),
  );
});

describe("a server that is started", () => {
  const started = { ...news, running: true };
  const created = { [LIST]: listsOf(server("s1", { status: "STARTING" })), [CREATE]: [accepted] };

  test("fails into the state if its process fails; the next run starts it", async () => {
    const failed = one("s1", { status: "ERROR" });
    const starting = one("s1", { status: "STARTING" });
    const run = await begin({
      ...created,
      [GET]: [starting, failed, failed, starting, one("s1", { status: "RUNNING" })],
      [MOVE]: [{ body: {} }],
    });
    const error = await failure(run.server.create(started));
    expect(error.message).toMatch(
      /^cannot start server s1: it has failed \(status errored\)\. Check its logs and its configuration/,
    );
    expect(error).toMatchObject({ id: "s1", properties: { running: true, serverConfig } });
    const { outs } = await run.server.update("s1", error.properties ?? {}, started);
    expect(outs).toMatchObject({ status: "running" });
    expect(run.sentToModels().filter((sent) => sent === MOVE)).toHaveLength(1);
  });

  test("answers after growing pauses, five seconds at most", async () => {
    const starting = Array.from({ length: 7 }, () => one("s1", { status: "STARTING" }));
    const run = await begin({ ...created, [GET]: [...starting, one("s1", { status: "RUNNING" })] });
    await run.server.create(started);
    expect(run.clock.sleeps).toEqual([500, 1000, 2000, 4000, 5000, 5000, 5000]);
  });

  test("fails into the state if it is not found any more", async () => {
    const run = await begin({ ...created, [GET]: [refused(404, "INVALID_SERVER_ID")] });
    const error = await failure(run.server.create(started));
    expect(error.message).toContain("cannot get server: why (HTTP 404 INVALID_SERVER_ID");
    expect(error).toMatchObject({ id: "s1" });
  });

  test("starts once even if the service does not say so at once", async () => {
    const stopped = one("s1");
    const olds = { ...started, ...held("s1", { status: "stopped" }) };
    const run = await begin({
      [GET]: [stopped, stopped, one("s1", { status: "RUNNING" })],
      [MOVE]: [{ status: 202 }],
    });
    expect(await run.server.update("s1", olds, started)).toMatchObject({ outs: { status: "running" } });
    expect(run.sentToModels()).toEqual([GET, MOVE, GET, GET]);
  });
});

describe("a product that lacks a part", () => {
  const page = { body: "<html>Cannot GET</html>" };
  const coded = { body: { error: { message: "Not Found" } } };
  const table = { name: "docs", onDelete: "delete" };
  const server = { serverConfig: { modelFileName: "a.gguf" }, onDelete: "delete" };

  test.each([
    ["create table", "tables", "POST /api/vector-db/tables", table, page],
    ["create table", "tables", "POST /api/vector-db/tables", table, coded],
    ["create server", "servers", "POST /api/servers", server, page],
    ["list servers", "servers", "GET /api/servers", server, page],
  ])('lacks "%s" by its own answer, and the error says so', async (operation, kind, route, news, answer) => {
    const run = await scripted(
      ({ method, url }) =>
        `${method} ${url.replace("/m/", "/")}` === route
          ? { status: 404, ...answer }
          : { body: { data: [] } },
      { ORGSEAT_PLATFORM: "anaconda" },
    );
    const { message } = await failure((kind === "tables" ? run.table : run.server).create(news));
    expect(message).toMatch(new RegExp(`[Tt]his service does not support "${operation}"\\.`));
  });
});

test("a cancelled run ends the wait for a server at once, and the state keeps the server", async () => {
  const starting = one("s1", { status: "STARTING" });
  const run = await begin({ [LIST]: listsOf(server("s1")), [CREATE]: [accepted], [GET]: [starting] });
  const created = failure(run.server.create({ ...news, running: true }));
  while (!run.sentToModels().includes(GET)) await new Promise((resolve) => setImmediate(resolve));
  run.process.cancel();
  const error = await created;
  expect(error.message).toContain("it is still starting when the run was cancelled");
  expect(error).toMatchObject({ id: "s1", properties: { status: "starting" } });
  const sent = run.sentToModels().length;
  const update = failure(run.server.update("s1", error.properties ?? {}, { ...news, running: true }));
  expect((await update).message).toContain("cancelled");
  expect(run.sentToModels()).toHaveLength(sent + 1);
});

describe("a service that returns no status", () => {
  const started = { ...news, running: true };
  const details: Scripted = { body: { data: { id: "s1" } } };
  const withStatus = (status: string) => `${LIST}?status=${status}`;
  const created = { [LIST]: listsOf({ id: "s1" }), [CREATE]: [accepted], [GET]: [details] };

  test("finds it by the filter of the list, and is waited for", async () => {
    const run = await begin({
      ...created,
      [withStatus("running")]: [list(), list({ id: "s1" })],
      [withStatus("stopped")]: [list()],
      [withStatus("starting")]: [list({ id: "s1" })],
    });
    expect(await run.server.create(started)).toMatchObject({ id: "s1", outs: { status: "running" } });
    expect(run.messages).toEqual([]);
  });

  test("gets no wait if it lacks that filter too: a warning says so", async () => {
    const filters = ["running", "stopped", "starting", "stopping", "errored", "unavailable"];
    const none = Object.fromEntries(filters.map((status) => [withStatus(status), [list()]]));
    const run = await begin({ ...created, ...none });
    const { outs } = await run.server.create(started);
    expect(outs).toMatchObject({ status: null, running: true });
    expect(run.messages.map(({ text }) => text)).toEqual([
      "ModelServer s1: the service does not return its status, so orgseat does not wait until it runs.",
    ]);
    expect(await run.server.diff("s1", outs ?? {}, started)).toMatchObject({ changes: false });
    await run.server.update("s1", outs ?? {}, { ...started, onDelete: "retain" });
    expect(run.sentToModels(), "nothing was planned").not.toContain(MOVE);
  });
});

describe("an update of a server that the preview saw starting", () => {
  const started = { ...news, running: true };
  const olds = { ...started, ...held("s1", { status: "starting" }) };

  test.each(["ERROR", "STOPPED"])(
    "starts nothing where it is %s by then: the error says so",
    async (status) => {
      const run = await begin({ [GET]: [one("s1", { status: "STARTING" }), one("s1", { status })] });
      const error = await failure(run.server.update("s1", olds, started));
      const seen = status === "ERROR" ? "errored" : "stopped";
      expect(error.message).toContain(
        `cannot start server s1: it is ${seen}, which the preview did not expect.`,
      );
      expect(run.sentToModels()).toEqual([GET, GET]);
      expect(error).toMatchObject({ id: "s1", properties: { status: seen } });
      expect(await run.server.diff("s1", error.properties ?? {}, started)).toMatchObject({ changes: true });
    },
  );
});

describe("a refresh", () => {
  const outs = { ...news, ...held("s1", { status: "stopped" }) };

  test("drops a server only where the service confirms that it does not exist", async () => {
    const run = await begin({
      [LIST]: [{ body: {} }],
      [GET]: [one("s1"), refused(404, "INVALID_SERVER_ID")],
    });
    expect(await run.server.read("s1", outs)).toMatchObject({ id: "s1", props: { status: "stopped" } });
    expect(await run.server.read("s1", outs)).toEqual({});
  });
});

test("a server that is stopped before its deletion and gone then is deleted", async () => {
  const outs = {
    ...news,
    ...held("s1", { status: "running" }),
    stopOnDelete: true,
  };
  const run = await begin({
    [DELETE]: [refused(409, "SERVER_RUNNING"), refused(404, "INVALID_SERVER_ID")],
    [GET]: [one("s1", { status: "STOPPED" }), refused(404, "INVALID_SERVER_ID")],
    [LIST]: [list(server("s1")), list()],
  });
  await run.server.delete("s1", outs);
  expect(run.sentToModels()).toEqual([DELETE, LIST, GET, DELETE, LIST, GET]);
});

describe("the inputs", () => {
  const anaconda = { ORGSEAT_PLATFORM: "anaconda" };
  const none = { serverConfig: undefined };
  const odd = { serverConfig: { ...serverConfig, ctx: 1 } };
  test.each([
    ["neither source", none, anaconda, "serverId", /^set `serverId` to adopt/],
    [
      "both sources",
      { serverId: "s1" },
      anaconda,
      "serverConfig",
      /^set either `serverId` or `serverConfig`/,
    ],
    ["no file", { serverConfig: {} }, anaconda, "serverConfig.modelFileName", /missing/],
    ["an unknown key", odd, anaconda, "serverConfig.ctx", /unknown key/],
    ["`running` in a platform without it", { ...none, serverId: "s1" }, {}, "running", /^this service/],
    [
      "a new server in a platform without it",
      { running: undefined },
      {},
      "serverConfig",
      /cannot create, start, or/,
    ],
  ] as const)("fail their check, and send nothing: %s", async (...given) => {
    const [, change, environment, property, reason] = given;
    const run = await scripted(() => ({}), environment);
    const { failures } = await run.server.check({}, { ...news, ...change });
    expect(failures).toEqual([{ property, reason: expect.stringMatching(reason) }]);
    expect(run.sentToModels()).toEqual([]);
  });

  test("declare a created server as running by default, and say nothing of an adopted one", async () => {
    const run = await scripted(() => ({}), anaconda);
    const given = { ...news, running: undefined };
    expect((await run.server.check({}, given)).inputs).toMatchObject({ running: true });
    const adopted = { ...given, serverConfig: undefined, serverId: "s1" };
    expect((await run.server.check({}, adopted)).inputs).not.toHaveProperty("running");
  });

  test("replace, start, stop, or update the state by what changes", async () => {
    const run = await scripted(() => ({}), anaconda);
    const olds = { ...news, ...held("s1", { serverConfig, status: "stopped" }) };
    const diff = (change: object, old: object = {}) =>
      run.server.diff("s1", { ...olds, ...old }, { ...news, ...change });
    const same = { changes: false, replaces: [] };
    expect(await diff({})).toEqual(same);
    expect(await diff({ serverConfig: { loadParams: { n: 1 }, modelFileName: "a.gguf" } })).toEqual(same);
    expect(await diff({ running: true })).toEqual({ ...same, changes: true });
    expect(await diff({ stopOnDelete: true })).toEqual({ ...same, changes: true });
    expect(await diff({}, { status: "running" })).toEqual({ ...same, changes: true });
    expect(await diff({}, { status: "stopping" })).toEqual(same);
    expect(await diff({}, { status: "errored" })).toEqual(same);
    expect(await diff({ serverConfig: { modelFileName: "b.gguf" } })).toEqual({
      ...same,
      changes: true,
      replaces: ["serverConfig"],
    });
    const toAdopted = await diff({ serverId: "s1", serverConfig: undefined });
    expect(toAdopted).toMatchObject({ replaces: ["serverId", "serverConfig"] });
  });
});

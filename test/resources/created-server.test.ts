/** ModelServer if the service can create, start and stop servers. */
import { describe, expect, test } from "vitest";
import { anacondaArea } from "../setup/anaconda-area.ts";
import type { DirectResource } from "../setup/direct.ts";

const CREATE = 22;
const GET = 23;
const MOVE = 24;
const LIST = 12;
const LIST_MODELS = 19;

const serverConfig = { modelFileName: "tiny-q4.gguf", loadParams: { ctx_size: 4096 } };
const created = (args: object = {}, name = "search"): DirectResource => ({
  type: "ModelServer",
  name,
  args: { serverConfig, onDelete: "delete", ...args },
});
const adopted = (serverId: string, args: object = {}): DirectResource => ({
  type: "ModelServer",
  name: "chat",
  args: { serverId, onDelete: "delete", ...args },
});

describe("ModelServer, created", () => {
  test("needs no requests but those of Anaconda Desktop: about models, and to list, create, start, and stop servers", async () => {
    const area = await anacondaArea();
    const stack = area.stack();
    for (const running of [true, false])
      expect((await stack.up([created({ running, onDelete: "retain" })])).errors).toEqual([]);
    expect((await stack.up([])).errors).toEqual([]);
    const others = new Set(await area.calls()).difference(new Set([LIST, LIST_MODELS, CREATE, GET, MOVE]));
    expect([...others]).toEqual([]);
    expect(await area.statuses()).toEqual(["stopped"]);
  });

  test("stays while it runs without `stopOnDelete`: the error says how, and the state keeps it", async () => {
    const area = await anacondaArea();
    const stack = area.stack();
    await stack.up([created()]);
    const { errors } = await stack.up([]);
    expect(errors).toEqual([expect.stringContaining("(HTTP 409 SERVER_RUNNING, ")]);
    expect(errors[0]).toContain("`stopOnDelete: true`");
    expect(stack.state.has("search")).toBe(true);
    expect(await area.statuses()).toEqual(["running"]);
    expect((await stack.up([created({ stopOnDelete: true })])).errors).toEqual([]);
    expect((await stack.up([])).errors).toEqual([]);
    expect(await area.servers()).toEqual([]);
  });

  test("stays in the state if it takes longer than the operation may, and the next run waits on", async () => {
    const area = await anacondaArea();
    const stack = area.stack();
    stack.configuration.ORGSEAT_OPERATION_TIMEOUT = "10s";
    const { errors } = await stack.up([created()]);
    expect(errors).toEqual([
      expect.stringMatching(/^cannot start server .*: it is still starting after the operation timeout/),
    ]);
    expect(stack.state.get("search")?.outs).toMatchObject({ status: "starting" });
    await area.calls();
    stack.configuration.ORGSEAT_OPERATION_TIMEOUT = "60s";
    expect((await stack.up([created()])).errors).toEqual([]);
    expect(new Set(await area.calls()), "no second start").toEqual(new Set([GET]));
    expect(stack.state.get("search")?.outs).toMatchObject({ status: "running" });
  });
});

describe("ModelServer, adopted where servers can be started", () => {
  test.each([
    ["is left as it is without `running`", "stopped", undefined, "stopped", [LIST]],
    ["is started and waited for", "stopped", true, "running", [LIST, MOVE]],
    ["is started once it has stopped", "stopping", true, "running", [LIST, MOVE]],
    ["is stopped once it runs", "starting", false, "stopped", [LIST, MOVE]],
  ] as const)("%s", async (_, status, running, ends, calls) => {
    const area = await anacondaArea();
    const program = [adopted(await area.addServer("chat", { status }), { running })];
    const stack = area.stack();
    expect((await stack.up(program)).errors).toEqual([]);
    expect((await area.calls()).filter((call) => call !== GET)).toEqual(calls);
    expect(await area.statuses()).toEqual([ends]);
    expect(stack.state.get("chat")?.outs).toMatchObject({ status: ends });
    expect(await stack.preview(program)).toEqual([]);
  });

  test("names `serverConfig` if the id is unknown", async () => {
    const area = await anacondaArea();
    const { errors } = await area.stack().up([adopted("00000000-0000-4000-8000-000000000000")]);
    expect(errors[0]).toContain(
      "it lists none. Correct the id, or set `serverConfig` instead to create a server",
    );
  });
});

/** ModelServer if the service can create, start and stop servers. */
import { describe, expect, test } from "vitest";
import { anacondaArea } from "../setup/anaconda-area.ts";
import type { DirectResource, DirectStack } from "../setup/direct.ts";

const CREATE = 22;
const GET = 23;
const MOVE = 24;
const LIST = 12;
const DELETE = 14;

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
const outsOf = (stack: DirectStack, name = "search") => stack.state.get(name)?.outs;
const without = (calls: readonly unknown[], call: number) => calls.filter((one) => one !== call);

describe("ModelServer, created", () => {
  test("runs when the run ends, changes nothing after, and ends stopped and deleted", async () => {
    const area = await anacondaArea();
    const stack = area.stack();
    const program = [created({ stopOnDelete: true })];
    expect((await stack.up(program)).errors).toEqual([]);
    const calls = await area.calls();
    expect(without(calls, GET)).toEqual([LIST, CREATE, LIST]);
    expect(outsOf(stack)).toMatchObject({
      running: true,
      status: "running",
      tag: "tiny-q4.gguf",
      serverConfig,
      endpoint: { host: "127.0.0.1", port: 8080 },
      serverProcessId: expect.any(Number),
    });
    expect(await stack.preview(program)).toEqual([]);
    expect((await stack.refresh()).errors).toEqual([]);
    expect(await area.calls()).toEqual([LIST]);
    expect(await stack.preview(program)).toEqual([]);
    expect((await stack.up([])).errors).toEqual([]);
    expect(without(await area.calls(), GET)).toEqual([DELETE, MOVE, DELETE]);
    expect(await area.servers()).toEqual([]);
  });

  test("takes one call between two lists, without a wait, if it need not run", async () => {
    const area = await anacondaArea();
    const stack = area.stack();
    expect((await stack.up([created({ running: false })])).errors).toEqual([]);
    expect(await area.calls()).toEqual([LIST, CREATE, LIST]);
    expect(outsOf(stack)).toMatchObject({ running: false, status: "stopped", serverProcessId: null });
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
    expect(outsOf(stack)).toMatchObject({ status: "starting" });
    await area.calls();
    stack.configuration.ORGSEAT_OPERATION_TIMEOUT = "60s";
    expect((await stack.up([created()])).errors).toEqual([]);
    expect(new Set(await area.calls()), "no second start").toEqual(new Set([GET]));
    expect(outsOf(stack)).toMatchObject({ status: "running" });
  });
});

describe("ModelServer, adopted where servers can be started", () => {
  test("leaves the server as it is without `running`, and starts and waits for it with `running`", async () => {
    const area = await anacondaArea();
    const id = await area.addServer("chat");
    const stack = area.stack();
    expect((await stack.up([adopted(id)])).errors).toEqual([]);
    expect(await area.calls()).toEqual([LIST]);
    expect(outsOf(stack, "chat")).toMatchObject({
      status: "stopped",
      serverConfig: { modelFileName: "tiny-q4.gguf" },
    });
    expect((await stack.up([adopted(id, { running: true })])).errors).toEqual([]);
    expect(outsOf(stack, "chat")).toMatchObject({ status: "running" });
    expect(await stack.preview([adopted(id, { running: true })])).toEqual([]);
  });

  test("starts a server that stops once it has stopped", async () => {
    const area = await anacondaArea();
    const id = await area.addServer("chat", { status: "stopping" });
    const stack = area.stack();
    expect((await stack.up([adopted(id, { running: true })])).errors).toEqual([]);
    expect(without(await area.calls(), GET)).toEqual([LIST, MOVE]);
    expect(await area.statuses()).toEqual(["running"]);
  });

  test("stops a server that starts once it runs", async () => {
    const area = await anacondaArea();
    const id = await area.addServer("chat", { status: "starting" });
    const stack = area.stack();
    expect((await stack.up([adopted(id, { running: false })])).errors).toEqual([]);
    expect(await area.statuses()).toEqual(["stopped"]);
  });

  test("names `serverConfig` if the id is unknown", async () => {
    const area = await anacondaArea();
    const { errors } = await area.stack().up([adopted("00000000-0000-4000-8000-000000000000")]);
    expect(errors[0]).toContain(
      "it lists none. Correct the id, or set `serverConfig` instead to create a server",
    );
  });
});

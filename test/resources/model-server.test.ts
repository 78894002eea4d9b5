import { describe, expect, test } from "vitest";
import { type ModelArea, modelArea, modelStack } from "../setup/model-area.ts";
import { exchanges } from "./exchange.ts";

const declared = (serverId: string, onDelete = "delete", name = "chat") =>
  ({ type: "ModelServer", name, args: { serverId, onDelete } }) as const;
const outsOf = (stack: ReturnType<typeof modelStack>, name = "chat") => stack.state.get(name)?.outs;
const callsOf = ({ organization }: ModelArea) => organization.calls();

/** A service with a server "chat", and a stack without anything. */
async function begin(more: Parameters<ModelArea["addServer"]>[1] = {}) {
  const area = await modelArea();
  return { area, id: await area.addServer("chat", more), stack: modelStack(area.organization) };
}

exchanges("model-server.txt");

describe("ModelServer, in the service", () => {
  test("takes over a server by one call, changes nothing after, and is deleted by call 14 (D29)", async () => {
    const { area, id, stack } = await begin({ apiParams: { threads: 4 } });
    await area.addServer("other");
    await area.organization.requests();
    expect((await stack.up([declared(id)])).errors).toEqual([]);
    expect(await callsOf(area)).toEqual([12]);
    expect(outsOf(stack)).toMatchObject({
      serverId: id,
      onDelete: "delete",
      tag: "chat",
      status: "stopped",
      modelFile: { id: area.fileId, quantization: "Q4_K_M" },
      serverConfig: { apiParams: { threads: 4 } },
      endpoint: { host: "127.0.0.1", port: 8000 },
    });
    expect(await stack.preview([declared(id)])).toEqual([]);
    expect((await stack.up([])).errors).toEqual([]);
    expect(await callsOf(area)).toEqual([14]);
    expect(await area.servers()).toEqual(["other"]);
  });

  test("names the servers there are and the one that is meant if the id is unknown", async () => {
    const { area, id, stack } = await begin();
    const other = await area.addServer("search");
    const slip = id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    const { errors } = await stack.up([declared(slip)]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^serverId: the service lists no server with the id /);
    expect(errors[0]).toContain(`it lists ${id} (chat), ${other} (search). Did you mean ${id}?`);
    expect(errors[0]).toContain("The API cannot create servers: create it in the service");
    const byTag = await modelStack(area.organization).up([declared("search")]);
    expect(byTag.errors[0]).toMatch(new RegExp(`is a tag. Set the id instead: ${other}\\. \\[not-found\\]$`));
    expect(stack.state.size).toBe(0);
    expect(await area.servers()).toEqual(["chat", "search"]);
  });

  test("leaves the state by refresh when it is gone; what has changed there is in the outputs and no difference", async () => {
    const { area, id, stack } = await begin();
    const other = await area.addServer("search");
    const program = [declared(id), declared(other, "delete", "search")];
    await stack.up(program);
    await area.models.startServer(id);
    await area.organization.requests();
    expect((await stack.refresh()).errors).toEqual([]);
    expect(await callsOf(area), "one list for all").toEqual([12]);
    expect(outsOf(stack)).toMatchObject({ status: "starting" });
    expect(await stack.preview(program)).toEqual([]);
    expect((await stack.copy().up([declared(id)])).errors).toEqual([]);
    expect((await stack.refresh()).errors).toEqual([]);
    expect([...stack.state.keys()]).toEqual(["chat"]);
  });

  test("stays if its resource is renamed in the program without an alias", async () => {
    const { area, id, stack } = await begin();
    await stack.up([declared(id)]);
    await area.organization.requests();
    const { errors, messages } = await stack.up([declared(id, "delete", "renamed")]);
    expect(errors).toEqual([]);
    expect(messages.map(({ text }) => text)).toEqual([
      expect.stringContaining(`ModelServer ${id}: another resource of this program manages it now`),
    ]);
    expect(await callsOf(area)).toEqual([12]);
    expect(await area.servers()).toEqual(["chat"]);
  });

  test("works with the key that it carries, and a wrong one is an error without the key in it", async () => {
    const { area, id, stack } = await begin();
    const own = "0f1e2d3c-4b5a-4678-9abc-def012345678";
    await area.models.addApiKey({ name: "own", key: own });
    const withKey = (apiKey: string) => ({
      ...declared(id),
      args: { ...declared(id).args, credentials: { apiKey } },
    });
    await area.organization.requests();
    const other = "99999999-4b5a-4678-9abc-def012345678";
    const { errors } = await stack.up([withKey(other)]);
    expect(errors[0]).toContain("(HTTP 401 UNAUTHORIZED, ");
    expect(errors[0]).toContain("Correct the credentials");
    expect(errors[0]).not.toContain(other);
    expect((await stack.up([withKey(own)])).errors).toEqual([]);
    expect((await area.organization.requests()).map(({ caller }) => caller)).toEqual([null, "own"]);
  });
});

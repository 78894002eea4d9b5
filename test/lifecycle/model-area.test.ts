import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { modelArea } from "../setup/model-area.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

const columns = [
  { name: "id", type: "bigint", constraints: ["PRIMARY KEY"] },
  { name: "embedding", type: "vector(3)" },
];
const rows = [{ id: 1, embedding: [1, 0, 0] }];
const OWN_KEY = "0f1e2d3c-4b5a-4678-9abc-def012345678";

const table = (args: Record<string, unknown> = {}): Declared => ({
  type: "VectorTable",
  name: "docs",
  args: { name: "docs", schema: { columns }, data: rows, ...args },
});
const server = (serverId: string, args: Record<string, unknown> = {}): Declared => ({
  type: "ModelServer",
  name: "chat",
  args: { serverId, onDelete: "delete", credentials: { apiKey: OWN_KEY }, ...args },
});

onEachDoor("the model area", (door) => {
  test("server and table are made, left alone, refreshed, guarded against changes, and removed as they say", async () => {
    const area = await modelArea();
    const { organization, models } = area;
    const { service } = organization;
    await models.addApiKey({ name: "own", key: OWN_KEY });
    const id = await area.addServer("chat", { status: "running" });
    const stack = await testStack(
      organization,
      {
        ORGSEAT_MODEL_URL: service.modelUrl,
        ORGSEAT_API_KEY: service.seed.apiKey,
      },
      door,
    );

    stack.declare([server(id), table()], { rows: "$docs.numRows", tag: "$chat.tag" });
    const up = await stack.up();
    expect(up, up.output).toMatchObject({ code: 0 });
    const made = await organization.requests();
    expect(made.map(({ call, caller }) => [call, caller]).toSorted()).toEqual([
      [12, "own"],
      [16, expect.not.stringMatching(/^own$/)],
    ]);
    expect(await stack.stackOutput("tag")).toBe("chat");
    const [chat, docs] = ["ModelServer", "VectorTable"].map((type) =>
      stack.resources().find((resource) => resource.type.endsWith(`:${type}`)),
    );
    expect(chat).toMatchObject({ id, outputs: { status: "running", tag: "chat" } });
    expect(docs).toMatchObject({ id: "docs", inputs: { data: expect.stringMatching(/^sha256:/) } });
    expect(docs?.outputs).toMatchObject({ numRows: 1, data: docs?.inputs?.data });
    expect(readFileSync(stack.stateFile, "utf8"), "the key is encrypted").not.toContain(OWN_KEY);

    stack.declare([server(id), table({ data: [...rows, { id: 2 }] })]);
    const changedRows = await stack.preview();
    expect(changedRows).toMatchObject({ code: 0 });
    expect(changedRows.output).toContain(
      "rows are sent only when the table is created. The table keeps its rows",
    );
    expect(changedRows.output).toMatch(/~ +\d+ to update/);
    const [first] = columns;
    stack.declare([
      server(id),
      table({ schema: { columns: [first, { name: "embedding", type: "vector(4)" }] } }),
    ]);
    const changedSchema = await stack.preview();
    expect(changedSchema.code).not.toBe(0);
    expect(changedSchema.output).toMatch(
      /property schema\.columns\[1\]\.type .*the API cannot change a table/,
    );
    expect(await organization.calls()).toEqual([]);

    const stopsAt = Date.now();
    const standAt = (ms: number) => service.management.setClock({ fixedAt: new Date(ms).toISOString() });
    await standAt(stopsAt);
    await models.stopServer(id);
    stack.declare([server(id), table()], { rows: "$docs.numRows" });
    expect(await stack.refresh()).toMatchObject({ code: 0 });
    expect((await organization.calls()).toSorted()).toEqual([12, 15]);
    expect(stack.resources().find(({ type }) => type.endsWith(":ModelServer"))?.outputs).toMatchObject({
      status: "stopping",
    });

    stack.declare([]);
    const refused = await stack.up();
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain("(HTTP 409 SERVER_RUNNING, ");
    expect(refused.output).toContain("then run the command again; it stays in the state until then");
    expect(refused.output).toContain(
      "VectorTable docs is removed from the state: the API cannot delete tables",
    );
    expect(stack.resources().map(({ type }) => type.split(":").at(-1))).toEqual(["ModelServer"]);
    await standAt(stopsAt + 60_000);
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(stack.resources()).toEqual([]);
    expect(await area.servers()).toEqual([]);
    expect((await models.vectorTables()).map(({ name, numRows }) => [name, numRows])).toEqual([["docs", 1]]);
    expect(stack.printed.join()).not.toContain(OWN_KEY);
  });
});

import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Scripted } from "../provider/api/service.ts";
import { anacondaArea } from "../setup/anaconda-area.ts";
import type { DirectResource, DirectStack } from "../setup/direct.ts";
import { failure, inTurn, type Props, scripted } from "./scripted.ts";

const CREATE = 25;
const MOVE = 26;
const LIST_TABLES = 15;

const database = (args: Props = {}): DirectResource => ({ type: "VectorDatabase", name: "db", args });
const outsOf = (stack: DirectStack) => stack.state.get("db")?.outs;

describe("VectorDatabase, in the service", () => {
  test("takes one call to create, changes nothing after, and stays with a warning", async () => {
    const area = await anacondaArea();
    await area.models.removeVectorDatabase();
    const stack = area.stack();
    expect((await stack.up([database()])).errors).toEqual([]);
    expect(await area.calls()).toEqual([CREATE]);
    expect(stack.state.get("db")?.id).toBe("vector-db");
    expect(outsOf(stack)).toMatchObject({
      ...{ running: true, host: "127.0.0.1", port: 5432, database: "vectors", user: "tables" },
      password: expect.any(String),
    });
    expect(await stack.preview([database()])).toEqual([]);
    const { errors, messages } = await stack.up([]);
    expect(errors).toEqual([]);
    expect(messages).toEqual([
      { severity: "warning", text: expect.stringContaining("the API cannot delete the vector database") },
    ]);
    expect(await area.calls()).toEqual([]);
    expect((await area.stack().up([database()])).errors, "created again: it exists").toEqual([]);
  });

  test("stops and starts by `running`, and again if refresh found it otherwise", async () => {
    const area = await anacondaArea();
    const stack = area.stack();
    await stack.up([database()]);
    await area.calls();
    expect((await stack.up([database({ running: false })])).errors).toEqual([]);
    expect(await area.calls(), "the first move shows whose database it is").toEqual([
      LIST_TABLES,
      MOVE,
      MOVE,
    ]);
    expect(outsOf(stack)).toMatchObject({ running: false });
    await stack.refresh();
    expect(await area.calls()).toEqual([LIST_TABLES]);
    expect(await stack.preview([database({ running: false })])).toEqual([]);
    await area.models.runVectorDatabase(true);
    await stack.refresh();
    expect(await stack.preview([database({ running: false })])).toEqual(["db"]);
    expect((await stack.up([database({ running: true })])).errors).toEqual([]);
    expect(await stack.preview([database()])).toEqual([]);
  });

  test("creates and stops a database that need not run", async () => {
    const area = await anacondaArea();
    await area.models.removeVectorDatabase();
    const stack = area.stack();
    expect((await stack.up([database({ running: false })])).errors).toEqual([]);
    expect(await area.calls()).toEqual([LIST_TABLES, CREATE, MOVE]);
    expect(outsOf(stack)).toMatchObject({ running: false });
  });

  test.each(["cut-before", "cut-after"] as const)(
    "never stops a database that runs already by a creation, even if a response is lost (%s)",
    async (kind) => {
      const area = await anacondaArea();
      await area.organization.service.management.addFaults({ match: { call: CREATE }, fault: { kind } });
      const stack = area.stack();
      const { errors } = await stack.up([database({ running: false })]);
      expect(errors).toEqual([expect.stringContaining("the database of the API key is already running")]);
      expect(await area.calls()).toEqual([LIST_TABLES]);
      expect((await stack.up([database()])).errors, "adopted").toEqual([]);
      expect((await stack.up([database({ running: false })])).errors).toEqual([]);
      expect(outsOf(stack)).toMatchObject({ running: false });
    },
  );

  test("enters the state once created, even if not stopped, and the next run stops it", async () => {
    const area = await anacondaArea();
    await area.models.removeVectorDatabase();
    const { management } = area.organization.service;
    const fault = { kind: "refuse", status: 409, body: { error: { message: "not now" } } } as const;
    await management.addFaults({ match: { call: MOVE }, fault });
    const stack = area.stack();
    const program = [database({ running: false })];
    expect((await stack.up(program)).errors).toEqual([expect.stringContaining("not now")]);
    expect(outsOf(stack)).toMatchObject({ running: true, host: "127.0.0.1" });
    expect(await stack.preview(program)).toEqual(["db"]);
    await area.calls();
    expect((await stack.up(program)).errors).toEqual([]);
    expect(await area.calls(), "not created again").toEqual([LIST_TABLES, MOVE, MOVE]);
    expect(outsOf(stack)).toMatchObject({ running: false });
  });

  test("stops while a table is removed, in one run", async () => {
    const area = await anacondaArea();
    const stack = area.stack();
    const table = (name: string): DirectResource => ({
      type: "VectorTable",
      name,
      args: { name, data: [{ id: 1 }], onDelete: "delete" },
    });
    await stack.up([database(), table("docs"), table("notes"), table("kept")]);
    expect((await stack.up([database({ running: false }), table("notes"), table("kept")])).errors).toEqual(
      [],
    );
    expect((await area.models.vectorTables()).map(({ name }) => name).toSorted()).toEqual(["kept", "notes"]);
    expect(await area.organization.service.management.models.vectorTables("docs")).toEqual([]);
    await stack.refresh();
    expect(outsOf(stack)).toMatchObject({ running: false });
    await area.calls();
    expect((await stack.up([database({ running: false }), table("kept")])).errors, "stopped before").toEqual(
      [],
    );
    expect(await area.calls()).toEqual([MOVE, 27, MOVE]);
    await area.models.runVectorDatabase(false);
    const { errors } = await stack.up([]);
    expect(errors, "nothing declares the database any more").toEqual([
      expect.stringContaining("DATABASE_NOT_RUNNING"),
    ]);
  });

  test.each([
    ["cut-before", [CREATE, MOVE, CREATE]],
    ["cut-after", [CREATE, MOVE]],
    ["cut-middle", [CREATE, MOVE]],
  ] as const)("keeps the details of a creation without an answer (%s)", async (kind, calls) => {
    const area = await anacondaArea();
    await area.models.removeVectorDatabase();
    await area.organization.service.management.addFaults({ match: { call: CREATE }, fault: { kind } });
    const stack = area.stack();
    expect((await stack.up([database()])).errors).toEqual([]);
    expect(await area.calls()).toEqual(calls);
    expect(outsOf(stack)).toMatchObject({ running: true, host: "127.0.0.1" });
  });

  test.each(["cut-before", "cut-after", "cut-middle"] as const)(
    "repeats a change without an answer (%s)",
    async (kind) => {
      const area = await anacondaArea();
      const stack = area.stack();
      await stack.up([database()]);
      await area.organization.service.management.addFaults({ match: { call: MOVE }, fault: { kind } });
      expect((await stack.up([database({ running: false })])).errors).toEqual([]);
      expect(outsOf(stack)).toMatchObject({ running: false });
    },
  );

  test("runs before a table that depends on it", async () => {
    const area = await anacondaArea();
    await area.models.runVectorDatabase(false);
    const stack = area.stack();
    const table: DirectResource = {
      type: "VectorTable",
      name: "docs",
      args: { name: "docs", data: [{ id: 1 }], onDelete: "delete" },
    };
    expect((await stack.up([database(), table])).errors).toEqual([]);
    expect(await area.calls()).toEqual([CREATE, 16]);
    expect((await stack.up([database()])).errors).toEqual([]);
    expect(await area.calls()).toEqual([27]);
    expect(await area.models.vectorTables()).toEqual([]);
  });
});

const anaconda = { ORGSEAT_PLATFORM: "anaconda" };
const details = {
  ...{ running: true, host: "h", port: 5432, database: "d", user: "u", password: "the-password" },
};
const news = { running: true };
const outs = { ...news, ...details, stateVersion: 1 };
const stopped: Scripted = {
  status: 404,
  body: { error: { code: "DATABASE_NOT_RUNNING", message: "it does not run" } },
};
const none: Scripted = {
  status: 400,
  body: { error: { code: "INVALID_REQUEST", message: "there is none" } },
};
const POST = "POST /api/vector-db";
const PATCH = "PATCH /api/vector-db";

describe("VectorDatabase, on the wire", () => {
  test("fails if its creation is lost three times", async () => {
    const run = await scripted(({ method }) => (method === "POST" ? { fault: "close" } : none), anaconda);
    expect((await failure(run.database.create(news))).message).toContain(
      "3 attempts created no vector database.",
    );
    expect(run.sentToModels()).toEqual([POST, PATCH, POST, PATCH, POST, PATCH]);
  });

  test("fails and says why if its creation is lost and cannot be settled", async () => {
    const denied: Scripted = {
      status: 409,
      body: { error: { code: "INVALID_REQUEST", message: "not now" } },
    };
    const run = await scripted(({ method }) => (method === "POST" ? { fault: "close" } : denied), anaconda);
    expect((await failure(run.database.create(news))).message).toContain("not now (HTTP 409");
  });

  test("says how to create it again if it no longer exists", async () => {
    const run = await scripted(({ method }) => (method === "GET" ? stopped : none), anaconda);
    const { message } = await failure(run.database.update("vector-db", outs, { ...news, running: false }));
    expect(message).toContain("there is none (HTTP 400 INVALID_REQUEST");
    expect(message).toContain("create it again (`pulumi up --replace");
  });

  test("stays as it is if a refresh cannot ask about it", async () => {
    const run = await scripted(inTurn({ status: 500 }), { ...anaconda, ORGSEAT_OPERATION_TIMEOUT: "300ms" });
    expect((await failure(run.database.read("vector-db", outs))).message).toContain("cannot list tables: ");
  });

  const other = "00000000-0000-4000-8000-00000000000b";

  test("sends nothing for another key alone", async () => {
    const run = await scripted(() => ({ status: 500 }), anaconda);
    const credentials = { apiKey: other };
    const { outs: next } = await run.database.update("vector-db", outs, { ...news, credentials });
    expect(next).toMatchObject({ ...details, credentials });
    expect(run.sentToModels()).toEqual([]);
  });

  /** A service whose database has this address, and what it was told to be. @param running at first */
  const serviceWith = async (address: object, running: boolean, moved: object = {}) => {
    const told: boolean[] = [];
    const run = await scripted(({ method, body }) => {
      if (method === "GET") return running ? { body: [] } : stopped;
      const { running: wanted } = z.object({ running: z.boolean() }).parse(JSON.parse(body));
      told.push(wanted);
      const isMoved = wanted !== running;
      running = wanted;
      return { body: { data: { ...details, ...address, ...(isMoved && moved), running } } };
    }, anaconda);
    return { run, told };
  };

  test.each([
    ["of the program, in the same change", { apiKey: other }, {}],
    [
      "of the program, after a change of the key alone",
      { apiKey: other },
      { credentials: { apiKey: other } },
    ],
    ["of the environment", undefined, {}],
  ])("moves no other database that another key has: %s", async (_, credentials, before) => {
    for (const [running, wanted] of [
      [true, false],
      [false, true],
      [true, true],
    ] as const) {
      const { run, told } = await serviceWith({ host: "elsewhere" }, running);
      const olds = { ...outs, ...before, running: !wanted };
      const change = { running: wanted, ...(credentials && { credentials }) };
      const { message } = await failure(run.database.update("vector-db", olds, change));
      expect(message).toContain(
        "the database of the API key is elsewhere:5432/d, but the state contains h:5432/d. No database was started or stopped.",
      );
      expect(told, "only the state that it has").toEqual([running]);
    }
  });

  test("moves its own database, whatever the key, and takes the address that the move gives, with a warning", async () => {
    const { run, told } = await serviceWith({}, true);
    const change = { running: false, credentials: { apiKey: other } };
    const { outs: next } = await run.database.update("vector-db", outs, change);
    expect(next).toMatchObject({ ...details, running: false });
    expect(told).toEqual([true, false]);
    expect(run.messages).toEqual([]);
    const restarted = await serviceWith({}, false, { port: 5433 });
    const olds = { ...outs, running: false };
    const { outs: started } = await restarted.run.database.update("vector-db", olds, { running: true });
    expect(started).toMatchObject({ port: 5433, running: true });
    expect(restarted.run.messages).toEqual([
      { severity: "warning", text: expect.stringContaining("to h:5433/d when the database was started.") },
    ]);
  });

  test("creates and changes even if no response has details", async () => {
    const run = await scripted(({ method }) => ({ body: method === "GET" ? [] : {} }), anaconda);
    const { outs: made } = await run.database.create(news);
    expect(made).toMatchObject({ running: true, host: null, password: null });
    expect(run.sentToModels()).toEqual([POST, PATCH]);
    const { outs: stopped } = await run.database.update("vector-db", made ?? {}, { running: false });
    expect(stopped).toMatchObject({ running: false, host: null });
    const kept = await run.database.update("vector-db", outs, { running: false });
    expect(kept.outs).toMatchObject({ ...details, running: false });
  });

  test("shows its password in no message", async () => {
    const echo: Scripted = {
      status: 400,
      body: { error: { code: "INVALID_REQUEST", message: "the-password is wrong" } },
    };
    const run = await scripted(() => echo, anaconda);
    const { message } = await failure(run.database.update("vector-db", outs, { ...news, running: false }));
    expect(message).not.toContain("the-password");
  });

  test("fails its check if the service has no call for it", async () => {
    const run = await scripted(() => ({}));
    const { failures } = await run.database.check({}, news);
    expect(failures).toEqual([
      {
        property: "",
        reason: expect.stringMatching(/^this service .*cannot create, start, or stop the vector/),
      },
    ]);
  });
});

/** The sandbox service held against the rules of the model area: filters, statuses, errors, authentication. */
import { describe, expect, test } from "vitest";
import { fieldOf, openSandbox, refusalOf, type Sandbox, START } from "./sandbox-harness.ts";

const NOBODY = "99999999-9999-4999-8999-999999999999";
const MODEL_CALLS = [12, 13, 14, 15, 16];

async function idsOf(sandbox: Sandbox, query: Record<string, string>): Promise<unknown[]> {
  const { status, body } = await sandbox.ask(12, { query });
  expect(status).toBe(200);
  return Object.values(fieldOf(body, "data") ?? {}).map((server) => fieldOf(server, "id"));
}

describe("servers", () => {
  test.each(["fileId", "tag", "port", "host", "status"])(
    "call 12, note 1: the filter %s lists what fits it and nothing else",
    async (name) => {
      const sandbox = await openSandbox();
      const one = await sandbox.addServer("running", { tag: "one", port: 8001, host: "10.0.0.1" });
      const two = await sandbox.addServer("errored", { tag: "two", port: 8002, host: "10.0.0.2" });
      expect(await idsOf(sandbox, {})).toEqual([one.server_id, two.server_id]);
      const values: Record<string, string> = {
        fileId: two.file_id,
        tag: "two",
        port: "8002",
        host: "10.0.0.2",
        status: "errored",
      };
      expect(await idsOf(sandbox, { [name]: values[name] ?? "" })).toEqual([two.server_id]);
      expect(await idsOf(sandbox, { ...values, tag: "one" })).toEqual([]);
    },
  );

  test("call 12, note 2: a filter that is unknown, or of a value that cannot be, is refused and named", async () => {
    const sandbox = await openSandbox();
    const filters: readonly (readonly [string, string])[] = [
      ["status", "runing"],
      ["port", "70000"],
      ["port", "http"],
      ["model", "x"],
    ];
    for (const [name, value] of filters) {
      expect(refusalOf(await sandbox.ask(12, { query: { [name]: value } }))).toEqual([422, `query.${name}`]);
    }
  });

  test.each([
    "server status running",
    "server status stopped",
    "server status starting",
    "server status stopping",
    "server status errored",
    "server status unavailable",
  ])("%s: such a server is found by it, and by no other", async (id) => {
    const sandbox = await openSandbox();
    const found: string[] = [];
    for (const status of ["running", "stopped", "starting", "stopping", "errored", "unavailable"] as const) {
      const { server_id } = await sandbox.addServer(status);
      if (id.endsWith(` ${status}`)) found.push(server_id);
    }
    expect(found).toHaveLength(1);
    expect(await idsOf(sandbox, { status: id.split(" ").at(-1) ?? "" })).toEqual(found);
  });

  test("transition: server DELETE: a stopped server is gone, and the answer says deleted and when", async () => {
    const sandbox = await openSandbox();
    const variables = await sandbox.addServer("stopped");
    const { body } = await sandbox.ask(14, { variables });
    expect(fieldOf(body, "data")).toMatchObject({ id: variables.server_id, status: "deleted" });
    expect(Date.parse(String(fieldOf(body, "data.deletedAt")))).toBe(START);
    expect(fieldOf(body, "data.deletedAt")).toMatch(/Z$/);
    expect(await idsOf(sandbox, {})).toEqual([]);
  });

  test("call 14, note 2, call 14, note 4, code INVALID_SERVER_ID: what is no id of a server is 400", async () => {
    const sandbox = await openSandbox();
    const refused = await sandbox.ask(14, { variables: { server_id: "not an id" } });
    expect(refusalOf(refused)).toEqual([400, "INVALID_SERVER_ID"]);
  });

  test("call 14, note 2, call 14, note 4: an unknown server is 404, with a message alone", async () => {
    const sandbox = await openSandbox();
    const refused = await sandbox.ask(14, { variables: { server_id: NOBODY } });
    expect([refused.status, refused.body]).toEqual([
      404,
      { error: { message: expect.stringMatching(/\w/) } },
    ]);
  });

  test.each(["running", "starting", "stopping"] as const)(
    "call 14, note 2, call 14, note 4, code SERVER_RUNNING: a server that is %s is 409, and stays",
    async (status) => {
      const sandbox = await openSandbox();
      const variables = await sandbox.addServer(status);
      expect(refusalOf(await sandbox.ask(14, { variables }))).toEqual([409, "SERVER_RUNNING"]);
      expect(await idsOf(sandbox, {})).toEqual([variables.server_id]);
    },
  );

  test("code SERVER_NOT_RUNNING: no listed call meets it; the management side refuses to stop what does not run", async () => {
    const sandbox = await openSandbox();
    const { server_id } = await sandbox.addServer("stopped");
    await expect(sandbox.management.models.stopServer(server_id)).rejects.toThrow(/409.*SERVER_NOT_RUNNING/);
  });
});

describe("model files", () => {
  test("call 13, note 2, call 13, note 4: an unknown model is 404, with a message alone", async () => {
    const sandbox = await openSandbox();
    const refused = await sandbox.ask(13, { variables: { model_id: NOBODY } });
    expect([refused.status, refused.body]).toEqual([
      404,
      { error: { message: expect.stringMatching(/\w/) } },
    ]);
  });
});

describe("vector tables", () => {
  const columns = [
    { name: "id", type: "integer", constraints: ["PRIMARY KEY"] },
    { name: "embedding", type: "vector(2)", constraints: [] },
  ];
  const papers = {
    name: "papers",
    schema: { columns },
    data: [
      { id: 1, embedding: [0.5, 1] },
      { id: 2, embedding: [0, 0.25] },
    ],
  };

  test("call 15, note 3, call 16, note 2: a table is made with its rows, listed as an object, and 409 when made again", async () => {
    const sandbox = await openSandbox();
    const made = await sandbox.ask(16, { body: papers });
    expect(fieldOf(made.body, "data")).toMatchObject({ name: "papers", numRows: 2 });
    expect(fieldOf(made.body, "data.schema.columns.1")).toMatchObject({
      name: "embedding",
      type: "vector(2)",
    });
    const listed = await sandbox.ask(15);
    expect(listed.body).toEqual([fieldOf(made.body, "data")]);
    const again = await sandbox.ask(16, { body: papers });
    expect([again.status, again.body]).toEqual([
      409,
      { error: { message: expect.stringMatching(/exists/) } },
    ]);
    expect((await sandbox.ask(15)).body).toEqual(listed.body);
  });

  test("call 16, note 2, code INVALID_REQUEST: what the database refuses is 400, and nothing is left of it", async () => {
    const sandbox = await openSandbox();
    const refusedBodies = [
      { ...papers, schema: { columns: [{ name: "id", type: "no_such_type" }] } },
      { ...papers, data: [{ id: 1 }, { id: 1 }] },
      { ...papers, data: [{ id: "one" }] },
    ];
    for (const body of refusedBodies) {
      expect(refusalOf(await sandbox.ask(16, { body }))).toEqual([400, "INVALID_REQUEST"]);
      expect((await sandbox.ask(15)).body).toEqual([]);
    }
  });

  test("call 15, 404, error body: code, code DATABASE_NOT_RUNNING: a list of a database that does not run", async () => {
    const sandbox = await openSandbox();
    await sandbox.management.models.runVectorDatabase(false);
    const refused = await sandbox.ask(15);
    expect(refusalOf(refused)).toEqual([404, "DATABASE_NOT_RUNNING"]);
    expect(fieldOf(refused.body, "error.message")).toMatch(/not running/);
  });

  test("call 16, note 2, code DATABASE_NOT_RUNNING: a table in a database that does not run is 400", async () => {
    const sandbox = await openSandbox();
    await sandbox.management.models.runVectorDatabase(false);
    expect(refusalOf(await sandbox.ask(16, { body: papers }))).toEqual([400, "DATABASE_NOT_RUNNING"]);
  });

  test("call 16, note 5: a body that is called anything else than application/json is 415", async () => {
    const sandbox = await openSandbox();
    const refused = await sandbox.ask(16, { body: papers, contentType: "text/plain" });
    expect(refusalOf(refused)).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
  });

  test("call 16: a name is required, and of the schema what stands in it", async () => {
    const sandbox = await openSandbox();
    expect(refusalOf(await sandbox.ask(16, { body: {} }))).toEqual([422, "body.name"]);
    const body = { name: "papers", schema: { columns: [{ name: "id" }] } };
    expect(refusalOf(await sandbox.ask(16, { body }))).toEqual([422, "body.schema.columns.0.type"]);
  });
});

test.each(["call 12, note 2", "call 13, note 4", "call 14, note 4", "call 15, 500", "call 16, note 2"])(
  "%s, code INTERNAL_SERVER_ERROR: a failure inside the service is 500 with an error body",
  async (id) => {
    const sandbox = await openSandbox();
    const number = Number(/\d+/.exec(id)?.[0]);
    const asked = askedOf(number);
    sandbox.breakDown();
    const failed = await sandbox.ask(number, asked);
    expect(refusalOf(failed)).toEqual([500, "INTERNAL_SERVER_ERROR"]);
    expect(fieldOf(failed.body, "error.message")).toMatch(/\w/);
  },
);

/** Of something that is not there; call 16 makes a table. */
function askedOf(number: number) {
  const body = number === 16 ? { name: "papers" } : undefined;
  return { variables: { model_id: NOBODY, server_id: NOBODY }, body };
}

describe("the key", () => {
  test("authentication: model area 1, authentication: model area 3: every call takes it as Authorization: Bearer, and none goes without", async () => {
    const sandbox = await openSandbox();
    await sandbox.management.models.runVectorDatabase(false);
    for (const number of MODEL_CALLS) {
      const refused = await sandbox.ask(number, { ...askedOf(number), authorization: null });
      expect([number, ...refusalOf(refused)]).toEqual([number, 401, "UNAUTHORIZED"]);
      expect(refused.headers.get("www-authenticate")).toBe("Bearer");
      expect((await sandbox.ask(number, askedOf(number))).status).not.toBe(401);
    }
  });

  test("authentication: model area 2: what is no UUID, or one that nobody has, is 401", async () => {
    const sandbox = await openSandbox();
    for (const key of ["not-a-uuid", NOBODY, `{${NOBODY}}`, ""]) {
      const refused = await sandbox.ask(12, { authorization: `Bearer ${key}` });
      expect([key, ...refusalOf(refused)]).toEqual([key, 401, "UNAUTHORIZED"]);
    }
    await expect(sandbox.management.models.addApiKey({ key: "not-a-uuid", name: "x" })).rejects.toThrow(
      /422/,
    );
  });

  test("limit 4: many requests at once are all answered, and no list comes in pages", async () => {
    const sandbox = await openSandbox();
    for (let count = 0; count < 120; count++) await sandbox.addServer("stopped");
    const lists = await Promise.all(Array.from({ length: 40 }, () => idsOf(sandbox, {})));
    expect(lists.map((list) => list.length)).toEqual(Array.from({ length: 40 }, () => 120));
  });
});

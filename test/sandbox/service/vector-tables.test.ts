/** Calls 15 and 16: the tables of the vector database, on a real PostgreSQL. One for most tests: its start is slow. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { codeOf, shareSandbox, startSandbox, temporaryFolder } from "./harness.ts";
import { create, madeBy, newName } from "./vector-harness.ts";

const shared = shareSandbox();
// The first start on a machine takes seconds: no test has to wait for it.
beforeAll(async () => void (await shared().send("listTables")));

describe("call 16", () => {
  it("call 16: makes a table with its rows and answers what PostgreSQL made of it", async () => {
    const name = newName();
    const columns = [
      { name: "id", type: "int", constraints: ["PRIMARY KEY"] },
      { name: "title", type: "varchar(80)", constraints: ["NOT NULL", "UNIQUE"] },
      { name: "embedding", type: "vector(3)" },
      { name: "score", type: "float8", constraints: ["DEFAULT 0.5", "CHECK (score >= 0)"] },
    ];
    const rows = [
      { id: 1, title: "one", embedding: [1, 0, 0] },
      { id: 2, title: "two", embedding: [0, 1, 0.5], score: 3 },
    ];
    expect(madeBy(await create(shared(), name, columns, rows))).toEqual({
      name,
      schema: {
        columns: [
          { name: "id", type: "integer", constraints: ["PRIMARY KEY"] },
          { name: "title", type: "character varying(80)", constraints: ["NOT NULL", "UNIQUE"] },
          { name: "embedding", type: "vector(3)", constraints: [] },
          {
            name: "score",
            type: "double precision",
            constraints: ["DEFAULT 0.5", "CHECK ((score >= (0)::double precision))"],
          },
        ],
      },
      numRows: 2,
    });
  });

  it("call 16, D27: answers 200, and creates a table without rows", async () => {
    expect(madeBy(await create(shared(), newName(), [{ name: "id", type: "bigserial" }])).numRows).toBe(0);
  });

  it("call 16: returns as numRows what PostgreSQL counts", async () => {
    const rows = Array.from({ length: 1200 }, (_, index) => (index % 2 === 0 ? { id: index } : {}));
    const columns = [{ name: "id", type: "int" }];
    expect(madeBy(await create(shared(), newName(), columns, rows)).numRows).toBe(1200);
  });

  it.each<[string, string, unknown]>([
    ["an integer", "int", 7],
    ["a decimal", "numeric(8,2)", 12.5],
    ["a text", "text", 'it\'s "quoted" \\ and ünïcode'],
    ["a number as text", "text", 5],
    ["true", "boolean", true],
    ["a date", "timestamptz(0)", "2026-01-15T12:00:00Z"],
    ["a vector", "vector(2)", [0.25, -1]],
    ["a list", "int[]", [1, 2, 3]],
    ["a list of texts", "text[]", ["a,b", "{}", 'c"']],
    ["an object", "jsonb", { deep: [1, { er: null }] }],
    ["a text in JSON", "jsonb", "plain"],
    ["nothing", "int", null],
  ])("call 16, D26: takes %s in a column of type %s", async (_, type, value) => {
    expect(madeBy(await create(shared(), newName(), [{ name: "v", type }], [{ v: value }])).numRows).toBe(1);
  });

  it.each<[string, string[], string[]]>([
    [
      "a reference",
      ["REFERENCES parents (id) ON DELETE CASCADE"],
      ["REFERENCES parents(id) ON DELETE CASCADE"],
    ],
    ["an identity", ["GENERATED ALWAYS AS IDENTITY"], ["NOT NULL", "GENERATED ALWAYS AS IDENTITY"]],
    ["a default with a comma", ["DEFAULT coalesce(NULL, 3)"], ["DEFAULT COALESCE(NULL::integer, 3)"]],
    ["a list as default", ["DEFAULT (ARRAY[1,2])[1]"], ["DEFAULT (ARRAY[1, 2])[1]"]],
    [
      "texts with what is refused outside of them",
      ["CHECK (v::text <> ';--/*,)''')"],
      [`CHECK (((v)::text <> ';--/*,)'''::text))`],
    ],
    ["a name in quotes", [`CHECK ("v" > 0)`], ["CHECK ((v > 0))"]],
    [
      "a function that only reads the clock",
      ["DEFAULT extract(year from now())"],
      ["DEFAULT EXTRACT(year FROM now())"],
    ],
  ])("call 16, D26: passes on %s", async (_, constraints, answered) => {
    await create(shared(), "parents", [{ name: "id", type: "int", constraints: ["PRIMARY KEY"] }]);
    const made = madeBy(await create(shared(), newName(), [{ name: "v", type: "int", constraints }]));
    expect(made.schema?.columns[0]?.constraints).toEqual(answered);
  });

  it.each(["select", "pg_class", "_", "Table9"])("call 16: %s is a name like another", async (name) => {
    expect(
      madeBy(await create(shared(), name, [{ name: "order", type: "int" }], [{ order: 1 }])),
    ).toMatchObject({ name, numRows: 1 });
  });

  it("call 16, D52: reads the columns from the rows without a schema", async () => {
    const rows = [
      {
        title: "one",
        pages: 3,
        ratio: 1,
        open: true,
        embedding: [1, 2],
        about: { a: 1 },
        mixed: 1,
        nothing: null,
      },
      { title: null, pages: 4, ratio: 0.5, embedding: [0.5, 2], about: [1], mixed: "x", later: "y" },
    ];
    const { schema, numRows } = madeBy(await create(shared(), newName(), undefined, rows));
    expect(numRows).toBe(2);
    expect(schema?.columns.map((column) => `${column.name} ${column.type}`)).toEqual([
      "title text",
      "pages bigint",
      "ratio double precision",
      "open boolean",
      "embedding vector(2)",
      "about jsonb",
      "mixed jsonb",
      "nothing text",
      "later text",
    ]);
  });

  it("call 16, D52: creates no columns without a schema and rows", async () => {
    const name = newName();
    expect(madeBy(await create(shared(), name))).toEqual({ name, schema: { columns: [] }, numRows: 0 });
  });

  it("call 16, D52: stores vectors of different sizes as JSON", async () => {
    const { schema } = madeBy(await create(shared(), newName(), undefined, [{ v: [1] }, { v: [1, 2] }]));
    expect(schema?.columns[0]?.type).toBe("jsonb");
  });
});

describe("call 15", () => {
  it("call 15, note 3, D25: items are objects with name, schema and numRows, as the catalogue has them", async () => {
    const sandbox = await startSandbox();
    const books = madeBy(
      await create(sandbox, "books", [{ name: "id", type: "int" }], [{ id: 1 }, { id: 2 }]),
    );
    const authors = madeBy(await create(sandbox, "authors"));
    const answer = await sandbox.send("listTables");
    expect([answer.status, answer.body]).toEqual([200, [authors, books]]);
    expect(books).toEqual({
      name: "books",
      schema: { columns: [{ name: "id", type: "integer", constraints: [] }] },
      numRows: 2,
    });
    await sandbox.management.setSwitches({ tableItems: "name" });
    expect((await sandbox.send("listTables")).body).toEqual(["authors", "books"]);
  });

  it("call 15, 404, D24, code DATABASE_NOT_RUNNING: 404, and 400 of call 16, while the database is stopped; its tables stay", async () => {
    const sandbox = await startSandbox();
    const { models } = sandbox.management;
    const made = madeBy(await create(sandbox, "books", [{ name: "id", type: "int" }], [{ id: 1 }]));
    await models.runVectorDatabase(false);
    const listed = await sandbox.send("listTables");
    expect([listed.status, codeOf(listed)]).toEqual([404, "DATABASE_NOT_RUNNING"]);
    const refused = await create(sandbox, "others");
    expect([refused.status, codeOf(refused)]).toEqual([400, "DATABASE_NOT_RUNNING"]);
    await models.runVectorDatabase(true);
    expect((await sandbox.send("listTables")).body).toEqual([made]);
  });

  it("call 15, 500, code INTERNAL_SERVER_ERROR: answers 500, and of call 16, when PostgreSQL itself fails, and afterwards all is well again", {
    tags: "ci",
  }, async () => {
    const errors: unknown[] = [];
    const dataFolder = temporaryFolder();
    const sandbox = await startSandbox({ dataFolder, onError: (error) => void errors.push(error) });
    writeFileSync(join(dataFolder, "vectors"), "no folder");
    for (const answer of [await sandbox.send("listTables"), await create(sandbox, "books")]) {
      expect([answer.status, codeOf(answer)]).toEqual([500, "INTERNAL_SERVER_ERROR"]);
    }
    expect(errors).toHaveLength(2);
    rmSync(join(dataFolder, "vectors"));
    expect((await sandbox.send("listTables")).body).toEqual([]);
  });
});

describe("the vector database", () => {
  it("begins with the first vector call, and survives a restart, but not a reset", async () => {
    const dataFolder = temporaryFolder();
    const first = await startSandbox({ dataFolder });
    await first.send("listServers");
    expect(await first.management.models.vectorTables()).toEqual([]);
    expect(existsSync(join(dataFolder, "vectors"))).toBe(false);
    const made = madeBy(await create(first, "books", [{ name: "id", type: "int" }], [{ id: 1 }]));
    await first.service.close();
    const second = await startSandbox({ dataFolder });
    expect((await second.send("listTables")).body).toEqual([made]);
    await second.management.models.runVectorDatabase(false);
    await second.management.reset();
    expect((await second.send("listTables")).body).toEqual([]);
  });

  it("makes tables one at a time: of two with one name one is made", async () => {
    const name = newName();
    const both = [create(shared(), name), create(shared(), name)];
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

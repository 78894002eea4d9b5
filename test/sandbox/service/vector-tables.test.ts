/** Calls 15 and 16: the tables of the vector database, on a real PostgreSQL. One for most tests: its start is slow. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { codeOf, shareSandbox, startSandbox, temporaryFolder } from "./harness.ts";
import { talks } from "./talk.ts";

const shared = shareSandbox();
// The first start on a machine takes seconds: no test has to wait for it.
beforeAll(async () => void (await shared().send("listTables")));

/** A value as JSON, and the type of a column that takes it. */
const values = String.raw`
7 | int
12.5 | numeric(8,2)
"it's \"quoted\" \\ and ünïcode" | text
5 | text
true | boolean
"2026-01-15T12:00:00Z" | timestamptz(0)
[0.25, -1] | vector(2)
[1, 2, 3] | int[]
["a,b", "{}", "c\""] | text[]
{"deep": [1, {"er": null}]} | jsonb
"plain" | jsonb
null | int`;

/** A constraint, and those that the answer has, as JSON. */
const constraints = String.raw`
["REFERENCES parents (id) ON DELETE CASCADE"] | ["REFERENCES parents(id) ON DELETE CASCADE"]
["GENERATED ALWAYS AS IDENTITY"] | ["NOT NULL", "GENERATED ALWAYS AS IDENTITY"]
["DEFAULT coalesce(NULL, 3)"] | ["DEFAULT COALESCE(NULL::integer, 3)"]
["DEFAULT (ARRAY[1,2])[1]"] | ["DEFAULT (ARRAY[1, 2])[1]"]
["CHECK (v::text <> ';--/*,)''')"] | ["CHECK (((v)::text <> ';--/*,)'''::text))"]
["CHECK (\"v\" > 0)"] | ["CHECK ((v > 0))"]
["DEFAULT extract(year from now())"] | ["DEFAULT EXTRACT(year FROM now())"]`;

const rowsOf = (table: string) =>
  table
    .trim()
    .split("\n")
    .map((row, index) => [...row.split(" | "), String(index)] as const);

const takenValues = rowsOf(values)
  .map(
    ([value, type, index]) => `call 16, D26: takes ${value} in a column of type ${type}
  createTable { body: { name: value_${index}, schema: { columns: [{ name: v, type: "${type}" }] }, data: [{ v: ${value} }] } }
    -> 200 { data: { numRows: 1 } }`,
  )
  .join("\n\n");

const passedConstraints = rowsOf(constraints)
  .map(
    ([constraint, answered, index]) => `call 16, D26: passes on ${constraint}
  createTable { body: { name: constraint_${index}, schema: { columns: [{ name: v, type: int, constraints: ${constraint} }] } } }
    -> 200 { data: { schema: { columns: [{ constraints: ${answered} }] } } }`,
  )
  .join("\n\n");

talks(
  `
call 16: makes a table with its rows and answers what PostgreSQL made of it
  createTable { body: { name: made, schema: { columns: [
    { name: id, type: int, constraints: [PRIMARY KEY] },
    { name: title, type: varchar(80), constraints: [NOT NULL, UNIQUE] },
    { name: embedding, type: vector(3) },
    { name: score, type: float8, constraints: [DEFAULT 0.5, CHECK (score >= 0)] }] },
    data: [{ id: 1, title: one, embedding: [1, 0, 0] }, { id: 2, title: two, embedding: [0, 1, 0.5], score: 3 }] } }
    -> 200 = { data: { name: made, numRows: 2, schema: { columns: [
    { name: id, type: integer, constraints: [PRIMARY KEY] },
    { name: title, type: character varying(80), constraints: [NOT NULL, UNIQUE] },
    { name: embedding, type: vector(3), constraints: [] },
    { name: score, type: double precision, constraints: [DEFAULT 0.5, CHECK ((score >= (0)::double precision))] }] } } }

call 16, D27: answers 200, and creates a table without rows
  createTable { body: { name: empty, schema: { columns: [{ name: id, type: bigserial }] } } } -> 200 { data: { numRows: 0 } }

call 16: returns as numRows what PostgreSQL counts
  createTable { body: { name: many, schema: { columns: [{ name: id, type: int }] },
    data: [${"{ id: 1 }, {}, ".repeat(600)}] } } -> 200 { data: { numRows: 1200 } }

${takenValues}

call 16: what another table can refer to
  createTable { body: { name: parents, schema: { columns: [{ name: id, type: int, constraints: [PRIMARY KEY] }] } } } -> 200

${passedConstraints}

call 16: a word of SQL, of the catalogue, a line, and upper case are names like others
  createTable { body: { name: select, schema: { columns: [{ name: order, type: int }] }, data: [{ order: 1 }] } }
    -> 200 { data: { name: select, numRows: 1 } }
  createTable { body: { name: pg_class, data: [{ order: 1 }] } } -> 200 { data: { name: pg_class, numRows: 1 } }
  createTable { body: { name: _, data: [{ order: 1 }] } } -> 200 { data: { name: _, numRows: 1 } }
  createTable { body: { name: Table9, data: [{ order: 1 }] } } -> 200 { data: { name: Table9, numRows: 1 } }

call 16, D52: reads the columns from the rows without a schema
  createTable { body: { name: read, data: [
    { title: one, pages: 3, ratio: 1, open: true, embedding: [1, 2], about: { a: 1 }, mixed: 1, nothing: null },
    { title: null, pages: 4, ratio: 0.5, embedding: [0.5, 2], about: [1], mixed: x, later: y }] } }
    -> 200 { data: { numRows: 2, schema: { columns: [{ name: title, type: text }, { name: pages, type: bigint },
    { name: ratio, type: double precision }, { name: open, type: boolean }, { name: embedding, type: vector(2) },
    { name: about, type: jsonb }, { name: mixed, type: jsonb }, { name: nothing, type: text }, { name: later, type: text }] } } }

call 16, D52: creates no columns without a schema and rows, and stores vectors of different sizes as JSON
  createTable { body: { name: none } } -> 200 = { data: { name: none, schema: { columns: [] }, numRows: 0 } }
  createTable { body: { name: sizes, data: [{ v: [1] }, { v: [1, 2] }] } }
    -> 200 { data: { schema: { columns: [{ name: v, type: jsonb }] } } }
`,
  { shared },
);

talks(`
call 15, note 3, D25, call 15, 404, D24, code DATABASE_NOT_RUNNING: items are as the catalogue has them; 404, and 400 of call 16, while the database is stopped
  createTable { body: { name: books, schema: { columns: [{ name: id, type: int }] }, data: [{ id: 1 }, { id: 2 }] } }
    -> 200 = { data: { name: books, schema: { columns: [{ name: id, type: integer, constraints: [] }] }, numRows: 2 } }
  $authors = createTable { body: { name: authors } }
  listTables -> 200 [$authors.data, { name: books, numRows: 2 }]
  manage.setSwitches { tableItems: name }
  listTables -> 200 = [authors, books]
  models.runVectorDatabase false
  listTables -> 404 DATABASE_NOT_RUNNING
  createTable { body: { name: others } } -> 400 DATABASE_NOT_RUNNING
  models.runVectorDatabase true
  listTables -> 200 = [authors, books]
`);

describe("the vector database", () => {
  it("call 15, 500, code INTERNAL_SERVER_ERROR: answers 500, and of call 16, when PostgreSQL itself fails, and afterwards all is well again", {
    tags: "ci",
  }, async () => {
    const errors: unknown[] = [];
    const dataFolder = temporaryFolder();
    const sandbox = await startSandbox({ dataFolder, onError: (error) => void errors.push(error) });
    writeFileSync(join(dataFolder, "vectors"), "no folder");
    const create = () => sandbox.send("createTable", {}, { body: { name: "books" } });
    for (const answer of [await sandbox.send("listTables"), await create()])
      expect([answer.status, codeOf(answer)]).toEqual([500, "INTERNAL_SERVER_ERROR"]);
    expect(errors).toHaveLength(2);
    rmSync(join(dataFolder, "vectors"));
    expect((await sandbox.send("listTables")).body).toEqual([]);
  });

  it("begins with the first vector call, and survives a restart, but not a reset", {
    tags: "ci",
  }, async () => {
    const dataFolder = temporaryFolder();
    const first = await startSandbox({ dataFolder });
    await first.send("listServers");
    expect(await first.management.models.vectorTables()).toEqual([]);
    expect(existsSync(join(dataFolder, "vectors"))).toBe(false);
    await first.send("createTable", {}, { body: { name: "books" } });
    await first.service.close();
    const second = await startSandbox({ dataFolder });
    expect((await second.send("listTables")).body).toMatchObject([{ name: "books" }]);
    await second.management.models.runVectorDatabase(false);
    await second.management.reset();
    expect((await second.send("listTables")).body).toEqual([]);
  });

  it("makes tables one at a time: of two with one name one is made", async () => {
    const create = () => shared().send("createTable", {}, { body: { name: "both" } });
    const answers = await Promise.all([create(), create()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

/** Calls 15 and 16: the tables of the vector database, on a real PostgreSQL. One for all tests: its start is slow. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createdTableSchema, type TableSchema } from "../../../provider/api/model-schemas.ts";
import {
  type Answer,
  codeOf,
  exchange,
  fieldsOf,
  type Sandbox,
  shareSandbox,
  startSandbox,
  temporaryFolder,
} from "./harness.ts";

type Columns = TableSchema["columns"];
type Rows = readonly Readonly<Record<string, unknown>>[];

const shared = shareSandbox();
// The first start on a machine takes seconds: no test has to wait for it.
beforeAll(async () => void (await shared().send("listTables")));
let tables = 0;

/** A name that no other test has. */
function newName(): string {
  tables += 1;
  return `table_${tables}`;
}

function create(sandbox: Sandbox, name: string, columns?: Columns, data?: Rows): Promise<Answer> {
  const body = { name, ...(columns ? { schema: { columns } } : {}), ...(data ? { data } : {}) };
  return sandbox.send("createTable", {}, { body });
}

/** The table that a 200 of call 16 answers. */
function madeBy(answer: Answer) {
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return createdTableSchema.parse(answer.body).data;
}

/** That PostgreSQL's words are answered with 400, and that no table is left. */
async function expectRefused(
  sandbox: Sandbox,
  name: string,
  answer: Answer,
  message: string | RegExp,
): Promise<void> {
  expect([answer.status, codeOf(answer)]).toEqual([400, "INVALID_REQUEST"]);
  expect(answer.body).toEqual({
    error: {
      code: "INVALID_REQUEST",
      message: typeof message === "string" ? message : expect.stringMatching(message),
    },
  });
  expect(await sandbox.management.models.vectorTables(name)).toEqual([]);
}

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

  it("call 16, D27: answers 200, and a table without rows has none", async () => {
    expect(madeBy(await create(shared(), newName(), [{ name: "id", type: "bigserial" }])).numRows).toBe(0);
  });

  it("call 16: numRows is what PostgreSQL counts", async () => {
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

  it.each<[string, Columns, string]>([
    [
      "an unknown type",
      [
        { name: "a", type: "int" },
        { name: "b", type: "vektor(3)" },
      ],
      'schema.columns[1].type: type "vektor" does not exist',
    ],
    [
      "a type of a size that cannot be",
      [{ name: "a", type: "varchar(0)" }],
      "schema.columns[0].type: length for type varchar must be at least 1",
    ],
    ["no type", [{ name: "a", type: "" }], 'schema.columns[0].type: invalid type name ""'],
    [
      "an unknown constraint",
      [{ name: "a", type: "int", constraints: ["VERY NULL"] }],
      'schema: syntax error at or near "VERY"',
    ],
    [
      "two primary keys",
      [
        { name: "a", type: "int", constraints: ["PRIMARY KEY"] },
        { name: "b", type: "int", constraints: ["PRIMARY KEY"] },
      ],
      'schema: multiple primary keys for table "NAME" are not allowed',
    ],
    [
      "one name twice",
      [
        { name: "a", type: "int" },
        { name: "a", type: "text" },
      ],
      'schema: column "a" specified more than once',
    ],
    [
      "a default of another type",
      [{ name: "a", type: "int", constraints: ["DEFAULT 'x'"] }],
      'schema: invalid input syntax for type integer: "x"',
    ],
    [
      "a name that is too long",
      [{ name: "a".repeat(64), type: "int" }],
      "schema.columns[0].name: PostgreSQL cannot keep this name",
    ],
    ["no name", [{ name: "", type: "int" }], 'schema: zero-length delimited identifier at or near """"'],
    [
      "a name of the system",
      [{ name: "ctid", type: "int" }],
      'schema: column name "ctid" conflicts with a system column name',
    ],
  ])(
    "call 16, note 2, D26, code INVALID_REQUEST: %s is refused in PostgreSQL's words",
    async (_, columns, message) => {
      const name = newName();
      await expectRefused(
        shared(),
        name,
        await create(shared(), name, columns),
        message.replace("NAME", name),
      );
    },
  );

  it.each<[string, Rows, RegExp]>([
    [
      "a broken check",
      [{ id: 1 }, { id: -1 }],
      /^data\[0\] to data\[1\]: new row for relation "\w+" violates check constraint/,
    ],
    [
      "a missing value",
      [{ id: 1 }, { title: "x" }],
      /^data\[1\]: null value in column "id" of relation "\w+" violates not-null constraint$/,
    ],
    [
      "a doubled key",
      [{ id: 1 }, { id: 1 }],
      /^data\[0\] to data\[1\]: duplicate key value violates unique constraint/,
    ],
    ["a value of another type", [{ id: "one" }], /^data\[0\]: invalid input syntax for type integer: "one"$/],
    [
      "a value that is too long",
      [{ id: 1, title: "12345" }],
      /^data\[0\]: value too long for type character varying\(4\)$/,
    ],
    ["a vector of another size", [{ id: 1, v: [1, 2, 3] }], /^data\[0\]: expected 2 dimensions, not 3$/],
    [
      "an unknown column",
      [{ id: 1 }, { id: 2, Title: "x" }],
      /^data\[1\]: column "Title" of relation "\w+" does not exist$/,
    ],
    [
      "a text that PostgreSQL cannot hold",
      [{ id: 1, title: "\0" }],
      /^data\[0\]: unsupported Unicode escape sequence$/,
    ],
    [
      "a column whose name cannot be",
      [{ "a\0b": 1 }],
      /^data\[0\]: a name cannot hold the character U\+0000$/,
    ],
  ])(
    "call 16, D26, code INVALID_REQUEST: rows with %s are refused, and no table is left",
    async (_, rows, message) => {
      const name = newName();
      const columns = [
        { name: "id", type: "int", constraints: ["PRIMARY KEY", "CHECK (id > 0)"] },
        { name: "title", type: "varchar(4)" },
        { name: "v", type: "vector(2)" },
      ];
      await expectRefused(shared(), name, await create(shared(), name, columns, rows), message);
      expect(madeBy(await create(shared(), name, columns, [{ id: 1 }])).numRows).toBe(1);
    },
  );

  it("call 16, note 2, D23, 409: a table of that name exists, and stays as it is", async () => {
    const name = newName();
    const made = madeBy(await create(shared(), name, [{ name: "id", type: "int" }], [{ id: 1 }]));
    const answer = await create(shared(), name, [{ name: "other", type: "text" }]);
    expect([answer.status, answer.body]).toEqual([
      409,
      { error: { message: `a table with the name "${name}" exists` } },
    ]);
    expect(await shared().management.models.vectorTables(name)).toEqual([made]);
  });

  it("call 16: names differ by letter case, and what has the name of an index is no table", async () => {
    const name = newName();
    const columns = [{ name: "id", type: "int", constraints: ["PRIMARY KEY"] }];
    madeBy(await create(shared(), name, columns));
    madeBy(await create(shared(), name.toUpperCase(), columns));
    const answer = await create(shared(), `${name}_pkey`, columns);
    await expectRefused(shared(), `${name}_pkey`, answer, `schema: relation "${name}_pkey" already exists`);
  });

  it.each(["select", "pg_class", "_", "Table9"])("call 16: %s is a name like another", async (name) => {
    expect(
      madeBy(await create(shared(), name, [{ name: "order", type: "int" }], [{ order: 1 }])),
    ).toMatchObject({ name, numRows: 1 });
  });

  it("call 16, D52: without a schema the columns are read off the rows", async () => {
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

  it("call 16, D52: without schema and rows the table has no columns", async () => {
    const name = newName();
    expect(madeBy(await create(shared(), name))).toEqual({ name, schema: { columns: [] }, numRows: 0 });
  });

  it("call 16, D52: vectors of different sizes are JSON", async () => {
    const { schema } = madeBy(await create(shared(), newName(), undefined, [{ v: [1] }, { v: [1, 2] }]));
    expect(schema?.columns[0]?.type).toBe("jsonb");
  });

  it.each<[string, unknown, string[]]>([
    ["no name", {}, ["body.name"]],
    ["a name with a blank", { name: "my table" }, ["body.name"]],
    ["a name that begins with a digit", { name: "1st" }, ["body.name"]],
    ["a name of 64 letters", { name: "a".repeat(64) }, ["body.name"]],
    [
      "a column without a type",
      { name: "t", schema: { columns: [{ name: "a" }] } },
      ["body.schema.columns.0.type"],
    ],
    ["rows that are no objects", { name: "t", data: [1] }, ["body.data.0"]],
  ])("call 16, D43: %s is 422", async (_, body, fields) => {
    const answer = await shared().send("createTable", {}, { body });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
  });

  it("call 16, note 5: takes application/json and nothing else", async () => {
    const authorization = `Bearer ${shared().service.seed.apiKey}`;
    const send = async (type: string) => {
      const headers = { authorization, "content-type": type };
      const body = JSON.stringify({ name: newName() });
      return (await fetch(shared().url("createTable"), { method: "POST", headers, body })).status;
    };
    expect([await send("text/plain"), await send("application/json")]).toEqual([415, 200]);
  });
});

describe("call 16, values that JSON can hold and PostgreSQL cannot", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

  it.each([
    ["a number that is too large", "1e400", "data[1]: a number is too large"],
    [
      "a value that is nested too deep",
      nested(20_000),
      "data[1]: a value is nested more than 500 levels deep",
    ],
  ])("call 16, code INVALID_REQUEST: %s is refused", async (_, value, message) => {
    const name = newName();
    const body = `{"name":"${name}","data":[{"a":1},{"a":${value}}]}`;
    const headers = {
      authorization: `Bearer ${shared().service.seed.apiKey}`,
      "content-type": "application/json",
    };
    const answer = await exchange(shared().url("createTable"), { method: "POST", headers, body });
    await expectRefused(shared(), name, answer, message);
  });
});

describe("call 16, one statement", () => {
  const guarded = shareSandbox();
  const inType = /^schema\.columns\[0\]\.type: /;
  const inConstraint = /^schema\.columns\[0\]\.constraints\[\d\]: /;
  const denied = /^data\[0\]: permission denied for function/;
  const attempts: [string, string, string[], RegExp][] = [
    ["a type that ends the statement", "int); DROP TABLE victim; --", [], inType],
    ["a type that adds a column", "int, b int", [], inType],
    ["a type with a constraint", "int NOT NULL", [], inType],
    ["a type with U+0000", "int\0", [], inType],
    ["a constraint that ends the statement", "int", ["); DROP TABLE victim; --"], inConstraint],
    ["a constraint that adds a column", "int", ["DEFAULT 1, b int"], inConstraint],
    ["a constraint that closes the columns", "int", ["CHECK (true)) INHERITS (victim"], inConstraint],
    ["brackets that close a parenthesis", "int", ["CHECK (true]"], inConstraint],
    ["a parenthesis that stays open", "int", ["CHECK (true"], inConstraint],
    ["a constraint that hides the rest", "int", ["DEFAULT 1 --"], inConstraint],
    ["a comment over the rest", "int", ["DEFAULT 1 /*"], inConstraint],
    ["a quote over two constraints", "text", ["DEFAULT 'a", "', b text DEFAULT ' '"], inConstraint],
    ["a quote with a backslash", "text", [String.raw`DEFAULT E'\'', b text DEFAULT ' ') --'`], inConstraint],
    ["a quote by dollar signs", "text", ["DEFAULT $$ ' $$, b text DEFAULT $$ ' $$"], inConstraint],
    ["a constraint with U+0000", "int", ["DEFAULT 1\0"], inConstraint],
    ["a quote with U+0000", "text", ["DEFAULT '\0'"], inConstraint],
    ["nothing", "int", [" "], inConstraint],
    ["a second query inside", "int", ["DEFAULT (SELECT 1)"], /^schema: cannot use subquery/],
    ["another role", "text", ["DEFAULT set_config('role', 'postgres', false)"], denied],
    ["sleep", "text", ["CHECK (pg_sleep(60) IS NOT NULL)"], denied],
    ["a file", "text", ["DEFAULT pg_read_file('PG_VERSION')"], denied],
    ["a query in a text", "xml", ["DEFAULT query_to_xml('DROP TABLE victim', true, true, '')"], denied],
  ];

  it.each(attempts)("refuses %s and changes nothing", async (_, type, constraints, sentence) => {
    await create(guarded(), "victim", [{ name: "id", type: "int" }]);
    const before = await guarded().management.models.vectorTables();
    const name = newName();
    const answer = await create(guarded(), name, [{ name: "a", type, constraints }], [{}]);
    await expectRefused(guarded(), name, answer, sentence);
    expect(await guarded().management.models.vectorTables()).toEqual(before);
  });

  it("reads a comment in a type away", async () => {
    const made = madeBy(await create(guarded(), newName(), [{ name: "a", type: "int -- , b int" }]));
    expect(made.schema?.columns.map(({ name, type }) => [name, type])).toEqual([["a", "integer"]]);
  });

  it("takes a name with quotes as a name", async () => {
    const odd = `a" int); DROP TABLE victim; --`;
    const made = madeBy(await create(guarded(), newName(), [{ name: odd, type: "int" }], [{ [odd]: 1 }]));
    expect([made.numRows, made.schema?.columns.map(({ name }) => name)]).toEqual([1, [odd]]);
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

  it("call 15, 500, code INTERNAL_SERVER_ERROR: as a fault says", async () => {
    const sandbox = await startSandbox();
    const error = { code: "INTERNAL_SERVER_ERROR", message: "the disk is gone" };
    const fault = { kind: "refuse", status: 500, body: { error } } as const;
    await sandbox.management.addFaults({ match: { call: 15 }, fault });
    const answer = await sandbox.send("listTables");
    expect([answer.status, codeOf(answer)]).toEqual([500, "INTERNAL_SERVER_ERROR"]);
  });

  it("call 15, 500: and of call 16, when PostgreSQL itself fails, and afterwards all is well again", async () => {
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
  it("is not there before the first vector call, lives through a restart, and not through a reset", async () => {
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

  it("a lost answer of call 16 leaves the table", async () => {
    const name = newName();
    await shared().management.addFaults({ match: { call: 16 }, fault: { kind: "cut-after" } });
    await expect(create(shared(), name)).rejects.toThrow();
    expect((await create(shared(), name)).status).toBe(409);
  });
});

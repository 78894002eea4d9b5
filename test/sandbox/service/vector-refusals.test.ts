/** What call 16 refuses, in PostgreSQL's own words if it is PostgreSQL that refuses; and that nothing is left then. */
import { beforeAll, describe, expect, it } from "vitest";
import { exchange, fieldsOf, shareSandbox } from "./harness.ts";
import { type Columns, create, expectRefused, madeBy, newName, type Rows } from "./vector-harness.ts";

const shared = shareSandbox();
// The first start on a machine takes seconds: no test has to wait for it.
beforeAll(async () => void (await shared().send("listTables")));

describe("call 16", () => {
  const column = (name: string, type = "int", ...constraints: string[]) => ({ name, type, constraints });
  const long = column("a".repeat(64));
  it.each<[string, Columns, string]>([
    [
      "an unknown type",
      [column("a"), column("b", "vektor(3)")],
      'schema.columns[1].type: type "vektor" does not exist',
    ],
    ["an unknown constraint", [column("a", "int", "VERY NULL")], 'schema: syntax error at or near "VERY"'],
    ["one name twice", [column("a"), column("a", "text")], 'schema: column "a" specified more than once'],
    ["a name that is too long", [long], "schema.columns[0].name: PostgreSQL cannot keep this name"],
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
      "an unknown column",
      [{ id: 1 }, { id: 2, Title: "x" }],
      /^data\[1\]: column "Title" of relation "\w+" does not exist$/,
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

  it("call 16, note 2, D23, 409: leaves an existing table with that name as it is", async () => {
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

  it("call 16, note 5: takes only application/json", async () => {
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
    await create(shared(), "victim", [{ name: "id", type: "int" }]);
    const before = await shared().management.models.vectorTables();
    const name = newName();
    const answer = await create(shared(), name, [{ name: "a", type, constraints }], [{}]);
    await expectRefused(shared(), name, answer, sentence);
    expect(await shared().management.models.vectorTables()).toEqual(before);
  });

  it("reads a comment in a type away", async () => {
    const made = madeBy(await create(shared(), newName(), [{ name: "a", type: "int -- , b int" }]));
    expect(made.schema?.columns.map(({ name, type }) => [name, type])).toEqual([["a", "integer"]]);
  });

  it("takes a name with quotes as a name", async () => {
    const odd = `a" int); DROP TABLE victim; --`;
    const made = madeBy(await create(shared(), newName(), [{ name: odd, type: "int" }], [{ [odd]: 1 }]));
    expect([made.numRows, made.schema?.columns.map(({ name }) => name)]).toEqual([1, [odd]]);
  });
});

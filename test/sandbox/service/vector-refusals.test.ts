/** What call 16 refuses, in PostgreSQL's own words if it is PostgreSQL that refuses; and that nothing is left then. */
import { beforeAll, describe, expect, it } from "vitest";
import { exchange, shareSandbox } from "./harness.ts";
import { talks, talksIn } from "./talk.ts";

const shared = shareSandbox();
// The first start on a machine takes seconds: no test has to wait for it.
beforeAll(async () => void (await shared().send("listTables")));

const refused = (message: string) =>
  `400 { error: { code: INVALID_REQUEST, message: ${JSON.stringify(message)} } }`;

/** What is refused; columns and rows of the table `t`; the message. */
const tables = String.raw`
an unknown type | [{ name: a, type: int }, { name: b, type: vektor(3) }] | [] | schema.columns[1].type: type "vektor" does not exist
an unknown constraint | [{ name: a, type: int, constraints: [VERY NULL] }] | [] | schema: syntax error at or near "VERY"
one name twice | [{ name: a, type: int }, { name: a, type: text }] | [] | schema: column "a" specified more than once
a name that is too long | [{ name: ${"a".repeat(64)}, type: int }] | [] | schema.columns[0].name: PostgreSQL cannot keep this name
a broken check | COLUMNS | [{ id: 1 }, { id: -1 }] | /^data\[0\] to data\[1\]: new row for relation "t" violates check constraint/
a missing value | COLUMNS | [{ id: 1 }, { title: x }] | data[1]: null value in column "id" of relation "t" violates not-null constraint
an unknown column | COLUMNS | [{ id: 1 }, { id: 2, Title: x }] | data[1]: column "Title" of relation "t" does not exist
a column whose name cannot be | COLUMNS | [{ "a\0b": 1 }] | data[0]: a name cannot hold the character U+0000
`.replaceAll(
  "COLUMNS",
  "[{ name: id, type: int, constraints: [PRIMARY KEY, CHECK (id > 0)] }, { name: title, type: varchar(4) }]",
);

describe("call 16", () => {
  talks(
    tables
      .trim()
      .split("\n")
      .map((row) => {
        const [what, columns, data, message = ""] = row.split(" | ");
        return `call 16, note 2, D26, code INVALID_REQUEST: ${what} is refused in PostgreSQL's words, and no table is left
  createTable { body: { name: t, schema: { columns: ${columns} }, data: ${data} } } -> ${refused(message)}
  models.vectorTables t -> = []`;
      })
      .join("\n\n"),
    { shared },
  );

  talksIn("vector-refusals.txt", { shared });

  it.each([
    ["a number that is too large", "1e400", "data[1]: a number is too large"],
    [
      "a value that is nested too deep",
      `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
      "data[1]: a value is nested more than 500 levels deep",
    ],
  ])("call 16, code INVALID_REQUEST: %s is refused", async (_, value, message) => {
    const body = `{"name":"t","data":[{"a":1},{"a":${value}}]}`;
    const authorization = `Bearer ${shared().service.seed.apiKey}`;
    const headers = { authorization, "content-type": "application/json" };
    const answer = await exchange(shared().url("createTable"), { method: "POST", headers, body });
    expect([answer.status, answer.body]).toEqual([400, { error: { code: "INVALID_REQUEST", message } }]);
    expect(await shared().management.models.vectorTables("t")).toEqual([]);
  });
});

/** What is tried; type and constraints of a column; where it is refused. */
const attempts = String.raw`
a type that ends the statement | "int); DROP TABLE victim; --" | [] | type
a type that adds a column | "int, b int" | [] | type
a type with a constraint | "int NOT NULL" | [] | type
a type with U+0000 | "int\0" | [] | type
a constraint that ends the statement | "int" | ["); DROP TABLE victim; --"] | constraints\[0\]
a constraint that adds a column | "int" | ["DEFAULT 1, b int"] | constraints\[0\]
a constraint that closes the columns | "int" | ["CHECK (true)) INHERITS (victim"] | constraints\[0\]
brackets that close a parenthesis | "int" | ["CHECK (true]"] | constraints\[0\]
a parenthesis that stays open | "int" | ["CHECK (true"] | constraints\[0\]
a constraint that hides the rest | "int" | ["DEFAULT 1 --"] | constraints\[0\]
a comment over the rest | "int" | ["DEFAULT 1 /*"] | constraints\[0\]
a quote over two constraints | "text" | ["DEFAULT 'a", "', b text DEFAULT ' '"] | constraints\[\d\]
a quote with a backslash | "text" | ["DEFAULT E'\\'', b text DEFAULT ' ') --'"] | constraints\[0\]
a quote by dollar signs | "text" | ["DEFAULT $$ ' $$, b text DEFAULT $$ ' $$"] | constraints\[0\]
a constraint with U+0000 | "int" | ["DEFAULT 1\0"] | constraints\[0\]
a quote with U+0000 | "text" | ["DEFAULT '\0'"] | constraints\[0\]
nothing | "int" | [" "] | constraints\[0\]
a second query inside | "int" | ["DEFAULT (SELECT 1)"] | schema: cannot use subquery
another role | "text" | ["DEFAULT set_config('role', 'postgres', false)"] | data\[0\]: permission denied for function
sleep | "text" | ["CHECK (pg_sleep(60) IS NOT NULL)"] | data\[0\]: permission denied for function
a file | "text" | ["DEFAULT pg_read_file('PG_VERSION')"] | data\[0\]: permission denied for function
a query in a text | "xml" | ["DEFAULT query_to_xml('DROP TABLE victim', true, true, '')"] | data\[0\]: permission denied for function
`;

describe("call 16, one statement", () => {
  beforeAll(async () => {
    const schema = { columns: [{ name: "id", type: "int" }] };
    await shared().send("createTable", {}, { body: { name: "victim", schema } });
  });

  talks(
    attempts
      .trim()
      .split("\n")
      .map((row) => {
        const [what, type, constraints, where = ""] = row.split(" | ");
        const message = where.includes(": ") ? `/^${where}/` : `/^schema\\.columns\\[0\\]\\.${where}: /`;
        return `refuses ${what} and changes nothing
  $before = models.vectorTables
  createTable { body: { name: t, schema: { columns: [{ name: a, type: ${type}, constraints: ${constraints} }] }, data: [{}] } }
    -> ${refused(message)}
  models.vectorTables -> = $before`;
      })
      .join("\n\n"),
    { shared },
  );
});

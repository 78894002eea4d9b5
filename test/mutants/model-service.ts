import type { Mutant } from "./mutant.ts";

const test = (name: string) => `test/sandbox/service/${name}.test.ts`;
const file = (name: string) => `sandbox/service/${name}.ts`;

type Break = Pick<Mutant, "name" | "find" | "replace" | "only" | "rows">;

/** Breaks of one file of the service that one file of tests notices. */
function breaks(broken: string, noticing: string, list: readonly Break[]): Mutant[] {
  return list.map(({ name, ...rest }) => ({
    name: `model area: ${name}`,
    file: file(broken),
    tests: [test(noticing)],
    ...rest,
  }));
}

const filters = { fileId: "file_id", tag: "tag", port: "port", host: "host" };
const filterBreaks = Object.entries(filters).map(([name, column]) => ({
  name: `call 12 does not filter by ${name}`,
  find: `(${name} === undefined || server.${column} === ${name}) &&`,
  replace: "",
  only: "filter by",
  rows: ["call 12, note 1"],
}));

const servers = breaks("servers", "servers", [
  ...filterBreaks,
  {
    name: "call 12 does not filter by status",
    find: "(status === undefined || server.status === status);",
    replace: "true;",
    only: "filter by status",
    rows: ["call 12, note 1"],
  },
  {
    name: "a server's status is in lower case always",
    find: "upper: status.toUpperCase()",
    replace: "upper: status",
    only: "D22",
  },
  {
    name: "call 14 takes any text for an id",
    find: 'if (!id.success) throw refusal(400, "INVALID_SERVER_ID", "this is not the id of a server, which is a UUID");',
    replace: 'if (!id.success) throw plainRefusal(404, "no such server");',
    only: "code INVALID_SERVER_ID",
    rows: ["code INVALID_SERVER_ID", "call 14, note 4"],
  },
  {
    name: "call 14 of an unknown server is a 400",
    find: 'if (!server) throw plainRefusal(404, "no such server");',
    replace: 'if (!server) throw plainRefusal(400, "no such server");',
    only: "404: an unknown server",
    rows: ["call 14, note 4"],
  },
  {
    name: "call 14 deletes a server that is stopping",
    find: '["running", "starting", "stopping"];',
    replace: '["running", "starting"];',
    only: "code SERVER_RUNNING: 409",
    rows: ["code SERVER_RUNNING", "call 14, note 4"],
  },
  {
    name: "call 14 deletes nothing",
    find: 'database.run("DELETE FROM servers WHERE id = ?", server.id);',
    replace: "",
    only: "transition: server DELETE",
    rows: ["transition: server DELETE"],
  },
  {
    name: "call 14 tells the machine's time",
    find: "new Date(now).toISOString()",
    replace: "new Date().toISOString()",
    only: "deletedAt",
  },
  {
    name: "a server starts for ever",
    find: "age >= STARTING_MS",
    replace: "age > STARTING_MS",
    only: "a start leads",
  },
  {
    name: "a server stops for ever",
    find: "age >= STOPPING_MS",
    replace: "age > STOPPING_MS",
    only: "a stop leads",
  },
  {
    name: "a running server is started again",
    find: 'move === "start" && alive.includes(status)',
    replace: 'move === "start" && status === "starting"',
    only: "the moves of a server",
  },
  {
    name: "a stopped server is stopped again",
    find: 'move === "stop" && status !== "running"',
    replace: 'move === "stop" && status === "starting"',
    only: "code SERVER_NOT_RUNNING",
    rows: ["code SERVER_NOT_RUNNING"],
  },
  {
    name: "a server without a process fails",
    find: 'move === "fail" && !alive.includes(status)',
    replace: 'move === "fail" && status === "stopped"',
    only: "code SERVER_NOT_RUNNING",
    rows: ["code SERVER_NOT_RUNNING"],
  },
  {
    name: "a start keeps the number of the old process",
    find: 'move === "start" ? nextProcessId(database) : server.process_id',
    replace: "server.process_id",
    only: "a start leads",
  },
]);

const files = breaks("model-files", "model-files", [
  {
    name: "an unknown model has no files",
    find: 'if (!model) throw plainRefusal(404, "no such model");',
    replace: "if (!model) return { data: [] };",
    only: "is no model",
    rows: ["call 13, note 4"],
  },
  {
    name: "call 13 lists the files of all models",
    find: "WHERE model_id = ? ORDER BY rowid",
    replace: "WHERE model_id = ?1 OR 1 ORDER BY rowid",
    only: "only the files of the model",
  },
  {
    name: "a download stands still",
    find: "Math.min(Math.max(0, now - resumed), needed)",
    replace: "0",
    only: "goes on with the service's clock",
  },
  {
    name: "a download takes longer than its file",
    find: "Math.min(Math.max(0, now - resumed), needed)",
    replace: "Math.max(0, now - resumed)",
    only: "goes on with the service's clock",
  },
  {
    name: "a paused download goes on",
    find: 'rest && move === "resume" ? now : null',
    replace: "rest ? now : null",
    only: "a paused download waits",
  },
  {
    name: "a pause forgets what has come",
    find: "    receivedBytes,\n    spentMs,\n    rest",
    replace: "    0,\n    spentMs,\n    rest",
    only: "a paused download waits",
  },
  {
    name: "a download's ratio is in percent",
    find: "downloadedRatio: receivedBytes / file.size_bytes",
    replace: "downloadedRatio: (receivedBytes / file.size_bytes) * 100",
    only: "in its unit",
    rows: ["fields: model file"],
  },
  {
    name: "a download's rate is in bytes",
    find: "(receivedBytes * 8) / 1e6",
    replace: "receivedBytes / 1e6",
    only: "in its unit",
    rows: ["fields: model file"],
  },
]);

const keys = [
  ...breaks("api-keys", "access", [
    {
      name: "any UUID opens it",
      find: "hashOfKey(key.data))?.name;",
      replace: 'hashOfKey(key.data))?.name ?? "anybody";',
      only: "authentication: model area 3",
      rows: ["authentication: model area 3"],
    },
    {
      name: "the letter case of a key matters",
      find: "hashOf(key.toLowerCase())",
      replace: "hashOf(key)",
      only: "in any letter case",
    },
    {
      name: "a removed key lives on",
      find: '"DELETE FROM api_keys WHERE name = ?"',
      replace: '"UPDATE api_keys SET name = name WHERE name = ?"',
      only: "keys come and go",
    },
  ]),
  ...breaks("model-area", "access", [
    {
      name: "calls 15 and 16 need no key",
      find: "  authorize(core, context);\n  const body",
      replace: "  const body",
      only: "authentication: model area 3",
      rows: ["authentication: model area 3"],
    },
  ]),
];

const queries = breaks("request", "servers", [
  {
    name: "of a filter that is given twice the first counts",
    find: "values.length === 1 ? values[0] : values,",
    replace: "values[0],",
    only: "a bad filter is 422",
    rows: ["call 12, note 2"],
  },
]);

const vectors = [
  ...breaks("vector-tables", "vector-tables", [
    {
      name: "call 15 of a stopped database is a 400",
      find: 'throw refusal(404, "DATABASE_NOT_RUNNING"',
      replace: 'throw refusal(400, "DATABASE_NOT_RUNNING"',
      only: "code DATABASE_NOT_RUNNING",
      rows: ["call 15, 404", "code DATABASE_NOT_RUNNING"],
    },
    {
      name: "call 16 of a stopped database is a 404",
      find: 'throw refusal(400, "DATABASE_NOT_RUNNING"',
      replace: 'throw refusal(404, "DATABASE_NOT_RUNNING"',
      only: "code DATABASE_NOT_RUNNING",
      rows: ["code DATABASE_NOT_RUNNING"],
    },
    {
      name: "call 15 answers objects always",
      find: 'switches.tableItems === "object" ? tables : tables.map(({ name }) => name)',
      replace: "switches ? tables : undefined",
      only: "call 15, note 3",
      rows: ["call 15, note 3"],
    },
    {
      name: "a table that exists is a bad request",
      find: "if (existing) throw plainRefusal(409,",
      replace: "if (existing) throw plainRefusal(400,",
      only: "409: a table of that name",
      rows: ["call 16, note 2"],
    },
    {
      name: "a table stays when its rows are refused",
      find: "  await insertRows(transaction, table, data);",
      replace: '  await transaction.query("COMMIT");\n  await insertRows(transaction, table, data);',
      only: "are refused, and no table is left",
      rows: ["code INVALID_REQUEST"],
    },
    {
      name: "a name that PostgreSQL cuts is kept cut",
      find: "if (made.schema.columns[index]?.name === column.name) continue;",
      replace: "if (made.schema.columns[index]) continue;",
      only: "a name that is too long",
      rows: ["code INVALID_REQUEST"],
    },
  ]),
  ...breaks("vector-rows", "vector-tables", [
    {
      name: "of rows with other columns the columns of the first are taken",
      find: "if (latest?.names === names) latest.group.push(row);",
      replace: "if (latest) latest.group.push(row);",
      only: "an unknown column",
    },
    {
      name: "a number that is too large is nothing",
      find: "if (fault !== undefined) throw invalidRequest(",
      replace: 'if (fault === "") throw invalidRequest(',
      only: "a number that is too large",
    },
  ]),
  ...breaks("vector-catalogue", "vector-tables", [
    {
      name: "rows are not counted",
      find: "numRows: await countRows(transaction, table.name)",
      replace: "numRows: table.schema.columns.length",
      only: "call 15, note 3",
      rows: ["call 15, note 3"],
    },
    {
      name: "a primary key is listed twice",
      find: "p.contype = 'p'",
      replace: "p.contype = 'x'",
      only: "answers what PostgreSQL made of it",
    },
  ]),
  ...breaks("sql-errors", "vector-tables", [
    {
      name: "a broken constraint is the service's fault",
      find: '["0A", "22", "23",',
      replace: '["0A", "22",',
      only: "a broken check",
      rows: ["code INVALID_REQUEST"],
    },
    {
      name: "an unknown type is the service's fault",
      find: '"42", "44",',
      replace: '"44",',
      only: "an unknown type",
      rows: ["code INVALID_REQUEST", "call 16, note 2"],
    },
  ]),
  ...breaks("vector-database", "vector-tables", [
    {
      name: "tables are made with the rights of PostgreSQL's owner",
      find: "this.#transaction([AS_OWNER], work)",
      replace: "this.#transaction([], work)",
      only: "call 16, one statement",
    },
    {
      name: "functions with effects are open to the words of a column",
      find: "'REVOKE EXECUTE ON FUNCTION ' || effectful || ' FROM PUBLIC'",
      replace: "'GRANT EXECUTE ON FUNCTION ' || effectful || ' TO PUBLIC'",
      only: "refuses another role",
    },
    {
      name: "a reset keeps the vector tables",
      find: "      rmSync(this.#folder, { recursive: true, force: true });",
      replace: "",
      only: "not through a reset",
    },
  ]),
];

const clauses = breaks(
  "vector-schema",
  "vector-tables",
  [
    {
      name: "adds a column",
      find: 'else if (character === "," && open.length === 0) return "it is more than one constraint";',
      replace: "",
      only: "a constraint that adds a column",
    },
    {
      name: "closes the columns",
      find: "if (open.pop() !== character)",
      replace: "if (open.pop() === undefined)",
      only: "brackets that close a parenthesis",
    },
    {
      name: "hides the rest in a comment",
      find: 'return "it holds a comment";',
      replace: "continue;",
      only: "a constraint that hides the rest",
    },
    {
      name: "is quoted by dollar signs",
      find: "[;$\\\\\\0]",
      replace: "[;\\\\\\0]",
      only: "a quote by dollar signs",
    },
    {
      name: "has a quote with a backslash",
      find: 'if (/[\\w&]/.test(text.charAt(at - 1))) return "a quote follows a letter without a space";',
      replace: "",
      only: "a quote with a backslash",
    },
    {
      name: "has a quote that goes on in the next one",
      find: 'if (at < 0) return "a quote is not closed";',
      replace: "if (at < 0) return undefined;",
      only: "a quote over two constraints",
    },
    {
      name: "ends the text of the statement",
      find: 'if (text.charAt(at) === "\\0") return -1;',
      replace: "",
      only: "a quote with U+0000",
    },
    {
      name: "is empty",
      find: 'if (text.trim() === "") return "the constraint is empty";',
      replace: "",
      only: "refuses nothing and changes nothing",
    },
  ].map((one) => ({ ...one, name: `a constraint ${one.name}` })),
);

const columns = breaks("vector-schema", "vector-tables", [
  {
    name: "the type of a column is SQL",
    find: "  if (SERIAL.test(text.trim())) return text.trim();",
    replace: "  if (transaction) return text;",
    only: "a type that adds a column",
  },
  {
    name: "a quote in a name ends it",
    find: "name.replaceAll('\"', '\"\"')",
    replace: "name",
    only: "takes a name with quotes",
  },
  {
    name: "a name ends the text of the statement",
    find: 'if (name.includes("\\0")) throw',
    replace: 'if (name === "\\0") throw',
    only: "a column whose name cannot be",
  },
  {
    name: "vectors of different sizes make a column of vectors",
    find: "isVector(value) && value.length === size",
    replace: "isVector(value)",
    only: "vectors of different sizes",
  },
  {
    name: "whole numbers are read as fractions",
    find: 'return "bigint";',
    replace: 'return "double precision";',
    only: "the columns are read off the rows",
  },
]);

const document = breaks("openapi", "openapi", [
  {
    name: "the OpenAPI document leaves out what a call refuses",
    find: "const own = Object.entries(call.refusals);",
    replace: "const own = Object.entries(call.refusals).slice(1);",
  },
  {
    name: "the OpenAPI document has one credential for all",
    find: "security: [{ [call.credential]: [] }],",
    replace: "security: [{ user: [] }],",
  },
]);

/** Breaks of calls 12 to 16 in the sandbox service. */
export const modelServiceMutants: readonly Mutant[] = [
  ...servers,
  ...files,
  ...keys,
  ...queries,
  ...vectors,
  ...clauses,
  ...columns,
  ...document,
];

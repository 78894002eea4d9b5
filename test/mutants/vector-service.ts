import type { Mutant } from "./mutant.ts";
import { breaks } from "./service-breaks.ts";

const clauses = breaks(
  "vector-schema",
  "vector-refusals",
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

/** Breaks of calls 15 and 16 in the sandbox service. */
export const vectorServiceMutants: readonly Mutant[] = [
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
  ]),
  ...breaks("vector-tables", "vector-refusals", [
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
  ...breaks("vector-rows", "vector-refusals", [
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
  ...breaks("sql-errors", "vector-refusals", [
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
  ...breaks("vector-database", "vector-refusals", [
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
  ]),
  ...breaks("vector-database", "vector-tables", [
    {
      name: "a reset keeps the vector tables",
      find: "      rmSync(this.#folder, { recursive: true, force: true });",
      replace: "",
      only: "not through a reset",
    },
  ]),
  ...breaks("vector-schema", "vector-refusals", [
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
  ]),
  ...breaks("vector-schema", "vector-tables", [
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
  ]),
  ...clauses,
];

import { describe, expect, test } from "vitest";
import { splitCode } from "../../provider/util/error-codes.ts";
import type { FaultRule } from "../../sandbox/service/index.ts";
import type { DirectResource } from "../setup/direct.ts";
import { modelStack, sharedService } from "../setup/model-area.ts";
import { failure, inTurn, type Props, scripted } from "./scripted.ts";

const columns = [
  { name: "id", type: "bigint", constraints: ["PRIMARY KEY"] },
  { name: "title", type: "text", constraints: ["NOT NULL"] },
  { name: "embedding", type: "vector(3)" },
];
const rows = [
  { id: 1, title: "one", embedding: [1, 0, 0] },
  { id: 2, title: "two", embedding: [0, 1, 0] },
];
const service = sharedService();
let begun = 0;

/** A table's name of the test's own, in the one service. */
async function begin() {
  const organization = await service();
  const { management } = organization.service;
  begun += 1;
  const name = `docs_${begun}`;
  return {
    organization,
    management,
    name,
    stack: () => modelStack(organization),
    table: (args: Props = {}, resource = "docs"): DirectResource => ({
      type: "VectorTable",
      name: resource,
      args: { name, schema: { columns }, data: rows, ...args },
    }),
    /** How many rows a table of the database has; undefined if there is no such table. */
    rows: async (which = name) =>
      (await management.models.vectorTables()).find((table) => table.name === which)?.numRows,
  };
}

describe("VectorTable, in the service", () => {
  test("creates schema and rows by one call, changes nothing after, and ends forgotten with a warning (D28)", async () => {
    const area = await begin();
    const stack = area.stack();
    expect((await stack.up([area.table()])).errors).toEqual([]);
    expect(await area.organization.calls()).toEqual([16]);
    expect(await area.rows()).toBe(2);
    const outs = stack.state.get("docs")?.outs ?? {};
    expect(outs).toMatchObject({ name: area.name, numRows: 2, adopted: false, schema: { columns } });
    expect(outs.actualSchema).toMatchObject({
      columns: [{ name: "id" }, { name: "title" }, { name: "embedding" }],
    });
    expect(JSON.stringify([...stack.state.values()].map(({ inputs, outs }) => [inputs, outs]))).not.toContain(
      "one",
    );
    expect(outs.data).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await stack.preview([area.table()])).toEqual([]);
    const reordered = rows.map(({ id, title, embedding }) => ({ embedding, title, id }));
    expect(await stack.up([area.table({ data: reordered })]), "another order of the keys").toEqual({
      errors: [],
      messages: [],
    });
    const { errors, messages } = await stack.up([]);
    expect(errors).toEqual([]);
    expect(messages).toEqual([
      {
        severity: "warning",
        text: expect.stringContaining(
          `VectorTable ${area.name} is removed from the state: the API cannot delete tables`,
        ),
      },
    ]);
    expect(await area.organization.calls()).toEqual([]);
    expect(await area.rows()).toBe(2);
  });

  test("updates changed rows without a call, and one warning says that they are not sent", async () => {
    const area = await begin();
    const stack = area.stack();
    await stack.up([area.table()]);
    await area.organization.requests();
    const changed = area.table({ data: [{ id: 9, title: "nine" }] });
    expect(await stack.preview([changed])).toEqual(["docs"]);
    expect(await stack.up([changed])).toEqual({
      errors: [],
      messages: [
        {
          severity: "warning",
          text: expect.stringMatching(/rows are sent only when the table is created.*You can omit/),
        },
      ],
    });
    const silent = { errors: [], messages: [] };
    expect(await stack.preview([changed])).toEqual([]);
    expect(await stack.up([changed])).toEqual(silent);
    expect(await stack.refresh()).toEqual(silent);
    expect(await stack.preview([area.table({ data: undefined })]), "no rows any more").toEqual([]);
    expect(await stack.up([area.table({ data: undefined, adopt: true })])).toEqual(silent);
    expect(await stack.up([changed]), "the rows that were given last").toEqual(silent);
    expect((await area.organization.calls()).filter((call) => call !== 15)).toEqual([]);
  });

  test("refuses another name or schema in the preview, with every place that differs (D28)", async () => {
    const area = await begin();
    const stack = area.stack();
    await stack.up([area.table()]);
    await area.organization.requests();
    await expect(stack.preview([area.table({ name: "other_docs" })])).rejects.toThrow(
      `name: the table is named ${area.name}, and the API cannot rename or delete a table`,
    );
    const [id, title, embedding] = columns;
    const more = { name: "more", type: "text" };
    const others = [id, { ...title, type: "varchar" }, { ...embedding, constraints: ["NOT NULL"] }, more];
    const { message } = await failure(stack.preview([area.table({ schema: { columns: others } })]));
    const places = [...message.matchAll(/schema[\w.[\]]*(?=: )/g)].map(([place]) => place);
    expect(places).toEqual(["schema.columns[1].type", "schema.columns[2].constraints", "schema.columns[3]"]);
    expect((await failure(stack.preview([area.table({ schema: undefined })]))).message).toMatch(
      /^schema: the table docs_\d+ was created/,
    );
    const same = { columns: [{ ...id }, { ...title }, { ...embedding, constraints: [] }] };
    expect(await stack.preview([area.table({ schema: same })]), "no constraints are none").toEqual([]);
    const spelt = [
      { ...id, type: " BIGINT", constraints: ["primary\t key "] },
      { ...title, type: "Text", constraints: ["NOT  null"] },
      { ...embedding, type: "VECTOR(3)" },
    ];
    expect(await stack.preview([area.table({ schema: { columns: spelt } })]), "as SQL reads it").toEqual([]);
    expect(await area.organization.calls()).toEqual([]);
  });

  test.each([
    ["a quoted text", "DEFAULT 'New  York'", "DEFAULT 'new york'"],
    ["a quoted name", 'COLLATE "C"', 'COLLATE "c"'],
    ["a text in dollars", "DEFAULT $$A$$", "DEFAULT $$a$$"],
    ["a comment", "NOT NULL -- sure\nUNIQUE", "NOT NULL -- sure UNIQUE"],
    ["a letter that SQL knows in one case", "REFERENCES Ärzte", "REFERENCES ärzte"],
  ])("refuses a constraint that differs in %s", async (_, before, after) => {
    const run = await scripted(() => ({}));
    const withConstraint = (constraint: string) => ({
      ...news,
      schema: { columns: [{ name: "a", type: "text", constraints: [constraint] }] },
    });
    const { inputs, failures } = await run.table.check({}, withConstraint(before));
    expect(failures).toEqual([]);
    expect((await run.table.check(inputs, withConstraint(before))).failures).toEqual([]);
    expect((await run.table.check(inputs, withConstraint(after))).failures).toEqual([
      expect.objectContaining({ property: "schema.columns[0].constraints" }),
    ]);
  });

  test("adopts one that exists, sends no rows and says so; where there is none it makes it", async () => {
    const area = await begin();
    await area.stack().up([area.table()]);
    const stack = area.stack();
    await area.organization.requests();
    const adopted = area.table({ adopt: true, data: [{ id: 7, title: "seven" }] });
    const { errors, messages } = await stack.up([adopted]);
    expect(errors).toEqual([]);
    expect(messages.map(({ severity }) => severity)).toEqual(["info", "warning"]);
    expect(messages[0]?.text, "once").not.toContain("data");
    expect(messages[1]?.text).toContain("the rows of `data` were not sent. You can omit `data`");
    expect(await area.organization.calls()).toEqual([16, 15]);
    expect(stack.state.get("docs")?.outs).toMatchObject({ adopted: true, numRows: 2 });
    expect(await stack.preview([adopted])).toEqual([]);
    expect(await stack.up([adopted]), "and is silent from then on").toEqual({ errors: [], messages: [] });
    expect(await area.rows()).toBe(2);
    const fresh = area.stack();
    expect((await fresh.up([area.table({ name: `${area.name}_fresh`, adopt: true })])).errors).toEqual([]);
    expect(fresh.state.get("docs")?.outs).toMatchObject({ adopted: false, numRows: 2 });
  });

  test("adopts no table with other columns, and names them", async () => {
    const area = await begin();
    await area.stack().up([area.table()]);
    const other = { columns: [{ name: "id", type: "bigint" }] };
    const stack = area.stack();
    const { errors } = await stack.up([area.table({ adopt: true, schema: other, data: undefined })]);
    expect(errors[0]).toMatch(
      /^schema: cannot adopt the table docs_\d+: its columns differ \(embedding, id, title\)/,
    );
    expect(stack.state.size).toBe(0);
    const blind = await stack.up([area.table({ adopt: true, schema: undefined, data: undefined })]);
    expect(blind.errors, "as it is").toEqual([]);
  });

  test("call 16, 400 INVALID_REQUEST: reports PostgreSQL's words, and leaves no table", async () => {
    const area = await begin();
    const stack = area.stack();
    const { errors } = await stack.up([area.table({ data: [rows[0], rows[0]] })]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain("(HTTP 400 INVALID_REQUEST, ");
    expect(errors[0]).toContain("duplicate key");
    expect(errors[0]).toContain("No table was created. Correct `schema` or `data`");
    expect(stack.state.size).toBe(0);
    expect(await area.rows()).toBeUndefined();
  });

  test("DATABASE_NOT_RUNNING: is an error of calls 15 and 16 that says to start it, and never means gone", async () => {
    const area = await begin();
    const stack = area.stack();
    await stack.up([area.table()]);
    await area.management.models.runVectorDatabase(false);
    const refreshed = await stack.refresh();
    expect(refreshed.errors).toEqual([expect.stringContaining("cannot list tables: ")]);
    expect(refreshed.errors[0]).toContain("Start the vector database in the service");
    expect(stack.state.has("docs")).toBe(true);
    const { errors } = await stack.up([area.table(), area.table({ name: `${area.name}_more` }, "more")]);
    expect(errors[0]).toContain("(HTTP 400 DATABASE_NOT_RUNNING, ");
    expect(errors[0]).toContain("Start the vector database in the service");
    await area.management.models.runVectorDatabase(true);
    expect((await stack.refresh()).errors).toEqual([]);
    expect(await area.rows()).toBe(2);
  });

  test("call 15, note 3: is found by refresh in names alone and in objects, and gone where it is in neither", async () => {
    const area = await begin();
    const stack = area.stack();
    await stack.up([area.table(), area.table({ name: `${area.name}_more` }, "more")]);
    for (const tableItems of ["name", "object"] as const) {
      await area.management.setSwitches({ tableItems });
      await area.organization.requests();
      expect((await stack.refresh()).errors).toEqual([]);
      expect(await area.organization.calls(), "one list for all").toEqual([15]);
      expect(stack.state.get("docs")?.outs).toMatchObject({
        numRows: 2,
        actualSchema: { columns: expect.anything() },
      });
      expect(await stack.preview([area.table(), area.table({ name: `${area.name}_more` }, "more")])).toEqual(
        [],
      );
    }
    await area.management.reset();
    expect((await stack.refresh()).errors).toEqual([]);
    expect(stack.state.size).toBe(0);
  });
});

describe("a creation without an answer", () => {
  const claimed = { severity: "warning", text: expect.stringContaining("treats it as created by this run") };
  test.each([
    ["cut-before", [16, 15, 16], []],
    ["cut-after", [16, 15], [claimed]],
    ["cut-middle", [16, 15], [claimed]],
  ] as const)(
    "makes one table, and is sent again only if the list has none: %s (D49)",
    async (kind, calls, said) => {
      const area = await begin();
      await area.management.addFaults({ match: { call: 16 }, fault: { kind } });
      const stack = area.stack();
      expect(await stack.up([area.table()])).toEqual({ errors: [], messages: said });
      expect(await area.organization.calls()).toEqual(calls);
      expect(await area.rows()).toBe(2);
      expect(stack.state.get("docs")?.outs).toMatchObject({ adopted: false, numRows: 2 });
      expect(await stack.preview([area.table()])).toEqual([]);
    },
  );

  const unclear = "orgseat cannot tell whether this run created it";
  const lost: FaultRule = { match: { call: 16 }, fault: { kind: "cut-after" } };
  const refuse = (call: number, status: number): FaultRule => {
    return { match: { call }, times: "always", fault: { kind: "refuse", status } };
  };
  test.each<[string, "name" | "object", FaultRule[], string, number[]]>([
    ["the service lists names alone, which do not show who made it", "name", [lost], unclear, [16, 15]],
    ["the list fails too", "object", [lost, refuse(15, 403)], "listing the tables failed", [16, 15]],
  ])("fails and says what may be there if %s", async (_, tableItems, faults, why, calls) => {
    const area = await begin();
    await area.management.setSwitches({ tableItems });
    await area.management.addFaults(...faults);
    const stack = area.stack();
    expect((await stack.up([area.table()])).errors).toEqual([expect.stringContaining(why)]);
    expect(await area.organization.calls()).toEqual(calls);
    expect(stack.state.size).toBe(0);
  });

  test("beside a table with other rows is an error that names adopt, and nothing is sent again", async () => {
    const area = await begin();
    await area.stack().up([area.table({ data: [rows[0]] })]);
    await area.management.addFaults(lost);
    const stack = area.stack();
    const { errors } = await stack.up([area.table()]);
    expect(errors).toEqual([expect.stringMatching(new RegExp(`${unclear}.*\`adopt: true\``))]);
    expect((await stack.up([area.table({ adopt: true })])).errors).toEqual([]);
    expect(stack.state.get("docs")?.outs).toMatchObject({ adopted: true, numRows: 1 });
  });

  test("takes its own late table, which the repeat meets, as made", async () => {
    const listed = { name: "docs", schema: { columns }, numRows: 2 };
    const answers = [{ fault: "close" as const }, { body: [] }, { status: 409 }, { body: [listed] }];
    const run = await scripted(inTurn(...answers));
    const created = await run.table.create({
      name: "docs",
      schema: { columns },
      data: rows,
    });
    expect(created.outs).toMatchObject({ adopted: false, numRows: 2 });
    const [create, list] = ["POST /api/vector-db/tables", "GET /api/vector-db/tables"];
    expect(run.sentToModels()).toEqual([create, list, create, list]);
  });

  test("fails and says what may be there if the repeat cannot be sent", async () => {
    const run = await scripted(inTurn({ fault: "close" }, { body: [] }, { status: 401 }));
    const { message } = await failure(run.table.create({ name: "docs" }));
    expect(message).toContain("The table docs may have been created: the retry failed");
  });
});

const news = { name: "docs", schema: { columns }, data: rows };
/** What the state has besides the inputs. */
const recorded = { stateVersion: 1, instance: "i", adopted: false, numRows: 2, actualSchema: null };

describe("VectorTable, in check and diff", () => {
  const typed = (change: object) => ({ schema: { columns: [{ name: "a", type: "text", ...change }] } });
  const second = (column: object) => ({ schema: { columns: [columns[0], column] } });
  const first = "schema.columns[0]";
  test.each([
    ["a name with a space", { name: "my docs" }, "name", /1 to 63 letters, digits, and underscores/],
    ["no column", { schema: { columns: [] } }, "schema.columns", /^a table needs at least one column/],
    ["an empty type", typed({ type: " " }), `${first}.type`, /^empty$/],
    ["an unknown key of a column", typed({ constraint: "NOT NULL" }), `${first}.constraint`, /^unknown key$/],
    [
      "two columns of one name",
      second({ name: "id", type: "text" }),
      "schema.columns[1].name",
      /^another column has/,
    ],
    ["a row that is no object", { data: [{}, 7] }, "data[1]", /^expected an object, got a number$/],
    ["rows that are no list", { data: "rows" }, "data", /^expected a list of rows/],
  ])("%s is refused with its place", async (_, change, property, reason) => {
    const run = await scripted(() => ({}));
    const { failures = [] } = await run.table.check({}, { ...news, ...change });
    const plain = failures.map((issue) => ({ ...issue, ...splitCode(issue.reason) }));
    expect(plain).toContainEqual({
      ...{ property, reason: expect.any(String), code: "invalid-input" },
      text: expect.stringMatching(reason),
    });
    expect(run.sentToModels()).toEqual([]);
  });

  test("a hash of rows stays what it is, and makes no table in a process that has not seen them", async () => {
    const [first, second] = [await scripted(() => ({})), await scripted(() => ({}))];
    const { inputs } = await first.table.check({}, news);
    expect(await first.table.check(inputs, { ...news, data: inputs.data })).toEqual({ inputs, failures: [] });
    const { message } = await failure(second.table.create({ ...inputs }));
    expect(message).toContain("only the hash of the rows is available");
    expect(second.sentToModels()).toEqual([]);
  });

  test("what is not known yet is no fault, and never a replacement", async () => {
    const run = await scripted(() => ({}));
    const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    const { inputs } = await run.table.check({}, news);
    const olds = { ...inputs, ...recorded };
    for (const change of [{ data: [{ id: unknown }] }, { schema: unknown }, { name: unknown }]) {
      const partly = { ...inputs, ...change };
      expect((await run.table.check(inputs, { ...news, ...change })).failures).toEqual([]);
      const diff = await run.table.diff("docs", olds, partly);
      expect(diff).toEqual({ changes: !("data" in change), replaces: [] });
    }
    expect(run.messages).toEqual([]);
  });
});

const deleting = { ORGSEAT_PLATFORM: "anaconda" };
const DELETE = "DELETE /api/vector-db/tables/docs";

describe("VectorTable, where tables can be deleted", () => {
  const news = { name: "docs", onDelete: "delete" };
  const outs = { ...news, stateVersion: 1, instance: "i1", adopted: false, numRows: 1, actualSchema: null };
  const gone = { status: 404, body: { error: { code: "INVALID_REQUEST", message: "no such table" } } };
  const stopped = { status: 404, body: { error: { code: "DATABASE_NOT_RUNNING", message: "stopped" } } };

  test("deletes by one call, and keeps without one", async () => {
    const run = await scripted(inTurn({ body: { data: { message: "done" } } }), deleting);
    await run.table.delete("docs", outs);
    await run.table.delete("docs", { ...outs, onDelete: "retain" });
    await run.table.delete("docs", { ...outs, onDelete: undefined });
    expect(run.sentToModels()).toEqual([DELETE]);
    expect(run.messages.map(({ text }) => text)).toEqual([
      "VectorTable docs is retained: the table stays in the vector database with its rows.",
      expect.stringContaining("is removed from the state"),
    ]);
  });

  test("repeats a lost deletion, and finds by the list that the table is gone", async () => {
    const run = await scripted(inTurn(gone, { body: [] }), deleting);
    await run.table.delete("docs", outs);
    expect(run.sentToModels()).toEqual([DELETE, "GET /api/vector-db/tables"]);
    const lost = await scripted(inTurn({ fault: "close" }, gone, { body: [] }), deleting);
    await lost.table.delete("docs", outs);
    expect(lost.sentToModels()).toEqual([DELETE, DELETE, "GET /api/vector-db/tables"]);
  });

  test("stays in the state where the database does not run: its 404 does not say that the table is gone", async () => {
    const run = await scripted(inTurn(stopped, stopped), deleting);
    const { message } = await failure(run.table.delete("docs", outs));
    expect(message).toContain("cannot list tables: stopped (HTTP 404 DATABASE_NOT_RUNNING");
    expect(message).toContain("Start the vector database");
    const listed = await scripted(inTurn(gone, { body: ["docs"] }), deleting);
    expect((await failure(listed.table.delete("docs", outs))).message).toContain("but still lists it");
  });

  test.each([
    ["without `onDelete`", undefined, deleting, /^set what happens to the table on removal/],
    ["with `delete`, in a platform that cannot", "delete", {}, /^this service .*cannot delete tables/],
  ] as const)("%s is refused, and nothing is sent", async (_, onDelete, environment, reason) => {
    const run = await scripted(() => ({}), environment);
    const { failures } = await run.table.check({}, { ...news, onDelete });
    expect(failures).toEqual([{ property: "onDelete", reason: expect.stringMatching(reason) }]);
    expect((await run.table.check({}, { ...news, onDelete: "retain" })).failures).toEqual([]);
  });
});

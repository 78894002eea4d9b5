/** Calls 15 and 16: the tables of the vector database, on a real PostgreSQL. One for most tests: its start is slow. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { codeOf, shareSandbox, startSandbox, temporaryFolder } from "./harness.ts";
import { talks, talksIn } from "./talk.ts";

const shared = shareSandbox();
// The first start on a machine takes seconds: no test has to wait for it.
beforeAll(async () => void (await shared().send("listTables")));

talksIn("vector-tables.txt", { shared });

talks(
  `
call 16: returns as numRows what PostgreSQL counts
  createTable { body: { name: many, schema: { columns: [{ name: id, type: int }] },
    data: [${"{ id: 1 }, {}, ".repeat(600)}] } } -> 200 { data: { numRows: 1200 } }
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

import { expect, test } from "vitest";
import { modelTable } from "../../sandbox/start/index.ts";
import { readStackContents } from "../../sandbox/start/state.ts";

const type = (name: string) => `pulumi-nodejs:orgseat:${name}`;
const server = {
  type: type("ModelServer"),
  id: "s1",
  outputs: {
    tag: "chat",
    status: "running",
    endpoint: { host: "127.0.0.1", port: 8080 },
    onDelete: "retain",
  },
};
const silent = { type: type("ModelServer"), id: "s2", outputs: { tag: null, status: null, endpoint: null } };
const table = {
  type: type("VectorTable"),
  id: "docs",
  outputs: { name: "docs", numRows: 2, adopted: false },
};
const leaving = { ...table, id: "old", delete: true };

function shownFor(...resources: object[]): string | undefined {
  return modelTable(readStackContents(JSON.stringify({ deployment: { resources } })));
}

test("npm start shows servers with status and address, and tables with their rows", () => {
  const shown = shownFor(server, silent, table, leaving) ?? "";
  expect(shown).toMatch(/│ Server or table │ Kind +│ Status or rows │ Address +│/);
  expect(shown).toMatch(/│ chat +│ server │ running +│ 127\.0\.0\.1:8080 │/);
  expect(shown).toMatch(/│ s2 +│ server │ +│ +│/);
  expect(shown).toMatch(/│ docs +│ table +│ 2 rows/);
  expect(shown).not.toContain("old");
});

test("npm start shows no second table for a program without servers and tables", () => {
  expect(shownFor()).toBeUndefined();
});

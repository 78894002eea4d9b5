/** vector-table.txt, and tables in the service: what it has after a creation, and after one without an answer. */
import { describe, expect, test } from "vitest";
import { modelStack, sharedService } from "../setup/model-area.ts";
import { exchanges } from "./exchange.ts";

exchanges("vector-table.txt");

describe("VectorTable, in the service", () => {
  const service = sharedService();
  let begun = 0;

  const claimed = { severity: "warning", text: expect.stringContaining("treats it as created by this run") };
  test.each([
    [undefined, [16], []],
    ["cut-before", [16, 15, 16], []],
    ["cut-after", [16, 15], [claimed]],
    ["cut-middle", [16, 15], [claimed]],
  ] as const)(
    "a creation makes one table, and is sent again only if the list has none: %s (D49)",
    async (kind, calls, said) => {
      const organization = await service();
      const { management } = organization.service;
      if (kind) await management.addFaults({ match: { call: 16 }, fault: { kind } });
      const name = `docs_${++begun}`;
      const data = [
        { id: 1, title: "one" },
        { id: 2, title: "two" },
      ];
      const schema = {
        columns: [
          { name: "id", type: "bigint" },
          { name: "title", type: "text" },
        ],
      };
      const program = [{ type: "VectorTable", name: "docs", args: { name, schema, data } } as const];
      const stack = modelStack(organization);
      await organization.requests();
      expect(await stack.up(program)).toEqual({ errors: [], messages: said });
      expect(await organization.calls()).toEqual(calls);
      const tables = await management.models.vectorTables();
      expect(tables.filter((table) => table.name === name)).toMatchObject([{ numRows: 2 }]);
      expect(stack.state.get("docs")?.outs).toMatchObject({ adopted: false, numRows: 2 });
      expect(await stack.preview(program)).toEqual([]);
    },
  );
});

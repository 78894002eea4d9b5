import { describe, expect, test } from "vitest";
import { configurationOf, type DirectResource, DirectStack } from "../setup/direct.ts";
import { modelArea, sharedService } from "../setup/model-area.ts";
import { makeServiceAccount } from "../setup/sandbox.ts";

const SERVER = "00000000-0000-4000-8000-00000000005e";

describe("a service that is not the service", () => {
  const service = sharedService();
  let tables = 0;

  const lists: DirectResource[] = [
    { type: "ServiceAccount", name: "bot", args: { name: "bot" } },
    { type: "ModelServer", name: "server", args: { serverId: SERVER, onDelete: "delete" } },
    { type: "VectorTable", name: "table", args: { name: "docs" } },
  ];

  test.each([
    ["a list that fails", { kind: "refuse", status: 500 }],
    ["a list that is HTML", { kind: "refuse", status: 200, body: "<html></html>" }],
    ["a list that is cut", { kind: "cut-middle" }],
    ["a list that is null", { kind: "refuse", status: 200, body: null }],
    ["a list of another shape", { kind: "refuse", status: 200, body: { accounts: [] } }],
    ["a list that nobody knows", { kind: "refuse", status: 404, body: { detail: "Not Found" } }],
    ["a list that is not answered", { kind: "hang" }],
  ] as const)("%s is never an empty list: refresh fails and what it lists stays", async (_name, fault) => {
    const organization = await service();
    const { management } = organization.service;
    const area = await modelArea(organization);
    if (!(await area.servers()).includes("chat")) await area.addServer("chat", { id: SERVER });
    const configuration = configurationOf(organization, await makeServiceAccount(organization));
    const stack = new DirectStack(configuration);
    const own = lists.map((one) =>
      one.type === "VectorTable" ? { ...one, args: { name: `docs_${tables++}` } } : one,
    );
    expect((await stack.up(own)).errors).toEqual([]);
    stack.configuration.ORGSEAT_OPERATION_TIMEOUT = "300ms";
    for (const call of [2, 12, 15]) {
      await management.addFaults({ match: { call }, times: "always", fault: { ...fault } });
    }
    const { errors } = await stack.refresh();
    expect(errors).toEqual([
      expect.stringContaining("cannot list service accounts: "),
      expect.stringContaining("cannot list servers: "),
      expect.stringContaining("cannot list tables: "),
    ]);
    expect([...stack.state.keys()]).toEqual(["bot", "server", "table"]);
    await management.clearFaults();
    stack.configuration.ORGSEAT_OPERATION_TIMEOUT = "60s";
    expect((await stack.refresh()).errors).toEqual([]);
    expect([...stack.state.keys()]).toEqual(["bot", "server", "table"]);
  });
});

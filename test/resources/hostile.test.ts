import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { platformNames } from "../../provider/api/calls/platform.ts";
import { checkCases } from "../setup/cases.ts";
import { configurationOf, type DirectResource, DirectStack } from "../setup/direct.ts";
import { pausesOnly } from "../setup/direct-providers.ts";
import { modelArea, sharedService } from "../setup/model-area.ts";
import { makeServiceAccount } from "../setup/sandbox.ts";
import { organizationOn } from "./listed.ts";

const SERVER = "00000000-0000-4000-8000-00000000005e";
const program: DirectResource[] = [
  { type: "ModelServer", name: "server", args: { serverId: SERVER, onDelete: "delete" } },
  { type: "ServiceAccount", name: "bot", args: { name: "bot" } },
  { type: "OrgUser", name: "user", args: { email: "ada@acme.example" } },
  { type: "SeatAssignment", name: "seat", args: { userId: "$user.id" } },
  { type: "UserToken", name: "token", args: { userId: "$seat.userId" } },
];
/** By resource, the call that removes it and its operation. */
const REMOVALS = {
  bot: [3, "delete service account"],
  token: [9, "revoke token"],
  seat: [10, "remove seat"],
  user: [11, "remove user"],
  server: [14, "delete server"],
} as const;

/** Any 2xx is a success (D6), so a 200 is here with a page only: no service of the contract answers one. */
const PAGE = "<!doctype html><html><body>Not Found</body></html>";
const notTheContract = fc.record({
  status: fc.constantFrom(200, 302, 307, 400, 401, 403, 404, 404, 404, 405, 410, 418, 500, 503),
  type: fc.constantFrom("text/html", "text/plain", "application/json"),
  body: fc.constantFrom(
    PAGE,
    "Not Found",
    '{"detail":"Not Found"}',
    '{"message":"no Route matched with those values"}',
    "[]",
    "null",
    '{"error":"not_found"}',
  ),
  named: fc.constantFrom("bot" as const, "token", "seat", "user", "server"),
});

describe("a service that is not the service", () => {
  const service = sharedService();
  let tables = 0;

  test.each(platformNames)(
    "removal fails loudly and keeps the state, whatever answers in its place, in the platform %s",
    async (platform) => {
      const organization = await organizationOn(platform);
      const { management } = organization.service;
      const stack = organization.stack();
      stack.time = pausesOnly;
      const area = await modelArea(organization);
      const name = `not the service, ${platform}`;
      const suite = { name, level: "R", cases: 250, siblings: platformNames.length } as const;
      await checkCases(suite, notTheContract, async (one) => {
        if (!(await area.servers()).includes("chat")) await area.addServer("chat", { id: SERVER });
        expect((await stack.up(program)).errors).toEqual([]);
        const body = one.status === 200 ? PAGE : one.body;
        const headers: [string, string][] = [
          ["content-type", one.type],
          ["content-length", String(body.length)],
          ["location", "/login"],
        ];
        const fault = { kind: "raw", status: one.status, headers, body } as const;
        const [call, operation] = REMOVALS[one.named];
        await management.addFaults({ match: { call }, times: "always", fault });
        // What is safe to repeat is repeated until the operation's time is over.
        stack.configuration.ORGSEAT_OPERATION_TIMEOUT = "5s";
        const { errors } = await stack.destroy();
        stack.configuration.ORGSEAT_OPERATION_TIMEOUT = "60s";
        await management.clearFaults();

        expect(errors, JSON.stringify(one)).toHaveLength(1);
        expect(errors[0]).toContain(`cannot ${operation}: `);
        expect(errors[0]).toContain(String(one.status));
        expect(stack.state.has(one.named), "the state is kept").toBe(true);
      });
      await stack.destroy();
    },
  );

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

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../sandbox/service/index.ts";
import { checkCases } from "../setup/cases.ts";
import { configurationOf, type DirectResource, DirectStack } from "../setup/direct.ts";
import { makeServiceAccount, sandbox } from "../setup/sandbox.ts";

const program: DirectResource[] = [
  { type: "ServiceAccount", name: "bot", args: { name: "bot" } },
  { type: "OrgUser", name: "user", args: { email: "ada@acme.example" } },
  { type: "SeatAssignment", name: "seat", args: { userId: "$user.id" } },
  { type: "UserToken", name: "token", args: { userId: "$seat.id" } },
];
const CALL_OF: Record<string, number> = { bot: 3, token: 9, seat: 10, user: 11 };

const notTheContract = fc.record({
  status: fc.constantFrom(200, 302, 307, 400, 401, 403, 404, 404, 404, 405, 410, 418, 500, 503),
  type: fc.constantFrom("text/html", "text/plain", "application/json"),
  body: fc.constantFrom(
    "<!doctype html><html><body>Not Found</body></html>",
    "Not Found",
    '{"detail":"Not Found"}',
    '{"message":"no Route matched with those values"}',
    "[]",
    "null",
    '{"error":"not_found"}',
  ),
  named: fc.constantFrom("bot", "token", "seat", "user"),
});

describe("a service that is not the service", () => {
  test("removal fails loudly and keeps the state, whatever answers in its place", async () => {
    const organization = await sandbox();
    const { management } = organization.service;
    const configuration = configurationOf(organization, await makeServiceAccount(organization));
    const stack = new DirectStack({ ...configuration, ORGSEAT_OPERATION_TIMEOUT: "200ms" });
    await checkCases({ name: "not the service", level: "R", cases: 500 }, notTheContract, async (one) => {
      expect((await stack.up(program)).errors).toEqual([]);
      const headers: [string, string][] = [
        ["content-type", one.type],
        ["content-length", String(one.body.length)],
        ["location", "/login"],
      ];
      const fault = { kind: "raw", status: one.status, headers, body: one.body } as const;
      const rule: FaultRule = { match: { call: CALL_OF[one.named] ?? 0 }, times: "always", fault };
      await management.addFaults(rule);
      const { errors } = await stack.destroy();
      await management.clearFaults();

      // Any 2xx is a success (D6), but no service of the contract answers a page.
      const success = one.status === 200 && !one.body.startsWith("<");
      if (!success) {
        expect(errors, JSON.stringify(one)).toHaveLength(1);
        expect(errors[0]).toContain(`call ${CALL_OF[one.named]} `);
        expect(errors[0]).toContain(String(one.status));
        expect(stack.state.has(one.named), "the state is kept").toBe(true);
      }
    });
    await stack.destroy();
  });

  test.each([
    ["a list that fails", { kind: "refuse", status: 500 }],
    ["a list that is HTML", { kind: "refuse", status: 200, body: "<html></html>" }],
    ["a list that is cut", { kind: "cut-middle" }],
    ["a list that is null", { kind: "refuse", status: 200, body: null }],
    ["a list of another shape", { kind: "refuse", status: 200, body: { accounts: [] } }],
    ["a list that nobody knows", { kind: "refuse", status: 404, body: { detail: "Not Found" } }],
    ["a list that is not answered", { kind: "hang" }],
  ] as const)(
    "%s is never an empty list: refresh fails and the ServiceAccount stays",
    async (_name, fault) => {
      const organization = await sandbox();
      const { management } = organization.service;
      const configuration = configurationOf(organization, await makeServiceAccount(organization));
      const stack = new DirectStack({ ...configuration, ORGSEAT_OPERATION_TIMEOUT: "300ms" });
      expect((await stack.up(program)).errors).toEqual([]);
      await management.addFaults({ match: { call: 2 }, times: "always", fault: { ...fault } });
      const { errors } = await stack.refresh();
      expect(errors).toEqual([expect.stringContaining("call 2 (list service accounts)")]);
      expect(stack.state.has("bot")).toBe(true);
      await management.clearFaults();
      expect((await stack.refresh()).errors).toEqual([]);
      expect(stack.state.has("bot")).toBe(true);
    },
  );
});

/** Lists of users and tokens that are empty, incomplete, foreign or broken: nothing is gone, and nothing is created. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { requireList } from "../../provider/resources/members/member-list.ts";
import type { FaultRule } from "../../sandbox/service/index.ts";
import { checkCases } from "../setup/cases.ts";
import type { DirectStack } from "../setup/direct.ts";
import { pausesOnly } from "../setup/direct-providers.ts";
import {
  ada,
  builds,
  idOf,
  type ListedOrganization,
  listedOrganization,
  member,
  operation,
} from "./listed.ts";

const program = [...member("ada", ada), ...member("builds", builds)];

interface Item {
  readonly id: string;
  readonly role?: string | undefined;
}

/** What becomes of the items of a list. `believable`: a list that only the other answers of the service refute. */
const odd = {
  empty: () => [],
  "without admins": (items) => items.filter(({ role }) => role !== "admin"),
  "admins only": (items) => items.filter(({ role }) => role === "admin"),
  "of another organization": (items) =>
    items.map((item, index) => ({
      ...item,
      id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    })),
  "with a user twice": (items) => [...items, ...items.slice(0, 1)],
  "with ids in another field": (items) => items.map(({ id, ...item }) => ({ ...item, user_id: id })),
} satisfies Record<string, (items: readonly Item[]) => readonly object[]>;
const bodies = [
  "null",
  "[]",
  "{}",
  '{"items":null}',
  '{"data":[]}',
  "",
  "<!doctype html><html></html>",
  '{"items":[',
];

const caseArbitrary = fc.record({
  list: fc.oneof(
    fc.constantFrom(...(Object.keys(odd) as (keyof typeof odd)[])).map((kind) => ({ kind })),
    fc.constantFrom(...bodies).map((body) => ({ body })),
    fc
      .constantFrom(301, 400, 401, 403, 404, 405, 409, 422, 500, 502, 503)
      .map((status) => ({ status, body: '{"error":{"message":"odd"}}' })),
  ),
  /** Which lists are odd: the first, the second too, and with it all others. */
  from: fc.constantFrom(0, 1),
});

function raw(body: string, status = 200): FaultRule["fault"] {
  const headers: [string, string][] = [
    ["content-type", body.startsWith("<") ? "text/html" : "application/json"],
    ["content-length", String(body.length)],
    ["location", "/login"],
  ];
  return { kind: "raw", status, headers, body };
}

/** A stack with its members, and the rules that make a list odd. */
async function start(): Promise<{ organization: ListedOrganization; stack: DirectStack }> {
  const organization = await listedOrganization();
  const stack = organization.stack({ ORGSEAT_OPERATION_TIMEOUT: "2s" });
  stack.time = pausesOnly;
  expect((await stack.up(program)).errors).toEqual([]);
  expect((await stack.refresh()).errors).toEqual([]);
  return { organization, stack };
}

const statesOf = (stack: DirectStack) => new Map([...stack.state].map(([name, { outs }]) => [name, outs]));

describe("odd lists", () => {
  test("remove, create and change nothing: lists of users", async () => {
    const { organization, stack } = await start();
    const { neighbor, service } = organization;
    const { id } = await neighbor.createUser({ email: "eve@acme.example" }, operation);
    const { users: items } = requireList(await neighbor.listUsers(operation));
    const before = await organization.snapshot();
    const state = statesOf(stack);
    await checkCases({ name: "odd lists", level: "R", cases: 200 }, caseArbitrary, async ({ list, from }) => {
      const fault =
        "kind" in list
          ? raw(JSON.stringify({ items: odd[list.kind](items) }))
          : raw(list.body, "status" in list ? list.status : 200);
      await service.management.addFaults({ match: { call: 17 }, after: from, times: "always", fault });
      const { errors } = await stack.refresh();
      if (from === 0) expect(errors.length).toBeGreaterThan(0);
      expect(statesOf(stack), "nothing is gone").toEqual(state);
      expect(await stack.preview(program)).toEqual([]);

      const copy = stack.copy();
      copy.time = pausesOnly;
      const added = await copy.up([...program, ...member("eve", { email: "Eve@acme.example" })]);
      expect(added.errors.length).toBeGreaterThan(0);
      expect(await organization.snapshot(), "nothing is created").toEqual(before);
      await service.management.clearFaults();
    });
    expect((await stack.refresh()).errors).toEqual([]);
    expect(statesOf(stack)).toEqual(state);
    expect(idOf(stack, "eve-user")).not.toBe(id);
  });

  test("cost no user whom the next list has", async () => {
    const { organization, stack } = await start();
    const state = statesOf(stack);
    const body = {
      items: odd["admins only"](requireList(await organization.neighbor.listUsers(operation)).users),
    };
    const fault = { kind: "refuse", status: 200, body } as const;
    await organization.service.management.addFaults({ match: { call: 17 }, fault });
    expect((await stack.refresh()).errors).toEqual([]);
    expect(statesOf(stack)).toEqual(state);
    expect(await stack.preview(program)).toEqual([]);
  });

  test("fail the run if they failed, broke or contradict: lists of tokens", async () => {
    const { organization, stack } = await start();
    const { management } = organization.service;
    const state = statesOf(stack);
    const foreign = {
      id: "00000000-0000-4000-8000-000000000001",
      expires_at: "2030-01-01T00:00:00Z",
      metadata: {},
    };
    for (const rule of [
      ...bodies.map((body) => ({ times: "always" as const, fault: raw(body) })),
      { times: 1, fault: raw('{"items":[]}') },
      { times: "always" as const, fault: raw('{"items":[]}') },
      { times: 1, fault: raw(JSON.stringify({ items: [foreign] })) },
      { times: "always" as const, fault: raw(JSON.stringify({ items: [foreign] })) },
      { times: "always" as const, fault: raw('{"detail":[]}', 404) },
      { times: "always" as const, fault: raw('{"error":{"message":"odd"}}', 500) },
    ]) {
      await management.addFaults({ match: { call: 18 }, ...rule });
      expect((await stack.refresh()).errors.length, JSON.stringify(rule)).toBeGreaterThan(0);
      expect(statesOf(stack)).toEqual(state);
      await management.clearFaults();
    }
  });
});

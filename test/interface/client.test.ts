/** The client held against the list of the interface: what each call sends, and what it makes of the answers. */
import { describe, expect, test } from "vitest";
import { calls } from "../../provider/api/calls/calls.ts";
import type { Scripted } from "../provider/api/service.ts";
import {
  API_KEY,
  answered,
  type Make,
  MODEL_BASE,
  ORGANIZATION_BASE,
  refused,
  serving,
} from "./client-harness.ts";
import { listedCall } from "./interface.ts";
import { changed, exampleOf, pathsIn, withMore } from "./shapes.ts";

/** What the variables of a path are filled with. */
const variables: Readonly<Record<string, string>> = {
  org_id: "the-org",
  user_id: "the-user",
  client_id: "the-client",
  server_id: "the-server",
  model_id: "the-model",
};
const onboarded = ["ada@acme.example", "eve@acme.example"];
const user = { email: "ada@acme.example", first_name: "Ada", last_name: "Byron" };
const end = "2027-06-30T23:59:59Z";
const filters = {
  fileId: "file-1",
  tag: "a tag & more",
  port: 8080,
  host: "::1",
  status: "running",
} as const;
const table = {
  name: "papers",
  schema: { columns: [{ name: "id", type: "int", constraints: ["PRIMARY KEY"] }] },
  data: [{ id: 1 }],
};

interface Expected {
  /** What stands in the request, field by field. */
  readonly body?: object;
  readonly query?: object;
  /** How the service wraps what is listed. */
  readonly wraps?: (listed: unknown) => unknown;
  /** What the client gives back; by default the answer itself. */
  readonly reads?: (answer: unknown) => unknown;
}
const data = (answer: unknown) => (answer as { data: unknown }).data;

/** What every request has, and no other. */
const headers = {
  ...{ accept: "application/json", "accept-encoding": "identity", "user-agent": "orgseat" },
  ...{ connection: "keep-alive", host: expect.any(String) },
};

// The options of other platforms are given too: they show in no request.
describe.each<[string, number, Make, Expected]>([
  [
    "call 1, fields: service account",
    1,
    ({ org, operation }) => org.createServiceAccount("build-bot_1", operation),
    { body: { name: "build-bot_1" } },
  ],
  [
    "call 2, fields: service account",
    2,
    ({ org, operation }) => org.listServiceAccounts(operation),
    { wraps: (account) => [account], reads: (accounts) => ({ accounts, complete: true }) },
  ],
  ["call 3", 3, ({ org, operation }) => org.deleteServiceAccount("the-client", operation), {}],
  [
    "call 4, fields: onboarding result",
    4,
    ({ org, operation }) => org.onboardUsers(onboarded, operation),
    { body: { user_emails: onboarded } },
  ],
  [
    "call 5, fields: user",
    5,
    ({ org, operation }) => org.createUser({ ...user, email: "Ada@acme.example" }, operation),
    { body: user },
  ],
  ["call 6", 6, ({ org, operation }) => org.assignSeat("the-user", operation, { sendEmail: true }), {}],
  [
    "call 7, fields: token",
    7,
    ({ org, operation }) =>
      org.issueToken("the-user", end, operation, { sendEmail: true, toleranceMonths: 2 }),
    { body: { expires_at: end } },
  ],
  [
    "call 8",
    8,
    ({ org, operation }) => org.renewToken("the-user", operation, { expiresAt: end, toleranceMonths: 2 }),
    {},
  ],
  ["call 9", 9, ({ org, operation }) => org.revokeToken("the-user", operation, "the-token"), {}],
  ["call 10", 10, ({ org, operation }) => org.removeSeat("the-user", operation), {}],
  ["call 11", 11, ({ org, operation }) => org.removeUser("the-user", operation), {}],
  [
    "call 12, note 1, call 12, fields: server",
    12,
    ({ models, operation }) => models.listServers(filters, operation),
    { query: { ...filters, port: "8080" }, reads: data },
  ],
  [
    "call 13, fields: model file",
    13,
    ({ models, operation }) => models.listModelFiles("the-model", operation),
    { reads: data },
  ],
  [
    "call 14, fields: deleted server",
    14,
    ({ models, operation }) => models.deleteServer("the-server", operation),
    { reads: () => "deleted" },
  ],
  ["call 15, fields: table", 15, ({ models, operation }) => models.listTables(operation), {}],
  [
    "call 16, note 5, call 16, fields: table",
    16,
    ({ models, operation }) => models.createTable(table, operation),
    { body: table, reads: data },
  ],
])("%s", (_, number, make, expected) => {
  const { body, query = {}, wraps = (listed) => listed, reads = (answer) => answer } = expected;
  const call = listedCall(number);
  const shape = typeof call.answer.body === "string" ? undefined : call.answer.body;
  const listed = shape && exampleOf(shape);
  const success = (text: unknown): Scripted => ({
    status: call.answer.status === "not shown" ? 200 : call.answer.status,
    ...(text === undefined ? {} : { body: JSON.stringify(wraps(text)) }),
  });

  test("authentication: organization area 5, authentication: model area 1, authentication: model area 3, D4: sends one request: its method, path, query, body and credential", async () => {
    await using one = await serving(() => success(listed));
    await make(one.areas);
    const [sent, ...more] = one.service.calls;
    expect(more).toEqual([]);
    const url = new URL(sent?.url ?? "", one.service.url);
    const base = call.area === "model" ? MODEL_BASE : ORGANIZATION_BASE;
    const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => variables[name] ?? "?");
    expect([sent?.method, url.pathname]).toEqual([call.method, base + path]);
    expect(Object.fromEntries(url.searchParams)).toEqual(query);
    expect(Object.keys(query)).toEqual(Object.keys(call.query ?? {}));
    expect(sent?.body === "" ? undefined : JSON.parse(sent?.body ?? "")).toEqual(body);
    expect(Object.keys(body ?? {})).toEqual(Object.keys({ ...call.body?.required, ...call.body?.optional }));
    const { "content-length": _, ...sentHeaders } = sent?.headers ?? {};
    const authorization = `Bearer ${call.area === "model" ? API_KEY : "access-1"}`;
    const typed = body && { "content-type": "application/json" };
    expect(sentHeaders).toEqual({ ...headers, authorization, ...typed });
    const grants = one.service.tokenRequests.map((asked) =>
      new URLSearchParams(asked.body).get("grant_type"),
    );
    const expectedGrants = {
      User_Token: ["password"],
      ServiceAccount_Token: ["client_credentials"],
      "API key": [],
    };
    expect(grants).toEqual(expectedGrants[call.credential]);
  });

  test("throws what the service refuses with: status, code and message of the error body", async () => {
    const error = await refused(make, { status: 403, body: { error: { code: "NO", message: "not today" } } });
    expect(error).toMatchObject({ code: "refused", status: 403, serviceCode: "NO", reason: "not today" });
    expect(error.call).toBe(Object.values(calls).find((one) => one.number === number)?.name);
  });

  if (shape === undefined) {
    test("accepts an answer without a body", async () => {
      const read = await answered(make, success(undefined));
      expect(read).toEqual({ POST: undefined, PATCH: {}, DELETE: "deleted", GET: "never" }[call.method]);
    });
    return;
  }

  test("reads an answer of exactly the listed fields, and ignores unknown ones beside them (D33)", async () => {
    const read = await answered(make, success(listed));
    expect(read).toEqual(reads(wraps(listed)));
    expect(await answered(make, success(withMore(shape, listed)))).toEqual(read);
  });

  /** What is inside of something that may miss goes with it. */
  const mayMiss = (path: string): boolean =>
    call.answer.mayMiss?.some((one) => one === path || path.startsWith(`${one}.`)) ?? false;

  /** An item that cannot be read costs a list nothing else (L4). */
  const isOfItem = (path: string): boolean => call.method === "GET" && path !== "items" && path !== "data";

  test("fails where a field is missing that it needs, and only there", async () => {
    for (const path of pathsIn(listed)) {
      const without = success(changed(listed, path, undefined));
      if (mayMiss(path)) await answered(make, without);
      else if (isOfItem(path)) expect(await answered(make, without), path).not.toEqual(reads(wraps(listed)));
      else expect(await refused(make, without), path).toMatchObject({ code: "bad-answer" });
    }
  });

  test("fails where a field that it needs is of another kind, says which, and leaves out others", async () => {
    for (const path of pathsIn(listed)) {
      const other = success(changed(listed, path, [7]));
      // Each list of basic is a GET, and another kind is an item that cannot be read.
      if (mayMiss(path) || call.method === "GET") {
        await answered(make, other);
        continue;
      }
      const error = await refused(make, other);
      expect(error, path).toMatchObject({ code: "bad-answer", effectUnknown: true });
      expect(error.message).toContain(path.split(".").at(-1));
    }
  });
});

test.each<[string, Make]>([
  ["list users", ({ org, operation }) => org.listUsers(operation)],
  ["list tokens", ({ org, operation }) => org.listTokens("the-user", operation)],
])("gives undefined where a platform has no list, and sends nothing: %s", async (_, make) => {
  await using one = await serving(() => ({}));
  expect(await make(one.areas)).toBeUndefined();
  expect([...one.service.calls, ...one.service.tokenRequests]).toEqual([]);
});

test.each<[string, Make]>([
  ["list models", ({ models, operation }) => models.listModels(undefined, operation)],
  [
    "create server",
    ({ models, operation }) => models.createServer({ serverConfig: { modelFileName: "f" } }, operation),
  ],
  ["delete table", ({ models, operation }) => models.deleteTable("papers", operation)],
])("sends no call of another platform: %s", async (_, make) => {
  await using one = await serving(() => ({}));
  await expect(make(one.areas)).rejects.toThrow();
  expect([...one.service.calls, ...one.service.tokenRequests]).toEqual([]);
});

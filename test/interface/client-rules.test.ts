/** The client held against the rules of the interface: answers that are not shown, notes, errors, authentication. */
import { describe, expect, test } from "vitest";
import type { Scripted } from "../provider/api/service.ts";
import { failureOf } from "../provider/api/service.ts";
import { API_KEY, answered, credentials, type Make, refused, serving } from "./client-harness.ts";
import { createdServiceAccount, serviceAccount } from "./interface.ts";
import { exampleOf } from "./shapes.ts";

const listAccounts: Make = ({ org, operation }) => org.listServiceAccounts(operation);
const listServers: Make = ({ models, operation }) => models.listServers({}, operation);
const listFiles: Make = ({ models, operation }) => models.listModelFiles("the-model", operation);
const deleteServer: Make = ({ models, operation }) => models.deleteServer("the-server", operation);
const listTables: Make = ({ models, operation }) => models.listTables(operation);
const createTable: Make = ({ models, operation }) => models.createTable({ name: "papers" }, operation);
const ofModelArea: readonly Make[] = [listServers, listFiles, deleteServer, listTables, createTable];

const errorBody = (message: string, code?: string) => ({ error: { code, message } });

describe("the answer", () => {
  const account = exampleOf(serviceAccount);

  test.each([
    ["one bare account", account, false],
    ["a list", [account], true],
    ["a list called items", { items: [account] }, true],
    ["a list called data", { data: [account] }, true],
  ])("call 2, rule 1: %s is read, and only a list is the whole (D7)", async (_, body, complete) => {
    const read = await answered(listAccounts, { body: JSON.stringify(body) });
    expect(read).toEqual({ accounts: [account], complete });
  });

  test("call 1, rule 8: the secret is read from call 1, and dropped where a list should hold one", async () => {
    const withSecret = JSON.stringify(exampleOf(createdServiceAccount));
    const make: Make = ({ org, operation }) => org.createServiceAccount("bot", operation);
    expect(await answered(make, { body: withSecret })).toHaveProperty("client_secret", "some text");
    expect(await answered(listAccounts, { body: `[${withSecret}]` })).toEqual({
      accounts: [account],
      complete: true,
    });
  });

  test.each<[string, Make]>([
    ["call 8, note A", ({ org, operation }) => org.renewToken("u", operation)],
    ["call 9, note A", ({ org, operation }) => org.revokeToken("u", operation)],
    ["call 10, note A", ({ org, operation }) => org.removeSeat("u", operation)],
    ["call 11, note A", ({ org, operation }) => org.removeUser("u", operation)],
  ])("%s: any success will do, with a body or without one", async (id, make) => {
    const answers: readonly Scripted[] = [
      { status: 200 },
      { status: 204 },
      { status: 202, body: "{}" },
      { status: 200, body: '{"of":"any kind"}' },
    ];
    for (const answer of answers) {
      expect(await answered(make, answer)).toEqual(id.startsWith("call 8") ? {} : "deleted");
    }
  });

  test("call 15, note 3: an item may be a name, or an object with one", async () => {
    const bare = { schema: undefined, numRows: undefined };
    expect(await answered(listTables, { body: '["papers",{"name":"authors"}]' })).toEqual([
      { name: "papers", ...bare },
      { name: "authors" },
    ]);
    expect(await answered(listTables, { body: "[]" })).toEqual([]);
  });
});

describe("the request", () => {
  test.each([
    "server status running",
    "server status stopped",
    "server status starting",
    "server status stopping",
    "server status errored",
    "server status unavailable",
  ])("%s: is asked for in lower case, and read in any case", async (id) => {
    const status = id.split(" ").at(-1) ?? "";
    const server = { id: "s1", status: status.toUpperCase() };
    await using one = await serving(() => ({ body: { data: [server] } }));
    const ask = (filter: object) => one.areas.models.listServers(filter, one.areas.operation);
    expect(await ask({ status })).toEqual([{ id: "s1", status }]);
    expect(one.service.calls[0]?.url).toContain(`?status=${status}`);
    expect(await failureOf(ask({ status: `${status}?` }))).toMatchObject({
      code: "refused",
      status: undefined,
    });
    expect(one.service.calls).toHaveLength(1);
  });

  test.each([
    ["build-bot_1", true],
    ["Build-bot", false],
    ["build bot", false],
    ["build.bot", false],
    ["büro", false],
    ["", false],
  ])("naming rule: the name %j of a service account is sent: %s", async (name, sent) => {
    await using one = await serving(() => ({ body: exampleOf(createdServiceAccount) as object }));
    const made = one.areas.org.createServiceAccount(name, one.areas.operation);
    if (sent) await made;
    else expect((await failureOf(made)).message).toContain("not sent: name: ");
    expect(one.service.calls).toHaveLength(Number(sent));
  });
});

describe("a refusal", () => {
  test.each<[string, Make, number, string | undefined]>([
    ["call 12, note 2: a 500", listServers, 500, undefined],
    ["call 13, note 2, call 13, note 4: a 404 without a code", listFiles, 404, undefined],
    ["call 13, note 4: a 500 without a code", listFiles, 500, undefined],
    [
      "call 14, note 2, call 14, note 4, code INVALID_SERVER_ID: a 400",
      deleteServer,
      400,
      "INVALID_SERVER_ID",
    ],
    ["call 14, note 4, code SERVER_RUNNING: a 409", deleteServer, 409, "SERVER_RUNNING"],
    ["call 14, note 4: a 500 without a code", deleteServer, 500, undefined],
    ["call 15, 404, error body: code: a database that does not run", listTables, 404, "DATABASE_NOT_RUNNING"],
    ["call 15, 500, code INTERNAL_SERVER_ERROR: a failure", listTables, 500, "INTERNAL_SERVER_ERROR"],
    ["call 16, note 2, code INVALID_REQUEST: a 400", createTable, 400, "INVALID_REQUEST"],
    ["call 16, note 2, code DATABASE_NOT_RUNNING: a 400", createTable, 400, "DATABASE_NOT_RUNNING"],
    ["code SERVER_NOT_RUNNING: a 409", deleteServer, 409, "SERVER_NOT_RUNNING"],
  ])("%s is an error that says so", async (_, make, status, code) => {
    const error = await refused(make, { status, body: errorBody("so it is", code) });
    expect(error).toMatchObject({ status, serviceCode: code });
    expect(error.code).toBe(status === 500 ? "service-failed" : "refused");
    expect(error.reason).toContain("so it is");
  });

  test("call 14, note 4: a server that is unknown is gone", async () => {
    expect(await answered(deleteServer, { status: 404, body: errorBody("no such server") })).toBe("gone");
  });

  test("error body: message: a body without a message is none of the contract's", async () => {
    const error = await refused(listTables, { status: 404, body: { error: { code: "X" } } });
    expect(error).toMatchObject({ code: "unknown-route", serviceCode: undefined });
  });
});

describe("the credential", () => {
  const tokenForm = async (make: Make) => {
    await using one = await serving(() => ({ body: { items: [] } }));
    await make(one.areas);
    const { url, headers, body } = one.service.tokenRequests[0] ?? {};
    return { url, type: headers?.["content-type"], form: Object.fromEntries(new URLSearchParams(body)) };
  };
  const seat: Make = ({ org, operation }) => org.assignSeat("u", operation);

  test("authentication: organization area 1, authentication: organization area 5: an admin's name and password are a form", async () => {
    expect(await tokenForm(listAccounts)).toEqual({
      url: "/token",
      type: "application/x-www-form-urlencoded",
      form: { grant_type: "password", ...credentials.user },
    });
  });

  test("authentication: organization area 3: a service account's id and secret are a form", async () => {
    expect((await tokenForm(seat)).form).toEqual({
      grant_type: "client_credentials",
      client_id: "the-account",
      client_secret: "secret of the account",
    });
  });

  test("authentication: organization area 2: without an admin call 1 is not sent, whatever else is there", async () => {
    const { serviceAccount, apiKey } = credentials;
    await using one = await serving(() => ({}), { serviceAccount, apiKey });
    const error = await failureOf(one.areas.org.createServiceAccount("bot", one.areas.operation));
    expect(error.code).toBe("missing-credentials");
    expect(one.service.calls.length + one.service.tokenRequests.length).toBe(0);
  });

  test("authentication: model area 2: a key that is no UUID, or missing, is sent by no call and shown by no error", async () => {
    for (const make of ofModelArea) {
      for (const key of ["not-a-uuid-of-any-kind", `${API_KEY}0`, undefined]) {
        await using one = await serving(() => ({}), { ...credentials, apiKey: key });
        const error = await failureOf(make(one.areas));
        expect(one.service.calls).toEqual([]);
        expect(error.message).toMatch(key === undefined ? /orgseat:apiKey/ : /is not a UUID/);
        expect(error.message).not.toContain(key ?? "Bearer");
      }
    }
  });
});

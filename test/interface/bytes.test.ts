/** Every request of the dialect `documented`, byte for byte: what other dialects need must not show here. */
import { expect, test } from "vitest";
import { dialects } from "../../provider/api/calls/dialect.ts";
import { createClient } from "../../provider/api/client.ts";
import { during, startRaw } from "../provider/api/service.ts";
import { type Areas, credentials } from "./client-harness.ts";

const KEY = credentials.apiKey;
const ORG = "/api/v1/organizations/the-org";

/** A request to the token endpoint, whose `form` is its body. */
const tokenRequest = (form: string) =>
  [
    "POST /token HTTP/1.1",
    "host: SERVICE",
    "connection: keep-alive",
    "accept: application/json",
    "accept-encoding: identity",
    "user-agent: orgseat",
    "content-type: application/x-www-form-urlencoded",
    `content-length: ${form.length}`,
    "",
    form,
  ].join("\r\n");

/** A call with this bearer. @param body undefined: without any */
const request = (line: string, body?: string, bearer = "access-1") =>
  [
    `${line} HTTP/1.1`,
    "host: SERVICE",
    "connection: keep-alive",
    `authorization: Bearer ${bearer}`,
    "accept: application/json",
    "accept-encoding: identity",
    "user-agent: orgseat",
    ...(body === undefined ? [] : ["content-type: application/json"]),
    ...(body === undefined && !/^(POST|PATCH)/.test(line) ? [] : [`content-length: ${body?.length ?? 0}`]),
    "",
    body ?? "",
  ].join("\r\n");

const recorded: readonly (readonly [make: (areas: Areas) => Promise<unknown>, ...sent: string[]])[] = [
  [
    ({ org, operation }) => org.createServiceAccount("build-bot_1", operation),
    tokenRequest("grant_type=password&username=admin%40acme.example&password=password+of+the+admin"),
    request(`POST ${ORG}/service-accounts`, '{"name":"build-bot_1"}'),
  ],
  [({ org, operation }) => org.listServiceAccounts(operation), request(`GET ${ORG}/service-accounts`)],
  [
    ({ org, operation }) => org.deleteServiceAccount("the-client", operation),
    request(`DELETE ${ORG}/service-accounts/the-client`),
  ],
  [
    ({ org, operation }) => org.onboardUsers(["Ada@acme.example"], operation),
    tokenRequest("grant_type=client_credentials&client_id=the-account&client_secret=secret+of+the+account"),
    request(`POST ${ORG}/users_auto_registration`, '{"user_emails":["ada@acme.example"]}'),
  ],
  [
    ({ org, operation }) => org.createUser({ email: "Ada@acme.example", last_name: null }, operation),
    request(`POST ${ORG}/users`, '{"email":"ada@acme.example","last_name":null}'),
  ],
  [
    ({ org, operation }) => org.assignSeat("u", operation, { sendEmail: true }),
    request(`POST ${ORG}/users/u/seats`),
  ],
  [
    ({ org, operation }) =>
      org.issueToken("u", "2027-06-30", operation, { sendEmail: true, toleranceMonths: 2 }),
    request(`POST ${ORG}/users/u/token`, '{"expires_at":"2027-06-30T23:59:59Z"}'),
  ],
  [
    ({ org, operation }) => org.renewToken("u", operation, { expiresAt: "2027-06-30", toleranceMonths: 2 }),
    request(`PATCH ${ORG}/users/u/token`),
  ],
  [
    ({ org, operation }) => org.revokeToken("u", operation, "the-token"),
    request(`DELETE ${ORG}/users/u/token`),
  ],
  [({ org, operation }) => org.removeSeat("u", operation), request(`DELETE ${ORG}/users/u/seats`)],
  [({ org, operation }) => org.removeUser("u", operation), request(`DELETE ${ORG}/users/u`)],
  [
    ({ models, operation }) =>
      models.listServers({ fileId: "f", tag: "a b", port: 1, host: "h", status: "errored" }, operation),
    request("GET /api/servers?fileId=f&tag=a+b&port=1&host=h&status=errored", undefined, KEY),
  ],
  [
    ({ models, operation }) => models.listModelFiles("m1", operation),
    request("GET /models/m1/files", undefined, KEY),
  ],
  [
    ({ models, operation }) => models.deleteServer("s1", operation),
    request("DELETE /api/servers/s1", undefined, KEY),
  ],
  [
    ({ models, operation }) => models.listTables(operation),
    request("GET /api/vector-db/tables", undefined, KEY),
  ],
  [
    ({ models, operation }) => models.createTable({ name: "papers", data: [{ id: 1 }] }, operation),
    request("POST /api/vector-db/tables", '{"name":"papers","data":[{"id":1}]}', KEY),
  ],
  [({ org, operation }) => org.listUsers(operation)],
  [({ org, operation }) => org.listTokens("u", operation)],
  [({ models, operation }) => models.listModels(undefined, operation)],
  [({ models, operation }) => models.createServer({ serverConfig: { modelFileName: "f" } }, operation)],
  [({ models, operation }) => models.createVectorDatabase(operation)],
  [({ models, operation }) => models.deleteTable("papers", operation)],
];

test("the dialect documented sends these bytes, and no call of another dialect", async () => {
  const sent: string[] = [];
  await using service = await startRaw((socket, text) => {
    sent.push(text.replace(/^host: .*$/m, "host: SERVICE"));
    const body = text.startsWith("POST /token") ? '{"access_token":"access-1"}' : "{}";
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  });
  const { url } = service;
  const client = createClient({
    ...{ orgUrl: `${url}/api/v1`, tokenUrl: `${url}/token`, modelUrl: url },
    dialect: dialects.documented,
  });
  const areas = {
    org: client.organization("the-org", credentials),
    models: client.models(credentials),
    operation: during(),
  };
  for (const [make, ...expected] of recorded) {
    // Most responses break the contract: only the request counts here.
    await make(areas).catch(() => undefined);
    expect(sent.splice(0)).toEqual(expected);
  }
  await client.close();
});

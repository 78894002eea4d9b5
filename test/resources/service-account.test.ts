/** service-account.txt, and what stands in no exchange: work side by side, and with which credentials a request is sent. */
import { expect, test } from "vitest";
import type { Scripted } from "../provider/api/service.ts";
import { exchanges } from "./exchange.ts";
import { common, failure, inTurn, ORGANIZATION, scripted } from "./scripted.ts";

const account = (id: string) => ({ name: "build-bot", client_id: id, org_id: ORGANIZATION });
const list = (...ids: string[]): Scripted => ({ body: { items: ids.map(account) } });
const created = (id: string): Scripted => ({ body: { ...account(id), client_secret: `secret-of-${id}` } });
const news = { ...common, name: "build-bot" };
const olds = { ...news, stateVersion: 1, instance: "i1", clientId: "c1", clientSecret: "secret-of-c1" };

const LIST = "GET /service-accounts";
const CREATE = "POST /service-accounts";

exchanges("service-account.txt");

test("creations go in turn: no two of one organization overlap", async () => {
  const run = await scripted(({ method }, count) => (method === "GET" ? list() : created(`c${count}`)));
  await Promise.all([1, 2, 3].map(() => run.serviceAccount.create(news)));
  expect(run.sent()).toEqual([LIST, CREATE, LIST, CREATE, LIST, CREATE]);
});

test("refreshes read one list for all, and read a list that failed again", async () => {
  const run = await scripted(inTurn({ status: 403 }, list("c1")));
  const reads = [1, 2, 3].map(() => failure(run.serviceAccount.read("c1", olds)));
  for (const { message } of await Promise.all(reads))
    expect(message).toContain("cannot list service accounts");
  expect(run.sent()).toEqual([LIST]);
  expect(await run.serviceAccount.read("c1", olds)).toMatchObject({ id: "c1" });
  expect(run.sent()).toEqual([LIST, LIST]);
});

test("an account is created and removed by the credentials that it carries", async () => {
  const run = await scripted(inTurn(list(), created("c1")));
  const credentials = { username: "own-admin", password: "own password" };
  await run.serviceAccount.create({ ...news, credentials });
  expect(Object.fromEntries(new URLSearchParams(run.service.tokenRequests[0]?.body))).toMatchObject(
    credentials,
  );
});

test("an account is created and removed by an administrator's token that it carries, without a token request", async () => {
  const run = await scripted(inTurn(list(), created("c1"), { status: 204 }));
  const credentials = { adminToken: "own-admin-token" };
  const { outs } = await run.serviceAccount.create({ ...news, credentials });
  await run.serviceAccount.delete("c1", { ...outs });
  expect(run.service.calls.map(({ headers }) => headers.authorization)).toEqual(
    Array(3).fill("Bearer own-admin-token"),
  );
  expect(run.service.tokenRequests).toEqual([]);
});

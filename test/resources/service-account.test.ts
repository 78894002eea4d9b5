import { describe, expect, test } from "vitest";
import type { Scripted } from "../provider/api/service.ts";
import { common, failure, inTurn, ORGANIZATION, scripted } from "./scripted.ts";

const account = (id: string) => ({ name: "build-bot", client_id: id, org_id: ORGANIZATION });
const list = (...ids: string[]): Scripted => ({ body: { items: ids.map(account) } });
const created = (id: string): Scripted => ({ body: { ...account(id), client_secret: `secret-of-${id}` } });
const news = { ...common, name: "build-bot" };
const olds = { ...news, stateVersion: 1, instance: "i1", clientId: "c1", clientSecret: "secret-of-c1" };

const LIST = "GET /service-accounts";
const CREATE = "POST /service-accounts";

describe("ServiceAccount", () => {
  test.each([
    ["the list lacks it", list("other"), undefined],
    ["the list shows it", list("c1"), "still lists it"],
    ["the service lists one bare account", { body: account("other") }, "still lists it"],
    ["the list cannot be read", { status: 403 }, "cannot list service accounts"],
  ])("counts as gone after a 404 only if the list lacks it (D15): %s", async (_, listed, why) => {
    const notFound = { status: 404, body: { error: { message: "no such account" } } };
    const run = await scripted(inTurn(notFound, listed));
    const removed = run.serviceAccount.delete("c1", olds);
    if (why === undefined) await removed;
    else expect((await failure(removed)).message).toContain(why);
    expect(run.sent()).toEqual(["DELETE /service-accounts/c1", LIST]);
  });

  test("removes an account whose creation got no answer by its id and makes it again (D32)", async () => {
    const run = await scripted(
      inTurn(list("other"), { fault: "close" }, list("other", "lost"), { status: 204 }, created("c2")),
    );
    expect(await run.serviceAccount.create(news)).toMatchObject({ id: "c2" });
    expect(run.sent()).toEqual([LIST, CREATE, LIST, "DELETE /service-accounts/lost", CREATE]);
  });

  const lost = { fault: "close" } as const;
  test.each<[string, Scripted[], string]>([
    ["the list from before fails", [{ status: 403 }], "cannot list service accounts"],
    [
      "the list fails after a lost answer",
      [list(), lost, { status: 403 }],
      "listing the service accounts failed",
    ],
    [
      "one bare account is listed then",
      [list("other"), lost, { body: account("other") }],
      "does not list all accounts",
    ],
    ["several have appeared then, which it names", [list(), lost, list("x1", "x2")], "(x1, x2)"],
  ])("makes and removes nothing more if %s", async (_, answers, why) => {
    const run = await scripted(inTurn(...answers, created("c2")));
    expect((await failure(run.serviceAccount.create(news))).message).toContain(why);
    expect(run.sent()).toEqual([LIST, CREATE, LIST].slice(0, answers.length));
  });

  test("creates in turn: no two creations of one organization overlap", async () => {
    const run = await scripted(({ method }, count) => (method === "GET" ? list() : created(`c${count}`)));
    await Promise.all([1, 2, 3].map(() => run.serviceAccount.create(news)));
    expect(run.sent()).toEqual([LIST, CREATE, LIST, CREATE, LIST, CREATE]);
  });

  test("warns of a namesake that this run does not manage, and names it", async () => {
    const run = await scripted(inTurn(list("c1", "stranger"), created("c2")));
    await run.serviceAccount.diff("c1", olds, { ...news, rotation: "1" });
    await run.serviceAccount.create(news);
    expect(run.messages.map(({ text }) => text).join()).toContain("(client id stranger)");
  });

  test.each([
    ["name", { name: "other-bot" }],
    ["rotation", { rotation: "2" }],
    ["organizationId", { organizationId: "another" }],
  ])("replaces the account if the %s changes, the new one first", async (key, change) => {
    const run = await scripted(() => ({}));
    expect(await run.serviceAccount.diff("c1", olds, { ...news, ...change })).toEqual({
      changes: true,
      replaces: [key],
    });
  });

  test("updates without a call if the credentials change, to the new inputs and the old secret", async () => {
    const run = await scripted(() => ({}));
    const changed = { ...news, credentials: { username: "new", password: "new password" } };
    const before = { ...olds, credentials: { username: "old", password: "old password" } };
    expect(await run.serviceAccount.diff("c1", before, changed)).toMatchObject({
      changes: true,
      replaces: [],
    });
    const { outs } = await run.serviceAccount.update("c1", before, changed);
    expect(outs).toMatchObject({ credentials: changed.credentials, clientSecret: "secret-of-c1" });
    expect(run.sent()).toEqual([]);
  });

  test("counts as gone if the list lacks it, and stays if one bare account proves nothing (D7)", async () => {
    const run = await scripted(inTurn(list("other")));
    expect(await run.serviceAccount.read("c1", olds)).toEqual({});
    const bare = await scripted(inTurn({ body: account("other") }));
    expect(await bare.serviceAccount.read("c1", olds)).toMatchObject({ id: "c1" });
    expect(bare.messages).toHaveLength(1);
  });

  test("reads one list for all, and reads a list that failed again", async () => {
    const run = await scripted(inTurn({ status: 403 }, list("c1")));
    const before = [1, 2, 3].map(() => failure(run.serviceAccount.read("c1", olds)));
    expect(
      (await Promise.all(before)).map(({ message }) => message.includes("cannot list service accounts")),
    ).toEqual([true, true, true]);
    expect(run.sent()).toEqual([LIST]);
    expect(await run.serviceAccount.read("c1", olds)).toMatchObject({ id: "c1" });
    expect(run.sent()).toEqual([LIST, LIST]);
  });

  test("creates and removes by the credentials that it carries", async () => {
    const run = await scripted(inTurn(list(), created("c1")));
    const credentials = { username: "own-admin", password: "own password" };
    await run.serviceAccount.create({ ...news, credentials });
    expect(Object.fromEntries(new URLSearchParams(run.service.tokenRequests[0]?.body))).toMatchObject(
      credentials,
    );
  });

  test("creates and removes by an administrator's token that it carries, without a token request", async () => {
    const run = await scripted(inTurn(list(), created("c1"), { status: 204 }));
    const credentials = { adminToken: "own-admin-token" };
    const { outs } = await run.serviceAccount.create({ ...news, credentials });
    await run.serviceAccount.delete("c1", { ...outs });
    expect(run.service.calls.map(({ headers }) => headers.authorization)).toEqual(
      Array(3).fill("Bearer own-admin-token"),
    );
    expect(run.service.tokenRequests).toEqual([]);
  });

  test.each([
    [{ username: "admin", password: "p", adminToken: "t" }, "either username and password, or adminToken"],
    [{ username: "admin" }, "password"],
    [{ adminToken: "a token" }, "not an access token"],
  ])("refuses credentials that are not one administrator: %j", async (credentials, why) => {
    const run = await scripted(() => ({}));
    const { failures = [] } = await run.serviceAccount.check({}, { ...news, credentials });
    expect(failures).toHaveLength(1);
    expect(JSON.stringify(failures)).toContain(why);
  });

  test("warns about an administrator's token that is too short to be removed from messages", async () => {
    const run = await scripted(inTurn(list(), created("c1")));
    await run.serviceAccount.create({ ...news, credentials: { adminToken: "tiny" } });
    expect(run.messages.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^adminToken has fewer than 6 characters/),
    ]);
  });
});

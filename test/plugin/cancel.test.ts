/** Cancel of the packaged plugin: ends at once what only waits, and nothing that was sent. */

import emptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, test } from "vitest";
import { failure, inTurn, ORGANIZATION, SUBSCRIPTION_END, scripted } from "../resources/scripted.ts";
import { pluginClient, secret, sent } from "../setup/plugin-client.ts";

type Answer = ReturnType<Parameters<typeof scripted>[0]>;

const common = { organizationId: ORGANIZATION };
const ada = { ...common, email: "ada@acme.example" };
const ben = { ...common, email: "ben@acme.example" };
const aServer = { serverConfig: { modelFileName: "a.gguf" }, onDelete: "delete" };
const onLists = { ORGSEAT_PLATFORM: "anaconda" };
const anyone = { role: "member", subscriptions: [], first_name: "", last_name: "" };
const users = (...emails: string[]) => ({
  body: {
    items: [
      { ...anyone, id: "admin", role: "admin", email: "eve@acme.example" },
      ...emails.map((email) => ({ ...anyone, id: "u1", email })),
    ],
  },
});

/** @param isFrozen whether no sleep ends by itself */
async function plugin(onCall: Parameters<typeof scripted>[0], environment = {}, isFrozen = true) {
  const run = await scripted(onCall, environment);
  if (isFrozen) run.clock.sleep = () => new Promise(() => {});
  const client = await pluginClient(run.process);
  return {
    ...run,
    ...client,
    cancel: () => sent((done) => client.client.cancel(new emptyPb.Empty(), done)),
    /** Waits until so many calls have arrived. */
    arrived: async (count: number) => {
      while (run.service.calls.length < count) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** An answer that comes when the test says so. */
function held() {
  const { promise, resolve } = Promise.withResolvers<Awaited<Answer>>();
  return { answer: () => promise, come: resolve };
}

/** A service without servers that creates one. */
function serversOf(status: string, created: () => Answer): Parameters<typeof scripted>[0] {
  const one = { id: "s1", status, tag: "a", serverConfig: { modelFileName: "a.gguf" } };
  return ({ method, url }) => {
    if (method === "POST") return created();
    return { body: { data: url.endsWith("/servers") ? [] : one } };
  };
}

/** What waits inside of the plugin has begun to. */
const soon = () => new Promise((resolve) => setTimeout(resolve, 50));

describe("cancel ends at once", () => {
  test("the wait before a retry: the request is not sent again", async () => {
    const run = await plugin(() => ({ status: 429 }));
    const created = failure(run.create("OrgUser", ada));
    await run.arrived(1);
    await soon();
    await run.cancel();
    expect((await created).message).toContain("not sent again, because the run was cancelled");
    expect(run.sent()).toHaveLength(1);
  });

  test("the wait for the end of a rate limit, and for a free connection", async () => {
    const limited = await plugin(() => ({ status: 429, headers: { "retry-after": "5" } }));
    const first = failure(limited.create("OrgUser", ada));
    await limited.arrived(1);
    await soon();
    const second = failure(limited.create("OrgUser", ben));
    await soon();
    await limited.cancel();
    await first;
    expect((await second).message).toContain("not sent: the run was cancelled");
    expect(limited.sent()).toHaveLength(1);

    const slow = held();
    const busy = await plugin(slow.answer, { ORGSEAT_CONCURRENCY: "1" });
    const created = busy.create("OrgUser", ada);
    await busy.arrived(1);
    const waiting = failure(busy.create("OrgUser", ben));
    await soon();
    await busy.cancel();
    expect((await waiting).message).toContain("not sent: the run was cancelled");
    slow.come({ body: { id: "u1" } });
    expect(await created).toMatchObject({ id: "u1" });
    expect(busy.sent()).toHaveLength(1);
  });

  test("the wait for another creation, and for the replacement of another person", async () => {
    const slow = held();
    const servers = await plugin(serversOf("STOPPED", slow.answer), onLists);
    const server = { ...aServer, running: false };
    const created = servers.create("ModelServer", server);
    await servers.arrived(2);
    const queued = failure(servers.create("ModelServer", server));
    await soon();
    await servers.cancel();
    expect((await queued).message).toContain("not sent: the run was cancelled");
    slow.come({ body: { data: { id: "s1" } } });
    expect(await created).toMatchObject({ id: "s1" });

    const issued = held();
    const tokens = await plugin(
      ({ method }) => (method === "DELETE" ? { status: 204 } : issued.answer()),
      {},
      false,
    );
    const inputs = (userId: string) => ({ ...common, userId, subscriptionExpiresAt: SUBSCRIPTION_END });
    const token = (userId: string) => {
      const own = {
        issuedAt: "2027-01-01T00:00:00Z",
        declaredEnd: SUBSCRIPTION_END,
        value: "kept",
        adopted: false,
      };
      const user = { id: userId, adopted: true, seat: "left", seatAdopted: false, tokens: [own] };
      const agreed = { subscriptionExpiresAt: SUBSCRIPTION_END };
      return {
        ...{ ...inputs(userId), stateVersion: 1, reportedExpiresAt: null, expirySource: "declared" },
        ...{
          value: secret(`the-token-of-${userId}`),
          held: { ref: `token-${userId}`, users: [user], agreed },
        },
      };
    };
    const rotated = (userId: string) =>
      tokens.update("UserToken", userId, token(userId), { ...inputs(userId), rotation: "2" });
    const first = rotated("u1");
    await tokens.arrived(2);
    const next = failure(rotated("u2"));
    await soon();
    await tokens.cancel();
    expect((await next).message).toContain("not sent: the run was cancelled");
    issued.come({ body: { token: "the-new-token-of-u1", expires_at: SUBSCRIPTION_END } });
    await first;
    expect(tokens.sent()).toHaveLength(2);
  });
});

describe("cancel does not end", () => {
  test("a write on the wire: its answer goes into the state", async () => {
    const slow = held();
    const run = await plugin(slow.answer);
    const created = run.create("OrgUser", ada);
    await run.arrived(1);
    await run.cancel();
    slow.come({ body: { id: "u1" } });
    expect(await created).toMatchObject({ id: "u1" });
  });

  test("the search for what a lost answer was about; but the request is not sent again", async () => {
    for (const found of [true, false]) {
      const slow = held();
      const busy = { status: 503 };
      const after = found ? users(ada.email) : users();
      const lists = inTurn(users(), busy, busy, after);
      let reads = 0;
      const run = await plugin(
        (request) => (request.method === "POST" ? slow.answer() : lists(request, ++reads)),
        onLists,
        false,
      );
      const created = run.create("OrgUser", ada);
      const settled = found ? created : failure(created);
      await run.arrived(2);
      await run.cancel();
      slow.come({ fault: "close" });
      if (found) expect(await settled).toMatchObject({ id: "u1" });
      else expect(await settled).toMatchObject({ message: expect.stringContaining("none added a user") });
      const posts = run.sent().filter((call) => call.startsWith("POST"));
      expect(posts).toHaveLength(1);
    }
  });
});

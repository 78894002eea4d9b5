import { existsSync, readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Revocation, revokeTokens } from "../../provider/direct/revoke.ts";
import { temporaryFile } from "../setup/temporary.ts";
import { credentials, type Script, type Scripted, Service, TestClock } from "./api/service.ts";

const ORGANIZATION = "the-org";
const holder = (userId: string) => ({ organizationId: ORGANIZATION, userId });

async function revoking(onCall: Script, environment: Readonly<Record<string, string>> = {}) {
  const service = await Service.start(onCall);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const configuration = {
    config: (key: string) => ({ "orgseat:organizationId": ORGANIZATION })[key],
    environment: service.variables(environment),
  };
  const told: Revocation[] = [];
  const revoke = (...userIds: string[]) =>
    revokeTokens(configuration, userIds.map(holder), {
      clock: new TestClock(),
      onSettled: (revocation) => void told.push(revocation),
    });
  /** By the tokens that the states have. */
  const revokeFrom = (people: Parameters<typeof revokeTokens>[1]) =>
    revokeTokens(configuration, people, { clock: new TestClock() });
  return { service, revoke, revokeFrom, told };
}

const live = { id: "t1", expires_at: "2027-01-01T00:00:00Z", metadata: {}, revoked: false };

function users(...ids: string[]): Scripted {
  const admin = { id: "admin", email: "admin@acme.example", role: "admin", subscriptions: [] };
  const others = ids.map((id) => ({ ...admin, id, email: `${id}@acme.example`, role: "member" }));
  return { body: { items: [admin, ...others] } };
}

const sentTo = ({ service }: { service: Service }) =>
  service.calls.map(({ method, url }) => `${method} ${url}`);
const path = (userId: string) => `DELETE /api/v1/organizations/${ORGANIZATION}/users/${userId}/token`;

test("revokes every token that the list shows, and those of the state that it lacks", async () => {
  const live = (id: string, expires_at: string) => ({ id, expires_at, metadata: {}, revoked: false });
  const [early, late] = ["2027-01-01T00:00:00Z", "2027-12-31T00:00:00Z"];
  const lists: Readonly<Record<string, object[]>> = {
    // A killed rotation left the second one.
    known: [live("t1", early), live("t2", late)],
    again: [{ ...live("t1", early), revoked: true }, live("t2", late)],
    unlisted: [live("t2", late)],
    without: [live("a", early), live("b", early)],
    gone: [{ ...live("own", early), revoked: true }],
    missing: [],
  };
  const run = await revoking(
    ({ method, url }) =>
      method === "GET" ? { body: { items: lists[url.split("/").at(-2) ?? ""] } } : { status: 204 },
    { ORGSEAT_PLATFORM: "anaconda" },
  );
  const people = Object.keys(lists).map((id) => {
    const tokenId = ["known", "again", "unlisted"].includes(id) ? "t1" : undefined;
    return { ...holder(id), token: { tokenId, validUntil: early } };
  });
  expect(await run.revokeFrom(people)).toMatchObject([
    { ...holder("known"), outcome: "revoked" },
    { ...holder("again"), outcome: "revoked" },
    { ...holder("unlisted"), outcome: "revoked" },
    { ...holder("without"), outcome: "revoked" },
    { ...holder("gone"), outcome: "none" },
    {
      ...holder("missing"),
      outcome: "failed",
      reason: expect.stringContaining("does not contain the one in the state"),
    },
  ]);
  const deleted = run.service.calls.filter(({ method }) => method === "DELETE").map(({ url }) => url);
  const users = `/api/v1/organizations/${ORGANIZATION}/users`;
  expect(deleted.toSorted()).toEqual([
    `${users}/again/tokens/t2`,
    `${users}/known/tokens/t1`,
    `${users}/known/tokens/t2`,
    `${users}/unlisted/tokens/t1`,
    `${users}/unlisted/tokens/t2`,
    `${users}/without/tokens/a`,
    `${users}/without/tokens/b`,
  ]);
});

test("revokes the token of the state if the list cannot be read, and fails because of the others", async () => {
  const run = await revoking(
    ({ method }) =>
      method === "GET" ? { status: 403, body: { error: { message: "no" } } } : { status: 204 },
    { ORGSEAT_PLATFORM: "anaconda" },
  );
  const token = { tokenId: "t1", validUntil: live.expires_at };
  expect(await run.revokeFrom([{ ...holder("u1"), token }])).toMatchObject([{ outcome: "failed" }]);
  const deleted = run.service.calls.filter(({ method }) => method === "DELETE");
  expect(deleted.map(({ url }) => url)).toEqual([`/api/v1/organizations/${ORGANIZATION}/users/u1/tokens/t1`]);
});

test.each<[string, Readonly<Record<string, Scripted>>, Partial<Revocation>]>([
  ["the list shows the token", { tokens: { body: { items: [live] } } }, { outcome: "failed" }],
  [
    "the list shows it as revoked",
    { tokens: { body: { items: [{ ...live, revoked: true }] } } },
    { outcome: "none" },
  ],
  ["the list lacks it", { tokens: { body: { items: [] } } }, { outcome: "none" }],
  ["no list can be read", {}, { outcome: "failed" }],
  ["the user is listed without a list of tokens", { users: users("u1") }, { outcome: "failed" }],
  [
    "the user is not listed",
    { users: users("u2"), "u2/tokens": { body: { items: [live] } } },
    { outcome: "none" },
  ],
  [
    "the service knows no one whom it lists",
    { users: users("u2") },
    { outcome: "failed", reason: expect.stringContaining("may have lost its rights") },
  ],
  ["the list of users is empty", { users: { body: { items: [] } } }, { outcome: "failed" }],
])("a token of which a delete says that it does not exist: %s", async (_, lists, expected) => {
  for (const status of [404, 410]) {
    const notFound = { status, body: { error: { code: "NOT_FOUND", message: "no such token or user" } } };
    const run = await revoking(
      ({ method, url }) =>
        method === "GET"
          ? (lists[url.split("/").slice(-2).join("/")] ??
            lists[url.split(/[/?]/).at(url.includes("?") ? -2 : -1) ?? ""] ??
            notFound)
          : notFound,
      { ORGSEAT_PLATFORM: "anaconda" },
    );
    const token = { tokenId: "t1", validUntil: live.expires_at };
    expect(await run.revokeFrom([{ ...holder("u1"), token }])).toMatchObject([expected]);
  }
});

describe("revoking tokens", () => {
  test("says of each person whether the token was revoked, was not there, or what went wrong", async () => {
    const answers: Readonly<Record<string, ReturnType<Script>>> = {
      u1: { status: 204 },
      u2: { status: 404, body: { error: { message: "no token" } } },
      u3: { status: 404, body: "<html>not here</html>" },
      u4: { status: 403, body: { error: { message: `no: ${credentials.serviceAccount?.clientSecret}` } } },
      u5: { status: 204 },
      u6: { status: 404 },
    };
    const run = await revoking(({ url }) => answers[url.split("/").at(-2) ?? ""] ?? {});
    const outcomes = await run.revoke("u1", "u2", "u3", "u4", "u5", "u6");
    expect(outcomes).toMatchObject([
      { ...holder("u1"), outcome: "revoked" },
      { ...holder("u2"), outcome: "none" },
      { ...holder("u3"), outcome: "failed", reason: expect.stringContaining("check orgseat:orgUrl") },
      { ...holder("u4"), outcome: "failed", reason: expect.stringContaining("no: [removed] (HTTP 403") },
      { ...holder("u5"), outcome: "revoked" },
      { ...holder("u6"), outcome: "failed", reason: expect.stringContaining("does not say that there is") },
    ]);
    expect(run.told).toHaveLength(6);
    expect(new Set(run.told)).toEqual(new Set(outcomes));
    expect(run.service.tokenRequests, "one access token for all").toHaveLength(1);
  });

  test("sends one call for one person named twice", async () => {
    const run = await revoking(() => ({ status: 204 }));
    expect(await run.revoke("u1", "u1")).toHaveLength(1);
    expect(sentTo(run)).toEqual([path("u1")]);
  });

  test("goes on side by side, so many at once as concurrency says", async () => {
    let atOnce = 0;
    let most = 0;
    const answer: Script = async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      return { status: 204 };
    };
    const run = await revoking(answer, { ORGSEAT_CONCURRENCY: "4" });
    const many = Array.from({ length: 60 }, (_, index) => `u${index}`);
    const outcomes = await run.revoke(...many);
    expect(outcomes.map(({ userId }) => userId)).toEqual(many);
    expect(outcomes.filter(({ outcome }) => outcome === "revoked")).toHaveLength(60);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
  });

  test("repeats what got no answer, and is noted in the audit", async () => {
    const ORGSEAT_AUDIT_LOG = temporaryFile("audit.jsonl");
    const run = await revoking((_, count) => (count === 1 ? { fault: "close" } : { status: 204 }), {
      ORGSEAT_AUDIT_LOG,
    });
    expect(await run.revoke("u1")).toMatchObject([{ outcome: "revoked" }]);
    expect(sentTo(run)).toEqual([path("u1"), path("u1")]);
    const lines = readFileSync(ORGSEAT_AUDIT_LOG, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { call: 9, id: "u1", organizationId: ORGANIZATION, outcome: "no answer" },
      { call: 9, id: "u1", organizationId: ORGANIZATION, outcome: "done", status: 204 },
    ]);
  });

  test("ignores the removal limit and the approved removals", async () => {
    const missing = temporaryFile("removals.json");
    const limits = { ORGSEAT_MAX_REMOVALS: "0", ORGSEAT_APPROVED_PLAN: missing };
    const run = await revoking(() => ({ status: 204 }), limits);
    expect(await run.revoke("u1")).toMatchObject([{ outcome: "revoked" }]);
    expect(existsSync(missing)).toBe(false);
  });

  test.each([
    [
      "missing",
      { ORGSEAT_ORG_URL: "" },
      /cannot revoke tokens: missing orgseat configuration: orgseat:orgUrl/,
    ],
    ["wrong", { ORGSEAT_TIMEOUT: "soon" }, /cannot revoke tokens: invalid orgseat configuration/],
  ])("sends nothing if the configuration is %s", async (_, environment, why) => {
    const run = await revoking(() => ({ status: 204 }), environment);
    await expect(run.revoke("u1")).rejects.toThrow(why);
    expect(run.service.calls).toEqual([]);
  });
});

import { describe, expect, test } from "vitest";
import type { Script } from "../provider/api/service.ts";
import { failure, inTurn, SUBSCRIPTION_END, scripted } from "./scripted.ts";
import { heldTokenWith, token as news, heldToken as olds } from "./writes.ts";

const LATER = "2028-06-30T23:59:59Z";
const renewed = { ...news, subscriptionExpiresAt: LATER };
const issued = (expires_at: string | null = null) => ({ body: { token: "seat-token-2", expires_at } });
const hasOne = { status: 409, body: { error: { message: "has a token" } } };

const ISSUE = "POST /users/u1/token";
const RENEW = "PATCH /users/u1/token";
const REVOKE = "DELETE /users/u1/token";

describe("UserToken", () => {
  test("says in the preview that an earlier expiresAt issues a new value", async () => {
    const run = await scripted(() => ({}));
    await run.token.diff("token-1", olds, { ...news, expiresAt: "2027-05-31" });
    expect(run.messages.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^token of user u1: revoke token .*, then issue token \(expires 2027-05-31/),
    ]);
  });

  test.each([
    ["rounds it to midnight", "2027-06-30T00:00:00Z"],
    ["limits it to 90 days", "2027-04-01T00:00:00Z"],
  ])(
    "accepts the expiry of a service that %s, says so once, and asks again at half of it (call 7, rule 7, D11, D40)",
    async (_, at) => {
      const run = await scripted(() => issued(at));
      const { id, outs = {} } = await run.token.create(news);
      expect(outs).toMatchObject({ validUntil: at, expirySource: "service" });
      expect(JSON.parse(run.service.calls[0]?.body ?? "")).toEqual({ expires_at: SUBSCRIPTION_END });
      const said = expect.stringContaining(`expires at ${at}, not at ${SUBSCRIPTION_END} as requested`);
      expect(run.messages).toMatchObject([{ severity: "warning", text: said }]);
      expect(await run.token.diff(id, outs, news)).toMatchObject({ changes: false });
      run.clock.advance((Date.parse(at) - run.clock.now()) / 2 + 1);
      expect(await run.token.diff(id, outs, news)).toMatchObject({ changes: true, replaces: [] });
      const { outs: next = {} } = await run.token.update(id, outs, news);
      expect(next).toMatchObject({ value: outs.value, validUntil: at });
      expect(await run.token.diff(id, { ...next }, news)).toMatchObject({ changes: false });
      expect(run.messages.filter(({ severity }) => severity === "warning")).toHaveLength(1);
      expect(run.sent()).toEqual([ISSUE, RENEW]);
    },
  );

  test("accepts a renewal that moves the expiry less than wanted, and warns once", async () => {
    const run = await scripted(() => ({ body: { expires_at: "2027-09-30T00:00:00Z" } }));
    const { outs = {} } = await run.token.update("u1", olds, renewed);
    expect(outs).toMatchObject({ validUntil: "2027-09-30T00:00:00Z" });
    expect(await run.token.diff("u1", { ...outs }, renewed)).toMatchObject({ changes: false });
    expect(run.messages.map(({ text }) => text)).toEqual([expect.stringContaining("the service limits it")]);
  });

  test("fails if a renewal moves nothing, for the date of the service counts and not the declared one (D47)", async () => {
    const run = await scripted(() => ({ body: { expires_at: SUBSCRIPTION_END } }));
    const error = await failure(run.token.update("u1", olds, renewed));
    expect(error.message).toContain("is probably not renewed in the service yet");
    expect(run.sent()).toEqual([RENEW]);
  });

  test.each([{ status: 204 }, { body: { expires_at: null } }])(
    "runs to the declared end, as declared, if a renewal answers no date (transition: token PATCH, D10): %j",
    async (answer) => {
      const run = await scripted(() => answer);
      const { outs } = await run.token.update("u1", olds, renewed);
      expect(outs).toMatchObject({ validUntil: LATER, reportedExpiresAt: null, expirySource: "declared" });
      expect(outs).toMatchObject({ value: "seat-token-1", subscriptionExpiresAt: LATER });
    },
  );

  const listed = (id: string, expires_at = LATER) => ({ body: { items: [{ id, expires_at }] } });
  test.each<["basic" | "anaconda", string, object, object, object]>([
    ["basic", "the same value", {}, { token: "seat-token-1" }, { value: "seat-token-1" }],
    ["basic", "another value", {}, { token: "seat-token-2" }, { value: "seat-token-2" }],
    [
      "anaconda",
      "another value",
      { id: "t1" },
      { token: "seat-token-2" },
      { value: "seat-token-2", tokenId: "t1" },
    ],
  ])("keeps the value that a renewal answers (%s): %s", async (platform, _, had, answer, has) => {
    const run = await scripted(
      ({ method }) => (method === "GET" ? listed("t1") : { body: { ...answer, expires_at: LATER } }),
      { ORGSEAT_PLATFORM: platform },
    );
    const { outs = {} } = await run.token.update("token-1", heldTokenWith(had), renewed);
    expect(outs).toMatchObject({ validUntil: LATER, ...has });
  });

  test("keeps no value that a renewal answers if the state keeps none", async () => {
    const run = await scripted(() => issued(LATER));
    const { value: _, ...before } = heldTokenWith({ value: "none" });
    const { outs = {} } = await run.token.update("token-1", before, { ...renewed, keepValue: false });
    expect(outs).toMatchObject({ validUntil: LATER });
    expect(outs.value).toBeUndefined();
  });

  test.each(["basic", "anaconda"])(
    "keeps the value of a renewal that moves nothing (%s)",
    async (platform) => {
      const environment = { ORGSEAT_PLATFORM: platform, ORGSEAT_OPERATION_TIMEOUT: "2s" };
      const script: Script = ({ method }) =>
        method === "GET" ? listed("t1", SUBSCRIPTION_END) : issued(SUBSCRIPTION_END);
      const run = await scripted(script, environment);
      const before = heldTokenWith(platform === "basic" ? {} : { id: "t1" });
      const error = await failure(run.token.update("token-1", before, renewed));
      expect(error.message).toContain("cannot renew the token");
      expect(error.message).not.toContain("value is unchanged");
      expect(error.properties).toMatchObject({ value: "seat-token-2", validUntil: SUBSCRIPTION_END });
    },
  );

  test("revokes the token that is there with replaceExisting alone, counted by the removal limit (D13)", async () => {
    const answers = inTurn(hasOne, { status: 204 }, issued());
    const run = await scripted(answers);
    expect((await failure(run.token.create(news))).message).toContain("`replaceExisting: true`");
    expect(run.sent()).toEqual([ISSUE]);
    const allowed = await scripted(answers);
    await allowed.token.create({ ...news, replaceExisting: true });
    expect(allowed.sent()).toEqual([ISSUE, REVOKE, ISSUE]);
    const limited = await scripted(answers, { ORGSEAT_MAX_REMOVALS: "0" });
    const error = await failure(limited.token.create({ ...news, replaceExisting: true }));
    expect(error.message).toContain("removal limit reached");
    expect(limited.sent()).toEqual([ISSUE]);
  });

  test("revokes the token on removal (transition: token DELETE)", async () => {
    const run = await scripted(() => ({ status: 204 }));
    await run.token.delete("u1", olds);
    expect(run.sent()).toEqual([REVOKE]);
  });

  test("refuses a date that has passed if it would issue a token, and leaves one that is there alone", async () => {
    const run = await scripted(() => ({}));
    const past = { ...news, expiresAt: "2026-12-31" };
    expect((await run.token.check({}, past)).failures).toEqual([]);
    expect(run.messages[0]?.text).toContain("would already be expired");
    expect((await failure(run.token.create(past))).message).toContain("would already be expired");
    expect((await run.token.check(past, past)).failures).toEqual([]);
  });

  test("refuses a new value that would already be expired in the update alone: nothing is revoked", async () => {
    const run = await scripted(() => ({}));
    run.clock.advance(200 * 86_400_000);
    const rotated = { ...news, rotation: "2" };
    expect(await run.token.diff("u1", olds, rotated)).toMatchObject({ changes: true, replaces: [] });
    expect((await failure(run.token.update("u1", olds, rotated))).message).toContain("Nothing was revoked");
    expect(run.sent()).toEqual([]);
  });

  test("fails its check if the dates contradict each other (D11)", async () => {
    const run = await scripted(() => ({}), { ORGSEAT_PLATFORM: "anaconda" });
    const late = await run.token.check({}, { ...news, expiresAt: "2027-07-31" });
    expect(late.failures).toMatchObject([{ property: "expiresAt" }]);
    const bare = await scripted(() => ({}), { ORGSEAT_SUBSCRIPTION_EXPIRES_AT: "" });
    const { subscriptionExpiresAt: _, ...without } = news;
    expect((await bare.token.check({}, without)).failures).toMatchObject([{ property: "expiresAt" }]);
    const window = { ...without, expiresAt: "2027-05-31", renewBefore: "30d" };
    expect((await bare.token.check({}, window)).failures).toMatchObject([{ property: "renewBefore" }]);
    const period = { ...news, expiresAt: "90d", renewBefore: "30d" };
    expect((await run.token.check({}, period)).failures).toMatchObject([{ property: "renewBefore" }]);
  });

  test("warns of a token that ends soon while nothing renews it, and names the date to raise", async () => {
    const run = await scripted(() => ({}));
    await run.token.diff("u1", olds, news);
    expect(run.messages).toEqual([]);
    run.clock.advance(160 * 86_400_000);
    await run.token.diff("u1", olds, news);
    expect(run.messages).toMatchObject([{ severity: "warning" }]);
    expect(run.messages[0]?.text).toContain("If the subscription was renewed, write its new end");
  });
});

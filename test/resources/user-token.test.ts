import { describe, expect, test } from "vitest";
import { UNKNOWN_MARKER } from "../../provider/resources/unknown.ts";
import type { Script } from "../provider/api/service.ts";
import { failure, inTurn, SUBSCRIPTION_END, scripted } from "./scripted.ts";
import { token as news, heldToken as olds } from "./writes.ts";

const LATER = "2028-06-30T23:59:59Z";
const renewed = { ...news, subscriptionExpiresAt: LATER };
const issued = (expires_at: string | null = null) => ({ body: { token: "seat-token-2", expires_at } });
const hasOne = { status: 409, body: { error: { message: "has a token" } } };
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const ISSUE = "POST /users/u1/token";
const RENEW = "PATCH /users/u1/token";
const REVOKE = "DELETE /users/u1/token";

describe("UserToken", () => {
  test.each([
    ["another userId", "userId", { userId: "u2" }],
    ["another rotation", "rotation", { rotation: "2" }],
    ["another organization", "organizationId", { organizationId: "another" }],
    ["a userId that is not known", "userId", { userId: unknown }],
    ["an earlier expiresAt", "expiresAt", { expiresAt: "2027-05-31" }],
  ])("replaces the token, the old one first: %s", async (_, key, change) => {
    const run = await scripted(() => ({}));
    expect(await run.token.diff("u1", olds, { ...news, ...change })).toEqual({
      changes: true,
      replaces: [key],
      deleteBeforeReplace: true,
    });
  });

  test.each([
    ["an expiresAt that is not known", { expiresAt: unknown }, true],
    ["a subscription that runs shorter", { subscriptionExpiresAt: "2027-03-31" }, false],
    ["an expiresAt within the same minute", { expiresAt: "2027-06-30T23:59:00Z" }, true],
  ])("updates the token, or leaves it alone: %s", async (_, change, changes) => {
    const run = await scripted(() => ({}));
    const diff = await run.token.diff("u1", olds, { ...news, ...change });
    expect(diff).toMatchObject({ changes, replaces: [] });
  });

  test("says in the preview that an earlier expiresAt issues a new value, and in the run if the service grants more than a later one", async () => {
    const run = await scripted(() => ({ body: { expires_at: LATER } }));
    await run.token.diff("u1", olds, { ...news, expiresAt: "2027-05-31" });
    const later = { ...news, expiresAt: "2028-01-31", subscriptionExpiresAt: LATER };
    await run.token.update("u1", olds, later);
    expect(run.messages.map(({ text }) => text)).toEqual([
      expect.stringContaining("orgseat revokes the token and issues a new value."),
      expect.stringContaining(`now expires at ${LATER}, later than declared`),
    ]);
    expect(run.sent()).toEqual([RENEW]);
  });

  test.each([
    ["rounds it to midnight", "2027-06-30T00:00:00Z"],
    ["limits it to 90 days", "2027-04-01T00:00:00Z"],
  ])(
    "accepts the expiry of a service that %s, says so once, and asks again at half of it (call 7, rule 7, D11, D40)",
    async (_, at) => {
      const run = await scripted(() => issued(at));
      const { id, outs = {} } = await run.token.create(news);
      expect(id).toBe("u1");
      expect(outs).toMatchObject({ validUntil: at, expirySource: "service" });
      expect(JSON.parse(run.service.calls[0]?.body ?? "")).toEqual({ expires_at: SUBSCRIPTION_END });
      const said = expect.stringContaining(`expires at ${at}, not at ${SUBSCRIPTION_END} as requested`);
      expect(run.messages).toMatchObject([{ severity: "warning", text: said }]);
      for (const declared of [news, { ...news, subscriptionExpiresAt: at }])
        expect(await run.token.diff(id, outs, declared)).toMatchObject({ changes: false });
      run.clock.advance((Date.parse(at) - run.clock.now()) / 2 + 1);
      expect(await run.token.diff(id, outs, news)).toMatchObject({ changes: true, replaces: [] });
      const { outs: next = {} } = await run.token.update(id, outs, news);
      expect(next).toMatchObject({ value: outs.value, validUntil: at, limit: { wanted: SUBSCRIPTION_END } });
      expect(await run.token.diff(id, { ...next }, news)).toMatchObject({ changes: false });
      expect(run.messages.filter(({ severity }) => severity === "warning")).toHaveLength(1);
      expect(run.sent()).toEqual([ISSUE, RENEW]);
    },
  );

  test("accepts a renewal that moves the expiry less than wanted, and warns once", async () => {
    const run = await scripted(() => ({ body: { expires_at: "2027-09-30T00:00:00Z" } }));
    const { outs = {} } = await run.token.update("u1", olds, renewed);
    expect(outs).toMatchObject({ validUntil: "2027-09-30T00:00:00Z", limit: { wanted: LATER } });
    expect(await run.token.diff("u1", { ...outs }, renewed)).toMatchObject({ changes: false });
    expect(run.messages.map(({ text }) => text).join()).toContain("the service limits it");
  });

  test("fails if a renewal moves nothing, for the date of the service counts and not the declared one (D47)", async () => {
    const run = await scripted(() => ({ body: { expires_at: SUBSCRIPTION_END } }));
    const error = await failure(run.token.update("u1", olds, renewed));
    expect(error.message).toContain("is probably not renewed in the service yet");
    expect(run.sent()).toEqual([RENEW]);
  });

  test("runs to the declared end, as declared, if a renewal answers no date (transition: token PATCH, D10)", async () => {
    const run = await scripted(() => ({ status: 204 }));
    const { outs } = await run.token.update("u1", olds, renewed);
    expect(outs).toMatchObject({ validUntil: LATER, reportedExpiresAt: null, expirySource: "declared" });
    expect(outs).toMatchObject({ value: "seat-token-1", subscriptionExpiresAt: LATER });
  });

  const listed = (id: string, expires_at = LATER) => ({ body: { items: [{ id, expires_at }] } });
  test.each<
    [string, "basic" | "anaconda", Record<string, unknown>, Record<string, unknown>, string | undefined]
  >([
    ["the same value", "basic", { value: "seat-token-2" }, { value: "seat-token-2" }, undefined],
    ["another value", "basic", {}, { value: "seat-token-2" }, "another value. The state contains it"],
    [
      "another value",
      "anaconda",
      { tokenId: "t1" },
      { value: "seat-token-2", tokenId: "t2" },
      "another value",
    ],
    [
      "the only value",
      "anaconda",
      { tokenId: "t2", value: undefined },
      { value: "seat-token-2" },
      "a value, which",
    ],
    ["a value that no one keeps", "basic", { keepValue: false, value: undefined }, {}, "keeps no value"],
  ])("keeps the value that a renewal answers, and says so: %s (%s)", async (_, platform, had, has, said) => {
    const environment = { ORGSEAT_PLATFORM: platform };
    const run = await scripted(
      ({ method }) => (method === "GET" ? listed("t2") : issued(LATER)),
      environment,
    );
    const before = { ...olds, ...had };
    const { outs = {} } = await run.token.update("u1", before, { ...renewed, keepValue: had.keepValue });
    expect(outs).toMatchObject({ validUntil: LATER, ...has });
    if (had.keepValue === false) expect(outs.value).toBeUndefined();
    expect(run.messages.map(({ text }) => text)).toEqual(said ? [expect.stringContaining(said)] : []);
  });

  test.each(["basic", "anaconda"])(
    "keeps the value of a renewal that moves nothing (%s)",
    async (platform) => {
      const environment = { ORGSEAT_PLATFORM: platform, ORGSEAT_OPERATION_TIMEOUT: "2s" };
      const script: Script = ({ method }) =>
        method === "GET" ? listed("t1", SUBSCRIPTION_END) : issued(SUBSCRIPTION_END);
      const run = await scripted(script, environment);
      const tokenId = platform === "basic" ? {} : { tokenId: "t1" };
      const error = await failure(run.token.update("u1", { ...olds, ...tokenId }, renewed));
      expect(error.message).toContain("cannot renew the token");
      expect(error.message).not.toContain("value is unchanged");
      expect(error.properties).toMatchObject({ value: "seat-token-2", validUntil: SUBSCRIPTION_END });
    },
  );

  test.each([
    ["the later end", {}, renewed],
    ["the shorter tolerance", { expirationToleranceMonths: 1 }, news],
  ])(
    "keeps the other value of a renewal whose effect no list shows, and requests %s again",
    async (_, had, declared) => {
      const environment = { ORGSEAT_PLATFORM: "anaconda", ORGSEAT_OPERATION_TIMEOUT: "2s" };
      const run = await scripted(
        ({ method }) => (method === "GET" ? { status: 403 } : issued(LATER)),
        environment,
      );
      const before = { ...olds, tokenId: "t1", ...had, validUntil: "2027-07-30T23:59:59Z" };
      const { properties = {}, message } = await failure(run.token.update("u1", before, declared));
      expect(message).toContain("cannot list tokens");
      expect(properties).toMatchObject({ value: "seat-token-2", tokenId: "t1" });
      expect(await run.token.diff("u1", properties, declared)).toMatchObject({ changes: true, replaces: [] });
      run.service.calls.length = 0;
      await failure(run.token.update("u1", properties, declared));
      expect(run.sent()[0]).toContain(RENEW);
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

  test("says what to do if the member or the token is gone (D44)", async () => {
    const run = await scripted(() => ({ status: 404, body: { error: { message: "unknown" } } }));
    const issuing = await failure(run.token.create(news));
    expect(issuing.message).toContain("is no longer in the organization. Replace the OrgUser");
    const renewing = await failure(run.token.update("u1", olds, renewed));
    expect(renewing.message).toContain("The service no longer has a token of user u1. Change `rotation`");
    expect(run.sent()).toEqual([ISSUE, RENEW]);
  });

  test("never repeats an issue that got no answer (D32)", async () => {
    const run = await scripted(inTurn({ fault: "cut" }, issued()));
    expect((await failure(run.token.create(news))).message).toContain("and its value is lost");
    expect(run.sent()).toEqual([ISSUE]);
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

  test("goes with its seat when its date has passed", async () => {
    const run = await scripted(() => ({}));
    run.clock.advance(200 * 86_400_000);
    const unknownUser = { ...news, userId: UNKNOWN_MARKER };
    expect(await run.token.diff("u1", olds, unknownUser)).toMatchObject({ replaces: ["userId"] });
    expect(run.messages).toEqual([]);
  });

  test("fails its check if the dates contradict each other (D11)", async () => {
    const run = await scripted(() => ({}));
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
    expect(run.messages[0]?.text).toContain("raise orgseat:subscriptionExpiresAt");
  });
});

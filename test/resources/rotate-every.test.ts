/** `rotateEvery` of a UserToken: when diff replaces it, what it keeps, and what an approved run does. */
import { describe, expect, test } from "vitest";
import { userSubject } from "../../provider/resources/resource-types.ts";
import { approved } from "../setup/shown-changes.ts";
import { ada, listedOrganization, member, operation, outsOf } from "./listed.ts";
import { failure, ORGANIZATION, SUBSCRIPTION_END, scripted } from "./scripted.ts";
import { heldToken, token } from "./writes.ts";

const DAY = 86_400_000;
const NOW = "2027-01-01T00:00:00Z";
const news = { ...token, rotateEvery: "30d" };
const olds = { ...heldToken, rotateEvery: "30d", issuedAt: NOW };
const OLDER = { ...olds, issuedAt: "2026-11-01T08:00:00Z" };
const issued = () => ({ body: { token: "seat-token-2", expires_at: SUBSCRIPTION_END } });
const replaced = { changes: true, replaces: ["rotateEvery"], deleteBeforeReplace: true };

describe("rotateEvery", () => {
  test("replaces the token when due, the old one first, and says why", async () => {
    const run = await scripted(() => ({}));
    expect(await run.token.diff("u1", OLDER, news)).toEqual(replaced);
    expect(run.messages.map(({ text }) => text)).toEqual([
      "rotate token of user u1: rotateEvery 30d, issued 2026-11-01. orgseat revokes the token and issues a new value.",
    ]);
  });

  test.each([
    ["90d", { rotateEvery: "90d" }],
    ["nothing", { rotateEvery: undefined }],
    ["a value that is not known", { rotateEvery: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }],
  ])("changed to %s: updates without a request, and keeps value and age", async (_, change) => {
    const run = await scripted(() => ({}));
    const changed = { ...news, ...change };
    expect(await run.token.diff("u1", olds, changed)).toMatchObject({ changes: true, replaces: [] });
    const { outs } = await run.token.update("u1", olds, { ...news, rotateEvery: "90d" });
    expect(outs).toMatchObject({ rotateEvery: "90d", value: "seat-token-1", issuedAt: NOW });
    expect(run.sent()).toEqual([]);
  });

  test("starts the age of a state without one by an update without a request", async () => {
    const run = await scripted(() => ({}));
    const { issuedAt: _, ...without } = olds;
    expect(await run.token.diff("u1", without, news)).toMatchObject({ changes: true, replaces: [] });
    const { outs } = await run.token.update("u1", without, news);
    expect(outs).toMatchObject({ issuedAt: NOW, value: "seat-token-1" });
    expect(await run.token.diff("u1", { ...outs }, news)).toMatchObject({ changes: false });
    expect(run.sent()).toEqual([]);
  });

  test("leaves a state without an age unchanged if no rule is set", async () => {
    const run = await scripted(() => ({}));
    const { issuedAt: _, rotateEvery: _rule, ...without } = olds;
    const { rotateEvery: _declared, ...plain } = news;
    expect(await run.token.diff("u1", without, plain)).toMatchObject({ changes: false });
  });

  test("starts the age with a new token; a renewal keeps it, a rotation starts another", async () => {
    const run = await scripted(() => issued());
    const { outs } = await run.token.create(news);
    expect(outs).toMatchObject({ issuedAt: NOW });
    run.clock.advance(DAY);
    const later = { ...news, expiresAt: "2027-06-30", rotateEvery: "60d" };
    expect((await run.token.update("u1", { ...outs }, later)).outs).toMatchObject({ issuedAt: NOW });
    expect((await run.token.create({ ...news, rotation: "2" })).outs).toMatchObject({
      issuedAt: "2027-01-02T00:00:00Z",
    });
  });

  test.each([
    ["that would already be expired", 200, () => ({})],
    ["that its plan lacks", 0, () => approved(ORGANIZATION, [])],
    ["in a run that only adopts", 0, () => ({ ORGSEAT_ADOPT_ONLY: "1" })],
  ])("rotates nothing and fails nothing for a token %s", async (_, days, environment) => {
    const run = await scripted(() => ({}), environment());
    run.clock.advance(days * DAY);
    expect(await run.token.diff("u1", OLDER, news)).toMatchObject({ changes: false, replaces: [] });
  });

  test("fails its check for less than a day", async () => {
    const run = await scripted(() => ({}));
    const { failures } = await run.token.check({}, { ...news, rotateEvery: "23h" });
    const reason = expect.stringContaining("from 1d to 3650d");
    expect(failures).toEqual([{ property: "rotateEvery", reason }]);
  });

  test("removal limit: a rule that was in force does not count, a new or changed one does", async () => {
    const limit = { ORGSEAT_MAX_REMOVALS: "0" };
    const run = await scripted(() => ({ status: 204 }), limit);
    await run.token.diff("u1", OLDER, news);
    await run.token.delete("u1", OLDER);
    expect(run.sent()).toEqual(["DELETE /users/u1/token"]);

    const changed = await scripted(() => ({ status: 204 }), limit);
    await changed.token.diff("u1", { ...OLDER, rotateEvery: "90d" }, news);
    const error = await failure(changed.token.delete("u1", OLDER));
    expect(error.message).toContain("removal limit reached");
    expect(changed.sent()).toEqual([]);
  });

  test("approved changes: a slot that passes after the preview waits for the next run, other changes are made", async () => {
    const update = approved(ORGANIZATION, [{ action: "update", type: "UserToken", id: "u1", writes: [] }]);
    const run = await scripted(() => ({}), update);
    const changed = { ...news, sendEmail: undefined, replaceExisting: true };
    expect(await run.token.diff("u1", OLDER, changed)).toMatchObject({ changes: true, replaces: [] });
    const { outs } = await run.token.update("u1", OLDER, changed);
    expect(outs).toMatchObject({ replaceExisting: true, issuedAt: OLDER.issuedAt });
    expect(run.sent()).toEqual([]);
  });

  test("approved changes: a replacement that the preview showed is made, also later, and once", async () => {
    const environment = approved(ORGANIZATION, [
      { action: "delete", type: "UserToken", id: "u1" },
      { action: "create", type: "UserToken", subject: userSubject("u1") },
    ]);
    const run = await scripted(({ method }) => (method === "POST" ? issued() : { status: 204 }), environment);
    run.clock.advance(DAY);
    expect(await run.token.diff("u1", OLDER, news)).toEqual(replaced);
    await run.token.delete("u1", OLDER);
    const { outs } = await run.token.create(news);
    expect(await run.token.diff("u1", { ...outs }, news)).toMatchObject({ changes: false });
    expect(run.sent()).toEqual(["DELETE /users/u1/token", "POST /users/u1/token"]);
  });

  test.each(["true", "its id"])(
    "issues a new value for a token adopted by %s, and adopts no other token",
    async (by) => {
      const organization = await listedOrganization();
      const { neighbor } = organization;
      const stack = organization.stack();
      let now = Date.parse(NOW);
      stack.now = () => now;
      stack.configuration.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = "2035-06-30";
      const { management } = organization.service;
      await management.changeSubscription(organization.organizationId, { expiresAt: "2035-06-30T23:59:59Z" });
      const { id: userId } = await neighbor.createUser({ email: ada.email }, operation);
      await neighbor.issueToken(userId, "2035-01-31T00:00:00Z", operation);
      const [own] = (await organization.snapshot()).tokens;
      const program = member(
        "ada",
        { ...ada, adopt: userId },
        { token: { adopt: by === "true" ? true : own?.tokenId, rotateEvery: "30d" } },
      );
      expect((await stack.up(program)).errors).toEqual([]);
      expect(outsOf(stack, "ada-token")).toMatchObject({ tokenId: own?.tokenId, issuedAt: NOW });
      const { token: theirs } = await neighbor.issueToken(userId, "2034-01-31T00:00:00Z", operation);
      now += 31 * DAY;
      expect((await stack.up(program)).errors).toEqual([]);
      const outs = outsOf(stack, "ada-token");
      expect(await management.probe(String(outs.value))).toMatchObject({ live: true });
      expect(await management.probe(theirs)).toMatchObject({ live: true });
      expect(outs.tokenId).not.toBe(own?.tokenId);
      expect(await stack.preview(program)).toEqual([]);
    },
  );

  test("a token adopted by its id, whose rotation was killed after the revocation: the next run issues a new one", async () => {
    const organization = await listedOrganization();
    const { neighbor } = organization;
    const { id: userId } = await neighbor.createUser({ email: ada.email }, operation);
    await neighbor.issueToken(userId, "2035-01-31T00:00:00Z", operation);
    const [own] = (await organization.snapshot()).tokens;
    await neighbor.revokeToken(userId, operation, own?.tokenId);
    const inputs = { adopt: own?.tokenId, rotateEvery: "30d" };
    const program = (token: Record<string, unknown>) =>
      member("ada", { ...ada, adopt: userId }, { seat: { adopt: true }, token });
    const stack = organization.stack();
    expect((await stack.up(program(inputs))).errors).toEqual([]);
    expect(outsOf(stack, "ada-token").value).toEqual(expect.any(String));
    const { rotateEvery: _, ...without } = inputs;
    expect((await organization.stack().up(program(without))).errors).toEqual([
      expect.stringContaining("cannot adopt token"),
    ]);
  });
});

/** What is told beforehand of a step, against what is then sent. */
import { describe, expect, test } from "vitest";
import { isKept } from "../../provider/resources/members/removal.ts";
import { isAssignedAgain, revokesExisting } from "../../provider/resources/planned-writes.ts";
import { dueRenewal } from "../../provider/resources/user-token/dates.ts";
import { common, inTurn, SUBSCRIPTION_END, scripted } from "./scripted.ts";

const LATER = "2028-06-30T23:59:59Z";
const kept = { ...common, stateVersion: 1, instance: "i1", userId: "u1" };
const token = { ...common, userId: "u1", subscriptionExpiresAt: SUBSCRIPTION_END };

describe("what a step will send", () => {
  test.each([true, false])(
    "includes call 6 in the update of a seat with confirmed %s, or nothing",
    async (confirmed) => {
      const olds = { ...kept, adopted: false, confirmed };
      const run = await scripted(() => ({ status: 201 }));
      await run.seat.update("u1", olds, { ...common, userId: "u1", onDelete: "retain" });
      expect(run.sent().length > 0).toBe(isAssignedAgain(olds));
    },
  );

  test.each([SUBSCRIPTION_END, LATER])(
    "includes call 8 in the update of a token and a subscription to %s, or nothing",
    async (subscriptionExpiresAt) => {
      const olds = { value: "seat-token-1", reportedExpiresAt: null, validUntil: SUBSCRIPTION_END };
      const news = { ...token, subscriptionExpiresAt };
      const run = await scripted(() => ({ body: { expires_at: LATER } }));
      await run.token.update("u1", { ...kept, ...token, ...olds, expirySource: "declared" }, news);
      expect(run.sent().length > 0).toBe(dueRenewal(olds, news, run.clock.now()) !== undefined);
    },
  );

  test.each([true, false])(
    "includes call 9 before a token with replaceExisting %s, or nothing",
    async (wanted) => {
      const hasOne = { status: 409, body: { error: { message: "has a token" } } };
      const run = await scripted(inTurn(hasOne, { status: 204 }, { body: { token: "seat-token-2" } }));
      const news = { ...token, replaceExisting: wanted };
      await Promise.allSettled([run.token.create(news)]);
      expect(run.sent().includes("DELETE /users/u1/token")).toBe(revokesExisting(news));
    },
  );

  test.each([
    [false, undefined],
    [false, "retain"],
    [false, "delete"],
    [true, undefined],
    [true, "retain"],
    [true, "delete"],
  ] as const)(
    "includes a call for a removal with adopted %s and onDelete %s, or none",
    async (adopted, onDelete) => {
      const run = await scripted(() => ({ status: 204 }));
      await run.seat.delete("u1", { ...kept, adopted, confirmed: true, ...(onDelete && { onDelete }) });
      expect(run.sent().length === 0).toBe(isKept({ adopted, onDelete }));
    },
  );
});

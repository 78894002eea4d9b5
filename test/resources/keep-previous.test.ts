/** previous.txt, and the slots of `rotateEvery`. */
import { describe, expect, test } from "vitest";
import { nextRotation } from "../../provider/resources/rotation-schedule.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import { accountsOf, bot, DAY } from "./accounts.ts";
import { runs } from "./runs.ts";

runs("previous.txt");

describe("rotateEvery of a ServiceAccount", () => {
  const RULED = { name: "bot", keepPreviousFor: "24h", rotateEvery: "30d" };

  test("rotates at its slot, which stays the same over rotations, and says why", async () => {
    const accounts = await accountsOf();
    await accounts.up(bot(RULED));
    const issuedAt = String(accounts.outs().issuedAt);
    const key = `${accounts.organizationId}/bot`;
    const slot = Date.parse(nextRotation(key, { rotateEvery: "30d", issuedAt }) ?? "");
    accounts.now = slot - 1000;
    expect(await accounts.preview()).toEqual([]);
    accounts.now = slot;
    expect(await accounts.preview()).toEqual(["bot"]);
    expect(await accounts.up()).toEqual([
      expect.stringContaining(
        `rotate service account bot: rotateEvery 30d, issued ${issuedAt.slice(0, 10)}.`,
      ),
    ]);
    expect((await accounts.ids()).size).toBe(2);
    accounts.now = slot + 30 * DAY - 1000;
    await accounts.up();
    expect((await accounts.ids()).size).toBe(1);
    expect(await accounts.preview()).toEqual([]);
    accounts.now = slot + 30 * DAY;
    expect(await accounts.preview()).toEqual(["bot"]);
  });

  test("starts the age of a state without one, without a request, and the account stays", async () => {
    const accounts = await accountsOf();
    await accounts.up(bot({ name: "bot" }));
    const own = accounts.own();
    accounts.forget("issuedAt");
    expect(await accounts.preview()).toEqual([]);
    await accounts.calls();
    await accounts.up(bot({ name: "bot", rotateEvery: "30d" }));
    expect(accounts.own()).toEqual(own);
    expect(accounts.outs().issuedAt).toBe(formatInstant(accounts.now));
    expect(await accounts.calls()).toEqual([]);
  });
});

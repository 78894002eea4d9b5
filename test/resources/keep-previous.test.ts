/** `keepPreviousFor` and `rotateEvery` of a ServiceAccount: which accounts exist and work after which run. */
import { describe, expect, test } from "vitest";
import { nextRotation } from "../../provider/resources/rotation-schedule.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import { type Accounts, accountsOf, bot, DAY, HOUR } from "./accounts.ts";

const KEPT = { name: "bot", keepPreviousFor: "24h" };

async function rotated(): Promise<{ accounts: Accounts; first: string; second: string }> {
  const accounts = await accountsOf();
  await accounts.up(bot(KEPT));
  const first = accounts.own();
  await accounts.up(bot({ ...KEPT, rotation: 2 }));
  return { accounts, first: first.clientId, second: accounts.own().clientId };
}

describe("keepPreviousFor", () => {
  test("a rotation: both accounts work, the next runs change nothing, and the first run after the time deletes the old one", async () => {
    const accounts = await accountsOf();
    await accounts.up(bot(KEPT));
    const first = accounts.own();
    expect(await accounts.calls()).toEqual([2, 1]);
    const replaced = await accounts.up(bot({ ...KEPT, rotation: 2 }));
    expect(await accounts.calls()).toEqual([2, 1]);
    expect(replaced).toEqual([
      `rotate service account bot. The previous account (client id ${first.clientId}) keeps working for 24h, and a later run deletes it.`,
    ]);
    const second = accounts.own();
    expect(second.clientId).not.toBe(first.clientId);
    expect(accounts.outs().previous).toEqual([
      { clientId: first.clientId, removeAfter: formatInstant(accounts.now + DAY) },
    ]);
    expect([await accounts.works(first), await accounts.works(second)]).toEqual([true, true]);

    accounts.now += 23 * HOUR;
    expect(await accounts.preview()).toEqual([]);
    await accounts.up();
    expect(await accounts.calls()).toEqual([]);

    accounts.now += HOUR;
    expect(await accounts.preview()).toEqual(["bot"]);
    expect(await accounts.up()).toEqual([expect.stringContaining("delete previous service account of bot")]);
    expect(await accounts.calls()).toEqual([3]);
    expect([await accounts.works(first), await accounts.works(second)]).toEqual([false, true]);
    expect(accounts.own()).toEqual(second);
    expect(accounts.outs()).not.toHaveProperty("previous");
    expect(await accounts.preview()).toEqual([]);
  });

  test("a rotation without keepPreviousFor deletes the kept accounts too", async () => {
    const { accounts } = await rotated();
    await accounts.up(bot({ name: "bot", rotation: 3 }));
    expect(await accounts.ids()).toEqual(new Set([accounts.own().clientId]));
  });

  test("all accounts go with the resource, also one that is gone already", async () => {
    for (const isGone of [false, true]) {
      const { accounts, first } = await rotated();
      if (isGone) await accounts.deleteByHand(first);
      await accounts.destroy();
      expect(await accounts.ids()).toEqual(new Set());
    }
  });

  test("a kept account that is gone: refresh forgets it, and without a refresh its removal is done", async () => {
    const refreshed = await rotated();
    await refreshed.accounts.deleteByHand(refreshed.first);
    await refreshed.accounts.refresh();
    expect(refreshed.accounts.outs()).not.toHaveProperty("previous");
    expect(await refreshed.accounts.preview()).toEqual([]);

    const { accounts, first } = await rotated();
    await accounts.deleteByHand(first);
    accounts.now += DAY;
    await accounts.up();
    expect(accounts.outs()).not.toHaveProperty("previous");
  });

  test("an account that is gone while it keeps another: refresh names the one that stays", async () => {
    const { accounts, first, second } = await rotated();
    await accounts.deleteByHand(second);
    expect(await accounts.refresh()).toEqual([
      expect.stringContaining(
        `stay in the service, but the state no longer contains them: client id ${first}`,
      ),
    ]);
  });
});

describe("rotateEvery of a ServiceAccount", () => {
  const RULED = { ...KEPT, rotateEvery: "30d" };

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

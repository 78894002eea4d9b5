// @module-tag ci
/** Two years of runs over tokens that are rotated on a schedule, drawn: each rotates once per period, at the first run after its slot. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { platformNames } from "../../provider/api/calls/platform.ts";
import { checkCases } from "../setup/cases.ts";
import type { DirectResource } from "../setup/direct.ts";
import { organizationOn } from "./listed.ts";

const DAY = 86_400_000;
const START = Date.parse("2027-01-01T00:00:00Z");
const YEARS = 2 * 365 * DAY;
const END = "2035-12-31T23:59:59Z";

const history = fc.record({
  days: fc.integer({ min: 5, max: 200 }),
  /** Between two runs; after the last one the pauses begin again. */
  pausesHours: fc.array(fc.oneof(fc.integer({ min: 1, max: 48 }), fc.integer({ min: 1, max: 24 * 40 })), {
    minLength: 1,
    maxLength: 12,
  }),
  /** Runs at which someone rotates the token by hand. */
  marks: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 2 }),
});

/** The slots in (from, to], computed from the description alone. */
function slotsBetween(userId: string, days: number, from: number, to: number): number {
  const seconds = BigInt(days * 86_400);
  const phase = BigInt(`0x${createHash("sha256").update(userId).digest("hex").slice(0, 12)}`) % seconds;
  const before = (at: number): bigint => (BigInt(Math.floor(at / 1000)) - phase) / seconds;
  return Number(before(to) - before(from));
}

test.each(platformNames)(
  "rotation on a schedule, %s: over two years, each token rotates once per period, never late and never twice",
  async (platform) => {
    const organization = await organizationOn(platform, { seats: 10, subscriptionExpiresAt: END });
    const name = `rotation on a schedule, ${platform}`;
    let cases = 0;
    const suite = { name, level: "R", cases: 500, quick: 10, siblings: platformNames.length } as const;
    await checkCases(suite, history, async ({ days, pausesHours, marks }) => {
      const email = `p${++cases}@acme.example`;
      const stack = organization.stack();
      let now = START;
      stack.now = () => now;
      const program = (rotation: number): DirectResource[] => [
        { type: "OrgUser", name: "user", args: { email } },
        {
          type: "UserToken",
          name: "token",
          args: { userId: "$user.id", rotateEvery: `${days}d`, ...(rotation > 0 && { rotation }) },
        },
      ];
      expect((await stack.up(program(0))).errors).toEqual([]);
      const userId = stack.state.get("user")?.id ?? "";
      let issued = now;
      let value = stack.state.get("token")?.outs.value;
      for (let round = 1; now < START + YEARS; round++) {
        now += (pausesHours[round % pausesHours.length] ?? 1) * 3_600_000;
        const isMarked = marks.includes(round);
        const isDue = slotsBetween(userId, days, issued, now) > 0;
        const declared = program(marks.filter((mark) => mark <= round).length);
        const shown = await stack.run(declared, { isDry: true });
        const actions = shown.steps.filter(({ action }) => action !== "same").map(({ action }) => action);
        expect(actions).toEqual(isDue || isMarked ? ["update"] : []);
        if (!isDue && !isMarked) continue;
        await organization.requests();
        expect((await stack.up(declared)).errors).toEqual([]);
        const writes = (await organization.requests()).filter(({ method }) => method !== "GET");
        const isSent = ({ call }: (typeof writes)[number]) => typeof call === "number";
        const order = platform === "basic" ? [9, 7] : [7, 9];
        expect(writes.filter(isSent).map(({ call }) => call)).toEqual(order);
        issued = now;
        const outs = stack.state.get("token")?.outs;
        expect(outs?.value).not.toBe(value);
        value = outs?.value;
        expect(await stack.preview(declared), "a second run at the same instant does nothing").toEqual([]);
        // The age at any later run is below the period, or that run rotates.
        expect(slotsBetween(userId, days, issued, issued + days * DAY)).toBe(1);
      }
      expect(await organization.service.management.probe(String(value))).toMatchObject({ live: true });
      expect((await stack.destroy()).errors).toEqual([]);
    });
  },
);

/** A machine whose clock is 100 days off: nothing that time decides is done, and the rest is. */
import { expect, test } from "vitest";
import { splitCode } from "../../provider/util/error-codes.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import type { DirectResource } from "../setup/direct.ts";
import { member, organizationOn } from "./listed.ts";

const DAY = 86_400_000;
const platforms = ["basic", "anaconda"] as const;
const WHY =
  "this machine's clock is 100 days ahead of the service's, so orgseat makes no change that time decides";

const crowd = (count: number, token: Record<string, unknown>): DirectResource[] =>
  Array.from({ length: count }, (_, index) =>
    member(`p${index}`, { email: `p${index}@acme.example` }, { token }),
  ).flat();

/** An organization that was made by a right clock, on a machine that is `days` ahead from then on. */
async function skewed(
  platform: (typeof platforms)[number],
  program: readonly DirectResource[],
  dateHeader: "clock" | "none" = "clock",
) {
  const organization = await organizationOn(platform);
  const { management, seed } = organization.service;
  const stack = organization.stack({ ORGSEAT_SUBSCRIPTION_EXPIRES_AT: seed.subscriptionExpiresAt });
  expect((await stack.up(program)).errors).toEqual([]);
  await management.setSwitches({ dateHeader });
  await organization.calls();
  const values = async () =>
    (await management.snapshot()).tokens.map(({ hash, expiresAt, revoked }) => [hash, expiresAt, revoked]);
  return {
    ...{ organization, management, stack, values, end: seed.subscriptionExpiresAt },
    /** @param days that the machine is ahead */
    async up(days: number, wanted: readonly DirectResource[]) {
      stack.now = () => Date.now() + days * DAY;
      return stack.run(wanted, { continueOnError: true });
    },
    writes: async () =>
      (await organization.calls()).filter((call) => call !== "token" && call !== 17 && call !== 18),
  };
}

test.each(platforms)(
  "replaces none of 30 scheduled tokens, adds a person, and says why: %s",
  async (platform) => {
    const tokens = crowd(30, { rotateEvery: "30d" });
    const run = await skewed(platform, tokens);
    const before = await run.values();
    const { errors } = await run.up(100, [...tokens, ...member("new", { email: "new@acme.example" })]);
    expect(errors).toHaveLength(30);
    for (const text of errors) {
      expect(text).toMatch(/^cannot rotate the token of p\d+@acme\.example \(user .+\): /);
      expect(text).toContain(WHY);
      expect(splitCode(text).code).toBe("clock-skew");
    }
    expect(await run.writes()).toEqual([5, 6, 7]);
    expect((await run.values()).slice(0, 30)).toEqual(before);
    // The machine that has the right time has nothing to mend.
    expect((await run.up(0, [...tokens, ...member("new", { email: "new@acme.example" })])).errors).toEqual(
      [],
    );
    expect(await run.writes()).toEqual([]);
  },
);

test.each(platforms)("rotates on request, whatever the clock: %s", async (platform) => {
  const run = await skewed(platform, crowd(1, {}));
  expect((await run.up(100, crowd(1, { rotation: "2" }))).errors).toEqual([]);
  expect((await run.writes()).toSorted()).toEqual([7, 9]);
});

test.each(platforms)(
  "rotates what is due if the service does not say what time it is: %s",
  async (platform) => {
    const run = await skewed(platform, crowd(2, { rotateEvery: "30d" }), "none");
    expect((await run.up(100, crowd(2, { rotateEvery: "30d" }))).errors).toEqual([]);
    expect(await run.writes()).toHaveLength(4);
  },
);

test.each(platforms)("rotates what is due if the clocks differ by 9 minutes: %s", async (platform) => {
  const run = await skewed(platform, crowd(1, { rotateEvery: "30d" }));
  await run.management.setClock({ offsetMs: 100 * DAY + 9 * 60_000 });
  expect((await run.up(100, crowd(1, { rotateEvery: "30d" }))).errors).toEqual([]);
  expect((await run.writes()).toSorted()).toEqual([7, 9]);
});

test.each(platforms)("renews nothing by its window, and what a later date asks for: %s", async (platform) => {
  const { subscriptionExpiresAt: end } = (await organizationOn(platform)).service.seed;
  const soon = formatInstant(Date.parse(end) - 200 * DAY);
  const token = { expiresAt: soon, renewBefore: "100d" };
  const run = await skewed(platform, crowd(2, token));
  const { errors } = await run.up(100, crowd(2, token));
  expect(errors).toHaveLength(2);
  expect(errors[0]).toContain("cannot renew the token of p0@acme.example");
  expect(errors[0]).toContain(WHY);
  expect(await run.writes()).toEqual([]);
  if (platform === "basic") return;
  const later = { ...token, expiresAt: formatInstant(Date.parse(soon) + DAY) };
  expect((await run.up(100, crowd(2, later))).errors).toEqual([]);
  expect(await run.writes()).toEqual([8, 8]);
});

test.each(platforms)("issues no token with a period, and revokes none for it: %s", async (platform) => {
  const run = await skewed(platform, crowd(1, { expiresAt: "90d" }));
  const before = await run.values();
  const rotated = crowd(2, { expiresAt: "90d", rotation: "2" });
  const { errors } = await run.up(-100, rotated);
  expect(errors.join("\n")).toContain(
    "that is valid for 90d: this machine's clock is 100 days behind the service's",
  );
  expect(await run.writes()).toEqual([5, 6]);
  expect(await run.values()).toEqual(before);
});

test("revokes no earlier token, and deletes no earlier service account, on anaconda", async () => {
  const tokens = (rotation: string) => [
    ...crowd(1, { rotation, keepPreviousFor: "30d" }),
    { type: "ServiceAccount" as const, name: "bot", args: { name: "bot", rotation, keepPreviousFor: "30d" } },
  ];
  const run = await skewed("anaconda", tokens("1"));
  expect((await run.up(0, tokens("2"))).errors).toEqual([]);
  await run.organization.calls();
  const { errors } = await run.up(100, tokens("2"));
  expect(errors.toSorted()).toEqual([
    expect.stringContaining("cannot delete the previous service account of bot: "),
    expect.stringContaining("cannot revoke the previous token of p0@acme.example"),
  ]);
  expect(await run.writes()).toEqual([]);
});

test.each(platforms)("rotates no service account on a schedule: %s", async (platform) => {
  const bot = [{ type: "ServiceAccount" as const, name: "bot", args: { name: "bot", rotateEvery: "30d" } }];
  const run = await skewed(platform, bot);
  const { errors } = await run.up(100, bot);
  expect(errors).toEqual([expect.stringContaining(`cannot rotate service account bot: ${WHY}`)]);
  expect(await run.writes()).toEqual([]);
});

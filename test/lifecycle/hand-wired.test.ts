// @module-tag ci
/** Users, seats, and tokens that a program wires by hand: what Pulumi does in which order, on both platforms. */
import { expect, test } from "vitest";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { type Sandbox, sandbox } from "../setup/sandbox.ts";
import { type Declared, type Door, onEachDoor, type TestStack, testStack } from "../setup/stack.ts";

const platforms: readonly PlatformName[] = ["basic", "anaconda"];
const names = Array.from({ length: 20 }, (_, index) => `p${index}`);

/** How the token finds its user. */
type Wiring = "user" | "seat";

function person(
  name: string,
  wiring: Wiring,
  { email = `${name}@acme.example`, token = {} } = {},
): Declared[] {
  const userId = wiring === "user" ? `$${name}.userId` : `$${name}-seat.userId`;
  return [
    { type: "OrgUser", name, args: { email } },
    { type: "SeatAssignment", name: `${name}-seat`, args: { userId: `$${name}.userId` } },
    { type: "UserToken", name: `${name}-token`, args: { userId, ...token } },
  ];
}

async function started(platform: PlatformName, door: Door, seats: number) {
  const organization = await sandbox({ seats, subscriptionExpiresAt: "2035-06-30" }, undefined, platform);
  const environment = { ORGSEAT_PLATFORM: platform, ORGSEAT_SUBSCRIPTION_EXPIRES_AT: "2035-06-30" };
  const stack = await testStack(organization, environment, door);
  return { organization, stack };
}

/** The writes about each user, in their order. */
async function writesByUser(organization: Sandbox): Promise<Map<string, number[]>> {
  const calls = new Map<string, number[]>();
  for (const { userId, call, method, status } of await organization.requests()) {
    const isWrite = method !== "GET" && typeof call === "number" && status !== null && status < 300;
    if (isWrite && userId !== null) calls.set(userId, [...(calls.get(userId) ?? []), call]);
  }
  return calls;
}

async function up(stack: TestStack, resources: readonly Declared[], ...args: string[]): Promise<string> {
  stack.declare(resources);
  const { code, output } = await stack.up(...args);
  expect(code, output).toBe(0);
  return output;
}

onEachDoor("parts wired by hand", (door) => {
  test.each(platforms)(
    "update for a rotation and for another user on %s, where all seats are taken",
    async (platform) => {
      const { organization, stack } = await started(platform, door, 1);
      await up(stack, person("ada", "seat"));
      await organization.requests();
      const value = () => stack.resources().find(({ type }) => type.endsWith("UserToken"))?.outputs?.value;
      const before = await stack.inTheClear(value());

      const rotated = await up(stack, person("ada", "seat", { token: { rotation: "2" } }));
      expect(rotated).not.toMatch(/replac/);
      expect([...(await writesByUser(organization)).values()]).toEqual([
        platform === "basic" ? [9, 7] : [7, 9],
      ]);
      expect(await stack.inTheClear(value())).not.toBe(before);

      const moved = await up(
        stack,
        person("ada", "seat", { email: "countess@acme.example", token: { rotation: "2" } }),
      );
      expect(moved).toMatch(/OrgUser ada (created|creating) replacement/);
      expect(moved).not.toMatch(/(SeatAssignment|UserToken) \S+ \S*\s*replac/);
      const calls = [...(await writesByUser(organization)).values()];
      expect(calls.toSorted()).toEqual([
        [5, 6, 7],
        [9, 10, 11],
      ]);
      const { users, tokens } = await organization.service.management.snapshot();
      expect(users).toMatchObject([{ email: "countess@acme.example", seat: true }]);
      expect(tokens.filter(({ revoked }) => !revoked)).toHaveLength(1);
      expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
      expect(await stack.preview("--refresh", "--expect-no-changes")).toMatchObject({ code: 0 });
    },
  );

  test.each([
    ["user", "8"],
    ["seat", "1"],
  ] as const)(
    "lose token, seat, and user in this order, the token wired by the %s, at --parallel %s",
    async (wiring, parallel) => {
      const { organization, stack } = await started("basic", door, names.length);
      const all = names.flatMap((name) => person(name, wiring));
      await up(stack, all);
      await organization.requests();
      const moved = names.flatMap((name) => person(name, wiring, { email: `new-${name}@acme.example` }));
      await up(stack, moved, "--parallel", parallel);
      const changed = [...(await writesByUser(organization)).values()];
      expect(changed.filter((calls) => calls.join() === "5,6,7")).toHaveLength(names.length);
      expect(changed.filter((calls) => calls.join() === "9,10,11")).toHaveLength(names.length);

      stack.environment.ORGSEAT_ALLOW_REMOVALS = `${organization.organizationId}:40`;
      await up(
        stack,
        names.slice(10).flatMap((name) => person(name, wiring, { email: `new-${name}@acme.example` })),
        "--parallel",
        parallel,
      );
      const { code, output } = await stack.destroy("--parallel", parallel);
      expect(code, output).toBe(0);
      const removed = [...(await writesByUser(organization)).values()].map((calls) => calls.join());
      expect(removed).toEqual(names.map(() => "9,10,11"));
    },
  );
});

/** Renamed, moved and doubled resources: what one resource lets go of, another one of the program may hold. */
import { describe, expect, test } from "vitest";
import { type DirectResource, DirectStack } from "../setup/direct.ts";
import { ada, member, organizationOn } from "./listed.ts";

async function stackWith(program: readonly DirectResource[], platform: "basic" | "anaconda" = "basic") {
  const organization = await organizationOn(platform);
  const stack = organization.stack();
  expect((await stack.up(program)).errors).toEqual([]);
  await organization.requests();
  const effects = async () => (await organization.calls()).filter((call) => call !== "token");
  return { organization, stack, effects };
}

/** Ada's user, seat and token. */
const adaAs = (name: string, user: object = {}, token: Record<string, unknown> = {}) =>
  member(name, { email: ada.email, ...user }, { token });

describe("a resource renamed without an alias", () => {
  test("OrgUser, SeatAssignment and UserToken, taken over as the errors say: the old ones take nothing away", async () => {
    const { organization, stack, effects } = await stackWith(adaAs("ada"));
    const userId = stack.state.get("ada-user")?.id;
    expect((await stack.up(adaAs("countess"))).errors[0]).toMatch(
      /use `aliases`.*set `adopt` to the user id/,
    );
    const adopted = adaAs("countess", { adopt: userId }, { replaceExisting: true });
    await effects();

    const { errors, messages } = await stack.up(adopted);
    expect(errors).toEqual([]);
    expect(await effects()).toEqual([6, 7, 9, 7]);
    expect(
      messages.filter(({ text }) => text.includes("another resource of this program manages it")),
    ).toHaveLength(3);
    const { users, tokens } = await organization.service.management.snapshot();
    expect(users).toEqual([expect.objectContaining({ userId, seat: true })]);
    expect(tokens).toHaveLength(1);
    expect(await stack.preview(adopted)).toEqual([]);
  });

  test("UserToken on anaconda with another expiry: the old token, which has an id, is revoked", async () => {
    const [user, seat, token] = adaAs("ada", {}, { expiresAt: "2027-01-31" });
    const { stack, effects } = await stackWith([user, seat, token], "anaconda");
    const renamed = { ...token, name: "pass", args: { ...token.args, expiresAt: "2027-02-28" } };
    expect((await stack.up([user, seat, renamed])).errors).toEqual([]);
    expect((await effects()).filter((call) => call === 7 || call === 9)).toEqual([7, 9]);
  });

  test("SeatAssignment alone: the seat stays although the service answers a repeat like a first assignment", async () => {
    const [user, seat, token] = adaAs("ada");
    const { organization, stack, effects } = await stackWith([user, seat, token]);
    const renamed = [user, { ...seat, name: "desk" }, { ...token, args: { userId: "$desk.userId" } }];
    expect((await stack.up(renamed)).errors).toEqual([]);
    expect(await effects()).toEqual([6]);
    expect((await organization.service.management.snapshot()).users).toMatchObject([{ seat: true }]);
  });
});

describe("an adopted OrgUser", () => {
  test("refuses a changed email while adopt names the old person, and removes nobody", async () => {
    const { organization, stack, effects } = await stackWith(adaAs("ada"));
    const userId = stack.state.get("ada-user")?.id;
    const adopting = (email: string): DirectResource[] => [
      { type: "OrgUser", name: "taken", args: { email, adopt: userId, onDelete: "delete" } },
    ];
    const other = new DirectStack(stack.configuration);
    expect((await other.up(adopting("ada@acme.example"))).errors).toEqual([]);
    expect((await other.up(adopting("grace@acme.example"))).errors).toEqual([
      expect.stringMatching(/`adopt` .* is still user .*Remove it to add grace@acme\.example/),
    ]);
    expect(await effects()).toEqual([]);
    expect((await organization.service.management.snapshot()).users).toHaveLength(1);
  });
});

describe("UserToken", () => {
  test("says that the old token is gone if the second issue of replaceExisting is refused", async () => {
    const { organization, stack } = await stackWith(adaAs("ada"));
    const userId = stack.state.get("ada-user")?.id;
    const other = new DirectStack(stack.configuration);
    await organization.service.management.addFaults({
      match: { call: 7 },
      after: 1,
      fault: { kind: "refuse", status: 402 },
    });
    const { errors } = await other.up([
      { type: "UserToken", name: "again", args: { userId, replaceExisting: true } },
    ]);
    expect(errors).toEqual([expect.stringMatching(/The previous token has been revoked\. .* lacks a token/)]);
  });
});

/** Renamed, moved and doubled resources: what one resource lets go of, another one of the program may hold. */
import { describe, expect, test } from "vitest";
import { configurationOf, type DirectResource, DirectStack } from "../setup/direct.ts";
import { makeServiceAccount, sandbox } from "../setup/sandbox.ts";

async function stackWith(program: readonly DirectResource[]) {
  const organization = await sandbox();
  const stack = new DirectStack(configurationOf(organization, await makeServiceAccount(organization)));
  expect((await stack.up(program)).errors).toEqual([]);
  await organization.requests();
  const effects = async () => (await organization.calls()).filter((call) => call !== "token");
  return { organization, stack, effects };
}

const member = (name: string, args: { user?: object; token?: object } = {}): DirectResource[] => [
  { type: "OrgUser", name: `${name}-user`, args: { email: "ada@acme.example", ...args.user } },
  { type: "SeatAssignment", name: `${name}-seat`, args: { userId: `$${name}-user.id` } },
  { type: "UserToken", name: `${name}-token`, args: { userId: `$${name}-seat.id`, ...args.token } },
];

describe("a resource renamed without an alias", () => {
  test("OrgUser, SeatAssignment and UserToken, taken over as the errors say: the old ones take nothing away", async () => {
    const { organization, stack, effects } = await stackWith(member("ada"));
    const userId = stack.state.get("ada-user")?.id;
    expect((await stack.up(member("countess"))).errors[0]).toMatch(
      /use `aliases`.*set `adopt` to the user id/,
    );
    const adopted = member("countess", { user: { adopt: userId }, token: { replaceExisting: true } });
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
    const organization = await sandbox({}, undefined, "anaconda");
    const stack = new DirectStack(configurationOf(organization, await makeServiceAccount(organization)));
    const [user, seat, token] = member("ada", { token: { expiresAt: "2027-01-31" } });
    if (!user || !seat || !token) throw new Error("a member has three resources");
    expect((await stack.up([user, seat, token])).errors).toEqual([]);
    const renamed = { ...token, name: "pass", args: { ...token.args, expiresAt: "2027-02-28" } };
    expect((await stack.up([user, seat, renamed])).errors).toEqual([]);
    expect((await organization.calls()).filter((call) => call === 7 || call === 9)).toEqual([7, 7, 9]);
  });

  test("SeatAssignment alone: the seat stays although the service answers a repeat like a first assignment", async () => {
    const { organization, stack, effects } = await stackWith(member("ada"));
    const [user, seat, token] = member("ada");
    if (!user || !seat || !token) throw new Error("a member has three resources");
    const renamed = [user, { ...seat, name: "desk" }, { ...token, args: { userId: "$desk.id" } }];
    expect((await stack.up(renamed)).errors).toEqual([]);
    expect(await effects()).toEqual([6]);
    expect((await organization.service.management.snapshot()).users).toEqual([
      expect.objectContaining({ seat: true }),
    ]);
  });
});

describe("an adopted OrgUser", () => {
  test("refuses a changed email while adopt names the old person, and removes nobody", async () => {
    const { organization, stack, effects } = await stackWith(member("ada"));
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

  test("given the user id of another membership is refused", async () => {
    const { stack } = await stackWith(member("ada"));
    const { errors } = await stack.up(member("ada", { user: { adopt: "someone-else" } }));
    expect(errors).toEqual([expect.stringMatching(/is user .*, and `adopt` .* is user someone-else/)]);
  });
});

describe("UserToken", () => {
  test("says that the old token is gone if the second issue of replaceExisting is refused", async () => {
    const { organization, stack } = await stackWith(member("ada"));
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
    expect(errors).toEqual([
      expect.stringContaining("The previous token has been revoked. No token was issued"),
    ]);
  });
});

describe("ServiceAccount", () => {
  const bot: DirectResource[] = [{ type: "ServiceAccount", name: "bot", args: { name: "bot" } }];

  test("gives up after three attempts if the service keeps failing, with its reason", async () => {
    const { organization, stack } = await stackWith([]);
    const body = { error: { code: "QUOTA", message: "quota of accounts reached" } };
    await organization.service.management.addFaults({
      match: { call: 1 },
      times: "always",
      fault: { kind: "refuse", status: 500, body },
    });
    const { errors } = await stack.up(bot);
    expect(errors).toEqual([
      expect.stringMatching(
        /quota of accounts reached.*3 attempts failed, and none left a service account behind/,
      ),
    ]);
    expect((await organization.calls()).filter((call) => call === 1)).toHaveLength(3);
  });
});

test("a fault of credentials is named without the property whose value Pulumi would show", async () => {
  const { stack } = await stackWith([]);
  const { errors } = await stack.up([
    {
      type: "OrgUser",
      name: "ada",
      args: { email: "a@b.example", credentials: { clientId: "c", clientSecret: "s", more: 1 } },
    },
  ]);
  expect(errors).toEqual([expect.stringMatching(/^: credentials\.more: unknown key \[invalid-input\]$/)]);
});

/** Users, seats and tokens at a service that lists them: each lifecycle, over HTTP. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { DirectStack } from "../setup/direct.ts";
import { directProviders, pausesOnly } from "../setup/direct-providers.ts";
import { ada, builds, idOf, listedOrganization, member, operation, outsOf } from "./listed.ts";

const program = member("ada", ada);
const LATER = "2031-01-31T23:59:59Z";

async function clean(stack: DirectStack, run: Parameters<DirectStack["up"]>[0] = program): Promise<void> {
  expect((await stack.up(run)).errors).toEqual([]);
  expect(await stack.preview(run)).toEqual([]);
  await expectNoDrift(stack);
  expect(await stack.preview(run)).toEqual([]);
}

/** A refresh changes nothing. */
async function expectNoDrift(stack: DirectStack): Promise<void> {
  const before = new Map([...stack.state].map(([name, { outs }]) => [name, outs]));
  expect((await stack.refresh()).errors).toEqual([]);
  expect(new Map([...stack.state].map(([name, { outs }]) => [name, outs]))).toEqual(before);
}

describe("a member of a service that lists users", () => {
  test("lifecycle: added, seated, issued a token with its id, refreshed without drift, removed", async () => {
    const organization = await listedOrganization();
    const stack = organization.stack();
    await clean(stack);
    const { users, tokens } = await organization.snapshot();
    expect(users).toMatchObject([{ email: ada.email, seat: true }]);
    expect(outsOf(stack, "ada-user")).toMatchObject({ role: "member", serviceEmail: null });
    expect(outsOf(stack, "ada-token")).toMatchObject({
      tokenId: tokens[0]?.tokenId,
      expirySource: "service",
      validUntil: tokens[0]?.expiresAt,
    });
    expect(await organization.service.management.outbox(), "no email").toEqual([]);
    expect((await stack.destroy()).errors).toEqual([]);
    expect((await organization.snapshot()).users).toEqual([]);
  });

  test("emails: sent for seat and token with sendEmail only", async () => {
    const organization = await listedOrganization();
    const stack = organization.stack();
    await clean(stack, member("ada", ada, { seat: { sendEmail: true }, token: { sendEmail: true } }));
    expect(await organization.service.management.outbox()).toHaveLength(2);
  });

  test("a member already: nothing is sent, and the error names the id, in any letter case", async () => {
    const organization = await listedOrganization();
    const { id } = await organization.neighbor.createUser({ email: "Ada@ACME.example" }, operation);
    await organization.requests();
    const stack = organization.stack();
    const { errors } = await stack.up(program);
    expect(errors).toEqual([expect.stringContaining(`\`adopt: "${id}"\``)]);
    const methods = (await organization.requests()).map(({ method, call }) =>
      call === "token" ? "" : method,
    );
    expect(methods.filter((method) => method !== "" && method !== "GET")).toEqual([]);

    await clean(stack, member("ada", { ...ada, adopt: id, onDelete: "remove" }));
    expect((await organization.snapshot()).users).toHaveLength(1);
  });

  test("adopt: refuses an id that no user has, and one of another person", async () => {
    const organization = await listedOrganization();
    const { id } = await organization.neighbor.createUser({ email: "eve@acme.example" }, operation);
    const errorOf = async (adopt: string) =>
      (await organization.stack().up(member("ada", { ...ada, adopt }))).errors[0];
    expect(await errorOf(id)).toContain("this user is eve@acme.example");
    expect(await errorOf("00000000-0000-4000-8000-000000000000")).toContain("no user has this id");
  });

  test("adopt-only: takes user, seat and token with reads alone, and refuses a missing seat", async () => {
    const organization = await listedOrganization();
    const { neighbor } = organization;
    const { id } = await neighbor.createUser({ email: ada.email }, operation);
    const adopted = member("ada", { ...ada, adopt: id }, { seat: { adopt: true }, token: { adopt: true } });
    const stack = organization.stack({ ORGSEAT_ADOPT_ONLY: "1" });
    expect((await stack.up(adopted)).errors).toEqual([expect.stringContaining("cannot adopt the seat")]);
    await neighbor.assignSeat(id, operation);
    await neighbor.issueToken(id, LATER, operation);
    await organization.requests();
    expect((await stack.up(adopted)).errors).toEqual([]);
    expect(
      (await organization.requests()).filter(({ method, call }) => call !== "token" && method !== "GET"),
    ).toEqual([]);
    const { tokens } = await organization.snapshot();
    expect(outsOf(stack, "ada-token")).toMatchObject({ token: null, tokenId: tokens[0]?.tokenId });
  });

  test("an administrator: is removed with allowAdminRemoval only, whatever the state knows", async () => {
    const organization = await listedOrganization();
    const stack = organization.stack();
    const [user = program[0]] = program;
    if (user === undefined) throw new Error("no user");
    await clean(stack, [user]);
    await organization.service.management.changeUser(idOf(stack, "ada-user"), { role: "billing_manager" });
    expect((await stack.up([])).errors).toEqual([expect.stringContaining("allowAdminRemoval: true")]);
    expect((await stack.refresh()).errors).toEqual([]);
    expect(outsOf(stack, "ada-user")).toMatchObject({ role: "billing_manager" });
    await clean(stack, [{ ...user, args: { ...ada, allowAdminRemoval: true } }]);
    expect((await stack.up([])).errors).toEqual([]);
    expect((await organization.snapshot()).users).toEqual([]);
  });

  test("managed users of the same names: each is one user", async () => {
    const organization = await listedOrganization();
    const stack = organization.stack();
    const both = [...member("one", builds), ...member("two", builds)];
    expect((await stack.up(both)).errors).toEqual([]);
    expect((await organization.snapshot()).users).toHaveLength(2);
    expect(idOf(stack, "one-user")).not.toBe(idOf(stack, "two-user"));
    expect((await stack.refresh()).errors).toEqual([]);
    expect(await stack.preview(both)).toEqual([]);
  });
});

describe("a token of a service that lists tokens", () => {
  test("explicit dates: later and earlier are renewals with the same value, and tolerance is part of the expiry", async () => {
    const organization = await listedOrganization();
    const { service, organizationId } = organization;
    await service.management.changeSubscription(organizationId, { expiresAt: LATER });
    const stack = organization.stack({ ORGSEAT_SUBSCRIPTION_EXPIRES_AT: LATER });
    const until = (expiresAt: string, expirationToleranceMonths = 0) =>
      member("ada", ada, { token: { expiresAt, expirationToleranceMonths } });
    await clean(stack, until("2030-06-30T00:00:00Z"));
    const { token } = outsOf(stack, "ada-token");
    for (const [at, months, end] of [
      ["2030-09-30T00:00:00Z", 0, "2030-09-30T00:00:00Z"],
      ["2030-03-31T00:00:00Z", 0, "2030-03-31T00:00:00Z"],
      ["2030-08-15T00:00:00Z", 1, "2030-09-15T00:00:00Z"],
      ["2030-01-31T00:00:00Z", 1, expect.stringMatching(/^2030-0(2-28|3-03)T00:00:00Z$/)],
      ["2030-01-31T00:00:00Z", 0, "2030-01-31T00:00:00Z"],
    ] as const) {
      expect(await stack.preview(until(at, months))).toEqual(["ada-token"]);
      await clean(stack, until(at, months));
      expect(outsOf(stack, "ada-token")).toMatchObject({ token, validUntil: end });
    }
    expect((await organization.snapshot()).tokens).toHaveLength(1);
  });

  test("a renewed subscription: renews to its end, and reads it back", async () => {
    const organization = await listedOrganization();
    const { service, organizationId } = organization;
    const stack = organization.stack();
    await clean(stack);
    const { token } = outsOf(stack, "ada-token");
    stack.configuration.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = LATER;
    const { errors } = await stack.up(program);
    expect(errors).toEqual([expect.stringContaining("the service accepted the renewal, but token")]);
    await service.management.changeSubscription(organizationId, { expiresAt: LATER });
    await clean(stack);
    expect(outsOf(stack, "ada-token")).toMatchObject({ token, validUntil: LATER });
  });

  test("a renewal that moves another token: the error says so", async () => {
    const organization = await listedOrganization();
    const { service, organizationId, neighbor } = organization;
    const stack = organization.stack();
    await clean(stack);
    await neighbor.issueToken(idOf(stack, "ada-user"), LATER, operation);
    await service.management.changeSubscription(organizationId, { expiresAt: LATER });
    stack.configuration.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = LATER;
    expect((await stack.up(program)).errors).toEqual([expect.stringContaining("Instead, ")]);
  });

  test("rotation and removal: revoke the own token alone, also with replaceExisting", async () => {
    const organization = await listedOrganization();
    const { neighbor } = organization;
    const stack = organization.stack();
    const { id } = await neighbor.createUser({ email: ada.email }, operation);
    const { token } = await neighbor.issueToken(id, LATER, operation);
    const of = (more: Record<string, unknown>) =>
      member("ada", { ...ada, adopt: id }, { token: { replaceExisting: true, ...more } });
    await clean(stack, of({}));
    await clean(stack, of({ rotation: "2" }));
    expect((await organization.snapshot()).tokens.map(({ revoked }) => revoked)).toEqual([
      false,
      true,
      false,
    ]);
    expect((await stack.destroy()).errors).toEqual([]);
    expect((await organization.snapshot()).tokens.map(({ revoked }) => revoked)).toEqual([false, true, true]);
    expect(await organization.service.management.probe(token)).toMatchObject({ live: true });
  });

  test("adopt: several tokens are an error that lists them, an id selects one, rotation replaces it", async () => {
    const organization = await listedOrganization();
    const { neighbor } = organization;
    const { id } = await neighbor.createUser({ email: ada.email }, operation);
    for (const _ of [1, 2]) await neighbor.issueToken(id, LATER, operation);
    const [first, second] = (await organization.snapshot()).tokens.map(({ tokenId }) => tokenId);
    const of = (token: Record<string, unknown>) => member("ada", { ...ada, adopt: id }, { token });
    const stack = organization.stack();
    const { errors } = await stack.up(of({ adopt: true }));
    expect(errors[0]).toContain(`${first} (expires `);
    expect(errors[0]).toContain(`${second} (expires `);
    await clean(stack, of({ adopt: second }));
    expect(outsOf(stack, "ada-token")).toMatchObject({ token: null, tokenId: second });
    await clean(stack, of({ adopt: second, rotation: "2" }));
    expect(outsOf(stack, "ada-token").token).toEqual(expect.any(String));
    expect((await organization.snapshot()).tokens.map(({ revoked }) => revoked)).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("a state without ids: the next update finds the token, and an ambiguous one lists the candidates", async () => {
    const organization = await listedOrganization();
    const stack = organization.stack();
    await clean(stack);
    const recorded = stack.state.get("ada-token");
    if (recorded === undefined) throw new Error("no token");
    const { tokenId, ...outs } = recorded.outs;
    stack.state.set("ada-token", { ...recorded, outs });
    expect(await stack.preview(program)).toEqual(["ada-token"]);
    await clean(stack);
    expect(outsOf(stack, "ada-token")).toMatchObject({ tokenId });

    stack.state.set("ada-token", { ...recorded, outs });
    const end = String(outs.validUntil);
    await organization.neighbor.issueToken(idOf(stack, "ada-user"), end, operation);
    expect((await stack.up(program)).errors).toEqual([
      expect.stringContaining(`${tokenId} (expires ${end})`),
    ]);
    await clean(stack, member("ada", ada, { token: { adopt: tokenId } }));
    expect(outsOf(stack, "ada-token")).toMatchObject({ tokenId, token: recorded.outs.token });
  });

  test("an issued token whose id the lists do not tell: the state keeps its value, and the next update finds the id", async () => {
    const organization = await listedOrganization();
    const { management } = organization.service;
    const stack = organization.stack();
    await management.addFaults({ match: { call: 18 }, after: 1, fault: { kind: "refuse", status: 404 } });
    expect((await stack.up(program)).errors).toEqual([expect.stringContaining("do not tell its id")]);
    const { token } = outsOf(stack, "ada-token");
    expect(outsOf(stack, "ada-token")).toMatchObject({ token: expect.any(String), tokenId: null });
    await clean(stack);
    const [listed, ...more] = (await organization.snapshot()).tokens;
    expect(more).toEqual([]);
    expect(outsOf(stack, "ada-token")).toMatchObject({ token, tokenId: listed?.tokenId });
    expect(outsOf(stack, "ada-token")).not.toHaveProperty("otherTokenIds");
  });

  test("an issued token beside a new one of a neighbor: the next update waits until one remains", async () => {
    const organization = await listedOrganization();
    const { neighbor, service } = organization;
    const stack = organization.stack();
    await service.management.addFaults({
      match: { call: 18 },
      after: 1,
      fault: { kind: "refuse", status: 404 },
    });
    await stack.up(program);
    const id = idOf(stack, "ada-user");
    const end = String(outsOf(stack, "ada-token").validUntil);
    await neighbor.issueToken(id, end, operation);
    const [own, other] = (await organization.snapshot()).tokens.map(({ tokenId }) => tokenId);
    const { errors } = await stack.up(program);
    expect(errors[0]).toContain(`${own} (expires ${end}), ${other} (expires ${end})`);
    expect((await stack.destroy()).errors[0]).toContain("cannot tell which token");
    await neighbor.revokeToken(id, operation, other);
    await clean(stack);
    expect(outsOf(stack, "ada-token")).toMatchObject({ tokenId: own });
  });

  test("tokens that keep a user from being removed: the error lists them", async () => {
    const organization = await listedOrganization();
    const stack = organization.stack();
    stack.time = pausesOnly;
    await clean(stack);
    await organization.neighbor.issueToken(idOf(stack, "ada-user"), LATER, operation);
    const [, other] = (await organization.snapshot()).tokens;
    expect((await stack.destroy()).errors).toEqual([
      expect.stringContaining(`still has a seat or a token: ${other?.tokenId} (expires `),
    ]);
  });
});

describe("an import", () => {
  test("by id: fills the inputs and outputs of user, seat and token, which are no change then", async () => {
    const organization = await listedOrganization();
    const { neighbor } = organization;
    const { id } = await neighbor.createUser({ email: "Ada@ACME.example", first_name: "Ada" }, operation);
    const { made, process } = directProviders(organization.configuration, Date.now, []);
    onTestFinished(() => process.close());
    const types = ["OrgUser", "SeatAssignment", "UserToken"] as const;
    expect(await made.SeatAssignment.read(id, {})).toEqual({});
    expect(await made.UserToken.read(id, {})).toEqual({});
    await neighbor.assignSeat(id, operation);
    const end = organization.configuration.ORGSEAT_SUBSCRIPTION_EXPIRES_AT ?? "";
    await neighbor.issueToken(id, end, operation);
    const later = directProviders(organization.configuration, Date.now, []);
    onTestFinished(() => later.process.close());
    for (const type of types) {
      const { props = {}, inputs = {} } = await later.made[type].read(id, {});
      const checked = await later.made[type].check({}, inputs);
      expect(checked.failures).toEqual([]);
      expect(await later.made[type].diff(id, props, checked.inputs ?? {})).toMatchObject({ changes: false });
    }
    const found = await later.made.OrgUser.read(id, {});
    expect(found.inputs).toMatchObject({ email: ada.email, firstName: "Ada" });
    expect(found.props).toMatchObject({ adopted: true, role: "member", userId: id });
    await organization.service.management.removeUser(id);
    const last = directProviders(organization.configuration, Date.now, []);
    onTestFinished(() => last.process.close());
    for (const type of types) expect(await last.made[type].read(id, {})).toEqual({});
  });

  test("with the inputs of a program: keeps those that the service does not have", async () => {
    const organization = await listedOrganization();
    const { id } = await organization.neighbor.createUser({ email: ada.email }, operation);
    const { made, process } = directProviders(organization.configuration, Date.now, []);
    onTestFinished(() => process.close());
    const { organizationId } = organization;
    const given = { __provider: "text", email: ada.email, onDelete: "remove", organizationId };
    const { props = {} } = await made.OrgUser.read(id, given);
    expect(await made.OrgUser.diff(id, props, given)).toMatchObject({ changes: false, replaces: [] });
  });
});

test("a changed email at the service: a refresh says so, and the program takes it over without a replacement", async () => {
  const organization = await listedOrganization();
  const stack = organization.stack();
  const [user] = program;
  if (user === undefined) throw new Error("no user");
  await clean(stack, [user]);
  const items = await organization.neighbor.listUsers(operation);
  const moved = items.map((item) =>
    item.email === ada.email ? { ...item, email: "Ada.King@acme.example" } : item,
  );
  const body = JSON.stringify({ items: moved });
  const headers: [string, string][] = [
    ["content-type", "application/json"],
    ["content-length", String(body.length)],
  ];
  const fault = { kind: "raw", status: 200, headers, body } as const;
  await organization.service.management.addFaults({ match: { call: 17 }, times: "always", fault });
  expect((await stack.refresh()).errors).toEqual([]);
  expect(outsOf(stack, "ada-user")).toMatchObject({ serviceEmail: "Ada.King@acme.example" });
  expect(await stack.preview([user])).toEqual([]);
  const id = idOf(stack, "ada-user");
  await clean(stack, [{ ...user, args: { ...ada, email: "ada.king@acme.example" } }]);
  expect(idOf(stack, "ada-user")).toBe(id);
});

test.each([
  ["OrgUser", "allowAdminRemoval", true],
  ["SeatAssignment", "sendEmail", true],
  ["UserToken", "sendEmail", false],
  ["UserToken", "adopt", true],
  ["UserToken", "expirationToleranceMonths", 1],
] as const)("%s: the dialect documented refuses %s", async (type, input, value) => {
  const { made, process } = directProviders({ ORGSEAT_ORG_URL: "http://127.0.0.1:1" }, Date.now, []);
  onTestFinished(() => process.close());
  const inputs = { email: ada.email, userId: "u1", expiresAt: LATER, organizationId: "o1" };
  const own = Object.entries(inputs).filter(([key]) =>
    type === "OrgUser" ? key !== "userId" : key !== "email",
  );
  const used = Object.fromEntries(own.filter(([key]) => type === "UserToken" || key !== "expiresAt"));
  const { failures } = await made[type].check({}, { ...used, [input]: value });
  expect(failures).toEqual([{ property: input, reason: expect.stringContaining("not supported: ") }]);
});

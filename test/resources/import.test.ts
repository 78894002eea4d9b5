/** Imports by id alone, as `pulumi import` asks for them: of every resource. */
import { describe, expect, onTestFinished, test } from "vitest";
import { IMPORTED_SECRET } from "../../provider/resources/resource.ts";
import { anacondaArea } from "../setup/anaconda-area.ts";
import { configurationOf, DirectStack } from "../setup/direct.ts";
import { type DirectProviders, directProviders, type Message } from "../setup/direct-providers.ts";
import { modelArea, modelStack } from "../setup/model-area.ts";
import { makeServiceAccount, sandbox } from "../setup/sandbox.ts";
import { ada, listedOrganization, operation } from "./listed.ts";
import { inTurn, scripted } from "./scripted.ts";

type Type = keyof DirectProviders;

function providersOf(configuration: Readonly<Record<string, string>>, messages: Message[] = []) {
  const { made, process } = directProviders(configuration, Date.now, messages);
  onTestFinished(() => process.close());
  return made;
}

/** Imports by id: the inputs repeat nothing of the configuration, and are no change then. @returns the state */
async function imported(made: DirectProviders, type: Type, id: string) {
  const { props = {}, inputs = {} } = await made[type].read(id, {});
  for (const key of ["organizationId", "subscriptionExpiresAt"])
    expect(Object.keys(inputs)).not.toContain(key);
  const { failures, inputs: checked = {} } = await made[type].check({}, inputs);
  expect(failures).toEqual([]);
  expect(checked).toMatchObject(inputs);
  expect(await made[type].diff(id, props, checked)).toMatchObject({ changes: false, replaces: [] });
  expect(await made[type].read(id, props), "a refresh").toMatchObject({ id, props });
  return { props, inputs, checked };
}

describe("import of a ServiceAccount", () => {
  test("fills its name, marks the secret as unusable, and says so", async () => {
    const organization = await sandbox();
    const account = await makeServiceAccount(organization);
    const messages: Message[] = [];
    const made = providersOf(configurationOf(organization, account), messages);
    await organization.requests();
    const { props, inputs } = await imported(made, "ServiceAccount", account.clientId);
    expect(await organization.calls()).toEqual(["token", 2]);
    expect(inputs).toEqual({ name: expect.any(String) });
    expect(props).toMatchObject({ clientId: account.clientId, clientSecret: IMPORTED_SECRET });
    expect(messages).toEqual([
      { severity: "warning", text: expect.stringContaining("imported without its secret") },
    ]);
    expect(await made.ServiceAccount.read("no-such-account", {})).toEqual({});
  });

  test("takes the organization and the administrator from the inputs that a program gives a read", async () => {
    const organization = await sandbox();
    const account = await makeServiceAccount(organization);
    const { username, password } = organization.service.seed;
    const configuration = Object.entries(configurationOf(organization, account)).filter(
      ([key]) => !/_(ORGANIZATION_ID|USERNAME|PASSWORD)$/.test(key),
    );
    const made = providersOf(Object.fromEntries(configuration));
    await expect(made.ServiceAccount.read(account.clientId, {})).rejects.toThrow("organizationId");
    const { organizationId } = organization;
    const given = { organizationId, credentials: { username, password } };
    expect(await made.ServiceAccount.read(account.clientId, given)).toMatchObject({
      id: account.clientId,
      props: { ...given, clientId: account.clientId },
    });
  });

  test("its secret is refused as `credentials`, and a rotation gives a real one", async () => {
    const organization = await sandbox();
    const account = await makeServiceAccount(organization);
    const made = providersOf(configurationOf(organization, account));
    const { props, checked } = await imported(made, "ServiceAccount", account.clientId);
    const { clientId, clientSecret } = props;
    for (const [type, own] of [
      ["OrgUser", { email: "ada@acme.example" }],
      ["SeatAssignment", { userId: "u1" }],
      ["UserToken", { userId: "u1" }],
      ["Onboarding", { emails: [] }],
    ] as const) {
      const { failures } = await made[type].check({}, { ...own, credentials: { clientId, clientSecret } });
      expect(failures?.map(({ reason }) => reason).join(), type).toContain(
        "the secret of an imported service account is not known",
      );
    }
    const rotated = { ...checked, rotation: "1" };
    expect(await made.ServiceAccount.diff(account.clientId, props, rotated)).toMatchObject({
      replaces: ["rotation"],
    });
    const { id, outs } = await made.ServiceAccount.create(rotated);
    await made.ServiceAccount.delete(account.clientId, props);
    const now = providersOf(
      configurationOf(organization, { clientId: id, clientSecret: outs?.clientSecret }),
    );
    expect(await now.OrgUser.create({ email: "ada@acme.example", organizationId: checked.organizationId }));
    expect(await now.ServiceAccount.read(account.clientId, {})).toEqual({});
  });

  test("a refresh keeps the real secret of an account that it created", async () => {
    const organization = await sandbox();
    const stack = new DirectStack(configurationOf(organization, await makeServiceAccount(organization)));
    await stack.up([{ type: "ServiceAccount", name: "bot", args: { name: "bot" } }]);
    const before = stack.state.get("bot")?.outs;
    expect((await stack.refresh()).errors).toEqual([]);
    expect(stack.state.get("bot")?.outs).toEqual(before);
    expect(before?.clientSecret).not.toBe(IMPORTED_SECRET);
  });
});

describe("import in the model area", () => {
  test("ModelServer: adopts the server by its id, and keeps it on removal", async () => {
    const area = await modelArea();
    const [id, other] = await Promise.all([area.addServer("chat"), area.addServer("search")]);
    const made = providersOf(modelStack(area.organization).configuration);
    const { inputs, props } = await imported(made, "ModelServer", id);
    expect(inputs).toMatchObject({ serverId: id, onDelete: "retain" });
    expect(props).toMatchObject({ tag: "chat", status: "stopped" });
    await imported(made, "ModelServer", other);
    expect(await made.ModelServer.read("no-such-server", {})).toEqual({});
    await made.ModelServer.delete(id, props);
    expect(await area.servers()).toEqual(["chat", "search"]);
  });

  test("VectorTable: adopts the table by its name, and keeps it on removal", async () => {
    const area = await anacondaArea();
    const stack = area.stack();
    const args = { name: "docs", onDelete: "delete", schema: { columns: [{ name: "id", type: "integer" }] } };
    expect((await stack.up([{ type: "VectorTable", name: "docs", args }])).errors).toEqual([]);
    const made = providersOf(stack.configuration);
    const { inputs, props } = await imported(made, "VectorTable", "docs");
    expect(inputs).toEqual({ name: "docs", onDelete: "retain" });
    expect(props).toMatchObject({ adopted: true, actualSchema: { columns: [{ name: "id" }] } });
    expect(await made.VectorTable.read("other", {})).toEqual({});
    await made.VectorTable.delete("docs", props);
    expect((await stack.refresh()).errors).toEqual([]);
    expect(stack.state.size, "the table is still there").toBe(1);
  });

  test("VectorTable, in a platform that cannot delete tables: says nothing about removal", async () => {
    const { table } = await scripted(inTurn({ body: ["docs"] }));
    expect((await table.read("docs", {})).inputs).toEqual({ name: "docs" });
  });
});

describe("import in a service that lists users and tokens", () => {
  const types = ["OrgUser", "SeatAssignment", "UserToken"] as const;

  test("fills user, seat and token from the id of a user, and finds nothing that is not there", async () => {
    const { configuration, neighbor, service } = await listedOrganization();
    const { id } = await neighbor.createUser({ email: "Ada@ACME.example", first_name: "Ada" }, operation);
    const before = providersOf(configuration);
    expect(await before.SeatAssignment.read(id, {})).toEqual({});
    expect(await before.UserToken.read(id, {})).toEqual({});
    await neighbor.assignSeat(id, operation);
    await neighbor.issueToken(id, configuration.ORGSEAT_SUBSCRIPTION_EXPIRES_AT ?? "", operation);
    const made = providersOf(configuration);
    for (const type of types) await imported(made, type, id);
    const found = await made.OrgUser.read(id, {});
    expect(found.inputs).toMatchObject({ email: ada.email, firstName: "Ada" });
    expect(found.props).toMatchObject({ adopted: true, role: "member", userId: id });
    await service.management.removeUser(id);
    const after = providersOf(configuration);
    for (const type of types) expect(await after[type].read(id, {})).toEqual({});
  });

  test("declares of a member what is there: the seat, and the only token, with a date of its own", async () => {
    const { configuration, neighbor } = await listedOrganization();
    const end = configuration.ORGSEAT_SUBSCRIPTION_EXPIRES_AT ?? "";
    const soon = new Date(Date.now() + 40 * 86_400_000).toISOString().replace(/\.\d+Z$/, "Z");
    const later = `${Number(end.slice(0, 4)) + 1}${end.slice(4)}`;
    const member = async (name: string, ...ends: readonly string[]) => {
      const { id } = await neighbor.createUser({ email: `${name}@acme.example` }, operation);
      if (name !== "eve") await neighbor.assignSeat(id, operation);
      for (const one of ends) await neighbor.issueToken(id, one, operation);
      return id;
    };
    const expected: readonly (readonly [id: string, inputs: object])[] = [
      [await member("ada", end), { seat: true, token: { adopt: true } }],
      [await member("ben", soon), { seat: true, token: { adopt: true, expiresAt: soon } }],
      [await member("cleo", later), { seat: true, token: { adopt: true } }],
      [await member("dan", end, end), { seat: true }],
      [await member("fay"), { seat: true }],
      [await member("eve"), { seat: false }],
    ];
    const made = providersOf(configuration);
    for (const [id, inputs] of expected) {
      const found = await imported(made, "OrgMember", id);
      expect(found.inputs).toEqual({ email: found.props.email, ...inputs });
      const { props = {} } = await made.OrgMember.read(id, found.checked);
      const again = made.OrgMember.diff(id, props, found.checked);
      expect(await again, "an import by a program that declares the same").toMatchObject({ changes: false });
    }
    const [, [ben = ""] = []] = expected;
    const { made: afterwards, process } = directProviders(
      configuration,
      () => Date.now() + 60 * 86_400_000,
      [],
    );
    onTestFinished(() => process.close());
    expect((await imported(afterwards, "OrgMember", ben)).inputs).toEqual({
      email: "ben@acme.example",
      seat: true,
    });
  });
});

/** Imports by id, and the inputs that only a service with lists has. */
import { describe, expect, onTestFinished, test } from "vitest";
import { directProviders } from "../setup/direct-providers.ts";
import { ada, listedOrganization, operation } from "./listed.ts";

const LATER = "2031-01-31T23:59:59Z";

describe("an import", () => {
  test("fills the inputs and outputs of user, seat and token from an id, which are no change then", async () => {
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

  test("keeps the inputs of a program that the service does not have", async () => {
    const organization = await listedOrganization();
    const { id } = await organization.neighbor.createUser({ email: ada.email }, operation);
    const { made, process } = directProviders(organization.configuration, Date.now, []);
    onTestFinished(() => process.close());
    const { organizationId } = organization;
    const given = { email: ada.email, onDelete: "delete", organizationId };
    const { props = {} } = await made.OrgUser.read(id, given);
    expect(await made.OrgUser.diff(id, props, given)).toMatchObject({ changes: false, replaces: [] });
  });
});

test.each([
  ["OrgUser", "allowAdminRemoval", true],
  ["SeatAssignment", "sendEmail", true],
  ["UserToken", "sendEmail", false],
  ["UserToken", "adopt", true],
  ["UserToken", "expirationToleranceMonths", 1],
] as const)("%s: the platform basic refuses %s", async (type, input, value) => {
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

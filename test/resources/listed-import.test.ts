/** Imports by id, and the inputs that only a service with lists has. */
import { describe, expect, onTestFinished, test } from "vitest";
import { directProviders } from "../setup/direct-providers.ts";
import { ada, type ListedOrganization, listedOrganization, operation } from "./listed.ts";
import { scripted } from "./scripted.ts";
import { person, seat, token } from "./writes.ts";

function providersOf({ configuration }: ListedOrganization) {
  const { made, process } = directProviders(configuration, Date.now, []);
  onTestFinished(() => process.close());
  return made;
}

describe("an import", () => {
  test("fills the inputs and outputs of user, seat and token from an id, which are no change then", async () => {
    const organization = await listedOrganization();
    const { neighbor } = organization;
    const { id } = await neighbor.createUser({ email: "Ada@ACME.example", first_name: "Ada" }, operation);
    const made = providersOf(organization);
    const types = ["OrgUser", "SeatAssignment", "UserToken"] as const;
    expect(await made.SeatAssignment.read(id, {})).toEqual({});
    expect(await made.UserToken.read(id, {})).toEqual({});
    await neighbor.assignSeat(id, operation);
    const end = organization.configuration.ORGSEAT_SUBSCRIPTION_EXPIRES_AT ?? "";
    await neighbor.issueToken(id, end, operation);
    const later = providersOf(organization);
    for (const type of types) {
      const { props = {}, inputs = {} } = await later[type].read(id, {});
      const checked = await later[type].check({}, inputs);
      expect(checked.failures).toEqual([]);
      expect(await later[type].diff(id, props, checked.inputs ?? {})).toMatchObject({ changes: false });
    }
    const found = await later.OrgUser.read(id, {});
    expect(found.inputs).toMatchObject({ email: ada.email, firstName: "Ada" });
    expect(found.props).toMatchObject({ adopted: true, role: "member", userId: id });
    await organization.service.management.removeUser(id);
    const last = providersOf(organization);
    for (const type of types) expect(await last[type].read(id, {})).toEqual({});
  });

  test("keeps the inputs of a program that the service does not have", async () => {
    const organization = await listedOrganization();
    const { id } = await organization.neighbor.createUser({ email: ada.email }, operation);
    const made = providersOf(organization);
    const { organizationId } = organization;
    const given = { email: ada.email, onDelete: "delete", organizationId };
    const { props = {} } = await made.OrgUser.read(id, given);
    expect(await made.OrgUser.diff(id, props, given)).toMatchObject({ changes: false, replaces: [] });
  });
});

test.each([
  ["orgUser", person, "allowAdminRemoval", true],
  ["seat", seat, "sendEmail", true],
  ["token", token, "sendEmail", false],
  ["token", token, "adopt", true],
  ["token", token, "expirationToleranceMonths", 1],
] as const)(
  "%s: the platform basic refuses an input that needs lists",
  async (resource, inputs, key, value) => {
    const run = await scripted(() => ({}));
    const { failures } = await run[resource].check({}, { ...inputs, [key]: value });
    expect(failures).toEqual([{ property: key, reason: expect.stringContaining("not supported: ") }]);
  },
);

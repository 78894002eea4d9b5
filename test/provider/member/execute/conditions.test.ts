/** Steps that depend on what the service has: a read decides where there are lists, and an answer where there are none. */
import { describe, expect, test } from "vitest";
import type { Unit } from "../../../../provider/member/step.ts";
import type { WantedMember } from "../../../../provider/member/wanted.ts";
import {
  address,
  joined,
  LiveMember,
  type LiveOrganization,
  LiveRun,
  liveOrganization,
  person,
} from "./live-member.ts";

/** A member whom another state has made, and whom this one does not know. */
async function stranger(organization: LiveOrganization, more: Partial<WantedMember> = {}) {
  const { member: other, wanted, email, id } = await joined(organization, more);
  return { other, email, wanted: { ...wanted, token: {} }, id, tokenId: other.held.users[0]?.tokens[0]?.id };
}

describe("a service with lists", () => {
  test("stops an addition of a listed person, and names the user id", async () => {
    const organization = await liveOrganization("anaconda");
    const { wanted, email, id } = await stranger(organization);
    const { failure, held } = await new LiveMember(organization).run(wanted);
    expect(failure?.message).toContain(`${email} is already a member, as user ${id}. If you renamed`);
    expect(held.users).toEqual([]);
    expect(await organization.writes()).toEqual([]);
  });

  test("issues no token beside one of an adopted user that no state has", async () => {
    const organization = await liveOrganization("anaconda");
    const { wanted, id, tokenId } = await stranger(organization);
    const member = new LiveMember(organization);
    const { failure } = await member.run({ ...wanted, userId: id });
    expect(failure?.message).toContain(`has the tokens ${tokenId}, which the state doesn't contain`);
    const adopting = { ...wanted, userId: id, token: { adopt: tokenId ?? "" } };
    expect((await member.run(adopting)).failure, "does what the message says").toBeUndefined();
    expect(member.held.users).toMatchObject([{ id, tokens: [{ id: tokenId, value: "none" }] }]);
    expect(member.plan(adopting).units).toEqual([]);
    expect(await organization.writes()).toEqual([]);
  });

  test("refuses to remove an administrator before it takes anything", async () => {
    const organization = await liveOrganization("anaconda");
    const { other, id } = await stranger(organization);
    await organization.management.changeUser(id, { role: "admin" });
    expect(other.held.users[0]?.role, "promoted since").toBe("member");
    const { failure } = await other.run({ leaving: true });
    expect(failure?.message).toContain("the role of this user is admin");
    expect(await organization.writes()).toEqual([]);
    const allowed = { ...other.held, agreed: { ...other.held.agreed, allowAdminRemoval: true } };
    other.held = allowed;
    expect((await other.run({ leaving: true })).failure).toBeUndefined();
    expect(await organization.writes()).toEqual([9, 10, 11]);
  });

  test("names a token that the state lacks in a rotation, and keeps it", async () => {
    const organization = await liveOrganization("anaconda");
    const { member, wanted, id } = await joined(organization);
    const run = new LiveRun(organization);
    const { service, time } = run.context();
    const end = wanted.subscriptionExpiresAt as string;
    await service.api(member.access).issueToken(id, end, time.operation);
    const unknown = (await organization.snapshot()).tokens.at(-1)?.tokenId;
    expect((await member.run({ ...wanted, token: { mark: "2" } }, run)).failure).toBeUndefined();
    expect(run.said.join()).toContain(`has ${unknown} (expires ${end}), which the state doesn't contain`);
    const live = (await organization.snapshot()).tokens.filter(({ revoked }) => !revoked);
    expect(live.map(({ tokenId }) => tokenId)).toContain(unknown);
  });

  test("revokes a leaver's tokens, whoever issued them", async () => {
    const organization = await liveOrganization("anaconda");
    const { other, email, id, wanted } = await stranger(organization);
    const { service, time } = new LiveRun(organization).context();
    await service.api(other.access).issueToken(id, wanted.subscriptionExpiresAt as string, time.operation);
    await organization.requests();
    expect((await other.run({ leaving: true })).failure).toBeUndefined();
    expect(await organization.writes()).toEqual([9, 9, 10, 11]);
    await other.expectAsWanted({ leaving: true }, email);
  });

  test("forgets a retained person, and revokes the held token alone", async () => {
    const organization = await liveOrganization("anaconda");
    const { other, email, wanted } = await stranger(organization);
    expect(
      (await other.run({ ...wanted, onDeleteUser: "retain", onDeleteSeat: "retain" })).failure,
    ).toBeUndefined();
    expect((await other.run({ leaving: true })).failure).toBeUndefined();
    expect(await organization.writes()).toEqual([9]);
    expect(await other.there(email)).toEqual([{ email, seat: true, tokens: [] }]);
    expect(other.held.users).toEqual([]);
  });

  test("ends the removal of a person whom someone has removed already, as the lists prove", async () => {
    const organization = await liveOrganization("anaconda");
    const { other, id } = await stranger(organization);
    await organization.management.removeUser(id);
    const { failure, held } = await other.run({ leaving: true });
    expect(failure).toBeUndefined();
    expect(held).toMatchObject({ users: [], left: [id] });
  });
});

describe("a service without lists", () => {
  test("confirms the seat of an adopted user, and replaces a token only if the program says so", async () => {
    const organization = await liveOrganization("basic");
    const { wanted, id, email } = await stranger(organization);
    const member = new LiveMember(organization);
    const adopting = { ...wanted, userId: id };
    const { failure } = await member.run(adopting);
    expect(failure?.message).toContain(
      "To revoke that token and issue a new one, set `replaceExisting: true`",
    );
    expect(await organization.writes()).toEqual([6, 7]);
    const replacing = { ...adopting, token: { replaceExisting: true } };
    expect((await member.run(replacing)).failure).toBeUndefined();
    expect(await organization.writes()).toEqual([7, 9, 7]);
    await member.expectAsWanted(replacing, email);
  });

  test("goes on with the next removal after a 404, which one success proves", async () => {
    const organization = await liveOrganization("basic");
    const { other, email, id } = await stranger(organization);
    const { service, time } = new LiveRun(organization).context();
    await service.api(other.access).revokeToken(id, time.operation);
    await organization.requests();
    expect((await other.run({ leaving: true })).failure).toBeUndefined();
    expect(await organization.writes()).toEqual([9, 10, 11]);
    await other.expectAsWanted({ leaving: true }, email);
    expect(other.held.left).toEqual([id]);
  });

  test("ends a removal of token and seat alike, in one run", async () => {
    const organization = await liveOrganization("basic");
    const { other, id, wanted } = await stranger(organization);
    await organization.management.removeUser(id);
    const none = { ...wanted, seat: false, token: undefined };
    expect((await other.run(none)).failure).toBeUndefined();
    expect(other.held.users).toMatchObject([{ id, seat: "none", tokens: [] }]);
    expect(other.plan(none).units).toEqual([]);
  });

  test("keeps those whom it may not see any more: a 404 of everybody proves nothing", async () => {
    const organization = await liveOrganization("basic");
    const strangers = [await stranger(organization), await stranger(organization)];
    const absent = { error: { code: "USER_NOT_FOUND", message: "no such user" } };
    await organization.management.addFaults({
      match: { method: "DELETE" },
      times: "always",
      fault: { kind: "refuse", status: 404, body: absent },
    });
    const run = new LiveRun(organization);
    const done = await Promise.all(strangers.map(({ other }) => other.run({ leaving: true }, run)));
    expect(done.map(({ failure }) => failure?.message.includes("of all 2 users"))).toEqual([true, true]);
    await organization.management.clearFaults();
    for (const { other, email } of strangers) {
      expect((await other.run({ leaving: true })).failure).toBeUndefined();
      await other.expectAsWanted({ leaving: true }, email);
    }
  });
});

describe.each(["basic", "anaconda"] as const)("an approved plan on %s", (platform) => {
  test("sends the approved units alone, and leaves the others to the next plan", async () => {
    const organization = await liveOrganization(platform);
    const member = new LiveMember(organization);
    const email = address("approved");
    const wanted = person(email, await organization.endOfSubscription());
    const joins = ({ steps }: Unit) => steps.every(({ call }) => call !== "issue token");
    expect((await member.run(wanted, undefined, joins)).failure).toBeUndefined();
    expect(await organization.writes()).toEqual([5, 6]);
    expect((await member.run(wanted, undefined, () => false)).failure).toBeUndefined();
    expect(await organization.calls()).toEqual([]);
    expect((await member.run(wanted)).failure).toBeUndefined();
    expect(await organization.writes()).toEqual([7]);
    await member.expectAsWanted(wanted, email);
  });
});

describe("a user whom a service without lists no longer has", () => {
  test.each([
    ["removed", {}, "user"],
    ["retained", { onDeleteUser: "retain" as const }, "seat"],
  ])("leaves with one warning if %s", async (_, more, what) => {
    const organization = await liveOrganization("basic");
    const { other, id } = await stranger(organization, more);
    await organization.management.removeUser(id);
    const run = new LiveRun(organization);
    expect((await other.run({ leaving: true }, run)).failure).toBeUndefined();
    expect(other.held.users).toEqual([]);
    const warnings = run.said.filter((text) => text.includes("counts as removed"));
    expect(warnings, run.said.join("\n")).toHaveLength(1);
    expect(warnings[0]?.startsWith("the seat of ")).toBe(what === "seat");
  });
});

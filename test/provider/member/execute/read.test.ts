/** A refresh of a member: what lists show is held, and only proven absence is gone. */
import { describe, expect, test } from "vitest";
import { joined, liveOrganization, read } from "./live-member.ts";

describe("readMember", () => {
  test("finds nothing new right after a change, but the role and the names of the list", async () => {
    const organization = await liveOrganization("anaconda");
    const { member } = await joined(organization);
    const held = await read(member);
    expect(held).toEqual({
      ...member.held,
      users: member.held.users.map((one) => ({ ...one, role: "member" })),
    });
  });

  test("leaves a member of a service without lists as it is", async () => {
    const organization = await liveOrganization("basic");
    const { member, id } = await joined(organization);
    await organization.management.removeUser(id);
    expect(await read(member)).toBe(member.held);
  });

  test("says that a member is gone once its user is proven absent", async () => {
    const organization = await liveOrganization("anaconda");
    const { member, id } = await joined(organization);
    await organization.management.removeUser(id);
    expect(await read(member)).toBeUndefined();
  });

  test("takes no empty list for absence", async () => {
    const organization = await liveOrganization("anaconda");
    const { member } = await joined(organization);
    await organization.management.addFaults({
      match: { call: 17 },
      times: "always",
      fault: { kind: "refuse", status: 200, body: { items: [] } },
    });
    await expect(read(member)).rejects.toThrow("cannot use the list of users");
  });

  test("keeps a member whose creation got no answer, and takes the user whom the list shows", async () => {
    const organization = await liveOrganization("anaconda");
    const { member, wanted, email } = await joined(organization);
    const [user] = member.held.users;
    const { ref, agreed } = member.held;
    member.held = {
      ref,
      agreed,
      users: [],
      pending: { since: user?.since ?? "", address: user?.address ?? "", late: true },
    };
    const held = await read(member);
    expect(held).toMatchObject({ users: [{ id: user?.id, seat: "held", tokens: [{ value: "lost" }] }] });
    expect(held?.pending).toBeUndefined();
    member.held = held ?? member.held;
    await member.converge(wanted);
    await member.expectAsWanted(wanted, email);
  });
});

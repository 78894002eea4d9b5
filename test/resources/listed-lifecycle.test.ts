/** Users and seats at a service that lists them: each lifecycle, over HTTP. */
import { describe, expect, test } from "vitest";
import { requireList } from "../../provider/resources/members/member-list.ts";
import type { DirectStack } from "../setup/direct.ts";
import {
  ada,
  expectSettled,
  idOf,
  type ListedOrganization,
  listedOrganization,
  member,
  operation,
  outsOf,
} from "./listed.ts";

const program = member("ada", ada);

describe("a member of a service that lists users", () => {
  test("reads: a run lists the users once, and the tokens of each person once in a refresh, three times in a creation", async () => {
    const organization = await listedOrganization();
    const stack = organization.stack({ ORGSEAT_MAX_REMOVALS: "4" });
    const people = ["a", "b", "c", "d"].flatMap((key) => member(key, { email: `${key}@acme.example` }));
    const listsOf = async (run: () => Promise<{ readonly errors: readonly string[] }>) => {
      await organization.requests();
      expect((await run()).errors).toEqual([]);
      const calls = await organization.calls();
      return [17, 18].map((list) => calls.filter((call) => call === list).length);
    };
    expect(await listsOf(() => stack.up(people))).toEqual([1, 12]);
    expect(await listsOf(() => stack.refresh())).toEqual([1, 4]);
    expect(await listsOf(() => stack.up(people))).toEqual([0, 0]);
    expect(await listsOf(() => stack.destroy())).toEqual([1, 0]);
  });

  test("keeps what an administrator has while the removal is refused", async () => {
    const organization = await listedOrganization();
    const stack = await administeredBy(organization);
    const refused = [
      expect.stringMatching(/^cannot remove ada@acme\.example \(user .*: the role of this user is admin\./),
    ];

    expect((await stack.up([])).errors).toEqual(refused);
    expect((await stack.copy().destroy()).errors).toEqual(refused);
    expect((await stack.copy().run([], { isRefreshed: true })).errors).toEqual(refused);
    expect(await writesOf(organization)).toEqual([]);

    const renamed = member("ada", { ...ada, email: "ada.king@acme.example" });
    expect((await stack.copy().up(renamed)).errors).toEqual(refused);
    expect(await writesOf(organization)).toEqual([5]);
  });

  test("loses token and seat as an administrator whose membership is kept, with allowAdminRemoval on these two", async () => {
    const organization = await listedOrganization();
    const stack = await administeredBy(organization);
    await stack.refresh();
    const keep = { ...ada, onDelete: "retain" };
    await expectSettled(stack, member("ada", keep));
    expect((await stack.copy().destroy()).errors).toEqual([
      expect.stringContaining(
        'set `onDelete: "retain"` on the OrgMember (or on OrgUser, and `allowAdminRemoval: true` on SeatAssignment and UserToken)',
      ),
    ]);
    const allowed = { allowAdminRemoval: true };
    await expectSettled(stack, member("ada", keep, { seat: allowed, token: allowed }));

    expect((await stack.destroy()).errors).toEqual([]);
    expect(await writesOf(organization)).toEqual([9, 10]);
    expect((await organization.snapshot()).users).toMatchObject([{ email: ada.email, seat: false }]);
  });
});

test("a changed email at the service: a refresh says so, and the program takes it over without a replacement", async () => {
  const organization = await listedOrganization();
  const stack = organization.stack();
  const [user] = program;
  await expectSettled(stack, [user]);
  const { users: items } = requireList(await organization.neighbor.listUsers(operation));
  const moved = items.map((item) =>
    item.email === ada.email ? { ...item, email: "Ada.King@acme.example" } : item,
  );
  const fault = { kind: "refuse", status: 200, body: { items: moved } } as const;
  await organization.service.management.addFaults({ match: { call: 17 }, times: "always", fault });
  expect((await stack.refresh()).errors).toEqual([]);
  expect(outsOf(stack, "ada-user")).toMatchObject({ serviceEmail: "Ada.King@acme.example" });
  expect(await stack.preview([user])).toEqual([]);
  const id = idOf(stack, "ada-user");
  await expectSettled(stack, [{ ...user, args: { ...ada, email: "ada.king@acme.example" } }]);
  expect(idOf(stack, "ada-user")).toBe(id);
});

/** A stack whose only member has become an administrator in the service. */
async function administeredBy(organization: ListedOrganization): Promise<DirectStack> {
  const stack = organization.stack();
  await expectSettled(stack, program);
  await organization.service.management.changeUser(idOf(stack, "ada-user"), { role: "admin" });
  await organization.requests();
  return stack;
}

/** The calls that wrote since the requests were asked for last. */
async function writesOf(organization: ListedOrganization): Promise<(number | null)[]> {
  const requests = await organization.requests();
  return requests.flatMap(({ method, call }) => (method === "GET" || typeof call === "string" ? [] : call));
}

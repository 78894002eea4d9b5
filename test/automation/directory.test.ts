// @module-tag ci
/** `membership: directory` on the real command: seats and tokens follow the directory, and no user is added or removed. */
import { expect, test } from "vitest";
import { requireList } from "../../provider/resources/members/member-list.ts";
import { testOrganization } from "./organization.ts";

const [ada, grace, bob] = ["ada", "grace", "bob"].map((key) => ({ email: `${key}@acme.example` }));
const directory = { membership: "directory" };

test("people join and leave in the directory, and up follows", async () => {
  const acme = await testOrganization({}, undefined, "anaconda");
  const join = (one = { email: "" }) =>
    acme.behindOurBack((api, operation) => api.createUser(one, operation));
  const up = () => acme.succeed("up", "--yes");
  const { id: adaId } = await join(ada);
  const { id: graceId } = await join(grace);
  const rows = [{ ...ada }, { ...grace, protected: "yes" }, { ...bob }];
  acme.write(rows, directory);
  expect(await up()).toMatch(/Pending in the directory .* \(1\): bob@acme\.example/);
  const held = await acme.members();
  expect(held["ada@acme.example"]).toEqual({ seat: true, token: expect.any(String) });

  await acme.sandbox.service.management.removeUser(graceId);
  await join(bob);
  expect(await up()).toContain(
    `Gone from the service, so they leave the state without a request (1): grace@acme.example (user ${graceId})`,
  );
  expect((await acme.members())["bob@acme.example"]).toEqual({ seat: true, token: expect.any(String) });

  acme.write(rows.slice(1), directory);
  expect(await up()).toContain("ada@acme.example");
  expect((await acme.members())["ada@acme.example"]).toMatchObject({ seat: false });
  const { users } = await acme.sandbox.service.management.snapshot();
  expect(users.map(({ userId }) => userId)).toContain(adaId);
  expect(acme.audit().filter(({ name }) => / user$/.test(name))).toEqual([]);

  await acme.sandbox.service.management.removeUser(adaId);
  await acme.succeed("preview", "--exit-code");
});

test("up applies all rows but one whose email two users have, names it, and exits with 1; offboard takes an administrator's token", async () => {
  const acme = await testOrganization({}, undefined, "anaconda");
  const admin = { email: "admin@acme.example" };
  for (const one of [ada, grace, bob])
    await acme.behindOurBack((api, operation) => api.createUser(one ?? { email: "" }, operation));
  acme.write([{ ...ada }, { ...grace }, admin], directory);
  const { users } = requireList(await acme.behindOurBack((api, operation) => api.listUsers(operation)));
  const items = users.map((user) =>
    user.email === bob?.email ? { ...user, email: "Ada@acme.example" } : user,
  );
  const { management } = acme.sandbox.service;
  const fault = { kind: "refuse", status: 200, body: { items } } as const;
  await management.addFaults({ match: { call: 17 }, times: "always", fault });
  const { code, stdout, stderr } = await acme.orgseat("up", "--yes");
  expect(code, stderr).toBe(1);
  expect(stdout + stderr).toMatch(
    /failed {3}ada@acme\.example \(people\.csv, line \d+\) .*the service lists several users with the email ada@acme\.example: \S+, \S+\. Write the right one into user_id/,
  );
  await management.clearFaults();
  expect(await acme.members()).toMatchObject({
    "ada@acme.example": { seat: false, token: undefined },
    "grace@acme.example": { seat: true, token: expect.any(String) },
  });
  const said = await acme.succeed("offboard", admin.email, "--yes");
  expect(said).toContain(`${admin.email}: token revoked`);
  expect(said).toContain(
    `The directory owns the membership of ${admin.email}: remove or disable the user there.`,
  );
});

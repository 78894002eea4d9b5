// @module-tag ci
/** `membership: directory` on the real command: seats and tokens follow the directory, and no user is added or removed. */
import { expect, test } from "vitest";
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

// @module-tag ci
/** A service account that has lost its rights, and lists that are not whole, on the real command: the states keep everybody. */
import { expect, test } from "vitest";
import { peopleRows, testOrganization } from "./organization.ts";

const COUNT = 25;

test("up keeps 25 people of a directory when the service account has lost its rights, and exits with 1", async () => {
  const acme = await testOrganization({ seats: 100 }, undefined, "anaconda");
  const { management } = acme.sandbox.service;
  const rows = peopleRows(COUNT);
  for (const { email } of rows)
    await acme.behindOurBack((api, operation) => api.createUser({ email: email ?? "" }, operation));
  acme.write(rows, { membership: "directory" });
  await acme.succeed("up", "--yes");
  const held = await acme.members();
  const stateOf = async () => (await acme.pulumi("stack", "export", "--stack", "people")).stdout;
  const tokensIn = (state: string): number => state.match(/"declaredEnd":/g)?.length ?? 0;
  expect(tokensIn(await stateOf())).toBe(COUNT);

  await management.setSwitches({ accountRights: "none" });
  for (const more of [[], ["--refresh"], ["--no-removals"]]) {
    const { code, stderr } = await acme.orgseat("up", "--yes", ...more);
    expect(code, stderr).toBe(1);
    expect(stderr).toContain(
      "it has 1 user and lacks 25 people of the state (limit 5: 20%, at least 3, at most 25): p000@acme.example, ",
    );
    expect(stderr).toContain("The service account may have lost its rights");
  }
  const offboarded = await acme.orgseat("offboard", "p000@acme.example", "--yes");
  expect(offboarded.code, offboarded.stdout).toBe(1);
  expect(tokensIn(await stateOf())).toBe(COUNT);

  // What is not whole is used for nothing.
  await management.setSwitches({ accountRights: "all", pages: "total_count" });
  for (const command of [["up", "--yes"], ["adopt", "--yes"], ["doctor"]]) {
    const { code, stdout, stderr } = await acme.orgseat(...command);
    expect(code, command.join(" ")).toBe(1);
    expect(stdout + stderr).toContain("the list is incomplete: it has 13 of 26 items (total_count)");
  }
  expect(tokensIn(await stateOf())).toBe(COUNT);
  await management.setSwitches({ pages: "none" });
  expect(await acme.members()).toEqual(held);
});

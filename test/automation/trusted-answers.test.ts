// @module-tag ci
/** What the command believes of a service: a refusal of what is done already, its time, and a redirect. */
import { describe, expect, test } from "vitest";
import { runningOrganization, testOrganization } from "./organization.ts";

const DAY = 86_400_000;
const [ada, grace] = ["ada@acme.example", "grace@acme.example"];

describe("a service that answers 409 to the revocation of a revoked token", () => {
  test("lets `offboard`, `rotate`, and `up` end what someone has begun there", async () => {
    const acme = await testOrganization({}, undefined, "anaconda");
    const { management } = acme.sandbox.service;
    const bob = "bob@acme.example";
    acme.write([{ email: ada }, { email: grace }, { email: bob }]);
    await acme.succeed("up", "--yes");
    await management.setSwitches({ repeatRemoval: "409" });
    for (const { tokenId } of (await management.snapshot()).tokens)
      await management.changeToken(tokenId, { revoked: true });

    const offboarded = await acme.orgseat("offboard", grace, "--yes");
    expect(offboarded, offboarded.stdout + offboarded.stderr).toMatchObject({ code: 0 });
    expect(offboarded.stdout + offboarded.stderr).toContain(`${grace}: the service has no token of user id`);
    await acme.succeed("rotate", ada, "--yes");
    acme.write([{ email: ada }]);
    await acme.succeed("up", "--yes");

    const { users, tokens } = await management.snapshot();
    expect(users.map(({ email }) => email)).not.toContain(grace);
    expect(users.map(({ email }) => email)).not.toContain(bob);
    expect(tokens.filter(({ revoked }) => !revoked)).toHaveLength(1);
  });
});

describe("a machine whose clock is 100 days ahead of the service's", () => {
  test("ends no access, adds a person, and says why", async () => {
    const until = new Date(Date.now() - 50 * DAY).toISOString().slice(0, 10);
    const acme = await testOrganization();
    const { management } = acme.sandbox.service;
    // As a machine with the right time has made it.
    acme.write([{ email: ada }, { email: grace }]);
    await acme.succeed("up", "--yes");
    const before = await acme.members();
    await management.setClock({ offsetMs: -100 * DAY });
    await management.endAccessTokens();
    acme.write([{ email: ada }, { email: grace, access_until: until }, { email: "new@acme.example" }]);
    await acme.sandbox.requests();

    const up = await acme.orgseat("up", "--yes");

    expect(up, up.stdout + up.stderr).toMatchObject({ code: 1 });
    expect(up.stdout + up.stderr).toContain("this machine's clock is 100 days ahead of the service's");
    expect(up.stdout + up.stderr).toContain("[clock-skew]");
    expect(await acme.writes()).toEqual([5, 6, 7]);
    const after = await acme.members();
    expect(after[ada]).toEqual(before[ada]);
    expect(after[grace]).toEqual(before[grace]);
    const doctor = await acme.orgseat("doctor");
    expect(doctor.stdout).toContain("this machine's clock is 100 days ahead of the service's");
    expect(doctor.stdout).toContain("clock-skew");
  });
});

describe("a gateway that redirects the creation of a person", () => {
  test("leaves open whether the service has added the person, and `up` sends it once", async () => {
    const acme = await runningOrganization([{ email: ada }]);
    await acme.sandbox.service.management.addFaults({
      match: { call: 5 },
      fault: {
        kind: "redirect",
        status: 303,
        phase: "after",
        location: "https://login.example/?next=secret",
      },
    });
    acme.write([{ email: ada }, { email: grace }]);

    const up = await acme.orgseat("up", "--yes");

    expect(up, up.stdout + up.stderr).toMatchObject({ code: 1 });
    const text = up.stdout + up.stderr;
    expect(text).toContain("the server answered with a redirect to https://login.example,");
    expect(text).toContain("HTTP 303");
    expect(text).toContain(`${grace} may have been added`);
    expect(text).not.toContain("next=secret");
    expect((await acme.writes()).filter((call) => call === 5)).toHaveLength(1);
    expect(Object.keys(await acme.members())).toContain(grace);
  });
});

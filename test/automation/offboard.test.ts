// @module-tag ci
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { fourPeople, runningOrganization } from "./organization.ts";

const grace = "grace@acme.example";
const barbara = "barbara@acme.example";

describe("offboard", () => {
  test("writes the offboarded list and all other files beside the roster, and not beside a link to it", async () => {
    const acme = await runningOrganization(fourPeople);
    const links = join(acme.folder, "links");
    mkdirSync(links);
    symlinkSync("../people.csv", join(links, "people.csv"));
    await acme.succeed("offboard", grace, "--yes", "--roster", "links/people.csv");
    expect(readdirSync(links)).toEqual(["people.csv"]);
    expect(existsSync(join(acme.folder, "people.offboarded.csv"))).toBe(true);
    const ignoring = await acme.orgseat("up", "--yes");
    expect(ignoring).toMatchObject({ code: 1, stdout: expect.stringContaining("Ignored, ") });
    expect(Object.keys(await acme.members())).not.toContain(grace);
  });

  test("removes a person while the removal of a protected one waits for a decision", async () => {
    const [ada, bob] = ["ada@acme.example", "bob@acme.example"];
    const acme = await runningOrganization([
      { email: ada, protected: "yes" },
      { email: bob },
      { email: grace },
    ]);
    acme.write([{ email: bob }, { email: grace }]);
    await acme.succeed("offboard", bob, "--yes");
    expect(Object.keys(await acme.members()).toSorted()).toEqual([ada, grace]);
    await acme.succeed("renew", "--yes");
    const refused = await acme.orgseat("up", "--yes");
    expect(refused).toMatchObject({ code: 3, stdout: expect.stringContaining(ada) });
  });

  test("revokes the tokens while another up holds the stack, and removes seat and user once that run ends", async () => {
    const acme = await runningOrganization(fourPeople);
    const { service } = acme.sandbox;
    const proxy = await InterceptingProxy.before(service.orgUrl);
    acme.environment.ORGSEAT_ORG_URL = proxy.through(service.orgUrl);
    acme.environment.ORGSEAT_TOKEN_URL = proxy.through(service.tokenUrl);
    acme.write([...fourPeople, { email: barbara }]);
    const joins = proxy.hold("answer", ({ method, path }) => method === "POST" && path.endsWith("/users"));
    const up = acme.start("up", "--yes");
    const order: string[] = [];
    void up.ended.then(() => order.push("up has ended"));
    const { deliver } = await joins;

    const begun = performance.now();
    const offboard = acme.start("offboard", grace, "--yes");
    void offboard.ended.then(() => order.push("offboard has ended"));
    await offboard.says(/grace@acme\.example: token revoked/);
    const took = Math.round(performance.now() - begun);
    console.log(`call 9 was answered ${took} ms after the command began, while another run held the stack`);
    order.push("call 9 has been answered");
    expect(await acme.writes()).toEqual([5, 9]);
    expect((await acme.members())[grace]).toEqual({ seat: true, token: undefined });
    await deliver();
    expect(await up.ended).toMatchObject({ code: 0 });
    expect(await offboard.ended).toMatchObject({ code: 0, stdout: expect.stringContaining("1 succeeded") });
    expect(order).toEqual(["call 9 has been answered", "up has ended", "offboard has ended"]);
    expect((await acme.writes()).slice(-2)).toEqual([10, 11]);
    const members = await acme.members();
    expect(members[grace]).toBeUndefined();
    expect(members[barbara]).toEqual({ seat: true, token: expect.any(String) });
    acme.expectNoSecrets();
  });
});

// @module-tag ci
import { describe, expect, test } from "vitest";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { fourPeople, runningOrganization } from "./organization.ts";

const grace = "grace@acme.example";
const barbara = "barbara@acme.example";

describe("offboard", () => {
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

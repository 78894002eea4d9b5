// @module-tag ci
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PulumiEngine } from "../../sdk/automation/engine/pulumi.ts";
import { openOrganization } from "../../sdk/automation/stacks/organization.ts";
import { membersIn, readState } from "../../sdk/automation/stacks/stack-state.ts";
import { offboardPeople } from "../../sdk/automation/verbs/offboard.ts";
import { upAll } from "../../sdk/automation/verbs/up.ts";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { onEachEngine } from "../setup/project.ts";
import { fourPeople, runningOrganization, type TestOrganization } from "./organization.ts";

const grace = "grace@acme.example";
const barbara = "barbara@acme.example";

onEachEngine("offboard", (engine) => {
  test("writes the leaver list and all other files beside the roster, and not beside a link to it", async () => {
    const acme = await runningOrganization(engine, fourPeople);
    const links = join(acme.folder, "links");
    mkdirSync(links);
    symlinkSync("../people.csv", join(links, "people.csv"));
    const gone = await acme.orgseat("offboard", grace, "--yes", "--roster", "links/people.csv");
    expect(gone, gone.stderr).toMatchObject({ code: 0 });
    expect(readdirSync(links)).toEqual(["people.csv"]);
    expect(existsSync(join(acme.folder, "people.leavers.csv"))).toBe(true);
    expect((await acme.orgseat("up", "--yes")).code).toBe(0);
    expect(Object.keys(await acme.members())).not.toContain(grace);
  });

  test("revokes the tokens while another up holds the stack, and removes seat and user once that run ends", async () => {
    const acme = await runningOrganization(engine, fourPeople);
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

  test("keeps the person out of another up that has previewed and not yet written", async () => {
    const acme = await runningOrganization(engine, fourPeople);
    acme.write([...fourPeople, { email: barbara }]);
    const options = acme.options();
    const result = await upAll(await openOrganization(options), {
      confirm: async () => {
        const { status } = await offboardPeople(await openOrganization(options), [grace], {});
        return status === "succeeded";
      },
    });
    expect(result.status).toBe("succeeded");
    const members = await acme.members();
    expect(members[barbara]).toEqual({ seat: true, token: expect.any(String) });
    expect(members[grace]).toBeUndefined();
  });

  test("removes a person once who is in two states after an interrupted move, whatever `stacks` says, and the next up ends the move", async () => {
    const acme = await runningOrganization(engine, fourPeople);
    await interruptMove(acme, 3);
    const copies = await placesOf(acme);
    expect(copies.get(grace)).toHaveLength(2);

    acme.write(fourPeople, { stacks: 2 });
    const { code, stdout } = await acme.orgseat("offboard", grace, "--yes");

    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("1 succeeded") });
    expect((await acme.sandbox.requests()).map(({ call, status }) => [call, status])).toEqual(
      expect.arrayContaining([9, 10, 11].map((call) => [call, expect.any(Number)])),
    );
    expect((await placesOf(acme)).has(grace)).toBe(false);
    expect(Object.keys(await acme.members())).not.toContain(grace);
    acme.write(
      fourPeople.filter(({ email }) => email !== grace),
      { stacks: 2 },
    );
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect([...(await placesOf(acme)).values()].map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(await acme.writes()).toEqual([]);
  });
});

/** Leaves a move as a process does that dies when all are in their new stacks, and in the old one too. */
async function interruptMove(acme: TestOrganization, stacks: number): Promise<void> {
  acme.write(fourPeople, { stacks });
  const environment = acme.variables();
  const dying = new PulumiEngine({ folder: acme.folder, environment });
  const write = dying.importStack.bind(dying);
  dying.importStack = async (stack, deployment) => {
    if (stack === "people") throw new Error("the process died");
    await write(stack, deployment);
  };
  const organization = await openOrganization(acme.options(), { engine: dying });
  await expect(upAll(organization, {})).rejects.toThrow("the process died");
}

/** In which stacks everybody is, by email or key. */
async function placesOf(acme: TestOrganization): Promise<Map<string, string[]>> {
  const engine = new PulumiEngine({ folder: acme.folder, environment: acme.variables() });
  const places = new Map<string, string[]>();
  for (const { name: stack } of await engine.listStacks("people")) {
    for (const { label } of membersIn([[stack, readState(stack, await engine.exportStack(stack))]])) {
      places.set(label, [...(places.get(label) ?? []), stack]);
    }
  }
  return places;
}

// @module-tag ci
import { expect, test } from "vitest";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

function members(count: number, token: Record<string, unknown> = {}): Declared[] {
  return Array.from({ length: count }, (_, index) => ({
    type: "OrgMember",
    name: `m${index}`,
    args: { email: `m${index}@acme.example`, seat: true, token },
  }));
}

onEachDoor("guards", (door) => {
  test("the removal limit stops an emptied list of 20 people at 3 on a loopback address too, and its override lets exactly its number through", async () => {
    const organization = await sandbox({ seats: 20 });
    const stack = await testStack(organization, {}, door);
    stack.declare(members(20));
    expect(await stack.up()).toMatchObject({ code: 0 });
    await organization.requests();

    stack.declare([]);
    const stopped = await stack.up();
    expect(stopped.code).not.toBe(0);
    expect(stopped.output).toMatch(
      /removal limit reached: 3 people already lost access in this run \(limit 3, 20% of the 0 people whom this run compared/,
    );
    expect(stopped.output).toContain(
      `ORGSEAT_ALLOW_REMOVALS=${organization.organizationId}:<number of people>`,
    );
    expect(stopped.output, "nothing is left of what Pulumi's process prints of an error").not.toMatch(
      /^ *: *$/m,
    );
    expect(await peopleTouched(organization)).toBe(3);

    stack.environment.ORGSEAT_ALLOW_REMOVALS = `${organization.organizationId}:10`;
    const overridden = await stack.up();
    expect(overridden.code).not.toBe(0);
    expect(await peopleTouched(organization)).toBe(10);

    stack.environment.ORGSEAT_ALLOW_REMOVALS = `${organization.organizationId}:20`;
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect((await organization.service.management.snapshot()).users).toEqual([]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  test("refuse the removal of an administrator before anything is lost, and allow that of seat and token alone", async () => {
    const organization = await sandbox({ seats: 2 }, temporaryFolder(), "anaconda");
    const { management } = organization.service;
    const stack = await testStack(organization, {}, door);
    const [admin, ...others] = members(2);
    if (admin === undefined) throw new Error("a program has members");
    stack.declare([admin, ...others]);
    expect(await stack.up()).toMatchObject({ code: 0 });
    const { users } = await management.snapshot();
    const userId = users.find(({ email }) => email === "m0@acme.example")?.userId ?? "";
    await management.changeUser(userId, { role: "admin" });
    await organization.requests();
    const writes = async () => {
      const requests = await organization.requests();
      return requests.filter(({ method, path }) => method !== "GET" && path.includes(userId)).length;
    };

    stack.declare(others);
    for (const refused of [await stack.up(), await stack.destroy()]) {
      expect(refused.code).not.toBe(0);
      expect(refused.output).toContain("cannot remove m0@acme.example");
    }
    expect(await writes()).toBe(0);

    stack.declare([{ ...admin, args: { email: "m0@acme.example", seat: false } }]);
    const seatless = await stack.up();
    expect(seatless, seatless.output).toMatchObject({ code: 0 });
    expect(await writes()).toBe(2);
    const allowed = { ...admin, args: { ...admin.args, allowAdminRemoval: true } };
    for (const program of [[allowed], []]) {
      stack.declare(program);
      const up = await stack.up();
      expect(up, up.output).toMatchObject({ code: 0 });
    }
    expect((await management.snapshot()).users.map(({ userId: id }) => id)).not.toContain(userId);
  });

  test("a preview sends nothing but GET and the token endpoint's POST, and needs no credentials", async () => {
    const organization = await sandbox();
    const { service } = organization;
    const stack = await testStack(organization, {}, door);
    const before: Declared[] = [
      { type: "ServiceAccount", name: "bot", args: { name: "bot" } },
      ...members(2),
    ];
    stack.declare(before);
    expect(await stack.up()).toMatchObject({ code: 0 });

    const proxy = await InterceptingProxy.before(service.orgUrl);
    stack.environment.ORGSEAT_ORG_URL = proxy.through(service.orgUrl);
    stack.environment.ORGSEAT_TOKEN_URL = proxy.through(service.tokenUrl);
    const changed: Declared[] = [
      { type: "ServiceAccount", name: "bot", args: { name: "bot", rotation: 1 } },
      ...members(1, { rotation: 2 }),
      { type: "OrgMember", name: "new", args: { email: "new@acme.example", seat: true, token: {} } },
    ];
    for (const declared of [before, changed, []]) {
      stack.declare(declared);
      expect(await stack.preview("--refresh")).toMatchObject({ code: 0 });
    }
    const writes = proxy.passed.filter(({ method, path }) => method !== "GET" && !path.endsWith("/token"));
    expect(writes).toEqual([]);
    expect(
      proxy.passed.some(({ method }) => method === "GET"),
      "the proxy sees what passes",
    ).toBe(true);

    for (const key of ["USERNAME", "PASSWORD", "CLIENT_ID", "CLIENT_SECRET"])
      stack.environment[`ORGSEAT_${key}`] = "";
    stack.declare(changed);
    expect(await stack.preview()).toMatchObject({ code: 0 });
  });
});

async function peopleTouched(organization: Awaited<ReturnType<typeof sandbox>>): Promise<number> {
  const requests = await organization.requests();
  return new Set(requests.filter(({ method }) => method === "DELETE").map(({ userId }) => userId)).size;
}

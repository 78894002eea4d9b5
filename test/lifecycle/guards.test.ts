// @module-tag ci
import { expect, test } from "vitest";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

function members(count: number, token: Record<string, unknown> = {}): Declared[] {
  return Array.from({ length: count }, (_, index) => ({
    type: "OrgMember",
    name: `m${index}`,
    args: { email: `m${index}@acme.example`, seat: true, token },
  }));
}

onEachDoor("guards", (door) => {
  test("the removal limit stops an emptied list of 20 people and `destroy` of them before the first request on a loopback address too, and its override lets them through", async () => {
    const organization = await sandbox({ seats: 20 });
    const stack = await testStack(organization, {}, door);
    stack.declare(members(20));
    expect(await stack.up()).toMatchObject({ code: 0 });
    await organization.requests();

    stack.declare([]);
    const stopped = await stack.up();
    expect(stopped.code).not.toBe(0);
    expect(stopped.output).toMatch(
      /removal limit reached: at least \d+ people would lose access in this run \(limit 3, 20% of the 0 people whom this run compared/,
    );
    expect(stopped.output).toContain(
      `ORGSEAT_ALLOW_REMOVALS=${organization.organizationId}:<number of people>`,
    );
    expect(stopped.output, "nothing is left of what Pulumi's process prints of an error").not.toMatch(
      /^ *: *$/m,
    );
    expect(await peopleTouched(organization)).toBe(0);
    expect((await stack.destroy()).code).not.toBe(0);
    expect(await peopleTouched(organization)).toBe(0);

    stack.environment.ORGSEAT_ALLOW_REMOVALS = `${organization.organizationId}:20`;
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect((await organization.service.management.snapshot()).users).toEqual([]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
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

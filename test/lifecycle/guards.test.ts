// @module-tag ci
import { expect, test } from "vitest";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, type Door, onEachDoor, testStack } from "../setup/stack.ts";

function members(count: number, token: Record<string, unknown> = {}): Declared[] {
  return Array.from({ length: count }, (_, index) => ({
    type: "OrgMember",
    name: `m${index}`,
    args: { email: `m${index}@acme.example`, seat: true, token },
  }));
}

onEachDoor("guards", (door) => {
  test("the removal limit stops an emptied list of six people and `destroy` of them before the first request on a loopback address too, and its override lets them through", async () => {
    const { organization, stack, writes } = await emptied(6, door);
    for (const command of ["up", "destroy"] as const) {
      const { code, output } = await stack[command]();
      expect(code).not.toBe(0);
      expect(output).toMatch(
        /removal limit reached: at least 6 people would lose access in this run \(limit 3, 20% of the 0 people whom this run compared/,
      );
      expect(output).toContain(`ORGSEAT_ALLOW_REMOVALS=${organization.organizationId}:<number of people>`);
      expect(output, "nothing is left of what Pulumi's process prints of an error").not.toMatch(/^ *: *$/m);
      expect(await writes()).toEqual([]);
    }

    stack.environment.ORGSEAT_ALLOW_REMOVALS = `${organization.organizationId}:6`;
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect((await organization.service.management.snapshot()).users).toEqual([]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  test("the removal limit removes up to 3 people of an emptied list with `--target` or with `--parallel` 3 or less", async () => {
    const { organization, stack, writes } = await emptied(9, door);
    const targets = stack.resources().flatMap(({ urn }) => ["--target", urn]);
    expect((await stack.up(...targets.slice(0, 2 * 4))).code).not.toBe(0);
    expect(await writes()).toEqual([]);
    expect((await stack.up(...targets.slice(0, 2 * 3))).code).toBe(0);
    expect(new Set(await writes()).size).toBe(3);

    const { code, output } = await stack.up("--parallel", "1");
    expect(code).not.toBe(0);
    expect(output).toContain("removal limit reached: 3 people already lost access in this run");
    expect(new Set(await writes()).size).toBe(3);
    expect((await organization.service.management.snapshot()).users).toHaveLength(3);
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

/** A stack with so many members, whose program has none now. */
async function emptied(count: number, door: Door) {
  const organization = await sandbox({ seats: count });
  const stack = await testStack(organization, {}, door);
  stack.declare(members(count));
  expect(await stack.up()).toMatchObject({ code: 0 });
  stack.declare([]);
  await organization.requests();
  /** Of whom each request is that changes the service, since the last time this was asked. */
  const writes = async () => {
    const requests = await organization.requests();
    return requests
      .filter(({ method, call }) => method !== "GET" && call !== "token")
      .map(({ userId }) => userId);
  };
  return { organization, stack, writes };
}

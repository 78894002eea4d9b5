/** Creations with an unknown end, in plain `pulumi up`: each run has the repository and the backend alone. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createClient, platforms } from "../../provider/api/index.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { usePlugin } from "../setup/plugin-stack.ts";
import { pulumiCommand } from "../setup/project.ts";
import { makeServiceAccount, sandbox } from "../setup/sandbox.ts";
import { type Declared, type Door, onEachDoor, type TestStack, testStack } from "../setup/stack.ts";
import { isToken, killedAt, type Place } from "./killed-up.ts";

const builds: Declared = { type: "OrgUser", name: "builds", args: { purpose: "Linux builds" } };
/** The values of the tags of creations. */
async function tagsOf(stack: TestStack): Promise<string[]> {
  const { output } = await stack.pulumi("stack", "tag", "ls", "--json");
  const tags = Object.entries<string>(JSON.parse(output));
  return tags.flatMap(([name, value]) => (name.startsWith("orgseat:m:") ? value : []));
}

const two: Declared = { type: "OrgUser", name: "mac", args: { purpose: "Mac builds" } };

onEachDoor("a machine user", (door) => {
  test("joins once after a lost answer, also by a run in a fresh folder, and by decision alone", async () => {
    const organization = await sandbox();
    const { management } = organization.service;
    const stack = await testStack(organization, {}, door);
    const users = async () => (await management.snapshot()).users.map(({ firstName }) => firstName);
    const fresh = () => rmSync(join(stack.folder, ".orgseat"), { recursive: true, force: true });
    stack.declare([builds, two]);
    await management.addFaults({ match: { call: 5, body: "Linux" }, fault: { kind: "cut-after" } });
    expect((await stack.up()).code).not.toBe(0);
    await organization.requests();

    for (const flags of [[], ["--refresh"]]) {
      fresh();
      const again = await stack.up(...flags);
      expect(again.code).not.toBe(0);
      expect(again.output).toMatch(/requested a machine user named Linux builds and recorded no response/);
      expect((await users()).filter((name) => name === "Linux builds")).toHaveLength(1);
    }
    fresh();
    const { users: all } = await management.snapshot();
    const adopt = all.find(({ firstName }) => firstName === "Linux builds")?.userId;
    stack.declare([{ ...builds, args: { ...builds.args, adopt, onDelete: "delete" } }, two]);
    const last = await stack.up();
    expect(last, last.output).toMatchObject({ code: 0 });
    expect((await users()).toSorted()).toEqual(["Linux builds", "Mac builds"]);
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(await users()).toEqual([]);
    const tags = await stack.pulumi("stack", "tag", "ls", "--json");
    expect(tags.output).not.toContain("orgseat:m:");
  });

  test("keeps its open tag while a preview runs", async () => {
    const organization = await sandbox();
    const stack = await testStack(organization, {}, door);
    stack.declare([builds]);
    expect(await stack.up()).toMatchObject({ code: 0 });
    const proxy = await InterceptingProxy.before(organization.service.orgUrl);
    stack.environment.ORGSEAT_ORG_URL = proxy.through(organization.service.orgUrl);
    stack.declare([builds, two]);
    const caught = proxy.hold("answer", ({ method, path }) => method === "POST" && path.endsWith("/users"));
    const { ended } = stack.start("up", "--yes", "--skip-preview");
    const held = await caught;
    expect(await stack.preview()).toMatchObject({ code: 0 });
    expect((await tagsOf(stack)).filter((value) => !value.includes('"u":'))).toHaveLength(1);
    await held.deliver();
    expect(await ended).toMatchObject({ code: 0 });
  });

  test("needs no decision after the refusal of another one of twenty", { tags: "ci" }, async () => {
    const organization = await sandbox();
    const { management } = organization.service;
    const stack = await testStack(organization, {}, door);
    const names = Array.from({ length: 20 }, (_, index) => `Builds ${index + 100}`);
    stack.declare(names.map((purpose) => ({ type: "OrgUser", name: purpose, args: { purpose } })));
    const refusal = { kind: "refuse", status: 402 } as const;
    await management.addFaults({ match: { call: 5, body: "Builds 107" }, fault: refusal });
    expect((await stack.up("--parallel", "4")).code).not.toBe(0);
    expect(await stack.up("--parallel", "4")).toMatchObject({ code: 0 });
    const { users } = await management.snapshot();
    expect(users.map(({ firstName }) => firstName).toSorted()).toEqual(names);
  });
});

const PROVIDERS = `import * as pulumi from "@pulumi/pulumi";
class Provider extends pulumi.ProviderResource {
  constructor(name) { super("orgseat", name, {}); }
}
for (const name of ["one", "other"]) {
  const provider = new Provider(name);
  for (const purpose of ["a", "b", "c"].map((end) => name + " " + end))
    new pulumi.CustomResource("orgseat:index:OrgUser", purpose, { purpose }, { provider });
}
`;

describe("two Providers of the plugin", { tags: "ci" }, () => {
  describe("two Providers that create machine users at once", () => {
    test("keep the tags of each other", async () => {
      const stack = await testStack(await sandbox());
      usePlugin(stack);
      stack.programs = "process";
      writeFileSync(join(stack.folder, "index.mjs"), PROVIDERS);
      const made = await stack.up();
      expect(made, made.output).toMatchObject({ code: 0 });
      const tags = await tagsOf(stack);
      expect(tags.filter((value) => value.includes('"u":'))).toHaveLength(6);
    });
  });
});

/** A stack of one platform, which names the machine users that exist. */
async function unfinished(door: Door, platform: PlatformName) {
  const organization = await sandbox({ seats: 10 }, undefined, platform);
  const stack = await testStack(organization, {}, door);
  const users = async () =>
    (await organization.service.management.snapshot()).users.flatMap(({ firstName }) => firstName ?? []);
  return { organization, stack, users };
}

onEachDoor("a machine user on anaconda", (door) => {
  test("comes from the list after a lost answer, by the same run or by one in a fresh folder", async () => {
    const { organization, stack, users } = await unfinished(door, "anaconda");
    const { management } = organization.service;
    stack.environment.ORGSEAT_OPERATION_TIMEOUT = "3s";
    stack.declare([builds]);
    await management.addFaults({ match: { call: 5 }, fault: { kind: "cut-after" } });
    await management.addFaults({
      match: { call: 17 },
      after: 1,
      times: "always",
      fault: { kind: "cut-before" },
    });
    expect((await stack.up()).code).not.toBe(0);
    delete stack.environment.ORGSEAT_OPERATION_TIMEOUT;
    await management.clearFaults();
    rmSync(join(stack.folder, ".orgseat"), { recursive: true, force: true });
    const next = await stack.up();
    expect(next, next.output).toMatchObject({ code: 0 });
    expect(next.output).toContain("orgseat adds it to the state");

    stack.declare([builds, two]);
    await management.addFaults({ match: { call: 5 }, fault: { kind: "cut-after" } });
    const last = await stack.up();
    expect(last, last.output).toMatchObject({ code: 0 });
    expect((await users()).toSorted()).toEqual(["Linux builds", "Mac builds"]);
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(await tagsOf(stack)).toEqual([]);
  });
});

describe("a killed creation", () => {
  test.each<Place>(["before it is sent", "after its commit", "after the answer"])(
    "leads to exactly one user in the next run on anaconda: %s",
    { tags: "ci" },
    async (place) => {
      const own = await unfinished("dynamic", "anaconda");
      own.stack.declare([builds]);
      await killedAt(place, own);
      const next = await own.stack.up();
      expect(next, next.output).toMatchObject({ code: 0 });
      expect(await own.users()).toEqual(["Linux builds"]);
      expect(own.stack.resources()).toHaveLength(1);
    },
  );

  test.each([
    ["with checkpoints", {}],
    ["without checkpoints", { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" }],
  ])("blocks the next runs on basic (%s), after cleared operations too", async (_case, variables) => {
    const own = await unfinished("dynamic", "basic");
    Object.assign(own.stack.environment, variables);
    own.stack.declare([builds]);
    await killedAt("after its commit", own);
    for (const command of [["refresh", "--yes", "--skip-preview", "--clear-pending-creates"], undefined]) {
      if (command) await own.stack.pulumi(...(command as [string, ...string[]]));
      const next = await own.stack.up();
      expect(next.code).not.toBe(0);
      expect(next.output).toContain("requested a machine user named Linux builds and recorded no response");
    }
    expect(await own.users()).toEqual(["Linux builds"]);
  });

  test("asks on anaconda to revoke or adopt the token, and issues no other one before", async () => {
    const own = await unfinished("dynamic", "anaconda");
    const { organization, stack } = own;
    stack.declare([
      builds,
      { type: "SeatAssignment", name: "seat", args: { userId: "$builds.id" } },
      { type: "UserToken", name: "token", args: { userId: "$seat.id" } },
    ]);
    await killedAt("after its commit", own, isToken);
    const live = async () =>
      (await organization.service.management.snapshot()).tokens.filter(({ revoked }) => !revoked);
    const [lost] = await live();
    for (const flags of [[], ["--refresh"]]) {
      const { code, output } = await stack.up(...flags);
      expect(code).not.toBe(0);
      expect(output).toContain(`set \`adopt: "${lost?.tokenId}"\` on this UserToken`);
      expect(await live()).toEqual([lost]);
    }
    const client = createClient({ ...organization.service, platform: platforms.anaconda });
    const serviceAccount = await makeServiceAccount(organization);
    const api = client.organization(organization.organizationId, { user: undefined, serviceAccount });
    const operation = { deadline: Number.POSITIVE_INFINITY };
    await api.revokeToken(lost?.userId ?? "", operation, lost?.tokenId);
    await client.close();
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await live()).toHaveLength(1);
  });
});

describe("the record of a creation", () => {
  test("blocks another machine user after a decision about one, and after an import of the state", async () => {
    const { organization, stack, users } = await unfinished("dynamic", "basic");
    const { management } = organization.service;
    stack.declare([builds, two]);
    await management.addFaults({ match: { call: 5 }, times: 2, fault: { kind: "cut-after" } });
    for (let runs = 0; runs < 2; runs++) expect((await stack.up("--continue-on-error")).code).not.toBe(0);
    expect((await users()).toSorted()).toEqual(["Linux builds", "Mac builds"]);
    const made = (await management.snapshot()).users.find(({ firstName }) => firstName === "Linux builds");
    const adopted = { ...builds.args, adopt: made?.userId, onDelete: "delete" };
    stack.declare([{ ...builds, args: adopted }]);
    expect(await stack.up()).toMatchObject({ code: 0 });
    const exported = await stack.pulumi("stack", "export");
    writeFileSync(join(stack.folder, "state.json"), exported.output);
    expect((await stack.pulumi("stack", "import", "--file", join(stack.folder, "state.json"))).code).toBe(0);
    stack.declare([{ ...builds, args: adopted }, two]);
    const { code, output } = await stack.up();
    expect(code).not.toBe(0);
    expect(output).toContain("requested a machine user named Mac builds and recorded no response");
    expect(await users()).toHaveLength(2);
  });

  test.each(["basic", "anaconda"] as const)(
    "stops the run before it sends anything if it cannot be written (%s)",
    async (platform) => {
      const { organization, stack } = await unfinished("dynamic", platform);
      const script = join(stack.folder, "pulumi");
      const refusal = `case "$*" in *"tag set"*) echo "error: the backend is read-only" >&2; exit 255;; esac`;
      writeFileSync(script, `#!/bin/sh\n${refusal}\nexec ${pulumiCommand} "$@"\n`, { mode: 0o755 });
      stack.environment.ORGSEAT_PULUMI_PATH = script;
      stack.declare([builds]);
      const { code, output } = await stack.up();
      expect(code).not.toBe(0);
      expect(output).toContain("cannot record the creation of a machine user as a tag of stack");
      expect(output).toContain("the backend is read-only");
      const sent = (await organization.requests()).filter(
        ({ call, method }) => call !== "token" && method !== "GET",
      );
      expect(sent).toEqual([]);
    },
  );
});

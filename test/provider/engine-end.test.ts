// @module-tag ci
/** Provider processes after `kill -9` of the engine that started them. */
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { onEngineEnd } from "../../provider/runtime/engine-end.ts";
import { peopleRows, testOrganization } from "../automation/organization.ts";
import { gone, killAll, killBelow, pidsBelow } from "../setup/process-tree.ts";
import { onEachDoor } from "../setup/project.ts";
import { sandbox } from "../setup/sandbox.ts";
import { testStack } from "../setup/stack.ts";

const PROVIDER = /pulumi-resource-orgseat|cmd\/dynamic-provider/;

describe("onEngineEnd", () => {
  test("reports an engine that listened and then listens no more", async () => {
    const server = createServer((socket) => void socket.on("error", () => undefined).resume());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const ended = new Promise<void>((resolve) => onEngineEnd(`127.0.0.1:${address.port}`, resolve, 10));
    await once(server, "connection");
    server.close();
    await ended;
  });

  test("reports an engine that was gone before the first check", async () => {
    await new Promise<void>((resolve) => onEngineEnd("127.0.0.1:9", resolve, 10));
  });

  test.each(["", "--help"])("ignores %j, which is no address", (address) => {
    expect(() => onEngineEnd(address, () => expect.unreachable(), 10)).not.toThrow();
  });
});

onEachDoor("a provider whose engine is killed", (door) => {
  test("ends after the request that it has sent, and sends no other one", async () => {
    const organization = await sandbox({ seats: 10 });
    const { management } = organization.service;
    const stack = await testStack(organization, {}, door);
    stack.programs = "process";
    const args = { email: "ada@acme.example", seat: true, token: {} };
    stack.declare([{ type: "OrgMember", name: "ada", args }]);
    await management.addFaults({ match: { call: 5 }, fault: { kind: "delay", ms: 3_000, phase: "before" } });
    const { pid, ended } = stack.start("up", "--yes", "--skip-preview");
    while (!(await management.requests()).some(({ call }) => call === 5));
    const all = await pidsBelow(pid, PROVIDER);
    const plugins = await pidsBelow(pid, /pulumi-resource-orgseat/);
    expect(all.length).toBeGreaterThan(0);
    process.kill(pid, "SIGKILL");
    // Beside the plugin there may be Pulumi's process for dynamic resources, which orgseat is not in.
    for (const provider of plugins.length > 0 ? plugins : all) await gone(provider);
    await killAll(all);
    await ended;
    const { users } = await management.snapshot();
    expect(users.map(({ email }) => email)).toContain("ada@acme.example");
    expect((await management.requests()).map(({ call }) => call)).not.toContain(6);
  });
});

describe("the processes of a command", () => {
  test("finish what they have begun and end, after kill -9 of the command", async () => {
    const acme = await testOrganization();
    acme.write(peopleRows(3));
    const { management } = acme.sandbox.service;
    await management.addFaults({ match: { call: 6 }, fault: { kind: "delay", ms: 3_000 } });
    const { pid, ended } = acme.start("up", "--yes");
    while (!(await management.requests()).some(({ call }) => call === 6));
    const below = await pidsBelow(pid);
    process.kill(pid, "SIGKILL");
    await ended;
    for (const one of below) await gone(one);
    for (const member of Object.values(await acme.members()))
      expect(member).toEqual({ seat: true, token: expect.any(String) });
  });

  test("end after kill -9 of the engine, though the provider has not been used yet", async () => {
    const acme = await testOrganization();
    acme.write(peopleRows(1));
    const { pid, ended } = acme.start("up", "--yes");
    let below: number[] = [];
    const killed = async (): Promise<boolean> => {
      if ((await pidsBelow(pid, PROVIDER)).length === 0) return false;
      below = await pidsBelow(pid);
      // No engine runs between the preview and the update.
      return killBelow(pid, /(^|\/)pulumi (?:up|preview) /).then(
        () => true,
        () => false,
      );
    };
    while (!(await killed()));
    await ended;
    for (const one of below) await gone(one);
  });
});

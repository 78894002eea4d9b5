// @module-tag ci
/** Kept accounts, on engines: states with an earlier date stand for the time that has passed. */
import { expect, test } from "vitest";
import type { Fault } from "../../sandbox/service/index.ts";
import { killTree } from "../setup/process-tree.ts";
import { type Sandbox, sandbox } from "../setup/sandbox.ts";
import {
  type Declared,
  type Door,
  onEachDoor,
  type StateResource,
  type TestStack,
  testStack,
} from "../setup/stack.ts";

const LONG_AGO = "2026-01-31T08:00:00Z";

/** A service account, and a member who is managed with it. */
function bot(args: Record<string, unknown>, emails = ["ada@acme.example"]): Declared[] {
  const account = { name: "build-bot", keepPreviousFor: "24h", ...args };
  return [
    { type: "ServiceAccount", name: "bot", args: account },
    ...emails.map((email): Declared => {
      return { type: "OrgUser", name: email, args: { email, credentials: "$bot" } };
    }),
  ];
}
const exported = { id: "$bot.clientId", secret: "$bot.clientSecret" };

async function start(door: Door, resources: Declared[], outputs: Record<string, string>) {
  const organization = await sandbox({ subscriptionExpiresAt: "2035-06-30" });
  const stack = await testStack(organization, {}, door);
  stack.declare(resources, outputs);
  expect(await stack.up()).toMatchObject({ code: 0 });
  await organization.requests();
  return { organization, stack };
}

const callsOf = async (organization: Sandbox) =>
  (await organization.calls()).filter((call) => call !== "token");

async function secretOf(stack: TestStack) {
  return { clientId: await stack.stackOutput("id"), clientSecret: await stack.stackOutput("secret") };
}

async function works({ service }: Sandbox, secret: Awaited<ReturnType<typeof secretOf>>): Promise<boolean> {
  const { clientId: client_id, clientSecret: client_secret } = secret;
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
  return (await fetch(service.tokenUrl, { method: "POST", body })).ok;
}

async function bots({ service }: Sandbox): Promise<string[]> {
  const { serviceAccounts } = await service.management.snapshot();
  return serviceAccounts.filter(({ name }) => name === "build-bot").map(({ clientId }) => clientId);
}

function accountsOf(stack: TestStack): StateResource[] {
  return stack.resources().filter(({ type }) => type.endsWith(":ServiceAccount"));
}

/** The client ids in warnings about accounts that the run does not manage. */
function unmanagedIn(output: string): string[] {
  const warnings = output.matchAll(/with this name \(client id ([^)]*)\) that this run does not manage/g);
  return [...new Set(Array.from(warnings, ([, ids = ""]) => ids))];
}

/** As if the overlap of the last rotation had ended. */
function endOverlap(stack: TestStack): void {
  stack.changeOutputs("ServiceAccount", ({ previous, ...outputs }) => ({
    ...outputs,
    ...(Array.isArray(previous) && { previous: previous.map((one) => ({ ...one, removeAfter: LONG_AGO })) }),
  }));
}

onEachDoor("keepPreviousFor", (door) => {
  test("both accounts work, whatever runs in between, until the time is over; destroy removes all", async () => {
    const { organization, stack } = await start(door, bot({ rotateEvery: "30d" }), exported);
    const first = await secretOf(stack);
    stack.changeOutputs("ServiceAccount", (outputs) => ({ ...outputs, issuedAt: LONG_AGO }));
    expect((await stack.preview()).output).toContain(
      `rotate service account build-bot: rotateEvery 30d, issued 2026-01-31. The previous account (client id ${first.clientId}) keeps working for 24h`,
    );
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await callsOf(organization)).toEqual([2, 1]);
    const second = await secretOf(stack);
    expect([await works(organization, first), await works(organization, second)]).toEqual([true, true]);
    const user = stack.resources().find(({ type }) => type.endsWith(":OrgUser"));
    expect(await stack.inTheClear(user?.outputs?.credentials)).toEqual(second);

    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await stack.up("--target", user?.urn ?? "", "--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await works(organization, first)).toBe(true);

    endOverlap(stack);
    expect((await stack.preview()).output).toContain("delete previous service account of build-bot");
    await organization.requests();
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await callsOf(organization)).toEqual([3]);
    expect(await bots(organization)).toEqual([second.clientId]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });

    stack.declare(bot({ rotation: 2 }), exported);
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await bots(organization)).toHaveLength(2);
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(await bots(organization)).toEqual([]);
  });

  test("--replace: Pulumi does not compare the account, so the old one goes at the end of the run", async () => {
    const { organization, stack } = await start(door, bot({}), exported);
    const urn = stack.resources().find(({ type }) => type.endsWith(":ServiceAccount"))?.urn ?? "";
    expect(await stack.up("--replace", urn)).toMatchObject({ code: 0 });
    expect(await bots(organization)).toEqual([(await secretOf(stack)).clientId]);
  });

  test("deleteBeforeReplace: Pulumi deletes the old account first, and nothing is kept", async () => {
    const program = (rotation: number): Declared[] =>
      bot({ rotation }).map((one) => ({ ...one, options: { deleteBeforeReplace: one.name === "bot" } }));
    const { organization, stack } = await start(door, program(1), exported);
    stack.declare(program(2), exported);
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await callsOf(organization)).toEqual([3, 2, 1]);
    expect(await bots(organization)).toEqual([(await secretOf(stack)).clientId]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  const before = { kind: "hang", phase: "before" } as const satisfies Fault;
  const after = { kind: "hang", phase: "after" } as const satisfies Fault;
  test.each([
    ["before the new account exists", 1, before],
    ["after the new account exists", 1, after],
    ["after the state has the new account", 5, before],
  ] as const)(
    "kill -9 %s: the state has a working account, and the next run finishes",
    async (_, call, fault) => {
      const { organization, stack } = await start(door, bot({}), exported);
      const { management } = organization.service;
      const first = await secretOf(stack);
      stack.programs = "process";
      const people = ["ada@acme.example", "grace@acme.example"];
      stack.declare(bot({ rotation: 2 }, people), exported);
      await management.addFaults({ match: { call }, times: "always", fault });
      const { pid } = stack.start("up", "--yes", "--skip-preview");
      while (!(await organization.calls()).includes(call));
      await killTree(pid);
      await management.clearFaults();
      expect(await works(organization, first)).toBe(true);
      const made = (await bots(organization)).filter((id) => id !== first.clientId);
      expect(made).toHaveLength(fault.phase === "after" || call === 5 ? 1 : 0);
      const working = accountsOf(stack);
      expect(working.map(({ id }) => id)).toContain(first.clientId);
      for (const { outputs } of working) {
        const secret = await stack.inTheClear(outputs?.clientSecret);
        const own = { clientId: String(outputs?.clientId), clientSecret: String(secret) };
        expect(await works(organization, own)).toBe(true);
      }

      await stack.pulumi("cancel", "--yes");
      if (call === 5) {
        // Neither a refresh nor a run that leaves the account out touches what is still to be deleted in the state.
        const [user] = stack.resources().filter(({ type }) => type.endsWith(":OrgUser"));
        expect(await stack.refresh("--clear-pending-creates")).toMatchObject({ code: 0 });
        expect(await stack.up("--target", user?.urn ?? "")).toMatchObject({ code: 0 });
        expect(await bots(organization)).toHaveLength(2);
      }
      const { code, output } = await stack.up();
      expect(code).toBe(0);
      // No state has an account whose creation was cut off: it stays, and the warning names it alone.
      const left = call === 1 ? made : [];
      expect(unmanagedIn(output)).toEqual(left);
      const second = await secretOf(stack);
      expect([first.clientId, ...left]).not.toContain(second.clientId);
      expect(accountsOf(stack).map(({ id }) => id)).toEqual([second.clientId]);
      expect([await works(organization, first), await works(organization, second)]).toEqual([true, true]);
      expect((await bots(organization)).sort()).toEqual([first.clientId, ...left, second.clientId].sort());
      endOverlap(stack);
      expect(await stack.up()).toMatchObject({ code: 0 });
      expect((await bots(organization)).sort()).toEqual([...left, second.clientId].sort());
    },
  );
});

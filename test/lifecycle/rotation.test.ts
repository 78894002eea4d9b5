// @module-tag ci
/** Kept accounts, on engines: states with an earlier date stand for the time that has passed. */
import { expect, test } from "vitest";
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

  test("kill -9 after the state has the new account: both work, and the next runs finish", async () => {
    const { organization, stack } = await start(door, bot({}), exported);
    const { management } = organization.service;
    const first = await secretOf(stack);
    stack.programs = "process";
    stack.declare(bot({ rotation: 2 }, ["ada@acme.example", "grace@acme.example"]), exported);
    const fault = { kind: "hang", phase: "before" } as const;
    await management.addFaults({ match: { call: 5 }, times: "always", fault });
    const { pid } = stack.start("up", "--yes", "--skip-preview");
    while (!(await organization.calls()).includes(5));
    await killTree(pid);
    await management.clearFaults();
    expect(accountsOf(stack)).toHaveLength(2);
    await stack.pulumi("cancel", "--yes");
    // Neither a refresh nor a run that leaves the account out touches what is still to be deleted in the state.
    const [user] = stack.resources().filter(({ type }) => type.endsWith(":OrgUser"));
    expect(await stack.refresh("--clear-pending-creates")).toMatchObject({ code: 0 });
    expect(await stack.up("--target", user?.urn ?? "")).toMatchObject({ code: 0 });
    expect(await bots(organization)).toHaveLength(2);
    expect(await stack.up()).toMatchObject({ code: 0 });
    const second = await secretOf(stack);
    expect(accountsOf(stack).map(({ id }) => id)).toEqual([second.clientId]);
    expect([await works(organization, first), await works(organization, second)]).toEqual([true, true]);
    endOverlap(stack);
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await bots(organization)).toEqual([second.clientId]);
  });
});

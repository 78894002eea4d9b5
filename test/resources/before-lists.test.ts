/** What the lists from before a request, and a second look, protect. */
import { expect, test } from "vitest";
import { ada, idOf, listedOrganization, member, operation, outsOf } from "./listed.ts";

const LIST_USERS = 17;

test("a user whom one list lacks and the next one has is not gone", async () => {
  const organization = await listedOrganization();
  const { management } = organization.service;
  const stack = organization.stack();
  const program = member("ada", ada);
  expect((await stack.up(program)).errors).toEqual([]);
  const users = await organization.neighbor.listUsers(operation);
  const body = { items: users.filter(({ role }) => role === "admin") };
  const fault = { kind: "refuse", status: 200, body } as const;
  await management.addFaults({ match: { call: LIST_USERS }, fault });
  expect((await stack.refresh()).errors).toEqual([]);
  expect([...stack.state.keys()]).toEqual(program.map(({ name }) => name));
  expect(await stack.preview(program)).toEqual([]);
});

test("a token from before is not the one whose response was lost, and stays", async () => {
  const organization = await listedOrganization();
  const { management, seed } = organization.service;
  const stack = organization.stack();
  const of = (token: Record<string, unknown>) => member("ada", ada, { token });
  expect((await stack.up(of({}))).errors).toEqual([]);
  const { token } = await organization.neighbor.issueToken(
    idOf(stack, "ada-user"),
    seed.subscriptionExpiresAt,
    operation,
  );
  await management.addFaults({ match: { call: 7 }, fault: { kind: "cut-after" } });
  expect((await stack.up(of({ rotation: "2" }))).errors).toEqual([]);
  expect(await management.probe(token)).toMatchObject({ live: true });
  expect(await management.probe(String(outsOf(stack, "ada-token").value))).toMatchObject({ live: true });
  const { tokens } = await organization.snapshot();
  expect(tokens.map(({ revoked }) => revoked)).toEqual([true, false, true, false]);
});

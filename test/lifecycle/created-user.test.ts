// @module-tag ci
/** Answers of call 5 that are about somebody else, through the real provider process. */
import { expect, test } from "vitest";
import { passThrough } from "../setup/copies.ts";
import { Gate, type Passed } from "../setup/gate.ts";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachEngine, type TestEngine, testStack } from "../setup/stack.ts";

const email = (name: string) => `${name}@acme.example`;
const member = (name: string, more: Record<string, unknown> = {}): Declared => ({
  type: "OrgMember",
  name,
  args: { email: email(name), seat: true, token: {}, ...more },
});
const isCreation = ({ method, path }: Passed): boolean => method === "POST" && path.endsWith("/users");

async function stackBehindGate(engine: TestEngine) {
  const organization = await sandbox();
  const stack = await testStack(engine, organization);
  const gate = await Gate.before(organization.service.orgUrl);
  passThrough(gate, stack);
  const { management } = organization.service;
  const idOf = async (name: string) =>
    (await management.snapshot()).users.find((user) => user.email === email(name))?.userId ?? "";
  const effects = async () => (await organization.calls()).filter((call) => call !== "token");
  return { stack, gate, management, idOf, effects };
}

onEachEngine("another person's user", (engine) => {
  test("two creations whose answers changed places: both fail, nothing of them is kept, nobody gets the other's seat or token (D53)", async () => {
    const { stack, gate, management, idOf, effects } = await stackBehindGate(engine);
    gate.swap(isCreation);
    stack.declare([member("ada"), member("grace")]);
    const swapped = await stack.up("--continue-on-error");
    expect(swapped.code).not.toBe(0);
    const [ada, grace] = [await idOf("ada"), await idOf("grace")];
    for (const other of ["ada", "grace"]) {
      expect(swapped.output).toContain(
        `the service answered with another user: its email is ${email(other)}`,
      );
    }
    for (const id of [ada, grace]) expect(swapped.output).not.toContain(id);
    expect(stack.resources()).toEqual([]);
    expect(await effects()).toEqual([5, 5]);

    // Both exist, each under an id that the administration shows.
    const again = await stack.up("--continue-on-error");
    expect(again.output).toContain(`${email("ada")} is a member of the organization already`);
    stack.declare([member("ada", { adopt: ada }), member("grace", { adopt: grace })]);
    expect(await stack.up()).toMatchObject({ code: 0 });
    const { users, tokens } = await management.snapshot();
    expect(users.map(({ seat }) => seat)).toEqual([true, true]);
    expect(tokens).toHaveLength(2);
  });
});

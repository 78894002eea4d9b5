// @module-tag ci
/** What `pulumi up --continue-on-error` removes after a registration that failed, on the real CLI. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programFile } from "../setup/declared.ts";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, type Door, onEachDoor, testStack } from "../setup/stack.ts";

const member = (name: string, token = {}, options = {}): Declared => ({
  type: "OrgMember",
  name,
  args: { email: `${name}@acme.example`, seat: true, token },
  options,
});

const wired = (email: string): Declared[] => [
  { type: "OrgUser", name: "user", args: { email } },
  { type: "SeatAssignment", name: "seat", args: { userId: "$user.userId" } },
  { type: "UserToken", name: "token", args: { userId: "$seat.userId" } },
];

/** What such a class does. */
const GENERATED = `import { readFileSync } from "node:fs";
import { CustomResource } from "@pulumi/pulumi";

const { resources } = JSON.parse(readFileSync("${programFile}", "utf8"));
for (const { type, name, args } of resources) new CustomResource("orgseat:index:" + type, name, args);
`;

/** A stack with the resources. The service then refuses each new token and each new user. */
async function refusing(before: readonly Declared[], door: Door) {
  const organization = await sandbox({ seats: 9 });
  const stack = await testStack(organization, {}, door);
  stack.programs = "process";
  stack.declare(before);
  expect(await stack.up("--skip-preview")).toMatchObject({ code: 0 });
  for (const call of [5, 7])
    await organization.service.management.addFaults({
      match: { call },
      times: "always",
      fault: { kind: "refuse", status: 422 },
    });
  const names = () =>
    stack
      .resources()
      .map(({ urn }) => urn.split("::").at(-1))
      .toSorted();
  /** The names of the resources in the state after a run, which fails. */
  const after = async (declared: readonly Declared[], exports = {}) => {
    stack.declare(declared, exports);
    const { code, output } = await stack.up("--skip-preview", "--continue-on-error");
    expect(code, output).not.toBe(0);
    return { names: names(), output };
  };
  return { stack, after };
}

onEachDoor("pulumi up --continue-on-error", (door) => {
  test("removes who is gone from the program although the creation and the update of others fail", async () => {
    const { after } = await refusing([member("ada"), member("bob"), member("eve")], door);
    const { names, output } = await after([member("ada", { rotation: 2 }), member("bob"), member("new")]);
    expect(names).toEqual(["ada", "bob"]);
    expect(output, "the error is said once, by the provider").not.toContain("failed to register");
  });

  test("removes no one if an output of the stack or a resource depends on the failed one, or a check fails", async () => {
    const before = [member("ada"), member("bob"), member("eve"), ...wired("wired@acme.example")];
    const all = ["ada", "bob", "eve", "seat", "token", "user"];
    const { after } = await refusing(before, door);
    const [ada, bob] = [member("ada", { rotation: 2 }), member("bob")];
    const wiring = wired("wired@acme.example");
    expect((await after([ada, bob, ...wiring], { token: "$ada.tokenValue" })).names).toEqual(all);
    expect((await after([member("ada", { expiresAt: "soon" }), bob, ...wiring])).names).toEqual(all);
    const dependent = member("bob", {}, { dependsOn: ["$ada"] });
    expect((await after([ada, dependent, ...wiring])).names).toEqual(all);
    expect((await after([member("ada"), bob, ...wired("changed@acme.example")])).names).toEqual(all);
  });

  const named = "removes no one with classes that Pulumi generates for Node";
  // Only the plugin has generated classes.
  if (door === "plugin")
    test(named, async () => {
      const { stack, after } = await refusing([member("ada"), member("eve")], door);
      writeFileSync(join(stack.folder, "index.mjs"), GENERATED);
      const { names, output } = await after([member("ada", { rotation: "2" })]);
      expect(names).toEqual(["ada", "eve"]);
      expect(output).toContain("resource ada [orgseat:index:OrgMember] failed to register");
    });

  test("removes what depends on the failed resource in an inline program, which is Pulumi's own", async () => {
    const { stack, after } = await refusing([member("ada"), member("bob")], door);
    stack.programs = "inline";
    const declared = [member("ada", { rotation: 2 }), member("bob", {}, { dependsOn: ["$ada"] })];
    expect((await after(declared)).names).toEqual(["ada"]);
  });
});

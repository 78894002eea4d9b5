import { expect, test } from "vitest";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachDoor, testStack } from "../setup/stack.ts";

function user(args: Record<string, unknown>, name = "ada"): Declared[] {
  return [{ type: "OrgUser", name, args }];
}
const ADA = "ada@acme.example";

onEachDoor("OrgUser", (door) => {
  test("keeps its person over letter case and names, and is replaced for another email, the new one first", async () => {
    const organization = await sandbox();
    const stack = await testStack(organization, {}, door);
    const effects = async () => (await organization.calls()).filter((call) => call !== "token");
    stack.declare(user({ email: ADA, firstName: "Ada" }));
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await effects()).toEqual([5]);

    stack.declare(user({ email: "Ada@ACME.example", firstName: "Ada" }));
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0 });

    stack.declare(user({ email: ADA, firstName: "Augusta" }));
    const renamed = await stack.up();
    expect(renamed.output).toMatch(/firstName.*orgseat does not replace a person to change a name/);
    expect(renamed.output).toMatch(/1 updated/);
    expect(await effects()).toEqual([]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });

    stack.declare(user({ email: "augusta@acme.example", firstName: "Augusta" }));
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await effects()).toEqual([5, 11]);
    expect((await organization.service.management.snapshot()).users).toEqual([
      expect.objectContaining({ email: "augusta@acme.example" }),
    ]);
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await effects(), "no call reads a user in the basic platform").toEqual([]);
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(await effects()).toEqual([11]);
  });
});

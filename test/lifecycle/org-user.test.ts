import { expect, test } from "vitest";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, onEachEngine, testStack } from "../setup/stack.ts";

function user(args: Record<string, unknown>, name = "ada"): Declared[] {
  return [{ type: "OrgUser", name, args }];
}
const ADA = "ada@acme.example";

onEachEngine("OrgUser", (engine) => {
  test("keeps its person over letter case and names, and is replaced for another email, the new one first", async () => {
    const organization = await sandbox();
    const stack = await testStack(engine, organization);
    const effects = async () => (await organization.calls()).filter((call) => call !== "token");
    stack.declare(user({ email: ADA, firstName: "Ada" }));
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await effects()).toEqual([5]);

    stack.declare(user({ email: "Ada@ACME.example", firstName: "Ada" }));
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0 });

    stack.declare(user({ email: ADA, firstName: "Augusta" }));
    const renamed = await stack.up();
    expect(renamed.output).toMatch(/firstName.*nobody is replaced for a name/);
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
    expect(await effects(), "no call reads a user in the documented dialect").toEqual([]);
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(await effects()).toEqual([11]);
  });

  test("without an email is a managed user, replaced for another purpose and for an email", {
    tags: "ci",
  }, async () => {
    const organization = await sandbox();
    const stack = await testStack(engine, organization);
    const effects = async () => (await organization.calls()).filter((call) => call !== "token");
    stack.declare(user({ firstName: "Linux", lastName: "builds" }));
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect((await organization.service.management.snapshot()).users).toEqual([
      expect.objectContaining({ managed: true, firstName: "Linux", lastName: "builds" }),
    ]);
    await effects();
    stack.declare(user({ firstName: "macOS", lastName: "builds" }));
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await effects()).toEqual([5, 11]);
    stack.declare(user({ firstName: "macOS", lastName: "builds", email: ADA }));
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await effects()).toEqual([5, 11]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  test("of a member is refused and names adopt; adopted, it is released on removal and stays a member", {
    tags: "ci",
  }, async () => {
    const organization = await sandbox();
    const { management } = organization.service;
    const owner = await testStack(engine, organization);
    owner.declare(user({ email: ADA }));
    await owner.up();
    const [original] = owner.resources();

    const stack = await testStack(engine, organization);
    stack.declare(user({ email: ADA }));
    const refused = await stack.up();
    expect(refused.code).not.toBe(0);
    expect(refused.output).toMatch(/call 5 .*409.*`adopt: "<user id>"`/);

    await organization.requests();
    stack.declare(user({ email: ADA, adopt: original?.id }));
    expect((await stack.preview()).output).toMatch(/released and stays a member/);
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    stack.declare(user({ email: ADA }));
    expect(await stack.up(), "the line may go once it has done its work").toMatchObject({ code: 0 });
    stack.declare([]);
    const released = await stack.up();
    expect(released.output).toMatch(/is released and stays a member/);
    expect(await organization.calls()).toEqual([]);
    expect((await management.snapshot()).users).toHaveLength(1);

    stack.declare(user({ email: ADA, adopt: original?.id, onDelete: "remove" }));
    await stack.up();
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect((await management.snapshot()).users).toEqual([]);
    expect(await owner.destroy(), "removing what is gone already").toMatchObject({ code: 0 });
  });

  test("whose answer is lost is never added twice: the next up meets 409 and names adopt", {
    tags: "ci",
  }, async () => {
    const organization = await sandbox();
    const stack = await testStack(engine, organization);
    const { management } = organization.service;
    await management.addFaults({ match: { call: 5 }, fault: { kind: "cut-after" } });
    stack.declare(user({ email: ADA }));
    const lost = await stack.up();
    expect(lost.code).not.toBe(0);
    expect(lost.output).toMatch(/ada@acme\.example may have been added; nothing is sent again by itself/);
    const next = await stack.up();
    expect(next.output).toMatch(/409.*`adopt: "<user id>"`/);
    expect((await organization.calls()).filter((call) => call !== "token")).toEqual([5, 5]);
    const [ada] = (await management.snapshot()).users;
    stack.declare(user({ email: ADA, adopt: ada?.userId, onDelete: "remove" }));
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect((await management.snapshot()).users).toHaveLength(1);
  });

  test("with neither email nor names, or with a bad email, is refused with the property", {
    tags: "ci",
  }, async () => {
    const organization = await sandbox();
    const stack = await testStack(engine, organization);
    stack.declare(user({}));
    expect((await stack.preview()).output).toMatch(/property email .*neither email nor firstName/);
    stack.declare(user({ email: "not-an-email" }));
    expect((await stack.preview()).output).toMatch(/property email .*not an email address/);
    stack.declare(user({ email: ADA, mail: ADA }));
    expect((await stack.preview()).output).toMatch(/property mail .*OrgUser has no such input/);
    expect(await organization.calls()).toEqual([]);
  });
});

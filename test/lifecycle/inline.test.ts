// @module-tag ci
/** The programs of these folders' tests share one process: each is as alone there as in one of its own. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, testStack } from "../setup/stack.ts";

const ADA = "ada@acme.example";

describe("inline programs", () => {
  test("keep their own organization each in one process, and nothing of a run before", async () => {
    const acme = await sandbox();
    const globex = await sandbox({ organizationId: randomUUID() });
    const [ofAcme, ofGlobex] = [await testStack(acme), await testStack(globex)];
    // One person twice, if the organization that is named is the one of the environment.
    const program: Declared[] = [
      { type: "OrgUser", name: "ada", args: { email: ADA } },
      { type: "OrgUser", name: "countess", args: { email: ADA, organizationId: acme.organizationId } },
    ];
    for (const stack of [ofAcme, ofGlobex]) stack.declare(program);
    const refused = { code: expect.not.toBeOneOf([0]), output: expect.stringContaining("declare the same") };
    expect(await ofAcme.preview()).toMatchObject(refused);
    expect(await ofGlobex.preview()).toMatchObject({ code: 0 });
    expect(await ofAcme.preview(), "whoever ran before").toMatchObject(refused);

    ofAcme.declare(program.slice(0, 1));
    expect(await ofAcme.up(), "after a run that failed").toMatchObject({ code: 0 });
    expect((await acme.calls()).filter((call) => call !== "token")).toEqual([5]);
    expect(await globex.calls()).toEqual([]);
  });
});

// @module-tag ci
/** What other users of the machine can see of a run. */
import { describe, expect, test } from "vitest";
import { testOrganization } from "../automation/organization.ts";
import { commandsOf, killTree } from "../setup/process-tree.ts";
import { findSecrets, markedSecrets } from "../setup/secrets.ts";

describe("the process list", () => {
  test("contains no secret while a run issues a token", async () => {
    const acme = await testOrganization();
    acme.write([{ email: "ada@acme.example" }]);
    const { management } = acme.sandbox.service;
    const late = { kind: "delay", ms: 60_000, phase: "after" } as const;
    await management.addFaults({ match: { call: 7 }, times: "always", fault: late });
    const { pid } = acme.start("up", "--yes");
    while ((await management.snapshot()).tokens.length === 0);
    const commands = (await commandsOf(pid)).join("\n");
    await killTree(pid);

    expect(commands).toMatch(/orgseat\.js up/);
    expect(commands).toMatch(/runner/);
    expect(findSecrets(markedSecrets, { texts: { commands } })).toEqual([]);
    const given = JSON.stringify(acme.variables());
    expect(findSecrets(markedSecrets, { texts: { given } }), "what the search would have found").not.toEqual(
      [],
    );
  });
});

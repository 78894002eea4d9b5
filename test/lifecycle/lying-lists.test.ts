// @module-tag ci
/** A service account that has lost its rights, and lists that are not whole: a refresh of a program forgets no one. */
import { expect, test } from "vitest";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { type Declared, testStack } from "../setup/stack.ts";

const members = (count: number): Declared[] =>
  Array.from({ length: count }, (_, index) => ({
    type: "OrgMember",
    name: `m${index}`,
    args: { email: `m${index}@acme.example`, seat: true, token: {} },
  }));

test.each([25, 2])(
  "keeps %i members of a program in the state when the service account has lost its rights",
  async (count) => {
    const organization = await sandbox({ seats: 30 }, temporaryFolder(), "anaconda");
    const { management } = organization.service;
    const stack = await testStack(organization);
    stack.declare(members(count));
    expect(await stack.up()).toMatchObject({ code: 0 });
    const before = stack.resources();
    expect(before).toHaveLength(count);
    const held = (await management.snapshot()).tokens;

    await management.setSwitches({ accountRights: "none" });
    for (const command of [() => stack.refresh(), () => stack.up("--refresh")]) {
      const { code, output } = await command();
      expect(code, output).not.toBe(0);
      expect(output).toContain("The service account may have lost its rights");
      expect(stack.resources().map(({ urn }) => urn)).toEqual(before.map(({ urn }) => urn));
    }

    await management.setSwitches({ accountRights: "all", pages: "total_count" });
    const { code, output } = await stack.refresh();
    expect(code, output).not.toBe(0);
    expect(output).toContain("orgseat reads whole lists only, and takes nothing from this one");

    await management.setSwitches({ pages: "none" });
    const healed = await stack.up("--refresh", "--expect-no-changes");
    expect(healed, healed.output).toMatchObject({ code: 0 });
    expect((await management.snapshot()).tokens).toEqual(held);
  },
);

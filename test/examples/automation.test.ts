// @module-tag ci
/** The scripts that people copy, run as they are, one after another on one organization. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type TestOrganization, testOrganization } from "../automation/organization.ts";
import { type Ended, runIn } from "../package/install.ts";
import { copyExample } from "../setup/repository.ts";

const PEOPLE = ["Linux builds", "ada@acme.example", "bob@acme.example", "grace@acme.example"];

const SCRIPTS = [
  ["automation-up", "up.ts", "--yes"],
  ["automation-nightly", "nightly.ts"],
  ["automation-offboard", "offboard.ts", "bob@acme.example"],
] as const;

describe("the scripts of examples/automation-*", () => {
  test.for(SCRIPTS)(
    "name every fault of a roster without a stack trace, and call nothing: %s",
    async ([example, ...command]) => {
      const organization = await testOrganization({ seats: 10 });
      copyExample(example, organization.folder);
      organization.write([{ email: "not an email" }, { email: "ada@acme.example", expires: "soon" }]);
      const { code, output } = await script(organization, ...command);
      expect(code).toBe(1);
      expect(output).toMatch(
        /people\.csv is invalid \(2 errors\):\n {2}line 3, column \d+ .*\n {2}line 4, column \d+ .*\n$/,
      );
      expect(output).not.toContain("    at ");
      expect(await organization.writes()).toEqual([]);
    },
  );

  test("add people, renew and report at night, and offboard a person", async () => {
    const organization = await testOrganization({ seats: 10 });
    const run = (example: string, ...command: string[]) => {
      copyExample(example, organization.folder);
      return script(organization, ...command);
    };

    const unasked = await run("automation-up", "up.ts");
    expect(unasked).toMatchObject({ code: 1, output: expect.stringMatching(/^4 to add, /) });
    expect(unasked.output).toContain("run the script again with --yes.\n");
    expect(await organization.writes()).toEqual([]);

    const up = await run("automation-up", "up.ts", "--yes");
    expect(up, up.output).toMatchObject({ code: 0 });
    expect(up.output).toMatch(
      /^4 to add, 0 to remove · seats \+4 \(6 available afterwards, declared\) · 4 tokens to issue$/m,
    );
    expect(Object.keys(await organization.members())).toEqual(PEOPLE);
    // The copy of the example has not committed what the first run wrote into its roster.
    const again = await run("automation-up", "up.ts");
    expect(again).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Commit this roster change:.*\n\nsucceeded\n$/s),
    });
    await organization.writes();

    const nightly = await run("automation-nightly", "nightly.ts");
    expect(nightly, nightly.output).toMatchObject({ code: 0 });
    expect(nightly.output).toContain("succeeded: 0 tokens to renew");
    expect(readFileSync(join(organization.folder, "report.html"), "utf8")).toContain("grace@acme.example");
    expect(existsSync(join(organization.folder, "report.csv"))).toBe(true);
    expect(await organization.writes()).toEqual([]);

    const offboard = await run("automation-offboard", "offboard.ts", "bob@acme.example");
    expect(offboard, offboard.output).toMatchObject({ code: 0 });
    expect(offboard.output).toContain("bob@acme.example: token revoked");
    expect(offboard.output).toContain("-bob@acme.example,,,core");
    expect(await organization.writes()).toEqual([9, 10, 11]);
    expect(Object.keys(await organization.members())).toEqual(PEOPLE.filter((who) => !who.startsWith("bob")));
    organization.expectNoSecrets({ scripts: up.output + nightly.output + offboard.output });
  });
});

function script(organization: TestOrganization, ...command: string[]): Promise<Ended> {
  return runIn(organization.folder, process.execPath, command, organization.variables());
}

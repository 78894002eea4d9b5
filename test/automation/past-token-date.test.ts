// @module-tag ci
/** People whose own token date has passed: a removal needs no new date, and one person's wish stops no other. */
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { nodeOptions } from "../setup/quick-node.ts";
import { type Row, runningOrganization, type TestOrganization } from "./organization.ts";

const DAY_MS = 86_400_000;
const ada: Row = { email: "ada@acme.example" };
const grace: Row = {
  email: "grace@acme.example",
  expires: new Date(Date.now() + DAY_MS).toISOString().slice(0, 10),
};

describe("a person whose token date has passed", () => {
  test("leaves by offboard", async () => {
    const acme = await organizationAfter();

    const { code, stdout, stderr } = await acme.orgseat("offboard", "grace@acme.example", "--yes");

    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    // The command has revoked the token, so the run does not.
    expect(await acme.writes()).toEqual([9, 10, 11]);
    expect(Object.keys(await acme.members())).toEqual(["ada@acme.example"]);
  });

  test("fails alone when the row asks for a new value", async () => {
    const acme = await organizationAfter();
    acme.write([
      { ...ada, rotation: "2" },
      { ...grace, rotation: "2" },
    ]);

    const preview = await acme.orgseat("preview");
    expect(preview).toMatchObject({ code: 0 });
    expect(preview.stdout).toContain("grace@acme.example  cannot issue a new token: its date has passed");
    const up = await acme.orgseat("up", "--yes");

    expect(up).toMatchObject({ code: 1, stdout: expect.stringContaining("1 succeeded, 1 failed") });
    expect(up.stdout).toContain("it would already be expired");
    expect(await acme.writes()).toEqual([9, 7]);
  });

  test("fails alone when the row moves the date into the past", async () => {
    const acme = await runningOrganization([ada, grace]);
    acme.write([ada, { ...grace, expires: "2026-01-01" }]);

    const preview = await acme.orgseat("preview");
    expect(preview).toMatchObject({ code: 0 });
    expect(preview.stdout).toContain(
      "grace@acme.example  cannot move the token's expiry back: the date has passed",
    );
    const up = await acme.orgseat("up", "--yes");

    expect(up.code).toBe(1);
    expect(up.stdout).toMatch(
      /^failed +grace@acme\.example \(people\.csv, line 5\) +cannot move the expiry of the token of grace@acme\.example .*back to 2026-01-01T/m,
    );
    expect(await acme.writes()).toEqual([]);
  });
});

/** Two days after the first `up`. */
async function organizationAfter(): Promise<TestOrganization> {
  const acme = await runningOrganization([ada, grace]);
  const preload = createRequire(import.meta.url).resolve("../setup/later.cjs");
  acme.environment.NODE_OPTIONS = `${nodeOptions} --require ${preload}`;
  acme.environment.ORGSEAT_TEST_LATER_MS = String(2 * DAY_MS);
  return acme;
}

// @module-tag ci
/** People whose own token date has passed: a removal needs no new date, and one person's wish stops no other. */
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { onEachEngine } from "../setup/project.ts";
import { nodeOptions } from "../setup/quick-node.ts";
import { peopleRows, type Row, runningOrganization, type TestOrganization } from "./organization.ts";

const DAY_MS = 86_400_000;
const ada: Row = { email: "ada@acme.example" };
const grace: Row = {
  email: "grace@acme.example",
  expires: new Date(Date.now() + DAY_MS).toISOString().slice(0, 10),
};

onEachEngine("a person whose token date has passed", (engine) => {
  test("leaves by offboard", async () => {
    const acme = await organizationAfter(engine);

    const { code, stdout, stderr } = await acme.orgseat("offboard", "grace@acme.example", "--yes");

    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    expect(await acme.writes()).toEqual([9, 9, 10, 11]);
    expect(Object.keys(await acme.members())).toEqual(["ada@acme.example"]);
  });

  test("fails alone when the row asks for a new value", async () => {
    const acme = await organizationAfter(engine);
    acme.write([
      { ...ada, rotation: "2" },
      { ...grace, rotation: "2" },
    ]);

    const preview = await acme.orgseat("preview");
    expect(preview).toMatchObject({ code: 0 });
    expect(preview.stdout).toContain("grace@acme.example  cannot issue a new token: its date has passed");
    const up = await acme.orgseat("up", "--yes");

    expect(up).toMatchObject({ code: 1, stdout: expect.stringContaining("1 succeeded, 1 failed") });
    expect(up.stdout).toContain("the token would already be expired");
    expect(await acme.writes()).toEqual([9, 7]);
  });

  test("fails alone when the row moves the date into the past", async () => {
    const acme = await runningOrganization(engine, [ada, grace]);
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

  test("gets one warning together with the others, in the words of the roster", async () => {
    const people = peopleRows(25).toReversed();
    const acme = await runningOrganization(engine, people, {}, { seats: 25 });
    const past = "2026-01-01";
    const newcomers = ["y@acme.example", "x@acme.example"].map((email) => ({ email, expires: past }));
    acme.write([...newcomers, ...people.map((row) => ({ ...row, expires: past })).slice(0, 15)], {
      seats: 10,
    });

    const { code, stdout } = await acme.orgseat("preview");

    expect(code).toBe(3);
    expect(stdout).toContain("No override allows this plan: correct what else blocks it first.\n  p000@");
    expect(stdout).toContain("\n\nBLOCKED (seats): not enough seats: 7 more needed.");
    expect(stdout).not.toContain("--allow-removals");
    const warnings = stdout.slice(stdout.indexOf("\nWarnings:\n")).split("\n").slice(2);
    expect(warnings).toEqual([
      "  cannot issue token of a new user: the token would already be expired (2026-01-01T23:59:59Z). Set a later date for `expires`",
      "  cannot move the expiry of the token of <person> back to 2026-01-01T23:59:59Z: this date is in the past. To end the token, remove it; to keep it, set a later date for `expires`",
      `    ${people
        .slice(0, 15)
        .map(({ email }) => email)
        .join(", ")}`,
      "",
    ]);
  });
});

/** Two days after the first `up`. */
async function organizationAfter(
  engine: Parameters<typeof runningOrganization>[0],
): Promise<TestOrganization> {
  const acme = await runningOrganization(engine, [ada, grace]);
  const preload = createRequire(import.meta.url).resolve("../setup/later.cjs");
  acme.environment.NODE_OPTIONS = `${nodeOptions} --require ${preload}`;
  acme.environment.ORGSEAT_TEST_LATER_MS = String(2 * DAY_MS);
  return acme;
}
